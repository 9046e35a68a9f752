#!/bin/bash
# Robots as they are delivered (delivered.py): from the unedited URDF by init to a configuration that check calls good, and
# with it, simulated and estimated, to ok.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/system/folder.sh

is_understood() { # ROBOT
  "$build/proprioctl" init "$to/$1.urdf" >"$to/$1.yaml" 2>"$to/log" || return 1
  "$build/proprioctl" check "$to/$1.yaml" >"$to/log" 2>&1
  local words
  grep -q "^$to/$1.yaml: good: " "$to/log" || return 1 # but for the time that a cycle takes here
  while read -r words; do
    grep -qE -- "$words" "$to/log" || { echo "does not say: $words" >>"$to/log"; return 1; }
  done <"$to/$1.says"
}

simulated() { # ROBOT SCENARIO SECONDS OPTION ...
  "$build/propriod-sim" --config "$to/$1.yaml" --scenario "$2" --duration "$3" --headless "${@:4}" >"$to/log" 2>&1
}

becomes_ok() { # ROBOT SCENARIO SECONDS
  simulated "$@" --record "$to/$1.rec" && "$build/proprioctl" replay "$to/$1.rec" >"$to/log" 2>&1 &&
    grep -qE '^[0-9]+ frames: init [0-9.]+ %, ok 9[89]\.[0-9] %, degraded 0.0 %, diverged 0.0 %, stale 0.0 %' "$to/log"
}

/usr/bin/python3 tests/system/delivered.py "$to" >"$to/robots" || exit 1
while read -r robot scenario seconds; do
  is_understood "$robot"
  result "a_robot_like_${robot}_is_taken_as_it_is" $?
  becomes_ok "$robot" "$scenario" "$seconds"
  result "a_robot_like_${robot}_is_ok_in_$scenario" $?
done <"$to/robots"

grep -qF 'feet: ["left_ankle_roll_link@0.03,0,-0.07", "right_ankle_roll_link@0.03,0,-0.07"]' "$to/g1.yaml"
result soles_without_frames_are_found_by_their_shapes $?
# what the truth says of followers and of the trot
truth() { /usr/bin/python3 tests/system/delivered_truth.py "$@" >"$to/log" 2>&1; }
with_truth() { simulated "$@" --truth "$to/$1.csv"; }
with_truth pr2 medium 2 && truth followers "$to/pr2.csv" l_gripper_l_finger_joint l_gripper_r_finger_joint 1
result a_joint_that_mimics_another_moves_with_it $?
with_truth talos multisine 2.5 && truth followers "$to/talos.csv" gripper_left_joint gripper_left_finger_0_joint -1
result so_it_does_where_the_base_is_free $?
with_truth go1 trot 8 && truth trots "$to/go1.csv" 0.5
result a_quadruped_trots $?
! simulated go1 walk 1 && grep -q 'go1 has 4 feet; the walker walks on two, trot is for four' "$to/log"
result who_would_have_it_walk_on_two_is_told $?
exit $bad
