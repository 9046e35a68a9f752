#!/bin/bash
# proprioctl tune and replay on recordings of a simulated arm whose noise is known.
set -u
build=${BUILD:-build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
say() { # RESULT NAME
  if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2"; bad=1; fi
}
value() { sed -n "s/^ *$1: //p" "$folder/out"; }

"$build/propriod-sim" -r chain9 -s rest --headless --quiet --record "$folder/rest" --duration 4 --imu 0 --encoder-noise 0.002 \
  --skin-noise 0.25 >"$folder/log" 2>&1 &&
  "$build/propriod-sim" -r chain9 -s medium --headless --quiet --record "$folder/motion" --duration 6 --imu 0 \
    --encoder-noise 0.002 >>"$folder/log" 2>&1
say $? "an arm records rest and motion"

"$build/proprioctl" tune --recording "$folder/rest" --motion "$folder/motion" config/chain9.yaml >"$folder/out" 2>"$folder/err"
say $? "it is tuned"
awk -v n="$(value encoder_noise)" 'BEGIN { exit !(n > 0.0019 && n < 0.0021) }'
say $? "the encoders' noise is found within 5 %"
awk -v n="$(value cell_noise)" 'BEGIN { exit !(n > 0.24 && n < 0.26) }'
say $? "the skin's noise is found within 4 %"
awk -v n="$(value snap_density)" 'BEGIN { exit !(n > 10 && n < 1e6) }'
say $? "a density of ordinary motion is suggested"

"$build/propriod-sim" -r chain9 -s medium --headless --quiet --record "$folder/askew" --duration 6 --imu 0 --encoder-quantum 0.01 \
  --skin-noise 0.02 --skin-scale 0.1 --skin-tilt 0.06 >>"$folder/log" 2>&1 &&
  "$build/propriod-sim" -r chain9 -s rest --headless --quiet --record "$folder/steps" --duration 4 --imu 0 \
    --encoder-quantum 0.01 --skin-noise 0.02 >>"$folder/log" 2>&1 &&
  "$build/proprioctl" tune --recording "$folder/steps" --motion "$folder/askew" config/chain9.yaml >"$folder/out_askew" 2>"$folder/err"
say $? "an arm with skin that sits askew and coarse encoders is tuned"
of_askew() { sed -n "s/^ *$1: //p" "$folder/out_askew"; }
awk -v n="$(of_askew cell_noise)" 'BEGIN { exit !(n > 0.2) }'
say $? "its skin is believed no better than its cells scatter in motion, ten times their noise"
awk -v n="$(of_askew encoder_noise)" 'BEGIN { exit !(n > 0.0027 && n < 0.0031) }'
say $? "its encoders, which stand still at rest, no better than their steps of 0.01 rad round"

cp config/chain9.yaml "$folder/config.yaml"
cp -r config/robots "$folder/robots"
cat "$folder/out" >>"$folder/config.yaml"
"$build/proprioctl" check "$folder/config.yaml" >"$folder/check" 2>&1
say $? "what it prints is a section of a configuration"

"$build/proprioctl" replay --recording "$folder/motion" --output "$folder/joints.csv" config/chain9.yaml >"$folder/replay" 2>&1
say $? "the motion is replayed"
[ "$(wc -l <"$folder/joints.csv")" = 6002 ] && ! grep -q nan "$folder/joints.csv"
say $? "with a line of numbers for each of 6001 frames"
sums() { "$build/proprioctl" replay --checksum --recording "$1" config/chain9.yaml; }
sums "$folder/motion" >"$folder/first" && sums "$folder/motion" >"$folder/second" &&
  [ "$(grep -Ec '^(state|centroidal|inertia|skin|diag) ' "$folder/first")" -gt 80 ] && cmp -s "$folder/first" "$folder/second"
say $? "replayed twice, every published number has the same bits"
cp "$folder/motion" "$folder/other"
printf '\125' | dd of="$folder/other" bs=1 seek=400 conv=notrunc status=none
sums "$folder/other" >"$folder/second" && ! cmp -s "$folder/first" "$folder/second"
say $? "and others when the last bits of one encoder reading are others"
"$build/proprioctl" replay --recording "$folder/joints.csv" config/chain9.yaml >"$folder/replay" 2>&1
[ $? = 1 ]
say $? "a file that is no recording is refused"
"$build/proprioctl" tune --recording "$folder/rest" config/humanoid18.yaml >"$folder/out" 2>"$folder/err"
[ $? = 1 ] && grep -q 'the configured robot has 18' "$folder/err"
say $? "a recording of another robot is refused with both robots' numbers"
exit $bad
