#!/bin/bash
# The service file: as tight as trusted daemons', and without a word that systemd does not know.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v systemd-analyze >/dev/null || { echo "skip unit_file: no systemd-analyze here"; exit 77; }
. tests/system/folder.sh

# verify wants the programs to exist: the same unit with the built ones, whose folder may have a blank in its path
ln -s "$build" "$to/programs"
sed "s|/usr/bin/|$to/programs/|" systemd/propriod.service >"$to/propriod.service"
systemd-analyze verify --man=no "$to/propriod.service" >"$to/log" 2>&1 && [ ! -s "$to/log" ]
result the_unit_file_verifies_without_a_word $?

systemd-analyze security --offline=true --threshold=15 --no-pager systemd/propriod.service >"$to/log" 2>&1
result the_exposure_of_the_service_is_at_most_1.5 $?
tail -n 1 "$to/log"

cat systemd/propriod.service systemd/ipc-only.conf >"$to/ipc.service"
systemd-analyze security --offline=true --threshold=7 --no-pager "$to/ipc.service" >"$to/log" 2>&1
result without_network_it_is_at_most_0.7 $?
tail -n 1 "$to/log"

BUILD=${BUILD:-build} DESTDIR=$to/root PREFIX=/usr SYSCONFDIR=/etc PARTS=service tools/install.sh install >/dev/null
sed "s|/usr/bin/|$to/programs/|" "$to/root/usr/lib/systemd/system/propriod@.service" >"$to/propriod@.service"
systemd-analyze verify --man=no "$to/propriod@left.service" >"$to/log" 2>&1 ||
  systemd-analyze verify --man=no "$to/propriod@.service" >"$to/log" 2>&1
[ ! -s "$to/log" ] && grep -q '^RuntimeDirectory=propriod-%i$' "$to/propriod@.service" &&
  grep -q '^StateDirectory=propriod-%i$' "$to/propriod@.service" && grep -q 'reload --socket /run/propriod-%i/control.sock$' "$to/propriod@.service"
result the_template_for_several_robots_verifies_without_a_word $?

sed '/^ProtectSystem\|^Private\|^Capability\|^SystemCallFilter/d' systemd/propriod.service >"$to/loose.service"
! systemd-analyze security --offline=true --threshold=15 --no-pager "$to/loose.service" >"$to/log" 2>&1
result a_looser_service_would_be_found_out $?

exit $bad
