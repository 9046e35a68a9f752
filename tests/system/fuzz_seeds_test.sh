#!/bin/bash
# Every fuzz target survives its seeds and simple changes to them, without a fuzzer (make fuzz has one).
set -u
build=${BUILD:-build}
status=0
for source in tests/fuzz/*_fuzz.c; do
  name=${source##*/}
  name=${name%_fuzz.c}
  mapfile -t seeds < <(tests/fuzz/seeds.sh "$name")
  if [ ${#seeds[@]} = 0 ]; then
    echo "not ok ${name}_fuzz has seeds"
    status=1
  elif "$build/tests/fuzz/${name}_fuzz" "${seeds[@]}"; then
    echo "ok ${name}_fuzz survives ${#seeds[@]} seeds and their variants"
  else
    echo "not ok ${name}_fuzz survives ${#seeds[@]} seeds and their variants"
    status=1
  fi
done
exit $status
