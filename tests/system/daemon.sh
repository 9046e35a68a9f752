# Sourced by system tests: a private propriod in a folder of its own, asked over its control socket.
#   daemon_begin            makes $daemon_dir with a configuration for the small arm; removed at exit
#   daemon_start [OPTION..] starts it and waits until it is ready; $daemon_pid
#   daemon_stop             SIGTERM; returns its exit status
#   daemon_ask REQUEST      answer of the control socket, without its first line
#   daemon_value NAME       one value of the status page
#   cycles_pass N [WHICH]   waits for so many more cycles, or frames: of joints.frames ...
build=${BUILD:-build}
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$project/tests/system/eventually.sh"
. "$project/tests/system/result.sh"
case $build in /*) ;; *) build=$project/$build ;; esac

daemon_end() {
  [ -n "${daemon_pid:-}" ] && kill -KILL "$daemon_pid" 2>/dev/null
  rm -rf "$daemon_dir" "/dev/shm/$daemon_segment"*
}

daemon_begin() {
  daemon_dir=$(mktemp -d /tmp/propriod-test.XXXXXX)
  daemon_segment=${daemon_dir##*/}
  result_log=$daemon_dir/log
  daemon_pid=
  trap daemon_end EXIT
  daemon_config=$daemon_dir/propriod.yaml
  cp -r "$project/config/robots" "$daemon_dir/robots"
  cat >"$daemon_config" <<CONFIG
robot: {urdf: robots/humanoid30.urdf, cells: robots/humanoid30_cells.csv, imu: imu_link, feet: [left_sole, right_sole]}
input: {segment: $daemon_segment}
cycle: {trigger: timer}
service: {runtime_directory: $daemon_dir, state_directory: $daemon_dir}
CONFIG
}

daemon_start() {
  "$build/propriod" --config "$daemon_config" "$@" 2>>"$daemon_dir/log" &
  daemon_pid=$!
  answers_or_ended() {
    [ -S "$daemon_dir/control.sock" ] && daemon_ask status >/dev/null 2>&1 || ! kill -0 "$daemon_pid" 2>/dev/null
  }
  eventually answers_or_ended && kill -0 "$daemon_pid" 2>/dev/null
}

daemon_stop() {
  kill -TERM "$daemon_pid"
  wait "$daemon_pid"
  local status=$?
  daemon_pid=
  return $status
}

daemon_ask() {
  /usr/bin/python3 - "$daemon_dir/control.sock" "$1" <<'PYTHON'
import socket, sys
link = socket.socket(socket.AF_UNIX)
link.settimeout(10)
link.connect(sys.argv[1])
link.sendall((sys.argv[2] + "\n").encode())
first, _, rest = link.makefile().read().partition("\n")
sys.stdout.write(rest)
sys.exit(first != "ok")
PYTHON
}

daemon_value() { daemon_ask status | awk -v name="$1" '$1 == name {print $2}'; }

cycles_pass() {
  /usr/bin/python3 - "$daemon_dir/control.sock" "${2:-cycles}" "$1" "${PATIENCE:-60}" <<'PYTHON'
import socket, sys, time

path, which, count, patience = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])


def counted():
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(10)
    link.connect(path)
    link.sendall(b"counters\n")
    return next(int(line.split()[1]) for line in link.makefile() if line.split()[0] == which)


until, wanted = time.monotonic() + patience, counted() + count
while counted() < wanted:
    if time.monotonic() > until:
        sys.exit(1)
    time.sleep(0.05)
PYTHON
}

daemon_reload() { "$build/proprioctl" reload --socket "$daemon_dir/control.sock"; }
