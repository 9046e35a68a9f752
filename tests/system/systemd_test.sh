#!/bin/bash
# The service under a real systemd: start, reload, watchdog for every thread, crash restart, sandbox, real time, stop.
#   systemd_test.sh                runs itself inside with_systemd.sh
#   systemd_test.sh prepare ROOT   installs into the container's root before it boots
#   systemd_test.sh inside         the tests
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/service.sh"

prepare() {
  install_service "$1" "$here/hold_thread.py"
  mkdir -p "$1/etc/systemd/system/propriod.service.d"
  # a test need not wait three seconds for each watchdog
  printf '[Service]\nWatchdogSec=1s\n' >"$1/etc/systemd/system/propriod.service.d/watchdog.conf"
  # a sanitizer's search for leaks needs ptrace, which the sandbox forbids
  printf '[Service]\nEnvironment=ASAN_OPTIONS=detect_leaks=0\n' >"$1/etc/systemd/system/propriod.service.d/asan.conf"
}

restarted_once_more() { is NRestarts $(($1 + 1)) && is ActiveState active; }

service_starts() {
  systemctl start propriod && is ActiveState active && said 'ready: humanoid30, 30 joints, 1260 cells' &&
    eventually status_text_has '30 joints, 1260 cells'
}
status_text_begins_with_the_status() { [[ $(property StatusText) =~ ^(init|ok|degraded|diverged|stale):\ humanoid30: ]]; }

