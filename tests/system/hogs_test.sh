#!/bin/bash
# The service under a real systemd beside a driver that writes without a pause, clients that hog the control socket and files that are large or slow: it reloads, starts,
# and its cycle takes at most one and a half times its normal time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/service.sh"
[ -z "${SANITIZE:-}" ] || { echo "skip hogs: a sanitizer has a time of its own"; exit 77; }

prepare() {
  install_service "$1" "$here"/{hogs,results,hold_thread}.py
  sed -i 's/^  #*period: .*/  period: 0.004/' "$1/etc/propriod/propriod.yaml"
}

inside() {
  systemd-sysusers
  systemctl daemon-reload
  systemctl start propriod || exit 1
  /usr/bin/python3 /opt/hogs.py
  exit $?
}

case ${1:-} in
prepare) prepare "$2" ;;
inside) inside ;;
*) run_under_systemd hogs_test.sh ;;
esac
