#!/bin/bash
# Two hundred reloads waited for and a thousand that nobody waits for, good and bad, on a busy machine: no missed tick.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin
cp "$daemon_config" "$daemon_dir/good"
sed 's/trigger: timer/triger: timer/' "$daemon_config" >"$daemon_dir/bad"
use() { cp "$daemon_dir/$1" "$daemon_dir/next" && mv "$daemon_dir/next" "$daemon_config"; }

# load: two processes that never sleep and one that keeps the disk's cache busy
busy=()
begin_load() {
  local i
  for i in 1 2; do
    (while :; do :; done) &
    busy+=($!)
  done
  (while :; do cat "$daemon_dir"/robots/* >/dev/null; done) &
  busy+=($!)
}
end_load() { kill "${busy[@]}" 2>/dev/null; }

daemon_start; result the_daemon_starts $?
pid=$daemon_pid
begin_load
# Windows with reloads alternate with windows without. A machine that is not real time by itself leaves periods out in
# either; reloads that cost a period would show in nearly every window of theirs.
/usr/bin/python3 - "$daemon_dir" "$pid" <<'PYTHON'
import os, shutil, signal, socket, sys, time

folder, pid = sys.argv[1], int(sys.argv[2])
WINDOWS = 100


def ask(request):
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(10)
    link.connect(folder + "/control.sock")
    link.sendall(request.encode() + b"\n")
    return link.makefile().read()


def missed():
    return int(next(l for l in ask("status").split("\n") if l.startswith("skipped ")).split()[1])


def use(name):
    shutil.copy(f"{folder}/{name}", folder + "/next")
    os.rename(folder + "/next", folder + "/propriod.yaml")


def good_one(reload):
    use("good")
    said = ask("reload" if reload else "counters")
    assert said.startswith("ok\n"), said


def two_reloads_waited_for(reload):
    good_one(reload)
    use("bad")
    said = ask("reload" if reload else "counters")
    assert not reload or said.startswith("failed\n") and "unknown key, did you mean cycle.trigger?" in said, said


def ten_signals(reload):
    for i in range(10):
        use("bad" if i % 3 == 1 else "good")
        os.kill(pid, signal.SIGHUP if reload else 0)
        time.sleep(0.002)
    good_one(reload)  # answered when there is nothing left to do for those before


def window(work, reload, least):
    """How long it lasted, and whether a period was left out meanwhile."""
    before, begun = missed(), time.monotonic()
    work(reload)
    time.sleep(max(0.0, begun + least - time.monotonic()))
    return time.monotonic() - begun, missed() > before


def windows_with_misses(work):
    """Of WINDOWS windows with reloads; and of as many in between, as long, that do all the same but reload."""
    with_reloads = without = 0
    for _ in range(WINDOWS):
        lasted, missing = window(work, True, 0.0)
        with_reloads += missing
        without += window(work, False, lasted)[1]
    return with_reloads, without


failed = False
for work, name in ((two_reloads_waited_for, "two_hundred_good_and_bad_reloads_under_load_miss_no_tick"),
                   (ten_signals, "a_thousand_signals_under_load_miss_no_tick")):
    with_reloads, without = windows_with_misses(work)
    print(f"# {work.__name__}: {with_reloads} of {WINDOWS} windows with reloads left a period out, {without} without")
    # no more than chance: three standard deviations of the difference of two counts
    good = with_reloads <= without + 3 * (with_reloads + without) ** 0.5 + 1
    print("ok" if good else "not ok", name)
    failed |= not good
sys.exit(failed)
PYTHON
[ $? = 0 ] || bad=1
end_load

# Pages that are touched anew must be cleared and locked, beside the cycle on the same processor: neither reloads nor a new part
# of the flight record, which comes every six seconds, touch any once the first three have found their memory.
faults() { awk '{print $10}' "/proc/$pid/stat"; }
use good
for _ in 1 2 3; do daemon_reload >/dev/null; done
last=$(faults) fresh=0 touched=()
for _ in $(seq 10); do
  daemon_reload >/dev/null
  sleep 0.7
  now=$(faults)
  touched+=($((now - last)))
  fresh=$((fresh + now - last)) last=$now
done
echo "# page faults of ten reloads in seven seconds: ${touched[*]}"
[ -n "${SANITIZE:-}" ] || { [ "$fresh" -lt 10 ]; result ten_reloads_and_a_part_of_the_flight_record_touch_no_fresh_memory $?; }

accepted=$(daemon_value reloads_accepted) refused=$(daemon_value reloads_refused) swapped=$(daemon_value swapped)
echo "# $accepted accepted, $refused refused, $swapped swapped"
[ "$accepted" = "$swapped" ] && [ "$accepted" -ge 100 ] && [ "$refused" -ge 100 ]; result every_good_reload_was_swapped_in_and_no_bad_one $?
[ $((accepted + refused)) -lt 1200 ]; result signals_that_come_together_are_one_reload $?

: >"$daemon_dir/heard"
daemon_ask counters | grep -qx 'joints.torn 0' && daemon_ask counters | grep -q '^swapped [1-9]'
result the_counters_can_be_asked_for $?
! daemon_ask dance >"$daemon_dir/said" && grep -q 'there are reload, status, counters' "$daemon_dir/said"
result an_unknown_request_is_answered_with_those_there_are $?

# what subscribers hear of a bad reload, on `event` at once and in `diag` from then on
/usr/bin/python3 - "ipc://$daemon_dir/pub.sock" >"$daemon_dir/heard" 2>&1 <<'PYTHON' &
import msgpack, sys, time, zmq
link = zmq.Context().socket(zmq.SUB)
link.connect(sys.argv[1])
link.subscribe("event")
link.subscribe("diag")
until = time.monotonic() + 60
while link.poll(max(0, 1000 * (until - time.monotonic()))):
    topic, content = link.recv_multipart()
    said = msgpack.unpackb(content)
    print(topic.decode(), said, flush=True)
    if topic == b"diag" and "triger" in str(said):
        break
PYTHON
listener=$!
eventually grep -q ^diag "$daemon_dir/heard"
use bad
! daemon_reload 2>/dev/null; result a_bad_reload_is_refused $?
wait $listener
grep '^event' "$daemon_dir/heard" | grep reload_refused | grep -q 'propriod.yaml:3:9: cycle.triger: unknown key'
result the_error_of_a_bad_reload_is_an_event $?
grep '^diag' "$daemon_dir/heard" | tail -n 1 | grep -q 'propriod.yaml:3:9: cycle.triger: unknown key'
result the_error_of_a_bad_reload_is_in_diag $?
daemon_ask status | grep -q '^reload_last refused .*propriod.yaml:3:9: cycle.triger: unknown key'
result the_error_of_a_bad_reload_stays_in_the_status $?
grep -q 'propriod: reload refused: .*propriod.yaml:3:9: cycle.triger' "$daemon_dir/log"
result the_error_of_a_bad_reload_is_in_the_log $?
[ "$(grep -c 'reload refused: ' "$daemon_dir/log")" -le $((SECONDS + 2)) ]
result many_bad_reloads_are_a_line_a_second $?

sed 's/trigger: timer/trigger: frame/; s/feet: .*]/feet: []/' "$daemon_dir/good" >"$daemon_config"
daemon_reload >"$daemon_dir/said"; result what_needs_a_restart_does_not_stop_the_rest $?
grep -q '^these changes wait for a restart: cycle.trigger$' "$daemon_dir/said"
result what_needs_a_restart_is_named $?
sed 's/humanoid30/tx40/; s/cells: [^,]*/cells: urdf/; s/imu: [^,]*/imu: base_link/; s/feet: .*]/feet: []/' \
  "$daemon_dir/good" >"$daemon_config"
! daemon_reload 2>"$daemon_dir/said" && grep -q 'robot.urdf: 6 joints instead of the running 30; this needs a restart' \
  "$daemon_dir/said"; result a_robot_with_other_joints_is_refused $?
rm "$daemon_config"
! daemon_reload 2>"$daemon_dir/said" && grep -q 'propriod.yaml: cannot be opened: No such file' "$daemon_dir/said"
result a_missing_configuration_is_refused $?

[ "$(daemon_value pid)" = "$pid" ]; result it_is_still_the_same_process $?
daemon_stop; result it_ends_with_0 $?
exit $bad
