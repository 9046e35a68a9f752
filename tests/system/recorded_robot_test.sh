#!/bin/bash
# A recording shown as a robot is shown: what replay publishes is what it estimates, and top and serve take it from a file.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/system/folder.sh
export TMPDIR=$to # what top and serve leave behind would be seen

"$build/propriod-sim" --config config/chain9.yaml --scenario fast --headless --duration 2 --record "$to/arm.rec" --quiet >"$to/log" 2>&1
result a_recording_is_made $?

# ten times slower than life, so that a busy machine hears enough of it
"$ctl" replay --publish "$to/pub.sock" --pace 0.1 "$to/arm.rec" >"$to/published" 2>&1 &
children+=($!)
replay=$!
eventually test -S "$to/pub.sock"
"$ctl" echo state --json -n 40 --endpoint "ipc://$to/pub.sock" >"$to/states" 2>"$to/log"
result subscribers_hear_it $?
"$ctl" status --endpoint "ipc://$to/pub.sock" >"$to/log" 2>&1
grep -q 'chain9, 9 joints' "$to/log"; result status_knows_the_robot $?
kill "$replay"
wait "$replay"; result it_ends_with_0_when_it_is_asked_to $?
[ ! -e "$to/pub.sock" ]; result and_leaves_no_socket $?

same_numbers() { # each message's positions are those of a cycle of the replay, one behind the other
  "$ctl" replay -o "$to/replay.csv" "$to/arm.rec" >/dev/null &&
  /usr/bin/python3 - "$to/states" "$to/replay.csv" <<'PYTHON'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[2])))
joints = [name for name in rows[0] if name.startswith("q_") and not name.startswith("q_sd")]
place = {tuple(f"{float(row[name]):.9g}" for name in joints): i for i, row in enumerate(rows) if row[joints[0]]}
heard = [json.loads(line) for line in open(sys.argv[1])]
found = [place.get(tuple(f"{q:.9g}" for q in state["q"])) for state in heard if "q" in state]
assert len(joints) == 9 and len(found) > 20, (joints, len(found))
assert None not in found, found
assert found == sorted(found) and len(set(found)) > 10, found # at first they do not change
PYTHON
}
same_numbers >"$to/log" 2>&1; result they_are_what_the_replay_estimates $?

top_shows() {
  "$ctl" top --seconds 3 --rate 2 "$to/arm.rec" >"$to/log" 2>&1 &&
    grep -q 'chain9, 9 joints' "$to/log" && grep -qE 'joints (ok|silent)' "$to/log" && grep -q '^torso_yaw ' "$to/log"
}
eventually top_shows
result top_shows_a_recording $?
"$ctl" top --seconds 3 config/chain9.yaml >"$to/log" 2>&1
[ $? = 1 ] && grep -q 'not a recording' "$to/log"; result but_nothing_else $?

"$ctl" serve --port 0 "$to/arm.rec" >"$to/address" 2>"$to/log" &
children+=($!)
server=$!
eventually grep -q '^http' "$to/address"
/usr/bin/python3 - "$(head -n 1 "$to/address")" >"$to/log" 2>&1 <<'PYTHON'
import json, sys, urllib.request
robot = json.load(urllib.request.urlopen(sys.argv[1] + "/robot.json", timeout=20))
assert robot["robot"] == "chain9" and len(robot["links"]) == 10 and robot["fixed_base"], robot["robot"]
assert b"<robot" in urllib.request.urlopen(sys.argv[1] + "/robot.urdf", timeout=20).read()
PYTHON
result serve_takes_the_robot_from_the_recording $?
kill "$server"
wait "$server"; result and_ends_with_0 $?
[ -z "$(find "$to" -name 'proprioctl.*')" ] && ! pgrep -P $$ proprioctl >"$to/log"; result nothing_is_left_behind $?
exit $bad
