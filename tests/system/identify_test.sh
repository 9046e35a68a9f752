#!/bin/bash
# propriod-identify as a person uses it: a log of a pendulum, its columns, mistakes in both, and what is written.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${BUILD:-build}")
identify=$build/propriod-identify
. tests/system/check.sh

# one joint about y, a body of 2 kg 0.5 m below it; described with 1.6 kg
cat >"$to/pendulum.urdf" <<'URDF'
<robot name="pendulum">
  <!-- a comment to keep -->
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1.6"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="8"/></joint>
</robot>
URDF
# I = 0.02 + 2 0.25 = 0.52 about the joint, viscous 0.3, Coulomb 0.4, gravity 2 9.81 0.5 sin q
log() { # SIGN > CSV
  awk -v sign="$1" 'BEGIN {
    srand(7); print "time,q_swing,tau_swing"
    for (k = 0; k < 6000; k++) {
      t = 0.005 * k
      q = 0.9 * sin(1.7 * t) + 0.4 * sin(4.1 * t + 1); v = 1.53 * cos(1.7 * t) + 1.64 * cos(4.1 * t + 1)
      a = -2.601 * sin(1.7 * t) - 6.724 * sin(4.1 * t + 1)
      tau = 0.52 * a + 9.81 * sin(q) + 0.3 * v + 0.4 * (v > 0.01 ? 1 : v < -0.01 ? -1 : 100 * v)
      printf "%.3f,%.9f,%.6f\n", t, q, sign * (tau + 0.05 * (rand() - 0.5))
    }
  }'
}
log 1 >"$to/log.csv"
log -1 >"$to/turned.csv"
sed 's/q_swing/q_swnig/' "$to/log.csv" >"$to/misspelt.csv"
awk -F, 'NR == 1 {print; next} {printf "%s,%.9f,%s\n", $1, $2 * 57.29577951, $3}' "$to/log.csv" >"$to/degrees.csv"
awk -F, 'NR == 3000 {print $1 ",1.9," $3; next} {print}' "$to/log.csv" >"$to/jump.csv"
awk -F, 'NR == 2000 {print $1 "," $2 ",nan"; next} {print}' "$to/log.csv" >"$to/nan.csv"
awk -F, 'NR == 1 {print; next} {print $1 ",0.1," $3}' "$to/log.csv" >"$to/still.csv"
awk -F, 'NR == 1 {print; next} {t[NR] = $1; q[NR] = $2; s[NR] = $3} END {for (i = 2; i + 20 <= NR; i++) print t[i + 20] "," q[i + 20] "," s[i]}' \
  "$to/log.csv" >"$to/late.csv"

fit() { # LOG [OPTION ...]
  local log=$1
  shift
  "$identify" fit --robot "$to/pendulum.urdf" --log "$to/$log.csv" "$@"
}

