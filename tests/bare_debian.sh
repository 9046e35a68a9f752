#!/bin/bash
# The packages on a Debian that has nothing else, as on a new robot's computer: debootstrap makes one, systemd boots in it, and in
# there they are installed, run, upgraded and purged (the steps of tests/system/deb_test.sh).
#   tests/bare_debian.sh [SUITE [MIRROR]]      exit status: 0 all passed, 77 it cannot run here (no root, debootstrap or network)
# make test does not run it: it fetches some 150 MB from the mirror and takes a few minutes.
set -u
cd "$(dirname "$0")/.." || exit 1
suite=${1:-bookworm}
mirror=${2:-http://deb.debian.org/debian}

cannot() {
  echo "skip bare Debian: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || cannot "not root"
command -v debootstrap >/dev/null || cannot "no debootstrap"

root=$(mktemp -d /tmp/bare_debian.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 1' INT TERM

debootstrap --variant=minbase --include=systemd-sysv,dbus "$suite" "$root/system" "$mirror" >"$root/log" 2>&1 || {
  tail -n 5 "$root/log"
  cannot "debootstrap of $suite from $mirror failed"
}
make --no-print-directory deb >"$root/log" 2>&1 || {
  tail -n 20 "$root/log"
  exit 1
}

# what they depend on is fetched now: the system that boots has no network. A compiler is what a driver's author has.
mkdir "$root/system/opt/fetch"
cp build/deb/*.deb "$root/system/opt/fetch"
chroot "$root/system" sh -c 'apt-get update && apt-get install -y --no-install-recommends --download-only /opt/fetch/*.deb gcc libc6-dev pkgconf &&
  rm -r /opt/fetch' >"$root/log" 2>&1 || {
  tail -n 5 "$root/log"
  cannot "what the packages depend on could not be fetched"
}
BASE=$root/system tests/system/deb_test.sh
