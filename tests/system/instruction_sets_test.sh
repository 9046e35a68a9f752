#!/bin/bash
# Everything that is compiled for several instruction sets passes its tests with each: the suites run once more as on a
# processor with AVX2 at most, and as on one with nothing beyond plain x86-64. The suites themselves run as this one is:
# where all of them run and this one has AVX2 at most, they are what would be run once more.
set -u
build=${BUILD:-build}
if [ -n "${SANITIZE:-}" ]; then
  echo "skip instruction_sets: a build for sanitizers has the plain variant alone"
  exit 77
fi
has() { grep -qw "$1" /proc/cpuinfo; }
sets='plain v3'
[ "${ALL_SUITES:-0}" = 1 ] && has avx2 && ! has avx512f && sets=plain
status=0
for program in $(for set in $sets; do ls "$build/tests/isa/$set"/*/*_test; done); do
  name=${program#"$build/tests/isa/"}
  said=$("$program" 2>&1)
  if [ $? = 0 ] && grep -q ':P:' <<<"$said"; then
    echo "ok ${name//\// }"
  else
    echo "not ok ${name//\// }"
    grep -v ':P:' <<<"$said" | sed 's/^/# /'
    status=1
  fi
done
exit $status
