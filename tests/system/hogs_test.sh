#!/bin/bash
# The service under a real systemd beside a driver that writes without a pause and clients that hog the control socket: it reloads, starts,
# and its cycle takes at most one and a half times its normal time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/service.sh"
[ -z "${SANITIZE:-}" ] || { echo "skip hogs: a sanitizer has a time of its own"; exit 77; }

prepare() {
  cd "$here/../.." || exit 1
  BUILD=$BUILD DESTDIR=$1 PREFIX=/usr SYSCONFDIR=/etc tools/install.sh install
  sed 's/^  #*period: .*/  period: 0.004/' "$1/etc/propriod/humanoid30.yaml" >"$1/etc/propriod/propriod.yaml"
  mkdir -p "$1/opt"
  cp "$0" tests/system/{service,eventually,result}.sh tests/system/{hogs,results}.py "$1/opt"
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
