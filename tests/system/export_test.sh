#!/bin/bash
# proprioctl export: one recording in four formats, read by readers that know nothing of how they were written.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/system/folder.sh
config=config/propriod.yaml

"$build/propriod-sim" --config $config --scenario squat --rest 0.3 --headless --ideal --duration 1.1 --record "$to/squat.rec" --truth "$to/truth.csv" --quiet >"$to/log" 2>&1
"$ctl" export --npz "$to/all.npz" --csv "$to/csv" --mat "$to/all.mat" --mcap "$to/all.mcap" "$to/squat.rec" $config >"$to/log" 2>&1
result four_formats_at_once $?

"$ctl" plot --config $config -o "$to/plot.html" "$to/squat.rec" q com_position_z >"$to/log" 2>&1
result a_page_of_plots $?

lines=
if command -v node >/dev/null && command -v npm >/dev/null &&
  timeout 60 npm install --fetch-retries=0 --fetch-timeout=10000 --no-audit --no-fund --silent --prefix "$to" @mcap/core@2 fzstd@0.1 @foxglove/rosmsg@5 @foxglove/rosmsg2-serialization@3 >"$to/npm" 2>&1; then
  node tests/system/read_mcap.mjs "$to/all.mcap" "$to" >"$to/lines" 2>"$to/log"
  result the_reader_of_the_formats_authors_opens_it $?
  lines=$to/lines
else
  echo "skip the_reader_of_the_formats_authors_opens_it: no node, or no npm, or its packages cannot be had"
fi
PYTHONPATH=$build/python PROPRIOCTL=$ctl CONFIG=$config /usr/bin/python3 tests/system/export_check.py "$to" "$to/truth.csv" ${lines:+"$lines"} || bad=1

# what is asked for is what comes
part_only() {
  "$ctl" export --raw --only joints --from 0.5 --to 1 --csv "$to/part" "$to/squat.rec" $config >"$to/log" 2>&1 &&
    [ "$(ls "$to/part")" = joints.csv ] && [ "$(sed -n '3{s/,.*//;p}' "$to/part/joints.csv")" = 0.500000000 ] &&
    [ "$(wc -l <"$to/part/joints.csv")" = 503 ]
}
part_only; result a_part_of_it_has_the_rows_that_were_asked_for $?

says() { # STATUS WORDS COMMAND...
  local wanted=$1 words=$2 status
  shift 2
  "$@" >"$to/log" 2>&1
  status=$?
  [ $status = "$wanted" ] && grep -q -- "$words" "$to/log"
}
refusals() {
  says 2 'into which file' "$ctl" export "$to/squat.rec" $config &&
    says 1 "nothing is called 'knee'" "$ctl" plot --config $config -o "$to/none.html" "$to/squat.rec" knee && [ ! -e "$to/none.html" ] &&
    says 2 "'legs' makes no sense" "$ctl" export --only legs --npz "$to/x" "$to/squat.rec" $config &&
    says 1 "$to/none.rec: No such file" "$ctl" export --npz "$to/x" "$to/none.rec" $config &&
    says 1 "the configured robot has 9 (robot.urdf)" "$ctl" export --npz "$to/x" "$to/squat.rec" config/chain9.yaml &&
    says 1 "/nowhere/x.mcap: No such file" "$ctl" export --mcap /nowhere/x.mcap "$to/squat.rec" $config
}
refusals; result what_cannot_be_is_refused_with_its_name $?

# a disk of two megabytes
full_disk() {
  mkdir "$to/disk"
  mount -t tmpfs -o size=2m tmpfs "$to/disk" 2>/dev/null || { echo "skip nothing_half_written_on_a_full_disk: no mount"; return 77; }
  local kind left=0
  for kind in npz mat mcap; do
    says 1 "$to/disk/x.$kind: " "$ctl" export --$kind "$to/disk/x.$kind" "$to/squat.rec" $config || left=1
  done
  says 1 "$to/disk/csv/.*.csv: No space" "$ctl" export --csv "$to/disk/csv" "$to/squat.rec" $config || left=1
  [ -z "$(find "$to/disk" -type f)" ] || { find "$to/disk" -type f | sed 's/^/# left: /'; left=1; }
  umount "$to/disk"
  return $left
}
full_disk; full=$?
case $full in
77) ;;
*) result nothing_half_written_on_a_full_disk $full ;;
esac
exit $bad
