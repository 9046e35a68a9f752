#!/bin/bash
# A robot's computer has other uses for its memory: what the daemon locks stays below 50 MB, with the 30-joint humanoid and
# its 1260 cells, and no BLAS is among it (proprioctl and the tools may have one).
set -u
. tests/system/daemon.sh
if [ -n "${SANITIZE:-}" ]; then
  echo "skip locked_memory: a sanitizer's own memory is counted too"
  exit 77
fi
most_kb=50000

! ldd "$build/propriod" | grep -iE 'blas|lapack|gfortran' >&2
result "the daemon is linked with no BLAS" $?

daemon_begin
daemon_start
result "the daemon starts" $?
sleep 1
locked=$(awk '/^VmLck:/ {print $2}' "/proc/$daemon_pid/status")
if [ "$locked" = 0 ]; then
  echo "skip locked_memory: memory cannot be locked here"
else
  echo "locked: $locked kB"
  [ "$locked" -lt $most_kb ]
  result "less than $most_kb kB are locked" $?
fi
daemon_stop
exit $bad
