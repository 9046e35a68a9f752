#!/bin/bash
# The Python package: a driver and a subscriber beside a running daemon, and what pip installs into an environment of its own.
set -u
. "$(dirname "$0")/daemon.sh"
daemon_begin
to=$daemon_dir
daemon_start -s cycle.rt=off -s cycle.trigger=frame
result the_daemon_starts $?
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$build/python /usr/bin/python3 "$project/tests/system/python_check.py" \
  "ipc://$to/pub.sock" "$daemon_segment" "$build/proprioctl" || bad=1

# without the network: what it needs is Debian's
pip_installs() {
  /usr/bin/python3 -m venv --system-site-packages "$to/venv" || return 1
  mkdir -p "$to/source"
  (cd "$project" && tar -c tools/python tools/debian/changelog daemon/propriod | tar -x -C "$to/source") &&
    "$to/venv/bin/pip" install --quiet --no-index --no-build-isolation --no-deps "$to/source/tools/python" >"$to/pip" 2>&1 ||
    { sed 's/^/# /' "$to/pip"; return 1; }
}
installed_drives() {
  (cd / && "$to/venv/bin/python" -c '
import sys, propriod
assert propriod.__file__.startswith(sys.argv[2]), propriod.__file__
with propriod.Driver("joints", 30, segment=sys.argv[1]) as driver:
    driver.write(q=[0.0] * 30)' "$daemon_segment" "$to/venv")
}
knows_its_version() {
  [ "$("$to/venv/bin/pip" list --format=freeze 2>/dev/null | sed -n 's/^propriod==//p')" = "$("$build/proprioctl" --version | cut -d' ' -f2)" ]
}
pip_installs; result pip_installs_the_package_into_a_clean_environment $?
installed_drives; result what_pip_installed_writes_to_the_segment $?
knows_its_version; result its_version_is_that_of_the_programs $?

before=$(daemon_value pid)
daemon_stop; result the_daemon_ends_with_0 $?
exit $bad
