#!/bin/bash
# The daemon records what it takes, and the recording alone gives the bits that it published: through reloads, choices of
# cells and load; the flight record catches a fault and reproduces it; killed, it leaves its last minute behind.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
[ -x "$build/propriod-sim" ] || { echo "skip record: no simulated robot was built"; exit 77; }
daemon_begin
simulator= other=
trap 'kill "$simulator" $other 2>/dev/null; daemon_end' EXIT
sed -i "s/trigger: timer/trigger: frame, period: 0.002/" "$daemon_config" # what is recorded is tested, not how fast this machine is
sed -i 's/humanoid30/humanoid18/g' "$daemon_config" # nor for how many joints and cells
sed -i 's/feet: \[left_sole, right_sole\]/&, wrenches: [left_ankle_ft, right_ankle_ft]/' "$daemon_config"
echo "inertia: {links: [base_link]}" >>"$daemon_config"
export PROPRIOD_ENDPOINT=ipc://$daemon_dir/pub.sock
made=$daemon_dir/recordings
ctl=$build/proprioctl

robot_walks() {
  "$build/propriod-sim" --config "$daemon_config" --segment "$daemon_segment" --scenario "$@" --quiet \
    >"$daemon_dir/sim.log" 2>&1 &
  simulator=$!
}
robot_ends() {
  kill "$simulator" 2>/dev/null
  wait "$simulator" 2>/dev/null
}
elsewhere() { # FILE: replayed where nothing else of the robot is
  mkdir -p "$daemon_dir/elsewhere" && cp "$1" "$daemon_dir/elsewhere/only.rec" &&
    (cd "$daemon_dir/elsewhere" && "$ctl" replay only.rec) >"$daemon_dir/replay" 2>&1
}
same_bits() { # FILE
  elsewhere "$1" && grep -q 'published: the same bits' "$daemon_dir/replay" || { cat "$daemon_dir/replay"; return 1; }
}

# from the start, through two reloads and a budget of cells that is chosen anew
# all that it takes stays in the flight record, however slow this machine is
daemon_start --set record.start=true --set record.flight=600 --set record.flight_size=1024; result it_starts_and_records $?
robot_walks walk
cycles_pass 500 joints.frames
"$ctl" record mark "before the reload" >"$daemon_dir/said"; result a_mark_is_taken $?
sed -i 's/^cycle:/motion: {cells_per_link: 12, encoder_noise: 0.0002}\ncycle:/' "$daemon_config"
"$ctl" reload >/dev/null; result a_reload_takes_effect $?
cycles_pass 500 joints.frames
sed -i 's/cells_per_link: 12/cells_per_link: 8/' "$daemon_config"
"$ctl" reload >/dev/null
cycles_pass 300 joints.frames
"$ctl" record stop >"$daemon_dir/said"; result the_recording_ends_without_loss $?
recording=$(ls "$made"/propriod-*-1.rec)
same_bits "$recording"; result a_recording_alone_gives_the_bits_that_were_published $?
"$ctl" replay --compare "$daemon_config" "$recording" >"$daemon_dir/compared" 2>&1 &&
  grep -q '^ddq_.* rad/s^2' "$daemon_dir/compared" && grep -q 'numbers have the same bits throughout' "$daemon_dir/compared"
result another_configuration_is_compared_number_by_number $?
"$ctl" replay --compare "$daemon_dir/none.yaml" "$recording" >/dev/null 2>&1; [ $? = 1 ]
result a_configuration_that_is_not_there_is_refused $?

# names, twice, and nonsense
"$ctl" record start mine >/dev/null && ! "$ctl" record start mine >/dev/null 2>&1 && "$ctl" record stop >/dev/null
result a_second_recording_at_a_time_is_refused $?
! "$ctl" record start mine >"$daemon_dir/said" 2>&1 && grep -q 'File exists' "$daemon_dir/said"; result a_name_that_exists_is_refused $?
! "$ctl" record start ../mine >"$daemon_dir/said" 2>&1 && grep -q 'a name has letters' "$daemon_dir/said"; result a_name_beyond_the_folder_is_refused $?
! "$ctl" record stop >/dev/null 2>&1; result nothing_to_stop_is_said $?

# the flight record, asked for
# a busy machine may have the estimate jump: what that saves by itself comes first
eventually "$ctl" record save asked >"$daemon_dir/said" 2>&1 && [ -s "$made/asked.rec" ]; result the_flight_record_is_saved_when_asked $?
same_bits "$made/asked.rec"; result and_gives_the_same_bits_from_the_start_on $?
! "$ctl" record save asked >/dev/null 2>&1; result a_saved_file_is_not_overwritten $?
robot_ends
daemon_stop; result it_ends_with_0 $?
[ -z "$(ls "$daemon_dir/flight")" ]; result ended_by_its_own_will_it_leaves_no_flight_record $?

