#!/bin/bash
# Looking at a configuration without running it: proprioctl check, propriod --check-config, --print-settings.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "${BUILD:-build}")
. tests/system/check.sh

ln -s "$PWD/config/robots" "$to/robots"
cp config/tx40.yaml "$to/good.yaml"
printf 'robot:\n  urdf: robots/tx40.urdf\ncycle:\n  perid: 0.002\n' >"$to/bad.yaml"
printf 'robot:\n  urdf: robots/tx40.urdf\n  imu: nowhere\n' >"$to/frame.yaml"

check a_good_file_is_0_and_says_what_it_describes answers 0 'good.yaml: good: tx40, 6 joints, 16 cells' \
  "$build/proprioctl" check "$to/good.yaml"
check a_bad_file_is_1_with_place_key_and_what_was_meant answers 1 \
  'bad.yaml:4:3: cycle.perid: unknown key, did you mean cycle.period?' "$build/proprioctl" check "$to/bad.yaml"
check a_frame_that_the_robot_lacks_has_place_and_key answers 1 "frame.yaml:3:8: robot.imu: " \
  "$build/proprioctl" check "$to/frame.yaml"
check one_bad_file_among_good_ones_is_1_and_all_are_looked_at answers 1 'good.yaml: good' \
  "$build/proprioctl" check "$to/bad.yaml" "$to/good.yaml"
init_makes_a_good_one() { # URDF WORDS...
  "$build/proprioctl" init "$1" >"$to/first.yaml" && "$build/proprioctl" check "$to/first.yaml" >"$to/log" 2>&1 || return 1
  shift
  local words
  for words in "$@"; do
    grep -qE -- "$words" "$to/log" || { cat "$to/first.yaml"; return 1; }
  done
}
check init_finds_feet_and_imu_of_a_humanoid init_makes_a_good_one config/robots/humanoid30.urdf \
  '^  feet  +left_sole on .*, right_sole on ' '^  imu  +imu_link on base_link'
sed 's/imu_link/vectornav/g' config/robots/humanoid30.urdf >"$to/maker.urdf"
check init_finds_an_imu_that_bears_its_makers_name init_makes_a_good_one "$to/maker.urdf" '^  imu  +vectornav on base_link'
check init_of_an_arm_has_a_fixed_base init_makes_a_good_one "$PWD/config/robots/tx40.urdf" '^  imu  +none' '^  feet  +none'
init_asks() { # URDF QUESTIONS...
  "$build/proprioctl" init "$1" >"$to/asked.yaml" || return 1
  shift
  local question
  for question in "$@"; do
    grep -qF -- "$question" "$to/asked.yaml" || { cat "$to/asked.yaml"; return 1; }
  done
}
check init_asks_what_names_do_not_tell init_asks config/robots/humanoid30.urdf '# Is each in the middle of the sole' \
  '# Force and torque sensors, in the order of their stream; does the driver give them?' '#wrenches: [left_ankle_ft, right_ankle_ft]'
printf 'robot: {urdf: robots/tx40.urdf, fixed_base: true, feet: [tool0]}\ninertia: {links: [link_6]}\n' >"$to/doubtful.yaml"
check feet_of_a_fixed_base_are_doubted answers 0 'doubtful.yaml: robot.feet: of no use on a fixed base (robot.fixed_base)' \
  "$build/proprioctl" check "$to/doubtful.yaml"
check links_to_weigh_without_force_sensors_are_doubted answers 0 \
  'doubtful.yaml: inertia.links: without robot.wrenches only joint torques can tell what links weigh; the joints driver must give efforts' \
  "$build/proprioctl" check "$to/doubtful.yaml"
