#!/bin/bash
# Runs the daemon with a walking robot for a while and prints what has grown, drifted or been lost: tests/soak.sh [SECONDS]
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
seconds=${1:-600}
to=$(mktemp -d)
segment=propriod-soak-$$
daemon= sim=
# shellcheck disable=SC2329 # called by trap
end() {
  kill $sim $daemon 2>/dev/null
  wait
  rm -rf "$to" "/dev/shm/$segment"*
}
trap end EXIT

"$build/propriod" -c config/propriod.yaml -s service.runtime_directory="$to" -s service.state_directory="$to" \
  -s input.segment="$segment" -s publish.high_water=2000 >"$to/log" 2>&1 & # the listener is slow on a busy machine
daemon=$!
for _ in $(seq 100); do
  grep -q 'ready:' "$to/log" && break
  sleep 0.1
done
"$build/propriod-sim" -c config/propriod.yaml --segment "$segment" --quiet >"$to/sim.log" 2>&1 &
sim=$!
/usr/bin/python3 tests/soak.py tools/python "ipc://$to/pub.sock" "$daemon" "$seconds"
status=$?
kill -0 "$daemon" 2>/dev/null || { echo "the daemon has ended:" >&2; cat "$to/log" >&2; exit 1; }
exit $status
