#!/bin/bash
# A running propriod as its subscribers see it: Python, C, shared memory, and proprioctl status, echo and hz.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/system/folder.sh
result_log=$to/out
segment=propriod-test-$$
export PROPRIOD_ENDPOINT=ipc://$to/pub.sock
export NO_COLOR=1

check() { # NAME COMMAND...: five times, since a machine that is busy elsewhere may starve either side
  local name=$1 status
  shift
  for _ in {1..5}; do
    "$@" >"$to/out" 2>&1
    status=$?
    [ $status = 0 ] && break
  done
  result "$name" $status
}

end() {
  folder_end
  rm -rf "/dev/shm/$segment"*
}
trap end EXIT

daemon_start() { # OPTION ...; with patience, since a busy machine starves the simulation for longer than 20 ms, and at
  # 250 Hz: what is published is tested here, not how fast this machine is
  rm -f "$to/log" # the old one also says ready
  "$build/propriod" -c config/propriod.yaml -s service.runtime_directory="$to" -s service.state_directory="$to" \
    -s input.segment="$segment" -s publish.tcp=127.0.0.1:0 -s cycle.rt=off -s inertia.links='[torso_pitch_link]' \
    -s cycle.period=0.004 -s input.joints_limit=0.3 -s input.imu_limit=0.3 -s input.skin_limit=0.3 "$@" >"$to/log" 2>&1 &
  daemon=$!
  children+=("$daemon")
  eventually grep -q 'ready:' "$to/log" && return 0
  cat "$to/log"
  return 1
}

check 'without a daemon status ends with 3 and says where it looked' answers 3 "$to/pub.sock" "$ctl" status
check 'a topic that does not exist is a usage error' answers 2 "no topic 'stat'" "$ctl" echo stat
check 'a misspelt command is answered by the right one' answers 2 "did you mean 'status'" "$ctl" stauts

daemon_start >"$to/out" || { result 'the daemon starts' 1; exit 1; }
check 'before any sensor has spoken status says init and ends with 1' answers 1 'state is init' "$ctl" status
check 'and names the streams that it waits for' answers 1 'no skin yet' "$ctl" status

"$ctl" echo event --json >"$to/events" 2>&1 &
children+=($!)
two_listen() { # it, and who asks
  "$ctl" echo diag -n 1 --json | /usr/bin/python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["publish"]["subscribers"] < 2)'
}
check 'who listens is counted' eventually two_listen
"$build/propriod-sim" -c config/propriod.yaml --segment "$segment" -s stand --rate 250 --quiet >"$to/sim.log" 2>&1 &
sim=$!
children+=("$sim")
# a busy machine may starve the simulation now and then, which status rightly calls degraded
soon_ok() { eventually answers 0 'propriod: ok' "$ctl" status; }
fast_enough() { # NAME COMMAND...: a check that needs the cycle to keep up with the simulation
  if [ -n "${SANITIZE:-}" ]; then
    echo "skip $1: a sanitizer makes the cycle too slow"
  else
    check "$@"
  fi
}
if [ -z "${SANITIZE:-}" ]; then
  soon_ok >"$to/out" 2>&1
  timely 'with sensors status says ok and ends with 0' $? # cycles that take too long are no health
