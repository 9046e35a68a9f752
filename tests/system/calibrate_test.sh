#!/bin/bash
# proprioctl calibrate on a recording of a robot whose skin is biased, scaled, tilted and partly dead.
set -u
build=${BUILD:-build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
say() { # RESULT NAME
  if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi
}

"$build/propriod-sim" -r chain9 -s held-poses --headless --quiet --record "$folder/poses" --duration 60 --rate 200 --skin 50 \
  --joints 200 --imu 0 --skin-bias 0.4 --skin-scale 0.03 --skin-tilt 0.05 --skin-dead 0.02 >"$folder/log" 2>&1
say $? "a robot records its poses"

"$build/proprioctl" calibrate --recording "$folder/poses" --output "$folder/table.csv" config/chain9.yaml >"$folder/out" 2>"$folder/err"
say $? "its skin is calibrated"
before=$(sed -n 's/^residual against gravity: \([0-9.]*\) .*/\1/p' "$folder/out")
after=$(sed -n 's/.*before, \([0-9.]*\) after/\1/p' "$folder/out")
awk -v b="$before" -v a="$after" 'BEGIN { exit !(b > 0.4 && a < 0.1) }'
say $? "the residual against gravity falls from over 0.4 to below 0.1 m/s^2"
cat "$folder/out"

dead=$(grep -c 'left uncalibrated' "$folder/err")
[ "$dead" -ge 4 ] && [ "$dead" -le 12 ]
say $? "the six dead cells of 312 are named and left out"

cp -r config "$folder/config"
sed "s|^robot:|robot:\n  calibration: $folder/table.csv|" config/chain9.yaml >"$folder/config/chain9.yaml"
"$build/proprioctl" check "$folder/config/chain9.yaml" >"$folder/check" 2>&1
say $? "the daemon takes the table"

sed -i '3s/^[^,]*/no_such_cell/' "$folder/table.csv"
"$build/proprioctl" check "$folder/config/chain9.yaml" >"$folder/check" 2>&1
[ $? = 1 ] && grep -q "table.csv:3: cell: 'no_such_cell' is no skin cell of the robot" "$folder/check"
say $? "a table for another robot is refused with file, line and cell"

"$build/propriod-sim" -r chain9 -s rest --headless --quiet --record "$folder/rest" --duration 4 >"$folder/log" 2>&1
"$build/proprioctl" calibrate --recording "$folder/rest" --output "$folder/none.csv" config/chain9.yaml >"$folder/out" 2>"$folder/err"
[ $? = 1 ] && grep -q '1 poses found, at least 2 are needed and 9 for a full calibration' "$folder/err" && [ ! -e "$folder/none.csv" ]
say $? "a robot that took one pose is told how many are missing, and nothing is written"
exit $bad
