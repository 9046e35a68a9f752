#!/bin/bash
# Runs a command under a systemd of its own: PID 1 in a container over a copy-on-write view of this machine, gone afterwards.
#   tests/system/with_systemd.sh COMMAND...        exit status of the command; 77 where it cannot run
# BASE, if set, is the root folder of another system to look at. Needs root, systemd-nspawn, dbus and overlayfs. PREPARE, if set, is a program called with the new root folder before it boots.
set -u
cannot() {
  echo "cannot run here: $*" >&2
  exit 77
}
[ "$(id -u)" = 0 ] || cannot "not root"
command -v systemd-nspawn >/dev/null || cannot "no systemd-nspawn (package systemd-container)"
command -v dbus-daemon >/dev/null || cannot "no dbus"

machine=propriod-test-$$
work=$(mktemp -d /tmp/with_systemd.XXXXXX)
nspawn= leader=

end() {
  [ -n "$leader" ] && kill -s RTMIN+4 "$leader" 2>/dev/null # poweroff, as systemd understands it
  for _ in $(seq 60); do
    [ -n "$nspawn" ] && [ -d "/proc/$nspawn" ] || break
    sleep 0.05
  done
  [ -n "$nspawn" ] && kill -KILL "$nspawn" 2>/dev/null
  wait 2>/dev/null
  local hierarchy
  for hierarchy in systemd unified; do
    [ -d "/sys/fs/cgroup/$hierarchy/$machine" ] &&
      find "/sys/fs/cgroup/$hierarchy/$machine" -depth -type d -exec rmdir {} + 2>/dev/null
  done
  umount "$work/disk/root" 2>/dev/null || umount -l "$work/disk/root" 2>/dev/null
  umount "$work/disk" 2>/dev/null || umount -l "$work/disk" 2>/dev/null
  rmdir "$work/disk" "$work" 2>/dev/null
}
trap end EXIT
trap 'exit 1' INT TERM

mkdir "$work/disk"
mount -t tmpfs -o size=1g tmpfs "$work/disk" 2>/dev/null || cannot "no mount"
mkdir "$work/disk/upper" "$work/disk/work" "$work/disk/root" "$work/disk/checkout"
root=$work/disk/root
mount -t overlay overlay -o "lowerdir=${BASE:-/},upperdir=$work/disk/upper,workdir=$work/disk/work" "$root" 2>/dev/null ||
  cannot "no overlayfs"
rm -f "$root/.dockerenv" "$root/etc/machine-id"
: >"$root/etc/machine-id"
rm -rf "$root"/etc/systemd/system/*.wants # none of this machine's own services
ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
if [ -n "${PREPARE:-}" ]; then
  "$PREPARE" "$root" || exit 1
fi
# the checkout, which may be below /tmp or on a disk of its own, that the view does not show
checkout=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root$checkout"
export SYSTEMD_NSPAWN_TMPFS_TMP=0 # what is there stays

# a subtree of control groups of its own; nothing is moved in this machine's
for hierarchy in systemd unified; do
  [ -d "/sys/fs/cgroup/$hierarchy" ] && mkdir -p "/sys/fs/cgroup/$hierarchy/$machine"
done
# shellcheck disable=SC2016 # expanded by the inner shell
setsid bash -c '
  for hierarchy in systemd unified; do
    [ -d /sys/fs/cgroup/$hierarchy/$0 ] && echo $$ >/sys/fs/cgroup/$hierarchy/$0/cgroup.procs
  done
  exec "$@"' "$machine" \
  systemd-nspawn -q -D "$root" --boot --register=no --keep-unit --link-journal=no --machine="$machine" --console=pipe --private-network \
  --overlay="$checkout:$work/disk/checkout:$checkout" --capability=CAP_IPC_LOCK,CAP_SYS_NICE --system-call-filter="@memlock @resources" </dev/null >"$work/disk/console" 2>&1 &
nspawn=$!

inside() { nsenter -t "$leader" -a -r -w -- "$@"; } # its root too: this machine's may be a chroot
until=$((SECONDS + 60))
while [ $SECONDS -lt $until ]; do
  [ -d "/proc/$nspawn" ] || { cat "$work/disk/console" >&2; cannot "systemd-nspawn ended"; }
  leader=$(pgrep -P "$nspawn" | head -n 1)
  [ -n "$leader" ] && inside timeout 5 systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded' && break
  sleep 0.05
done
[ -n "$leader" ] || cannot "systemd did not come up"
inside "$@"