fi
json_is_whole() {
  "$ctl" status --json | /usr/bin/python3 -c '
import json, sys
status = json.load(sys.stdin)
assert status["healthy"] == (status["reasons"] == []), status["reasons"]
assert 0 < status["rate_hz"] < 2000, status["rate_hz"]
assert len(status["joints"]) == 30 and status["diag"]["streams"]["joints"]["seen"] is True'
}
fast_enough 'status --json is one whole JSON object with rate, joints and streams' json_is_whole
echo_is_json() {
  "$ctl" echo state -n 5 --json | /usr/bin/python3 -c '
import json, sys
states = [json.loads(line) for line in sys.stdin]
assert len(states) == 5 and all(b["seq"] == a["seq"] + 1 for a, b in zip(states, states[1:]))
assert all(len(state["q"]) == 30 for state in states)'
}
fast_enough 'echo --json prints one state a line, one after the other' echo_is_json
fast_enough 'echo for people names every key' answers 0 'com_in_base: [' "$ctl" echo centroidal -n 1
short_numbers() { "$ctl" echo inertia -n 1 >"$to/inertia" && grep -q '^com: \[\[' "$to/inertia" && ! grep -E '[0-9]{13}' <(grep -v '^t' "$to/inertia"); }
check 'also in lists of lists numbers have six digits for people' short_numbers
time_is_whole() { "$ctl" echo state -n 1 >"$to/state" && grep -qE '^timestamp: [0-9]{10}\.[0-9]{6}$' "$to/state"; }
rare_topic() { "$ctl" hz meta --seconds 1.5 -n 1 >"$to/hz" && ! grep -q nan "$to/hz" && grep -q '^meta .* Hz' "$to/hz"; }
q_ends_top() { (sleep 1; echo q) | timeout 60 script -qec "'$ctl' top" /dev/null >"$to/top"; }
fits_80() { # in a terminal of 80 columns
  script -qc "stty cols 80 rows 24; '$ctl' status" /dev/null </dev/null >"$to/wrapped"
  tr -d '\r' <"$to/wrapped" | grep -q 'propriod: ' && ! tr -d '\r' <"$to/wrapped" | sed 's/\x1b\[[0-9;]*m//g' | grep '.\{81\}'
}
check 'status fits a terminal of 80 columns' fits_80
check 'hz measures the rate with nothing missing' answers 0 '"missing": 0' "$ctl" hz state -n 2 --json
check 'echo shows the time of day with its microseconds' time_is_whole
check 'hz of a rare topic has no interval instead of nan' rare_topic
check 'q ends top' q_ends_top
check 'top draws joints and ends by itself' answers 0 'left_knee' "$ctl" top --seconds 1 --rate 5
check 'and what the estimated links weigh' answers 0 'weight    torso_pitch_link ' "$ctl" top --seconds 1 --rate 5
shows_all() { # where there is room: not in a terminal it is unbounded
  local words
  "$ctl" top --seconds 2 --rate 5 >"$to/top"
  for words in '^joint .* torque$' '^left_knee .* \+-[0-9.e-]+ +[-0-9.]+$' '^feet  .*left_sole .* N, right_sole .* carr' '^forces N ' \
    '^cells .* ok' '^bias rad/s '; do
    grep -qE -- "$words" "$to/top" || { tail -n 60 "$to/top"; echo "without $words"; return 1; }
  done
}
eventually shows_all >"$to/out" 2>&1
result 'top shows deviations, feet, forces, skin and biases where there is room' $?
no_minus_zero() { ! grep -nE -- ' -0(\.0+)?( |$)' "$to/top"; }
check 'top writes no zero with a sign' no_minus_zero
fits_24() { # all joints, and nothing that pushes them out of a small terminal
  script -qc "stty cols 80 rows 24; '$ctl' top --seconds 1 --rate 5" /dev/null </dev/null | sed 's/\x1b\[H/\n/g; s/\x1b\[[0-9;?]*[a-zA-Z]//g' | tr -d '\r' >"$to/small"
  grep -q ' right_an~e_roll .* [-0-9.]*$' "$to/small" && ! grep -q '.\{81\}\|more joints' "$to/small"
}
eventually fits_24 >"$to/out" 2>&1
result 'and all joints in a terminal of 24 lines' $?
status_weighs() { "$ctl" status | tee "$to/status" | grep -qE '^ +torso_pitch_link [0-9.]+ \+- [0-9.]+ kg at ' || { cat "$to/status"; return 1; }; }
check 'status too, and from what it is known' status_weighs

tcp=$(ss -ltnpH 2>/dev/null | grep "pid=$daemon," | awk '{print $4}' | head -1)
/usr/bin/python3 tests/system/publish_check.py tools/python "$PROPRIOD_ENDPOINT" "tcp://$tcp" || bad=1

check 'the C example hears states' answers 0 'newest of' "$build/examples/subscriber" "$PROPRIOD_ENDPOINT" 1
node_example() { # NAME: checked where node is, tried where its packages can be had
  command -v node >/dev/null || { echo "skip $1: no node"; return; }
  check 'the Node.js example is written in its language' node --check tools/examples/subscriber.mjs
  if ! command -v npm >/dev/null || ! timeout 60 npm install --fetch-retries=0 --fetch-timeout=10000 --no-audit --no-fund --silent \
    --prefix "$to" zeromq@6 @msgpack/msgpack@3 >"$to/npm" 2>&1; then
    echo "skip $1: no npm, or its packages cannot be had"
    return
  fi
  cp tools/examples/subscriber.mjs "$to/"
  first_line() { timeout 60 node "$to/subscriber.mjs" | grep -m 1 'humanoid30 .* 0 missing; left_knee_joint .* centre of mass'; }
  check "$1" first_line
}
node_example 'the Node.js example hears states'
check 'the example reads the state in shared memory' answers 0 'mass 67' \
  "$build/examples/shared_state" "$segment-state" 1
