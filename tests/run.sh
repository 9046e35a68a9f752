#!/bin/bash
# Runs every test and closes with `N passed, N failed, N skipped`.
#   tests/run.sh [WORD ...]    only the tests whose path contains one of the words
# C test programs come from build/tests: those of tests/unit run one by one, as some of them measure time, those of
# tests/scenario beside each other. System tests are scripts that print `ok NAME`, `not ok NAME` or `skip NAME: why`
# a line and exit 0 (passed), 77 (cannot run here) or anything else (failed).
set -u
build=${BUILD:-build}
log=$build/tests/log
mkdir -p "$log"
passed=0 failed=0 skipped=0
beside='SKIP: ../shared/data: ' without= # what recordings and models beside the checkout would show

chosen() {
  [ ${#words[@]} = 0 ] && return 0
  for word in "${words[@]}"; do
    [[ $1 == *"$word"* ]] && return 0
  done
  return 1
}

count() { # FILE STATUS NAME SECONDS
  local ok bad skips
  ok=$(grep -cE '^ok |^[^ ]+:[0-9]+:P:' "$1")
  bad=$(grep -cE '^not ok |^[^ ]+:[0-9]+:[FE]:' "$1")
  skips=$(grep -cE '^skip |^SKIP: ' "$1")
  if grep -q '^SKIP: ' "$1"; then # a skipped Check test also counts as passed
    ok=$((ok - $(grep -c '^SKIP: ' "$1")))
  fi
  if [ "$2" = 77 ] && [ "$skips" = 0 ]; then
    skips=1
  elif [ "$2" != 0 ] && [ "$2" != 77 ] && [ "$bad" = 0 ]; then
    bad=1
  elif [ "$2" = 0 ] && [ $((ok + bad + skips)) = 0 ]; then
    ok=1
  fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skips))
  printf '%-44s %4d passed %3d failed %3d skipped  %5.1f s\n' "$3" "$ok" "$bad" "$skips" "$4"
  grep -hE '^skip |^SKIP: ' "$1" | grep -vF "$beside" | sed 's/^/    /'
  without+=$(grep -hF "$beside" "$1" | sed "s|^$beside||")$'\n'
  if [ "$bad" != 0 ]; then
    grep -hE '^not ok |:[FE]:|^seed |ERROR: |runtime error' "$1" | head -40 | sed 's/^/    /'
    [ "$2" != 0 ] && tail -n 5 "$1" | sed 's/^/    | /'
  fi
}

start() { # NAME COMMAND...
  local file=$log/${1//\//_} begun status
  shift
  begun=$(date +%s.%N)
  "$@" >"$file.log" 2>&1 </dev/null
  status=$?
  echo "$status $(echo "$(date +%s.%N) $begun" | awk '{print $1 - $2}')" >"$file.end"
}

tell() { # NAME
  local file=$log/${1//\//_} status seconds
  read -r status seconds <"$file.end"
  count "$file.log" "$status" "$1" "$seconds"
}

alone() { # NAME COMMAND...
  start "$@"
  tell "$1"
}

# Tests that only compute, as many at once as there are processors.
together() { # NAME...
  local name
  for name in "$@"; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
      wait -n
    done
    start "$name" "$build/tests/$name" &
  done
  wait
  for name in "$@"; do
    tell "$name"
  done
}

words=("$@")
export BUILD=$build OPENBLAS_NUM_THREADS=1
export LC_ALL=C         # numbers have a point and messages are English, wherever this is
unset PROPRIOD_ENDPOINT # no test asks a propriod that it has not started
export TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp:${TSAN_OPTIONS:-}
for source in tests/unit/*/*_test.c; do
  name=${source#tests/}
  name=${name%.c}
  chosen "$name" && alone "$name" "$build/tests/$name"
done
scenarios=()
for source in tests/scenario/*_test.c; do
  name=${source#tests/}
  name=${name%.c}
  chosen "$name" && scenarios+=("$name")
done
together "${scenarios[@]}"
for script in tests/system/*_test.sh; do
  name=${script#tests/}
  chosen "$name" && alone "$name" "$script"
done
echo
without=$(sort -u <<<"$without" | sed '/^$/d' | paste -sd ';' | sed 's/;/; /g')
[ -n "$without" ] && echo "skipped without ../shared/data, which would show: $without"
echo "$passed passed, $failed failed, $skipped skipped"
if [ $((passed + failed + skipped)) = 0 ]; then
  echo "no test has '${words[*]}' in its path" >&2
  exit 1
fi
[ "$failed" = 0 ]
