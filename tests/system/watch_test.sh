#!/bin/bash
# Watching the service: counters for Prometheus that its own checker takes, and agree with those of the control socket.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin
trap 'daemon_end' EXIT
page=$daemon_dir/propriod.prom
daemon_start; result it_starts $?
eventually test -s "$page"; result its_metrics_are_there_in_time $?
cp "$page" "$daemon_dir/page"
page=$daemon_dir/page
grep -qE '^propriod_cycles_total [0-9]+$' "$page" && grep -qF 'propriod_status{topic="state",status="init"} 1' "$page" &&
  grep -qE '^propriod_busy_seconds\{quantile="0.99"\} [0-9.e-]+$' "$page" &&
  grep -qF 'propriod_stream_frames_total{stream="imu"} 0' "$page" && grep -qF ',robot="humanoid30"} 1' "$page"
result they_say_what_runs_and_how $?

well_formed() { # every sample stands behind the HELP and TYPE of its name, once
  /usr/bin/python3 - "$page" <<'PYTHON'
import re, sys
helped, typed, seen = set(), {}, set()
for line in open(sys.argv[1]):
    assert line.endswith("\n")
    line = line.rstrip("\n")
    if m := re.fullmatch(r"# HELP ([a-z_]+) (\S.*)", line):
        assert m[1] not in helped and "\\" not in m[2], line
        helped.add(m[1])
    elif m := re.fullmatch(r"# TYPE ([a-z_]+) (counter|gauge|summary)", line):
        assert m[1] not in typed, line
        typed[m[1]] = m[2]
    else:
        m = re.fullmatch(r"([a-z_]+)(\{[a-z]+=\"[^\"]*\"(?:,[a-z]+=\"[^\"]*\")*\})? (\S+)", line)
        assert m, line
        float(m[3])
        base = re.sub(r"_(sum|count)$", "", m[1]) if m[1] not in typed else m[1]
        assert base in typed and base in helped, line
        assert typed[base] != "counter" or base.endswith("_total"), line
        assert (m[1], m[2]) not in seen, line
        seen.add((m[1], m[2]))
assert len(seen) > 100, len(seen)
PYTHON
}
well_formed; result they_are_well_formed $?

before=$(sed -n 's/^propriod_cycles_total //p' "$page")
now=$(daemon_ask counters | awk '$1 == "cycles" { print $2 }')
[ "$before" -gt 0 ] && [ "$now" -ge "$before" ]; result and_agree_with_the_control_socket $?
daemon_stop; result it_ends_with_0 $?
[ ! -e "$daemon_dir/propriod.prom" ]; result what_does_not_run_has_no_numbers $?

# each number in the catalog is one that the program uses, and the other way round
diff <(sed -n 's/^-- //p' systemd/propriod.catalog | sort) <(grep -oE '[0-9a-f]{32}' daemon/common/log_ids.c | sort -u)
result the_journals_catalog_explains_every_line_that_has_a_number $?
if command -v journalctl >/dev/null; then
  mkdir -p "$daemon_dir/root/usr/lib/systemd/catalog" "$daemon_dir/root/var/lib/systemd/catalog"
  cp systemd/propriod.catalog "$daemon_dir/root/usr/lib/systemd/catalog/"
  journalctl --root="$daemon_dir/root" --update-catalog 2>"$daemon_dir/said" && [ ! -s "$daemon_dir/said" ] &&
    journalctl --root="$daemon_dir/root" --list-catalog | grep -q 'propriod: A sensor stream is silent'
  result and_the_journal_takes_it $?
fi
exit $bad