# a moment two percent beyond the triangle, a display joint, an element twice: as robots are delivered
cat >"$to/delivered.urdf" <<'URDF'
<robot name="delivered">
<link name="base"><inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="arm"><inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.051"/></inertial></link>
<link name="eye"/>
<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/><dynamics damping="1"/><dynamics damping="2"/></joint>
<joint name="look" type="continuous"><parent link="arm"/><child link="eye"/></joint>
</robot>
URDF
check a_robot_as_it_is_delivered_is_taken_and_the_changes_told init_makes_a_good_one "$to/delivered.urdf" \
  "delivered.urdf:5:[0-9]+: joint 'elbow': <dynamics> stands there twice" "joint 'look': moves nothing that has mass" \
  "link 'arm': its moments are changed by 0.98 %" '^  joints  +1, in this order: elbow$'
# no masses at all, and an IMU on each of two links
cat >"$to/bare.urdf" <<'URDF'
<robot name="bare">
<link name="base"/><link name="arm"/><link name="base_imu"/><link name="arm_imu"/>
<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/></joint>
<joint name="base_imu_mount" type="fixed"><parent link="base"/><child link="base_imu"/></joint>
<joint name="arm_imu_mount" type="fixed"><parent link="arm"/><child link="arm_imu"/></joint>
</robot>
URDF
check a_robot_without_masses_is_taken_as_one_of_unknown_inertia init_makes_a_good_one "$to/bare.urdf" \
  '^  mass  +unknown' '^  joints  +1, in this order: elbow$'
# two fingers, of which one has an encoder
sed 's|</robot>|<link name="left"/><joint name="finger" type="revolute"><parent link="arm"/><child link="left"/><mimic joint="elbow" multiplier="-1"/></joint></robot>|' \
  "$to/bare.urdf" >"$to/mimic.urdf"
check a_joint_that_mimics_another_has_no_place_in_the_stream init_makes_a_good_one "$to/mimic.urdf" \
  '^  joints  +1, in this order: elbow$' 'without a place: finger follows elbow'
# what no encoder measures, and names that YAML reads otherwise unless they are in quotes
odd="$to/arm: #1.urdf"
sed 's|</robot>|<link name="imu: [a]"/><joint name="m" type="fixed"><parent link="base"/><child link="imu: [a]"/></joint>\n<link name="slab"/><joint name="gl: ide" type="planar"><parent link="arm"/><child link="slab"/></joint></robot>|' \
  "$to/bare.urdf" >"$odd"
check what_no_encoder_measures_is_held_and_names_are_in_quotes init_makes_a_good_one "$odd" \
  "joint 'gl: ide': held fast at 0" '^  imu  +base_imu on base' '^  joints  +1, in this order: elbow$'
init_proposes() { "$build/proprioctl" init "$1" >"$to/first.yaml" && grep -qxF -- "$2" "$to/first.yaml" || { cat "$to/first.yaml"; return 1; }; }
check init_proposes_imus_on_limbs init_proposes "$to/bare.urdf" '  #limb_imus: [arm_imu]'
printf 'robot: {urdf: robots/tx40.urdf}\ncycle: {cpu: 900}\n' >"$to/cpu.yaml"
check a_processor_that_is_not_there_is_1 answers 1 'cpu.yaml: cycle.cpu: there is no processor 900' "$build/proprioctl" check "$to/cpu.yaml"
sed 's/^robot:/&\n  feet: [tool0]/' "$to/good.yaml" >"$to/feet.yaml"
frame=$("$build/proprioctl" check "$to/good.yaml" | sed -n 's/^  joints .*order: \([^,]*\),.*/\1/p')
shows() { "$build/proprioctl" check "$1" >"$to/log" 2>&1 && grep -qE -- "$2" "$to/log"; }
check it_shows_the_joints_in_their_order test "$frame" = joint_1
check it_measures_a_cycle_on_this_machine shows "$to/good.yaml" '^  cycle  +[0-9.]+ ms of 1 ms \([0-9]+ %\) on this machine'
sed 's/^motion:.*/&\n  form: limbs/' config/propriod.yaml >"$to/form.yaml"
check it_says_which_joints_share_a_covariance_and_why shows "$to/form.yaml" \
  '^  form  +14 joints together; 16 on torso_pitch_link \(motion.form: limbs\)'