check a_fit_is_done_and_written answers 0 'all can be' fit log --output "$to/new.urdf" --yaml "$to/new.yaml"
drives_are_found() {
  grep -oE '<dynamics[^>]*>' "$to/new.urdf" | tr '"' ' ' |
    awk '{print; exit !($3 > 0.29 && $3 < 0.31 && $5 > 0.39 && $5 < 0.41)}' && grep -q 'a comment to keep' "$to/new.urdf"
}
check friction_is_found_and_comments_are_kept drives_are_found
the_moment_is_found() {
  grep -A10 '  rod:' "$to/new.yaml" | sed -n 's/^ *hz: \[\([^,]*\),.*/\1/p' | awk '{print; exit !($1 > -1.01 && $1 < -0.99)}'
}
check the_first_moment_is_found the_moment_is_found
daemon_takes_it() {
  printf 'robot:\n  urdf: new.urdf\n  fixed_base: true\n' >"$to/robot.yaml" && "$build/proprioctl" check "$to/robot.yaml"
}
check the_daemon_takes_the_urdf daemon_takes_it
second_fit_changes_nothing() {
  "$identify" fit --robot "$to/new.urdf" --log "$to/log.csv" --output "$to/second.urdf" >/dev/null && cmp "$to/new.urdf" "$to/second.urdf"
}
check a_second_fit_changes_nothing second_fit_changes_nothing
check proprioctl_knows_where_it_came_from answers 1 'the model was identified by pc-irls, lambda' "$build/proprioctl" inertia show "$to/robot.yaml"
the_simulator_takes_it() {
  "$build/propriod-sim" --config "$to/robot.yaml" --scenario medium --headless --quiet --duration 1
}
check the_simulator_takes_the_urdf the_simulator_takes_it
base_parameters_have_deviations() {
  fit log --method wls --yaml "$to/base.yaml" >"$to/said" && grep -q '^Base parameters' "$to/said" && ! grep -q '^Bodies' "$to/said" &&
    sed -n '/^base:/,$s/^  - \[\(.*\), "rod hz"\]$/\1/p' "$to/base.yaml" | tr -d , | # a moment, and how sure it is
    awk '{print; exit !($1 > -1.01 && $1 < -0.99 && $2 > 1e-6 && $2 < 0.01)}'
}
check base_parameters_have_deviations base_parameters_have_deviations
check base_parameters_are_no_urdf answers 2 'no --output with --method wls' fit log --method wls --output "$to/never.urdf"
printf 'time: time\nposition: [q_swing]\ntorque: [tau_swing]\ngear: [50]\n' >"$to/gear.yaml"
rotor_of_its_own() {
  fit log --columns "$to/gear.yaml" --output "$to/gear.urdf" --yaml "$to/rotor.yaml" && grep -q '^  swing rotor:' "$to/rotor.yaml" &&
    "$identify" fit --robot "$to/gear.urdf" --log "$to/log.csv" --columns "$to/gear.yaml" --output "$to/second.urdf" >/dev/null &&
    cmp "$to/gear.urdf" "$to/second.urdf" && sed -n 's/.*<rotor inertia="\([^"]*\)".*/\1/p' "$to/gear.urdf" | awk '{print; exit !($1 > 0)}'
}
check a_rotor_with_its_gear_is_a_body_of_its_own rotor_of_its_own
# what shows 0.3 N m too much, in units of half a N m
awk -F, 'NR == 1 {print; next} {printf "%s,%s,%.6f\n", $1, $2, 2 * ($3 + 0.3)}' "$to/log.csv" >"$to/shifted.csv"
printf 'time: time\nposition: [q_swing]\ntorque: [tau_swing]\ngain: [0.5]\n' >"$to/half.yaml"
settings_are_found() {
  fit shifted --columns "$to/half.yaml" --output "$to/shifted.urdf" --settings "$to/drives.yaml" && cat "$to/drives.yaml" &&
    tr -d '[]' <"$to/drives.yaml" | awk '{found[$1] = $2} END {
      e = found["offset_error:"]; n = found["noise:"]; off = found["offset:"] - 0.3
      exit !(found["gain:"] == 0.5 && e > 1e-4 && e < 0.02 && off < 0.01 && off > -0.01 && n > 2e-3 && n < 0.05)}' &&
    { printf 'robot:\n  urdf: shifted.urdf\n  fixed_base: true\n' && cat "$to/drives.yaml"; } >"$to/drives_robot.yaml" &&
    "$build/proprioctl" check "$to/drives_robot.yaml"
}
check a_drive_offset_is_a_setting_that_the_daemon_takes settings_are_found
check json_is_json sh -c "'$identify' fit --robot '$to/pendulum.urdf' --log '$to/log.csv' --json | /usr/bin/python3 -c 'import json,sys; assert json.load(sys.stdin)[\"error_unseen\"] < 0.02'"
page_is_whole() {
  fit log --report "$to/page.html" && /usr/bin/python3 - "$to/page.html" <<'PY'
import sys, xml.dom.minidom, re
page = open(sys.argv[1]).read()
svg = re.findall(r"<svg.*?</svg>", page)
lines = [xml.dom.minidom.parseString(one).getElementsByTagName("polyline") for one in svg]
assert [len(one) for one in lines] == [3, 6], lines # torques; the rod in three views, now and before
assert "http" not in page and page.endswith("</html>\n") and "rod" in page
assert page.count("log-cholesky") == 1 and page.count("<b>") == 2, "one table of methods, one of them best"
PY
}
check the_page_needs_nothing_beside_it page_is_whole
motion_keeps_the_limits() {
  "$identify" excite --robot "$to/pendulum.urdf" --seconds 0.5 --output "$to/motion.csv" &&
    awk -F, 'NR > 1 && ($2 > 2 || $2 < -2 || $3 > 8 || $3 < -8) {bad = 1} END {exit bad || NR != 10002}' "$to/motion.csv"
}
check a_designed_motion_keeps_the_limits motion_keeps_the_limits
criterion() { # AIM: (154) of a motion designed for it
  "$identify" excite --robot config/robots/tx40.urdf --seconds 1 --harmonics 4 --aim "$1" --json | sed 's/.*"criterion": \([^,]*\),.*/\1/'
}
aims_differ() {
  awk -v a="$(criterion condition)" -v b="$(criterion information)" 'BEGIN {print a, b; exit !(a > 1 && 2 * a < b)}'
}
check a_motion_can_be_designed_for_the_condition_number aims_differ
check a_link_that_is_not_there_is_named answers 1 "no moving link 'rood', did you mean 'rod'?" \
  "$identify" payload --robot "$to/pendulum.urdf" --log "$to/log.csv" --loaded "$to/log.csv" --link rood
