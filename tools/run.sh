#!/bin/bash
# Shows propriod at work: a simulated humanoid walks, feeds its sensors into shared memory, the daemon estimates, and
# the terminal shows what it publishes. Ctrl-C ends everything; SECONDS_TO_RUN ends by itself.
#   CONFIG    configuration (config/propriod.yaml)    SCENARIO  what the robot does (walk)
set -u
build=${BUILD:-build}
config=${CONFIG:-config/propriod.yaml}
seconds=${SECONDS_TO_RUN:-}
if [[ ! $seconds =~ ^([1-9][0-9]*)?$ ]]; then
  echo "make run: SECONDS=$seconds: not a whole number above 0" >&2
  exit 2
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/propriod-run.XXXXXX")
segment=$(basename "$folder")
export PROPRIOD_ENDPOINT=ipc://$folder/pub.sock
daemon= simulator= view=

# shellcheck disable=SC2329 # called by trap
finish() {
  trap - EXIT INT TERM
  for process in $view $simulator $daemon; do
    kill -TERM "$process" 2>/dev/null
  done
  wait 2>/dev/null
  rm -rf "$folder" "/dev/shm/$segment"*
}
trap finish EXIT
trap 'finish; exit 0' INT TERM

fail() {
  echo "make run: $1" >&2
  sed 's/^/  /' "$2" >&2
  exit 1
}

# PlotJuggler looks at port 9872; without it, as when another propriod runs, the Unix socket still serves
tcp=127.0.0.1:9872
if (exec 3<>"/dev/tcp/127.0.0.1/9872") 2>/dev/null; then
  echo "make run: port 9872 is taken; publishing on the Unix socket only"
  tcp=
fi

"$build/propriod" --config "$config" --set service.runtime_directory="$folder" --set service.state_directory="$folder" \
  --set input.segment="$segment" --set publish.tcp="$tcp" >"$folder/daemon.log" 2>&1 &
daemon=$!
ready() { [ -S "$folder/pub.sock" ] && [ -e "/dev/shm/$segment" ]; }
for _ in $(seq 600); do # a minute: it takes a second, on a machine with time for it
  ready && break
  kill -0 "$daemon" 2>/dev/null || fail "the daemon did not start:" "$folder/daemon.log"
  sleep 0.1
done
ready || fail "the daemon did not start within a minute:" "$folder/daemon.log"

"$build/propriod-sim" --config "$config" --segment "$segment" --scenario "${SCENARIO:-walk}" --quiet \
  >"$folder/simulator.log" 2>&1 &
simulator=$!
sleep 0.5
kill -0 "$simulator" 2>/dev/null || fail "the simulated robot did not start:" "$folder/simulator.log"

hint() { printf '  %-58s  # %s\n' "$1" "$2"; }
echo "A simulated robot moves (${SCENARIO:-walk}) and propriod estimates it. In another terminal, from this folder:"
echo "  export PROPRIOD_ENDPOINT=$PROPRIOD_ENDPOINT"
hint "$build/proprioctl status" "is it healthy?"
hint "$build/proprioctl echo state" "what is published"
hint "$build/proprioctl serve $config" "in a browser"
hint "$build/proprioctl shm dump --segment $segment" "what the sensors say"
hint "python3 tools/python/example.py" "the same from Python"

if [ -t 1 ]; then
  "$build/proprioctl" top ${seconds:+--seconds "$seconds"} &
  view=$!
  wait "$view"
  view=
else # not a terminal: a summary a second
  end=$((SECONDS + ${seconds:-2147480000}))
  while [ "$SECONDS" -lt "$end" ]; do
    kill -0 "$daemon" 2>/dev/null || fail "the daemon ended:" "$folder/daemon.log"
    kill -0 "$simulator" 2>/dev/null || fail "the simulated robot ended:" "$folder/simulator.log"
    "$build/proprioctl" hz state --seconds 1 -n 1 &
    wait $!
  done
  "$build/proprioctl" status || true
fi
exit 0
