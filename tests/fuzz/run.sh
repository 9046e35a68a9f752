#!/bin/bash
# Fuzzes every tests/fuzz/*_fuzz.c with clang's libFuzzer, address and undefined-behaviour sanitizers.
#   BUILD=build tests/fuzz/run.sh SECONDS [NAME ...]     SECONDS in all, shared evenly; only the targets named
# Corpora grow in $BUILD/fuzz/corpus/NAME and begin with the target's seeds. A crash leaves its input in
# $BUILD/fuzz/crashes and ends with a status other than 0; replay it with $BUILD/fuzz/fuzz/NAME_fuzz FILE.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}/fuzz
seconds=${1:-60}
shift || true

names=("$@")
if [ ${#names[@]} = 0 ]; then
  for source in tests/fuzz/*_fuzz.c; do
    name=${source##*/}
    names+=("${name%_fuzz.c}")
  done
fi
each=$((seconds / ${#names[@]}))
[ "$each" -ge 1 ] || each=1

echo "building ${#names[@]} targets with clang" >&2
${MAKE:-make} -s BUILD="$build" CC=clang-14 OPTIMIZE=-O1 SANITIZE=fuzzer-no-link,address,undefined fuzzers

export OPENBLAS_NUM_THREADS=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
mkdir -p "$build/crashes" "$build/log"
failed=0
for name in "${names[@]}"; do
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  tests/fuzz/seeds.sh "$name" | while read -r seed; do
    cp -n "$seed" "$corpus/seed-$(echo "$seed" | tr / -)"
  done
  dictionary=()
  [ -e "tests/fuzz/$name.dict" ] && dictionary=(-dict="tests/fuzz/$name.dict")
  if "$build/fuzz/${name}_fuzz" -max_total_time="$each" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$build/crashes/$name-" "${dictionary[@]}" "$corpus" >"$build/log/$name.log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/log/$name.log")
    echo "ok $name: $runs inputs in $each s, corpus of $(find "$corpus" -type f | wc -l)"
  else
    failed=1
    echo "not ok $name: see $build/log/$name.log"
    grep -E 'ERROR|SUMMARY|not true|runtime error|Test unit written' "$build/log/$name.log" | head -8 | sed 's/^/    /'
  fi
done
exit $failed
