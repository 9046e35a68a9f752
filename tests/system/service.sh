# What the tests of the service under a real systemd share: sourced, inside the container and outside.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/eventually.sh"
. "$(dirname "${BASH_SOURCE[0]}")/result.sh"
why() { journalctl -u propriod --no-pager -n 15; }
property() { systemctl show propriod -P "$1"; }
said() { journalctl -u propriod --no-pager -o cat --since "$since" | grep -qE "$1"; }
is() { [ "$(property "$1")" = "$2" ]; }

# The service of the large humanoid in the root of the container, and the running script in its /opt with FILE...; no
# manual pages, which take longest.
install_service() { # ROOT FILE...
  (cd "$here/../.." && BUILD=$BUILD DESTDIR=$1 PREFIX=/usr SYSCONFDIR=/etc \
    PARTS="programs headers_and_clients completion service configuration" tools/install.sh install) || exit 1
  cp "$1/etc/propriod/humanoid30.yaml" "$1/etc/propriod/propriod.yaml"
  mkdir -p "$1/opt"
  cp "$0" "$here"/{service,eventually,result}.sh "${@:2}" "$1/opt"
}

# Boots a throw-away systemd, calls `SCRIPT prepare ROOT` before and runs `SCRIPT inside` in it.
run_under_systemd() { # SCRIPT
  local status
  export BUILD=${BUILD:-build}
  PREPARE=$(mktemp /tmp/prepare.XXXXXX)
  export PREPARE
  trap 'rm -f "$PREPARE"' EXIT
  printf '#!/bin/bash\ncd "%s/../.." && exec tests/system/%s prepare "$1"\n' "$here" "$1" >"$PREPARE"
  chmod +x "$PREPARE"
  "$here/with_systemd.sh" bash "/opt/$1" inside
  status=$?
  [ $status = 77 ] && echo "skip ${1%_test.sh}: no throw-away systemd can be booted here"
  exit $status
}