# an MCAP file beside each part, which a reload ends; a name that is taken costs the file and nothing else
rm -rf "$made"
daemon_start --set record.start=true --set record.mcap=true; robot_walks walk
cycles_pass 500 joints.frames
"$ctl" reload >/dev/null; result a_reload_while_mcap_is_written $?
cycles_pass 200 joints.frames
"$ctl" record stop >"$daemon_dir/said"; result the_recording_with_mcap_ends_without_loss $?
left_out=$(sed -nE 's/.*; ([0-9]+) left out of MCAP.*/\1/p' "$daemon_dir/said")
[ -z "$(ls "$made" | grep part)" ] && [ "$(ls "$made"/propriod-*.mcap | wc -l)" = 2 ]; result each_part_has_its_mcap_file $?
[ "$(stat -c %a "$made"/propriod-*-1.mcap)" = "$(stat -c %a "$made"/propriod-*-1.rec)" ]; result which_the_same_may_read $?
mcap_is_the_exports() {
  "$ctl" export --mcap "$daemon_dir/exported.mcap" "$made"/propriod-*-1.rec >"$daemon_dir/replay" 2>&1 &&
    /usr/bin/python3 tests/system/mcap_beside_check.py "$(ls "$made"/propriod-*-1.mcap)" "$daemon_dir/exported.mcap" "${left_out:-0}"
}
mcap_is_the_exports; result which_has_what_export_makes_of_the_recording $?
robot_ends
daemon_stop

# killed while MCAP is written, beside a file that somebody else is writing, and one without its recording
rm -rf "$made"
daemon_start --set record.start=true --set record.mcap=true; robot_walks walk
begun() { ls "$made"/propriod-*-1.mcap.part && [ "$(stat -c %s "$made"/propriod-*-1.rec)" -gt 1000000 ]; } >/dev/null 2>&1
eventually begun; result an_mcap_file_is_on_its_way $?
kill -KILL "$daemon_pid"; wait "$daemon_pid" 2>/dev/null
robot_ends
recording=$(ls "$made"/propriod-*-1.rec)
cp "$recording" "$daemon_dir/played.rec"
"$ctl" export --mcap "$daemon_dir/exported.mcap" "$recording" >"$daemon_dir/said" 2>&1 &&
  grep -q '1.mcap.part was not finished by a daemon that was killed' "$daemon_dir/said"
result export_says_what_lies_beside_a_recording $?
cp "$recording" "$made/others-1.rec" && touch "$made/lonely.mcap.part" "$made/others-1.mcap.part"
flock --no-fork "$made/others-1.mcap.part" sleep 600 &
other=$!
is_locked() { ! flock --nonblock "$made/others-1.mcap.part" true; }
eventually is_locked
daemon_start; result the_next_one_starts $?
is_gone() { [ ! -e "${recording%.rec}.mcap.part" ] && grep -q 'removed; the recording beside it has all of it' "$daemon_dir/log"; }
eventually is_gone; result and_removes_what_the_recording_has_and_says_so $?
[ -e "$made/lonely.mcap.part" ] && [ -e "$made/others-1.mcap.part" ] && grep -q 'lonely.mcap.part: unfinished .* no recording' "$daemon_dir/log"
result but_nothing_else $?
kill "$other"
daemon_stop

# a fault: sensors stop for six seconds, at 500 Hz, while the robot moves; the estimate begins anew when they are back
rm -rf "$made"
daemon_start; robot_walks walk
cycles_pass 500 joints.frames
kill -STOP "$simulator"; cycles_pass 3000; kill -CONT "$simulator"
saved() { ls "$made/$1"*.rec >/dev/null 2>&1; }
eventually saved ""
fault=$(ls "$made"/reset-*.rec "$made"/diverged-*.rec 2>/dev/null | head -n 1)
[ -n "$fault" ]; result a_jump_of_the_estimate_saves_the_flight_record $?
same_bits "$fault" && grep -q 'filter: .* [1-9][0-9]* resets' "$daemon_dir/replay"
result the_fault_is_in_it_and_happens_again $?

# killed: what it had is kept by the next one
kill -KILL "$daemon_pid"; wait "$daemon_pid" 2>/dev/null
daemon_start
eventually saved ended-
same_bits "$(ls "$made"/ended-*.rec)"; result what_a_killed_daemon_had_is_kept_by_the_next $?
robot_ends

# played to a daemon that has never seen the robot
"$ctl" replay --into-segment "$daemon_segment" "$daemon_dir/played.rec" >"$daemon_dir/played" 2>&1
result a_recording_is_played_into_the_segment $?
grep -Eq '^[0-9]+ cycles played: [1-9][0-9]* of joints [1-9][0-9]* of imu [1-9][0-9]* of skin' "$daemon_dir/played"
result and_all_its_streams_are_written $?
daemon_stop; result it_ends_with_0_again $?

# the simulator's recordings of a configured robot need nothing beside them either
"$build/propriod-sim" --config config/chain9.yaml --scenario medium --headless --quiet --duration 1 --record "$daemon_dir/arm.rec" &&
  elsewhere "$daemon_dir/arm.rec" && grep -q '^1001 frames: ' "$daemon_dir/replay"
result a_simulated_recording_alone_is_replayed $?
exit $bad
