#!/bin/bash
# A daemon that weighs a simulated robot's torso: the load is found, the daemon killed, the estimate back.
set -u
build=${BUILD:-build}
. tests/system/eventually.sh
. tests/system/result.sh
folder=$(mktemp -d)
segment=$(basename "$folder")
export PROPRIOD_ENDPOINT=ipc://$folder/pub.sock
result_log=$folder/daemon.log
daemon= simulator=

finish() {
  kill -KILL "$simulator" 2>/dev/null && wait "$simulator" 2>/dev/null
  [ -n "$daemon" ] && kill -TERM "$daemon" 2>/dev/null && wait "$daemon"
  rm -rf "$folder" "/dev/shm/$segment"*
}
trap finish EXIT

ctl=$build/proprioctl
exported() { "$ctl" inertia export "$folder/c.yaml" >"$folder/learned.urdf" && ! cmp -s "$folder/learned.urdf" config/robots/humanoid30.urdf; }
masses() { grep -o '<mass value="[^"]*"' "$1" | tr -dc '0-9.\n' | awk '{ sum += $1 } END { printf "%d\n", 10 * sum }'; }

weight() { grep -o '<mass value="[^"]*"' "$1" | tr -dc '0-9.\n' | awk '{ sum += $1 } END { printf "%.3f\n", sum }'; }
# The skin's mass is in what was learned and in the model, and must not be in the URDF, to which it would be added again.
comes_back() {
  "$ctl" inertia show "$folder/c.yaml" |
    awk -v after="$(weight "$folder/learned.urdf")" -v before="$(weight config/robots/humanoid30.urdf)" \
      '$1 == "learned" { learned = $2 } $1 == "model" { model = $2 }
       END { more = after - before - (learned - model); exit !(learned > 0 && more < 0.002 && more > -0.002) }'
}

# Under a sanitizer the cycle cannot keep up with a robot full of cells.
cells=$PWD/config/robots/humanoid30_cells.csv
[ -n "${SANITIZE:-}" ] && cells=

configure() { # URDF
  cat >"$folder/c.yaml" <<END
robot:
  urdf: $1
  cells: "$cells"
  cell_mass: 0.002
  imu: imu_link
  feet: [left_sole, right_sole]
  wrenches: [left_ankle_ft, right_ankle_ft]
inertia:
  links: [torso_pitch_link]
service:
  state_directory: $folder
  runtime_directory: $folder
END
}

start_daemon() {
  : >"$folder/daemon.log" # the last one's word "ready" is not this one's
  "$build/propriod" --config "$folder/c.yaml" --set cycle.rt=off --set service.runtime_directory="$folder" \
    --set input.segment="$segment" >"$folder/daemon.log" 2>&1 &
  daemon=$!
  eventually grep -q ready "$folder/daemon.log"
}

# The published mass in grams, from one message of `inertia`; 0 when none comes.
mass() {
  timeout 10 "$build/proprioctl" echo inertia -n 1 2>/dev/null |
    awk -F'[][]' '/^mass:/ { printf "%d\n", 1000 * $2; found = 1; exit } END { if (!found) print 0 }'
}

has_the_load() { [ "$(mass)" -gt 22000 ]; }

configure "$PWD/config/robots/humanoid30.urdf"
start_daemon
"$build/propriod-sim" --config "$folder/c.yaml" --segment "$segment" --scenario payload --quiet >"$folder/sim.log" 2>&1 &
simulator=$!
eventually has_the_load
timely "a_load_of_eight_kilograms_is_found_by_the_daemon" $? # which sees no motion where its streams fall silent
has_the_load || exit $bad                                   # all else is about what was learned
shows_the_load() { "$ctl" inertia show "$folder/c.yaml" 2>/dev/null | grep -q 'learned *2[23]'; }
check "what_was_learned_lies_in_the_state_folder" eventually shows_the_load # written every five seconds

kill -STOP "$simulator" # nothing new can be learned from here on
kill -KILL "$daemon"
wait "$daemon" 2>/dev/null
check "proprioctl_shows_what_was_learned" shows_the_load
check "the_exported_urdf_differs_from_the_models" exported
check "and_weighs_the_load_more" test "$(masses "$folder/learned.urdf")" -gt 730
check "and_loads_again_as_what_was_learned" comes_back
check "proprioctl_shows_how_sure_it_is" sh -c "'$ctl' inertia show '$folder/c.yaml' | grep -q '+-  *[0-9.]*[1-9][0-9.]* kg'"
check "the_export_in_yaml_has_deviations" sh -c "'$ctl' inertia export --yaml '$folder/c.yaml' | grep -q '  sd: {m: [0-9.]*[1-9]'"
check "the_export_in_yaml_has_the_first_moment" sh -c "'$ctl' inertia export --yaml '$folder/c.yaml' | grep -q '  hz: '"
restarted_ms=$(date +%s%3N)
start_daemon
check "after_kill_9_the_daemon_says_that_it_remembers" grep -q "as learned" "$folder/daemon.log"
kill -CONT "$simulator"
check "and_publishes_the_load_with_its_first_message" test "$(mass)" -gt 22000
echo "# back $(($(date +%s%3N) - restarted_ms)) ms after the restart"

# faults.md K1: from the kill to the estimate in a subscriber's hands; what is slow is so three times.
back_within_a_second() {
  local ms
  for _ in 1 2 3; do
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null
    restarted_ms=$(date +%s%3N)
    start_daemon
    [ "$(mass)" -gt 22000 ] || return 1
    ms=$(($(date +%s%3N) - restarted_ms))
    echo "# back $ms ms after the restart"
    [ "$ms" -lt 1000 ] && return
  done
  return 1
}
[ -n "${SANITIZE:-}" ] || { back_within_a_second; timely "the_load_is_back_within_a_second_of_a_kill" $?; }
kill -STOP "$simulator"
cp "$folder/inertia.learned" "$folder/kept"
check "reset_makes_a_running_daemon_forget" "$ctl" inertia reset "$folder/c.yaml"
kill -TERM "$daemon"
wait "$daemon"
check "which_saves_nothing_of_it_when_it_ends" test ! -e "$folder/inertia.learned"
mv "$folder/kept" "$folder/inertia.learned"

sed 's/<mass value="9"/<mass value="9.5"/' config/robots/humanoid30.urdf >"$folder/other.urdf"
configure "$folder/other.urdf"
start_daemon
check "another_model_does_not_take_it_and_says_why" grep -q "another model" "$folder/daemon.log"
kill -TERM "$daemon"
wait "$daemon"
daemon=
check "what_belongs_to_another_model_is_not_shown" sh -c "! '$ctl' inertia show '$folder/c.yaml' 2>/dev/null"
check "reset_forgets" sh -c "'$ctl' inertia reset '$folder/c.yaml' && ! test -e '$folder/inertia.learned'"
exit $bad