no_load_weighs_nothing() {
  "$identify" payload --robot "$to/pendulum.urdf" --log "$to/log.csv" --loaded "$to/log.csv" --link rod --json |
    /usr/bin/python3 -c 'import json, sys; load = json.load(sys.stdin); m, c = load["mass"], load["com"]; sys.exit(abs(m * c[2]) > 0.02)'
}
check no_load_has_no_moment no_load_weighs_nothing
check methods_are_compared answers 0 'best on rows not fitted' "$identify" compare --robot "$to/pendulum.urdf" --log "$to/log.csv"

check a_misspelt_column_is_named answers 1 "misspelt.csv: no column for the position of joint 'swing' ('q_swing', did you mean 'q_swnig'?" fit misspelt
check degrees_are_recognised answers 1 "unit: deg" fit degrees
check a_jump_has_its_line answers 1 "jump.csv:3000: column 'q_swing': joint 'swing' jumps by" fit jump
check nan_has_its_line answers 1 "nan.csv:2000: column 'tau_swing': 'nan' is not finite" fit nan
check a_joint_that_stands_still_is_named answers 1 "joint 'swing' stands still" fit still
check a_torque_of_the_wrong_sign_is_recognised answers 1 "driving it" fit turned
check a_late_torque_has_its_lag answers 1 "ms after the motion" fit late
awk -F, 'NR == 1 {print; next} {print $1 * 1000 "," $2 "," $3}' "$to/log.csv" >"$to/ms.csv"
awk -F, 'NR == 1 {print; next} {print $1 "," $2 ",0"}' "$to/log.csv" >"$to/dead.csv"
awk -F, 'NR == 1 {print; next} {print $1 "," $2 "," 3 * sin(7 * $1) + 0.3 * sin(40 * $1)}' "$to/log.csv" >"$to/other.csv"
check milliseconds_are_recognised answers 1 'time_scale: 1e-3 for ms' fit ms
check a_dead_torque_is_named answers 1 "dead.csv: column 'tau_swing': the torque of joint 'swing' is 0 N m in every row" fit dead
check torques_of_something_else_are_not_believed answers 0 'DO NOT BELIEVE IT' fit other
check an_option_of_another_command_is_2 answers 2 '--log is no option of excite' "$identify" excite --robot "$to/pendulum.urdf" --log x.csv
helps_fit() {
  local command
  for command in fit compare excite payload gains; do
    "$identify" $command --help >"$to/help" && [ "$(wc -l <"$to/help")" -gt 20 ] && ! grep '.\{81,\}' "$to/help" || return 1
  done
}
check every_help_fits_80_columns helps_fit
check a_bad_option_is_2 answers 2 "--lambda -3" fit log --lambda -3
check a_misspelt_option_is_recognised answers 2 "did you mean --cutoff?" fit log --cutof 3
check no_log_is_2 answers 2 "which --log?" "$identify" fit --robot "$to/pendulum.urdf"
nothing_is_written() {
  ! fit jump --output "$to/never.urdf" && [ ! -e "$to/never.urdf" ]
}
check a_bad_log_writes_nothing nothing_is_written

# recordings instead of logs: an arm that took up 1.5 kg, and a humanoid on its feet that took up 3 kg
record() { # NAME SCENARIO CONFIG LINK KG [SECONDS]
  "$build/propriod-sim" --config "$3" --scenario "$2" --headless --quiet --rate 250 --duration "${6:-14}" --record "$to/$1.rec" \
    --payload "$4" --payload-mass "$5" --payload-attach 0 --payload-z 0.05
}
number() { # EXPRESSION LOW HIGH < JSON
  /usr/bin/python3 -c "import json, sys; r = json.load(sys.stdin); v = $1; print(v); sys.exit(not $2 <= v <= $3)"
}
an_arm_from_a_recording() {
  record arm medium config/tx40.yaml link_6 1.5 && "$identify" fit --log "$to/arm.rec" --json >"$to/arm.json" &&
    number 'r["error_unseen"]' 0 0.02 <"$to/arm.json" && number 'r["mass"]["link_6"]' 0.5 2.5 <"$to/arm.json" &&
    number 'r["error_unseen_before"]' 0.1 0.4 <"$to/arm.json"
}
check a_recording_is_a_log_and_has_the_robot an_arm_from_a_recording
sed -E "s#^( *(urdf|cells): )robots#\1$PWD/config/robots#; s/^( *)feet:.*/&\n\1wrenches: [left_ankle_ft, right_ankle_ft]/" \
  config/humanoid18.yaml >"$to/feet.yaml"
