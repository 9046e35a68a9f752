#!/bin/bash
# What status and doctor say of a running service: the last seconds, or all since the start; and what it has been granted.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin
export PROPRIOD_ENDPOINT=ipc://$daemon_dir/pub.sock

says() { # WORDS COMMAND...: whatever its exit status
  local words=$1
  shift
  "$@" >"$daemon_dir/said" 2>&1
  grep -qE -- "$words" "$daemon_dir/said" || { sed 's/^/# /' "$daemon_dir/said"; return 1; }
}
recent() { # KEY: of the last seconds
  "$build/proprioctl" status --json | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["diag"]["recent"]["cycle"][sys.argv[1]])' "$1"
}
counted() { [ "$(recent cycles)" -gt 0 ]; }

daemon_start; result it_starts $?
eventually counted; result the_last_seconds_are_counted $?
says 'dropped [0-9]+ in the last [0-9]+ s$' "$build/proprioctl" status; result status_shows_the_last_seconds $?
says 'dropped [0-9]+ since the start' "$build/proprioctl" status --since-start; result and_on_request_all_since_the_start $?
says '"check": "service", "verdict": "(good|problem)", "found": "the running service has' "$build/proprioctl" doctor --quick --json
result doctor_judges_the_running_service $?
daemon_stop

if [ "$(id -u)" = 0 ] && setpriv --bounding-set=-sys_nice,-ipc_lock true 2>/dev/null; then
  # a service without rights, looked at by root, who has them
  setpriv --bounding-set=-sys_nice,-ipc_lock prlimit --rtprio=0:0 --memlock=65536:65536 \
    "$build/propriod" -c "$daemon_config" 2>>"$daemon_dir/log" &
  daemon_pid=$!
  eventually daemon_ask status >/dev/null 2>&1
  says '"check": "service", "verdict": "problem", "found": "the running service has no real-time priority: its limit RTPRIO is 0", "mend": "systemctl edit' \
    "$build/proprioctl" doctor --quick --json
  result what_the_service_lacks_is_a_problem_whatever_its_caller_has $?
  setpriv --bounding-set=-sys_nice,-ipc_lock prlimit --rtprio=0:0 "$build/proprioctl" doctor --quick --json >"$daemon_dir/said"
  grep -q '"fifo", "verdict": "note"' "$daemon_dir/said"; result what_only_its_caller_lacks_is_a_note $?
  daemon_stop
else
  echo "skip what_the_service_lacks_is_a_problem: taking rights away needs root"
fi
says 'no service runs' "$build/proprioctl" doctor --quick; result without_a_service_it_is_about_who_asks $?
exit $bad