python_example() {
  env -u PYTHONUNBUFFERED PYTHONPATH=tools/python PYTHONDONTWRITEBYTECODE=1 timeout 60 /usr/bin/python3 tools/python/example.py |
    grep -m 1 'centre of mass'
}
check 'the Python example prints names and numbers' answers 0 'centre of mass' python_example

kill "$sim"
check 'a stream that falls silent is named and status ends with 1' eventually answers 1 'no imu for' "$ctl" status
lost_is_told() {
  local stream
  for stream in joints imu skin; do
    grep '"kind": "sensor_found"' "$to/events" | grep -q "\"$stream: frames arrive" &&
      grep '"kind": "sensor_lost"' "$to/events" | grep -q "\"$stream: silent for longer than input.${stream}_limit" &&
      grep -q "propriod: $stream: frames arrive" "$to/log" &&
      grep -q "propriod: $stream: silent for longer than input.${stream}_limit" "$to/log" || return 1
  done
}
told_in_the_end() { eventually lost_is_told || { cat "$to/events" "$to/log"; return 1; }; }
check 'sensors found and lost are events and lines in the log, each by name' told_in_the_end

"$ctl" shm fake joints --rate 150 --segment "$segment" >"$to/fake.log" 2>&1 &
fake=$!
check 'a cycle that is too slow is a reason, too' eventually answers 1 'cycles a second, not 250' "$ctl" status
kill $fake

second() {
  "$build/propriod" -c config/propriod.yaml -s service.runtime_directory="$to" -s service.state_directory="$to" \
    -s input.segment="$segment-2" -s cycle.rt=off
}
check 'a second daemon is refused and the first goes on' answers 1 "$to" timeout 60 bash -c "$(declare -f second); \
  build=$build to=$to segment=$segment; second"
check 'after the second one was refused the first still publishes without a gap' \
  answers 0 '"missing": 0' "$ctl" hz state -n 1 --json

kill -9 "$daemon"
wait "$daemon" 2>/dev/null
check 'after kill -9 status says that nobody serves the socket that is left' \
  answers 3 'is propriod running' "$ctl" status --timeout 0.5
daemon_start >"$to/out"
result 'after kill -9 the next daemon takes the endpoints over' $?
kill "$daemon"
wait "$daemon"
result 'SIGTERM ends it with 0' $?
nothing_left() { [ ! -e "$to/pub.sock" ] && [ ! -e "/dev/shm/$segment-state" ]; }
check 'and leaves neither socket nor state behind' nothing_left

check 'keys makes a pair' answers 0 'keep it secret' "$ctl" keys "$to/robot"
check 'keys does not write over keys that exist' answers 1 'File exists' "$ctl" keys "$to/robot"
"$ctl" keys "$to/client" >/dev/null
"$ctl" keys "$to/stranger" >/dev/null
cp "$to/client.public" "$to/clients"
daemon_start -s publish.curve_secret_key="$to/robot.secret" -s publish.curve_clients="$to/clients" >"$to/out"
result 'the daemon starts with keys' $?
tcp=$(ss -ltnpH 2>/dev/null | grep "pid=$daemon," | awk '{print $4}' | head -1)
hear_with() { # SECRET
  /usr/bin/python3 - "$tcp" "$1" "$to/robot.public" <<'END'
import sys
sys.path.insert(0, "tools/python")
sys.dont_write_bytecode = True
import propriod
with propriod.Subscriber("tcp://" + sys.argv[1], keys=sys.argv[2:4]) as robot:
    print("heard of", robot.meta["robot"])
END
}
check 'a client on the list hears over tcp with its keys' answers 0 'heard of humanoid30' hear_with "$to/client.secret"
check 'a stranger with keys of his own hears nothing' answers 1 'Silent' hear_with "$to/stranger.secret"
echo_with() { # WORD ...
  "$build/proprioctl" echo meta -n 1 --timeout 2 --endpoint "tcp://$tcp" "$@" 2>&1
}
check 'so does proprioctl with keys' answers 0 'humanoid30' echo_with --key "$to/client.secret" --server-key "$to/robot.public"
check 'without keys it hears nothing and asks for them' answers 3 'does it ask for keys' echo_with
check 'with a key that the robot does not know it says so' answers 3 'does the robot know this key' echo_with --key "$to/stranger.secret" --server-key "$to/robot.public"
check 'one key alone makes no sense' answers 2 'go together' echo_with --key "$to/client.secret"
check 'a file without a key is named' answers 4 'clients.none' echo_with --key "$to/client.secret" --server-key "$to/clients.none"
exit $bad