weight() { # is 19 kg as described
  record feet multisine "$to/feet.yaml" base_link 3 && "$identify" fit --log "$to/feet.rec" --output "$to/feet.urdf" --json >"$to/feet.json" &&
    number 'sum(r["mass"].values())' 21.8 22.2 <"$to/feet.json" && number 'r["error_unseen"]' 0 0.01 <"$to/feet.json" &&
    number 'r["measured_and_left"]["moment y"][1]' 0 0.2 <"$to/feet.json" && number 'r["measured_and_left"]["moment y"][0]' 2 10 <"$to/feet.json" &&
    number 'min(r["mass"].values())' 0.005 0.4 <"$to/feet.json" && # what is not told does not vanish
    grep -q '  link base_link' "$to/feet.urdf"
}
check a_floating_base_is_weighed_by_its_feet weight
check a_floating_base_has_no_drives_to_set answers 1 'no --settings' "$identify" fit --log "$to/feet.rec" --settings "$to/never.yaml"
without_feet() {
  record air multisine config/humanoid18.yaml base_link 3 1 && answers 1 'none was recorded (robot.wrenches)' "$identify" fit --log "$to/air.rec"
}
check feet_without_wrenches_are_named without_feet

check more_friction_is_told answers 0 'Stribeck (N m)' fit log --with stribeck --with asymmetry
check an_unknown_friction_is_2 answers 2 '--with strybeck' fit log --with strybeck

# what is known of a body's shape: the rod's mass is where its box is, which the log contradicts
shape() { # LINES > YAML
  printf 'rod:\n  %s\n' "$@"
}
shape 'box: [0, 0, -0.5, 0, 0, 0, 0.1, 0.1, 0.6]' >"$to/box.yaml"
shape 'box: [0, 0, -0.2, 0, 0, 0, 0.1, 0.1, 0.2]' >"$to/short.yaml"
shape 'hull: [0.1, 0.1, -0.1, -0.1, 0.1, -0.1, -0.1, -0.1, -0.1, 0.1, -0.1, -0.1, 0, 0, -0.35]' >"$to/hull.yaml"
printf 'rod:\n  com: [0, 0, 0.5, 0, 0, 0, 0.1, 0.1, 0.1]\n  box: [0, 0, -0.5, 0, 0, 0, 0.1, 0.1, 0.6]\n' >"$to/nowhere.yaml"
shape 'com: [0, 0, -0.5, 0, 0, 0, 0.1, 0.1, 0.1]' >"$to/com.yaml"
shape 'bocks: [0, 0, -0.2, 0, 0, 0, 0.1, 0.1, 0.2]' >"$to/bocks.yaml"
within_the_box() { # a rod of 2 kg is shorter than it could be without: its moment needs 5 kg and more at 0.2 m
  fit log --shape "$to/box.yaml" --json >"$to/in.json" && number 'r["mass"]["rod"]' 1.3 3 <"$to/in.json" &&
    fit log --shape "$to/short.yaml" --json >"$to/in.json" && number 'r["mass"]["rod"]' 3.3 20 <"$to/in.json"
}
check a_body_stays_within_its_shape within_the_box
within_the_hull() { # its moment of 1 kg m needs 2.9 kg and more above 0.35 m
  fit log --shape "$to/hull.yaml" --json >"$to/in.json" && number 'r["mass"]["rod"]' 2.8 40 <"$to/in.json"
}
check a_hull_by_hand_holds_the_body within_the_hull
check shapes_that_exclude_each_other_are_named answers 1 "link 'rod': no body can be in box 1 and com" fit log --shape "$to/nowhere.yaml"
check an_ellipsoid_for_the_centre_is_not_for_sqp answers 1 'is no plane, which sqp' fit log --method sqp --shape "$to/com.yaml"
check a_misspelt_shape_has_its_line answers 1 "bocks.yaml:2:3: bocks: unknown key, did you mean box?" fit log --shape "$to/bocks.yaml"
check a_recording_knows_its_columns answers 2 'no --columns' "$identify" fit --log "$to/arm.rec" --columns "$to/gear.yaml"
check collision_shapes_hold_the_bodies answers 0 'all can be' "$identify" fit --log "$to/arm.rec" --shape collision
check no_collision_shapes_are_named answers 1 'no <collision> with a box' fit log --shape collision

exit $bad