# the catalog is installed with the service; a package's trigger makes the journal read it
journal_explains_a_line() {
  local id
  id=$(sed -n '/^Subject: propriod runs$/{x;s/^-- //p;q};h' /usr/lib/systemd/catalog/propriod.catalog)
  journalctl --update-catalog && [ ${#id} = 32 ] &&
    [ "$(journalctl -u propriod --no-pager -o cat --since "$since" "MESSAGE_ID=$id" | grep -c '^ready: ')" -ge 1 ] &&
    journalctl -u propriod -x --no-pager "MESSAGE_ID=$id" | grep -q 'Subject: propriod runs'
}
status_text_has() { property StatusText | grep -qF "$1"; }

reload_is_waited_for() {
  local pid
  pid=$(property MainPID)
  systemctl reload propriod && is ActiveState active && is MainPID "$pid" && said 'reloaded /etc/propriod/propriod.yaml'
}

bad_reload_is_refused() {
  local pid
  pid=$(property MainPID)
  sed -i 's/^  imu: .*/  imu: no_such_frame/' /etc/propriod/propriod.yaml
  cp /etc/propriod/propriod.yaml /tmp/before
  sed -i 's/^cycle:/cycle:\n  perod: 0.001/' /etc/propriod/propriod.yaml
  ! systemctl reload propriod 2>/dev/null && is ActiveState active && is MainPID "$pid" &&
    said 'reload refused: /etc/propriod/propriod.yaml:[0-9]+:3: cycle.perod: unknown key, did you mean cycle.period\?' &&
    eventually status_text_has 'reload refused: ' || return 1
  cp /tmp/before /etc/propriod/propriod.yaml # now only the frame is wrong
  ! proprioctl reload 2>/tmp/said && grep -q no_such_frame /tmp/said && is ActiveState active || return 1
  sed -i 's/^  imu: .*/  imu: imu_link/' /etc/propriod/propriod.yaml
  systemctl reload propriod && is MainPID "$pid"
}

# The loader held still is a disk that does not answer, for longer than the watchdog waits.
slow_reload_keeps_the_service() {
  local pid holder restarts from status
  pid=$(property MainPID) restarts=$(property NRestarts)
  : >/tmp/held
  /opt/hold_thread.py "$pid" loader >/tmp/held &
  holder=$!
  eventually grep -q held /tmp/held || return 1
  ! proprioctl reload --timeout 4 2>/tmp/said && grep -q 'no answer within 4000 ms' /tmp/said && is MainPID "$pid" &&
    is NRestarts "$restarts" && said 'the configuration is being read for 2 s' && status_answers || return 1
  from=$(date +%s%N)
  systemctl stop propriod # it hangs on to a load, and ends all the same
  status=$((($(date +%s%N) - from) / 1000000))
  echo "# stopped in $status ms"
  kill $holder 2>/dev/null
  is Result success && [ "$status" -lt 1000 ] && systemctl start propriod && systemctl reload propriod
}
status_answers() {
  /usr/bin/python3 -c '
import socket
link = socket.socket(socket.AF_UNIX)
link.settimeout(1)
link.connect("/run/propriod/control.sock")
link.sendall(b"status\n")
assert link.makefile().read().startswith("ok")'
}

held_thread_is_found() { # NAME
  local restarts holder status
  restarts=$(property NRestarts)
  : >/tmp/held
  /opt/hold_thread.py "$(property MainPID)" "$1" >/tmp/held &
  holder=$!
  eventually grep -q held /tmp/held && eventually restarted_once_more "$restarts"
  status=$?
  kill $holder 2>/dev/null
  wait $holder 2>/dev/null
  return $status
}

crash_is_restarted() { # SIGNAL
  local restarts
  restarts=$(property NRestarts)
  kill -s "$1" "$(property MainPID)"
  eventually restarted_once_more "$restarts"
}

bad_configuration_is_not_restarted() {
  systemctl stop propriod
  cp /etc/propriod/propriod.yaml /tmp/good
  echo 'cycle: {period: fast}' >>/etc/propriod/propriod.yaml
  ! systemctl start propriod 2>/dev/null
  local status=$?
  sleep 1.2 # longer than RestartSec
  is ActiveState failed && is ExecMainStatus 78 && eventually said 'propriod.yaml:[0-9]+:1: cycle: given twice' || status=1
  cp /tmp/good /etc/propriod/propriod.yaml
  systemctl reset-failed propriod
  systemctl start propriod || status=1
  return $status
}

# one service a robot: another configuration, other folders, nothing shared
two_robots_run_side_by_side() {
  # the socket folder has its own name, and so has the segment
  mkdir -p /etc/systemd/system/propriod@.service.d
  cp /etc/systemd/system/propriod.service.d/* /etc/systemd/system/propriod@.service.d
  systemctl daemon-reload
  systemctl start propriod@humanoid18 && [ "$(systemctl show propriod@humanoid18 -P ActiveState)" = active ] &&
    is ActiveState active && [ -e /run/propriod-humanoid18/shm ] && [ -e /run/propriod-humanoid18/shm-state ] &&
    PROPRIOD_ENDPOINT=ipc:///run/propriod-humanoid18/pub.sock proprioctl echo meta -n 1 | grep -q humanoid18 &&
    proprioctl echo meta -n 1 | grep -q humanoid30 && systemctl reload propriod@humanoid18 && systemctl stop propriod@humanoid18
}

without_network_it_serves_its_socket() {
  install -D -m 644 /usr/share/propriod/ipc-only.conf /etc/systemd/system/propriod.service.d/ipc-only.conf
  systemctl daemon-reload
  systemctl restart propriod && is ActiveState active && proprioctl echo meta -n 1 | grep -q humanoid30 &&
    [ "$(nsenter -t "$(property MainPID)" -n ip -o link | grep -cv ' lo:')" = 0 ]
  local status=$?
  rm /etc/systemd/system/propriod.service.d/ipc-only.conf
  systemctl daemon-reload
  systemctl restart propriod || status=1
  return $status
}

# from the kill until a client hears a state again
kills_are_over_within_a_second() {
  /usr/bin/python3 - "$1" <<'END'
import os, signal, subprocess, sys, time
import zmq

def pid():
    return int(subprocess.run(["systemctl", "show", "propriod", "-P", "MainPID"], capture_output=True, text=True).stdout)

link = zmq.Context().socket(zmq.SUB)
link.setsockopt(zmq.RECONNECT_IVL, 10)
link.connect("ipc:///run/propriod/pub.sock")
link.subscribe("state")
took = []
for _ in range(int(sys.argv[1])):
    link.poll(60000)
    victim = pid()
    os.kill(victim, signal.SIGKILL)
    begun = time.monotonic()
    time.sleep(0.02)
    while link.poll(0):
        link.recv_multipart()
    assert link.poll(60000), "silent for a minute"
    took.append(time.monotonic() - begun)
    link.recv_multipart()
    time.sleep(0.05)
late = sum(t > 1 for t in took)
took.sort()
print(f"# {len(took)} kills: back after {took[len(took) // 2]:.2f} s, at worst {took[-1]:.2f} s, {late} later than 1 s")
sys.exit(late > len(took) // 50 + 1)
END
}

second_daemon_is_refused() {
  local pid
  pid=$(property MainPID)
  runuser -u propriod -- propriod >/tmp/second 2>&1
  [ $? = 1 ] && grep -q "another propriod, process $pid, runs on this folder" /tmp/second && is MainPID "$pid" &&
    is ActiveState active && proprioctl reload >/dev/null
}

process_has_no_privilege() {
  local pid
  pid=$(property MainPID)
  [ "$(ps -o user= -p "$pid" | tr -d ' ')" = propriod ] && grep -q '^CapEff:.*0000000000000000' "/proc/$pid/status" &&
    grep -q '^CapBnd:.*0000000000000000' "/proc/$pid/status" && grep -q '^NoNewPrivs:.*1' "/proc/$pid/status" &&
    grep -q '^Seccomp:.*2' "/proc/$pid/status"
}

file_system_is_closed() {
  local in=("nsenter" "-t" "$(property MainPID)" "-m" "-r" "--")
  touch /home/secret
  ! "${in[@]}" touch /usr/written 2>/dev/null && ! "${in[@]}" touch /etc/propriod/written 2>/dev/null &&
    ! "${in[@]}" ls /home/secret 2>/dev/null && ! "${in[@]}" ls /dev/vda /dev/kmsg 2>/dev/null &&
    "${in[@]}" touch /run/propriod/written /var/lib/propriod/written
}

as_nobody_of() { # GROUP COMMAND...
  local group=$1
  shift
  setpriv --reuid=nobody --regid=nogroup --groups "$(getent group "$group" | cut -d: -f3)" "$@"
}
groups_divide_drivers_and_clients() {
  local write='import os; os.close(os.open("/run/propriod/shm", os.O_RDWR))'
  as_nobody_of propriod proprioctl reload >/dev/null || return 1
  as_nobody_of propriod-in /usr/bin/python3 -c "$write" || return 1
  ! as_nobody_of propriod /usr/bin/python3 -c "$write" 2>/dev/null || return 1
  as_nobody_of nogroup proprioctl reload 2>/dev/null
  [ $? = 4 ]
}

# What a member of a group, or anybody, may lock or make: none of it keeps the service from starting.
squats_do_not_block_a_start() {
  local squatter=/tmp/squatter.py restarts
  restarts=$(property NRestarts)
  cat >$squatter <<'END'
import fcntl, sys, time
file = open(sys.argv[1], sys.argv[2])
if sys.argv[2] != "rb":
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
print("held", flush=True)
time.sleep(60)
END
  chmod 644 $squatter
  as_nobody_of propriod /usr/bin/python3 $squatter /run/propriod/shm-state rb >/tmp/squat1 &
  as_nobody_of propriod-in /usr/bin/python3 $squatter /run/propriod/shm r+b >/tmp/squat2 &
  eventually grep -q held /tmp/squat1 && eventually grep -q held /tmp/squat2 || return 1
  ! as_nobody_of propriod-in test -r /run/propriod/lock && ! as_nobody_of propriod-in touch /run/propriod/mine 2>/dev/null &&
    ! as_nobody_of propriod touch /run/propriod/mine 2>/dev/null || return 1
  systemctl restart propriod && is ActiveState active || return 1
  systemctl stop propriod
  as_nobody_of nogroup touch /dev/shm/propriod /dev/shm/propriod-state /dev/shm/shm /dev/shm/shm-state
  ! as_nobody_of nogroup mkdir /run/propriod 2>/dev/null && systemctl start propriod && is ActiveState active
  local status=$?
  kill %1 %2 2>/dev/null
  rm -f /dev/shm/propriod* /dev/shm/shm*
  return $status
}

# here the limits of the unit cannot be raised, so real time is refused
refused_real_time_is_told() {
  proprioctl status >/tmp/said 2>&1
  [ $? = 1 ] && grep -q 'no real-time priority (limit RTPRIO 0); proprioctl doctor' /tmp/said &&
    { [ -n "${SANITIZE:-}" ] || grep -q 'memory is not locked (limit MEMLOCK [0-9]* KiB)' /tmp/said; } &&
    proprioctl status --json | grep -q '"rt_priority": *0'
}

status_tells_of_real_time() {
  proprioctl status >/tmp/said 2>&1
  grep -qE 'real time +SCHED_FIFO 80, [1-9][0-9]* MiB locked' /tmp/said && ! grep -q 'no real-time' /tmp/said
}

real_time_is_granted() {
  # this container cannot raise limits (no CAP_SYS_RESOURCE), so the two capabilities stand in for them
  cat >/etc/systemd/system/propriod.service.d/realtime.conf <<'UNIT'
[Service]
CapabilityBoundingSet=CAP_SYS_NICE CAP_IPC_LOCK
AmbientCapabilities=CAP_SYS_NICE CAP_IPC_LOCK
UNIT
  sed -i 's/^  #rt: preferred/  rt: required/' /etc/propriod/propriod.yaml
  systemctl daemon-reload
  systemctl restart propriod || return 1
  local pid task
  pid=$(property MainPID)
  for task in /proc/"$pid"/task/*; do
    [ "$(cat "$task/comm")" = cycle ] && break
  done
  eventually status_tells_of_real_time || [ -n "${SANITIZE:-}" ] || return 1
  chrt -p "${task##*/}" | grep -q SCHED_FIFO && chrt -p "${task##*/}" | grep -q 'priority: 80' &&
    { [ -n "${SANITIZE:-}" ] || # a sanitizer makes mlockall do nothing
      [ "$(awk '/^VmLck/ {print $2}' "/proc/$pid/status")" -gt 1000 ]; }
}

stop_is_clean_and_quick() {
  local from to
  from=$(date +%s%N)
  systemctl stop propriod
  to=$(date +%s%N)
  echo "# stopped in $(((to - from) / 1000000)) ms"
  is Result success && is ExecMainStatus 0 && [ $((to - from)) -lt 500000000 ]
}

inside() {
  since=$(date '+%Y-%m-%d %H:%M:%S')
  systemd-sysusers
  systemctl daemon-reload
  service_starts; result the_service_starts_and_says_what_it_runs $?
  status_text_begins_with_the_status; result its_status_text_begins_with_the_status $?
  journal_explains_a_line; result the_journal_knows_its_lines_by_number_and_explains_them $?
  reload_is_waited_for; result a_reload_is_waited_for_and_keeps_the_process $?
  bad_reload_is_refused; result a_bad_reload_fails_with_the_reason_and_changes_nothing $?
  process_has_no_privilege; result the_process_has_no_privilege $?
  file_system_is_closed; result it_writes_nowhere_but_in_its_own_folders $?
  groups_divide_drivers_and_clients; result drivers_write_clients_subscribe_others_do_neither $?
  squats_do_not_block_a_start; result neither_locks_nor_files_of_others_keep_it_from_starting $?
  two_robots_run_side_by_side; result two_robots_run_side_by_side_each_in_its_folders $?
  without_network_it_serves_its_socket; result without_network_it_serves_its_socket $?
  kills_are_over_within_a_second 20; timely twenty_kills_are_over_within_a_second $?
  second_daemon_is_refused; result a_second_daemon_is_refused_and_the_first_goes_on $?
  slow_reload_keeps_the_service; timely a_reload_that_hangs_keeps_neither_the_service_nor_its_end $?
  local thread
  for thread in propriod cycle publisher worker ZMQbg/IO/0; do
    held_thread_is_found $thread; result "a_hanging_${thread//\//_}_thread_is_found_and_the_service_restarted" $?
  done
  crash_is_restarted SEGV; result a_crash_is_restarted $?
  crash_is_restarted KILL; result a_kill_is_restarted $?
  bad_configuration_is_not_restarted; result a_bad_configuration_ends_with_78_and_is_not_tried_again $?
  eventually refused_real_time_is_told; result status_tells_that_real_time_was_refused $?
  real_time_is_granted; result the_cycle_runs_in_real_time_with_locked_memory $?
  stop_is_clean_and_quick; timely a_stop_is_clean_and_takes_less_than_500_ms $?
  exit $bad
}

case ${1:-} in
prepare) prepare "$2" ;;
inside) inside ;;
*)
  run_under_systemd systemd_test.sh
  ;;
esac
