#!/bin/bash
# What keeps propriod from starting: each with a reason and the right exit status, and no trace of a half start.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin

# Starts with the options, expects exit STATUS and WORDS on standard error.
refused() { # STATUS WORDS OPTION...
  local status=$1 words=$2
  shift 2
  timeout 60 "$build/propriod" "$@" >"$daemon_dir/out" 2>"$daemon_dir/said"
  local got=$?
  [ $got = "$status" ] && grep -qF -- "$words" "$daemon_dir/said" && return 0
  echo "# exit $got instead of $status, said:"
  sed 's/^/# /' "$daemon_dir/said"
  return 1
}

refused 78 '/nowhere.yaml: cannot be opened: No such file' -c /nowhere.yaml; result a_missing_configuration_is_78 $?
refused 2 "unrecognized option '--confg'" --confg x; result an_unknown_option_is_2 $?
refused 2 "unexpected 'now'" now; result a_stray_word_is_2 $?
refused 78 'command line: cycle.perod: unknown key, did you mean cycle.period?' -c "$daemon_config" -s cycle.perod=1
result a_bad_override_is_78 $?
refused 78 'robots/humanoid30.urdf' -c "$daemon_config" -s robot.imu=nothing; result a_frame_that_is_missing_is_78 $?
refused 1 'No such file or directory' -c "$daemon_config" -s service.runtime_directory=/nowhere/at/all
result a_folder_that_cannot_be_made_is_1 $?
refused 78 'publish.ipc: with its folder longer than' -c "$daemon_config" \
  -s "service.runtime_directory=/tmp/$(printf 'x%.0s' $(seq 100))"; result a_path_too_long_for_a_socket_is_78 $?

# descriptors and memory: whatever the limit, a reason and no crash
for limit in 3 4 5 6 8 10 16 64 127 200; do
  prlimit --nofile=$limit "$build/propriod" -c "$daemon_config" >/dev/null 2>"$daemon_dir/said" &
  pid=$!
  serves_or_ended() { [ -S "$daemon_dir/control.sock" ] || ! kill -0 $pid 2>/dev/null; }
  eventually serves_or_ended
  kill -TERM $pid 2>/dev/null
  wait $pid
  status=$?
  case $status in
  0) [ -S "$daemon_dir/control.sock" ] && status=left ;;
  1 | 78 | 127) [ -s "$daemon_dir/said" ] && status=0 ;;
  esac
  [ "$status" = 0 ] || break
done
result too_few_descriptors_are_a_reason_and_no_crash "$([ "$status" = 0 ]; echo $?)"

status=0
[ -n "${SANITIZE:-}" ] && echo "skip too_little_memory: a sanitizer reserves all address space" # and none is left to limit
for limit in 30000 60000 90000 200000 400000 600000; do # kB of address space
  [ -n "${SANITIZE:-}" ] && break
  timeout -k 60 2 prlimit --as=$((limit * 1024)) "$build/propriod" -c "$daemon_config" >/dev/null 2>"$daemon_dir/said"
  got=$?
  case $got in
  0 | 124) ;; # it fitted, and was ended
  1 | 78 | 127) [ -s "$daemon_dir/said" ] || { status=1; break; } ;;
  *) status=1; echo "# exit $got at $limit kB"; sed 's/^/# /' "$daemon_dir/said"; break ;;
  esac
done
[ -n "${SANITIZE:-}" ] || result too_little_memory_is_a_reason_and_no_crash $status

daemon_start; result it_starts_after_all_that $?
first=$daemon_pid
refused 1 "another propriod, process $first, runs on this folder" -c "$daemon_config"
result a_second_daemon_is_refused_and_names_the_first $?
mkdir "$daemon_dir/other"
refused 1 "$daemon_segment" -c "$daemon_config" -s "service.runtime_directory=$daemon_dir/other"
result a_second_daemon_in_another_folder_does_not_get_the_segment $?
refused 1 'pub.sock' -c "$daemon_config" -s "service.runtime_directory=$daemon_dir/other" \
  -s "input.segment=$daemon_segment-2" -s "publish.ipc=$daemon_dir/pub.sock"
result a_second_daemon_does_not_steal_the_endpoint $?
[ "$(daemon_value pid)" = "$first" ]; result the_first_runs_on $?

kill -KILL "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
[ -S "$daemon_dir/control.sock" ] && daemon_start; result after_a_kill_the_next_takes_over_what_was_left $?
daemon_stop; result it_ends_with_0 $?

made=$daemon_dir/made
"$build/propriod" -c "$daemon_config" -s "service.runtime_directory=$made" 2>>"$daemon_dir/log" &
daemon_pid=$!
eventually test -S "$made/control.sock"
[ "$(stat -c %a "$made" "$made/pub.sock" "$made/control.sock" | tr '\n' ' ')" = '751 660 660 ' ]
result a_missing_runtime_folder_is_made_with_751_and_its_sockets_with_660 $?
daemon_stop
exit $bad
