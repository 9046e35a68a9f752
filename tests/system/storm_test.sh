#!/bin/bash
# The service under a real systemd in a storm: restarts, kills, reloads of which some are bad or slow.
#   storm_test.sh [RESTARTS KILLS RELOADS]   (3 5 30; 100 100 1000 takes ten minutes)
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/service.sh"
[ -z "${SANITIZE:-}" ] || { echo "skip storm: a sanitizer makes everything late"; exit 77; }

prepare() {
  install_service "$1" "$here"/{storm,results,hold_thread}.py
  echo "$STORM" >"$1/opt/storm.counts"
}

inside() {
  systemd-sysusers
  systemctl daemon-reload
  # shellcheck disable=SC2046 # three numbers
  /usr/bin/python3 /opt/storm.py $(cat /opt/storm.counts)
  exit $?
}

case ${1:-} in
prepare) prepare "$2" ;;
inside) inside ;;
*)
  export STORM="${1:-3} ${2:-5} ${3:-30}"
  run_under_systemd storm_test.sh
  ;;
esac