check it_counts_the_cells_of_each_link shows config/propriod.yaml '^  skin  +1260 cells: on .* torso_pitch_link [0-9]+'
check it_names_imu_and_feet_with_their_links shows config/propriod.yaml '^  feet  +left_sole on [a-z_]+, right_sole on '
sed 's/^  imu: .*/  imu: torso_pitch_link/; s/^  #limb_imus: .*/  limb_imus: [left_hand, right_hand]/; s/^  #period: .*/  period: 0.01/' config/propriod.yaml >"$to/limbs.yaml"
check it_names_imus_on_limbs_in_their_order shows "$to/limbs.yaml" '^  imu  +torso_pitch_link on torso_pitch_link'
check it_names_the_second_imu_on_a_limb shows "$to/limbs.yaml" '^  +right_hand on right_wrist_roll_link'
sed 's/right_hand/right_hnad/' "$to/limbs.yaml" >"$to/limb.yaml"
check a_frame_that_is_nearly_right_is_suggested answers 1 "did you mean 'right_hand'?" "$build/proprioctl" check "$to/limb.yaml"
check it_says_what_is_not_estimated_and_why shows config/propriod.yaml 'what it carries \(inertia.links is empty\)'
sed 's/^  #inertia: given/  inertia: unknown/' config/propriod.yaml >"$to/unknown.yaml"
check it_says_what_a_robot_of_unknown_inertia_lacks shows "$to/unknown.yaml" '^  not  .*forces \(robot.inertia is unknown\)'
# with IMUs on limbs every encoder is taken at once; with eight of them nearly twice the shortest period on the fastest processor yet
sed 's/^  period: .*/  period: 0.0001/
s/^  limb_imus: .*/  limb_imus: [left_hand, right_hand, left_sole, right_sole, left_elbow_link, right_elbow_link, left_knee_link, right_knee_link]/' \
  "$to/limbs.yaml" >"$to/fast.yaml"
check a_period_too_short_for_this_machine_is_1 answers 1 'fast.yaml: cycle.period: 0.0001 s is shorter than the' "$build/proprioctl" check "$to/fast.yaml"
check no_file_is_2 answers 2 'which file?' "$build/proprioctl" check
check the_daemon_checks_the_same_with_0 answers 0 'good.yaml: good: tx40, 6 joints, 16 cells' \
  "$build/propriod" --check-config -c "$to/good.yaml"
check the_daemon_checks_the_same_with_78 answers 78 'bad.yaml:4:3: cycle.perid: unknown key' \
  "$build/propriod" --check-config -c "$to/bad.yaml"
check a_bad_file_prints_no_settings answers 78 'bad.yaml:4:3: cycle.perid: unknown key' \
  "$build/propriod" --print-settings -c "$to/bad.yaml"

printed_settings_are_a_configuration() {
  "$build/propriod" --print-settings -c "$to/good.yaml" -s motion.cell_noise=0.5 >"$to/printed.yaml" &&
    grep -qx '  cell_noise: 0.5' "$to/printed.yaml" && grep -qx '  period: 0.001' "$to/printed.yaml" &&
    "$build/proprioctl" check "$to/printed.yaml"
}
check printed_settings_have_what_holds_and_are_a_configuration printed_settings_are_a_configuration

# whatever makes, changes or removes a file, or speaks to somebody
without_side_effects() {
  ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=file,network,ftruncate,fchmod,fchown -o "$to/calls" "$@" || return 1
  ! grep -E 'O_CREAT|O_WRONLY|O_RDWR|O_TRUNC|(mkdir|mknod|unlink|rename|link|chmod|chown|truncate)[a-z0-9]*\(' "$to/calls" |
    grep -v 'readlink' && ! grep -E '(socket|bind|connect|listen)\(' "$to/calls"
}
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
  check check_writes_nothing_and_speaks_to_nobody without_side_effects "$build/proprioctl" check config/propriod.yaml
  check check_config_writes_nothing_and_speaks_to_nobody without_side_effects \
    "$build/propriod" --check-config -c config/propriod.yaml
else
  echo "skip check_writes_nothing_and_speaks_to_nobody: no strace here"
fi
exit $bad
