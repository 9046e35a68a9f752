#!/bin/bash
# The same work on lesser processors (tests/isa): how many times as long as with the best instructions of this one, for
# the joint filter's step and the algorithms over the tree. All alternate, so that what else happens on the machine meets
# all of them; each figure is a median, and the smallest of the rounds, as what else happens only adds. Ends with 1 when
# one takes longer than its limit.
set -eu
build=${BUILD:-build}
rounds=${ROUNDS:-5}
times=$(mktemp)
trap 'rm -f "$times"' EXIT
export OPENBLAS_NUM_THREADS=1
variants="best avx2 plain"
if ! grep -qw avx512f /proc/cpuinfo; then
  echo "the best of this processor is AVX2: nothing is told of AVX2 beside AVX-512" >&2
  variants="best plain"
fi

for ((round = 0; round < rounds; round++)); do
  for bench in ukf_bench dynamics_bench; do
    for variant in $variants; do
      folder=$build/tests/bench
      [ $variant = best ] || folder=$folder/$variant
      "$folder/$bench" |
        sed -n 's/.*"name": "\([a-z0-9_]*\)", "value": \([0-9.]*\), "unit": "us".*/'$variant' \1 \2/p' >>"$times"
    done
  done
done

# Limits: what the joint filter calculates with eight numbers at once takes up to twice as long with four, and up to
# eight times with two that are not multiplied and added in one; the rest of its step, as long as before. The algorithms
# over the tree calculate with three numbers at once, which registers of four hold, or two of two.
sort -k1,1 -k2,2 -k3,3g "$times" | awk '
  function limit(name, variant) {
    if (name ~ /^(kinematics|rnea|aba|crba|centroidal|regressor)_humanoid30$/) { return variant == "avx2" ? 1.1 : 3 }
    if (name ~ /^ukf_(between_)?humanoid30$/) { return variant == "avx2" ? 1.8 : 4.5 }
    return 0
  }
  function tell(name, value, most) {
    printf "{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"ratio\", \"limit\": %.3f}\n", name, value, most
    if (value > most) {
      printf "%s: %.3f is above its limit, %.3f\n", name, value, most >"/dev/stderr"
      slow = 1
    }
  }
  { if (n[$1, $2]++ == 0) { us[$1, $2] = $3; order[++names] = $1 " " $2 } }
  END {
    for (i = 1; i <= names; i++) {
      split(order[i], part, " ")
      variant = part[1]
      name = part[2]
      if (variant != "best" && limit(name, variant) > 0) {
        tell(name "_" variant "_over_best", us[variant, name] / us["best", name], limit(name, variant))
      }
      if (name == "ukf_humanoid30" && variant != "plain") { # beside the textbook form, OpenBLAS at its best in both
        tell(name "_" variant "_over_dense", us[variant, name] / us[variant, "ukf_dense_humanoid30"], 0.125)
      }
    }
    exit slow
  }'
