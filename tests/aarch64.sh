#!/bin/bash
# Builds for aarch64 (Jetson, Raspberry Pi) and runs there, in qemu's user mode, the suites of what calculates and of what
# hands numbers over: rooms of dynamics/ and estimators/, the sensors' segment, the ring and the exported state. Closes
# with `N passed, N failed, N skipped`.
#   tests/aarch64.sh [WORD ...]    only the suites whose path contains one of the words
# qemu translates for this processor: where its memory is ordered more strongly than an ARM's, what the compiler reorders is
# found here and what the processor would reorder is not; the argument for that stands beside each barrier.
set -eu
# of these suites, what measures this machine's time: here it would be qemu's
elsewhere='writing_and_reading_thirty_joints_takes_less_than_a_few_microseconds'
elsewhere+='|sixteen_thousand_cells_on_one_link_cost_less_than_a_second'
elsewhere+='|a_segment_cut_short_or_removed_a_thousand_times_never_crashes_and_always_comes_back'
build=${BUILD:-build-aarch64}
sysroot=build-sysroot
target=aarch64-linux-gnu
export CK_TIMEOUT_MULTIPLIER=10 OPENBLAS_NUM_THREADS=1 LC_ALL=C

tools/sysroot.sh arm64 $sysroot
root=$(realpath $sysroot)
libraries=$root/usr/lib/$target:$root/lib/$target

suites=()
for source in tests/unit/*/*_test.c; do
  suite=${source#tests/}
  suite=${suite%.c}
  room=$(basename "$(dirname "$source")")
  name=${suite##*/}
  [ "$name" != dynamics_real_time_test ] || continue # watches this machine's kernel
  if [ -d "dynamics/$room" ] || [ -d "estimators/$room" ]; then
    chosen=1
  else
    case $name in
    segment_test | stream_reader_test | handover_test | triple_buffer_test | state_export_test) chosen=1 ;;
    *) chosen=0 ;;
    esac
  fi
  if [ $# -gt 0 ] && [ $chosen = 1 ]; then
    chosen=0
    for word in "$@"; do
      [[ $suite != *"$word"* ]] || chosen=1
    done
  fi
  [ $chosen = 0 ] || suites+=("$suite")
done
# nothing else of the tools is in these suites, and nobody debugs them here
archives=("$build"/lib{sim,daemon,estimators,dynamics}.a)
${MAKE:-make} --no-print-directory -j"$(nproc)" BUILD="$build" CC="${CCACHE:+$CCACHE }$target-gcc --sysroot=$root" CFLAGS=-O3 \
  LDFLAGS="-Wl,-rpath-link=$libraries" ARCHIVES="${archives[*]}" "${suites[@]/#/$build/tests/}"

if ! said=$(OBJDUMP=$target-objdump BUILD=$build tests/system/inner_loops_test.sh); then
  echo "$said"
  exit 1
fi

log=$build/tests/log
mkdir -p "$log"
run() {
  local file=$log/${1//\//_}.log status=0
  qemu-aarch64 -L "$root" -E LD_LIBRARY_PATH="$libraries" "$build/tests/$1" >"$file" 2>&1 </dev/null || status=$?
  if [ $status != 0 ] && ! grep -qE ':[FE]:' "$file"; then
    echo "$1:0:E: ended with $status" >>"$file"
  fi
}
# by far the longest first
mapfile -t suites < <(printf '%s\n' "${suites[@]}" | awk '/joint_apart/ { print; next } { then = then $0 "\n" } END { printf "%s", then }')
for suite in "${suites[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
    wait -n || true
  done
  run "$suite" &
done
wait
cd "$log"
files=("${suites[@]//\//_}")
all=$(grep -hE ':[PFE]:|^SKIP: ' "${files[@]/%/.log}")
here=$(grep -vE ":($elsewhere):" <<<"$all" || true)
grep -E ':[FE]:' <<<"$here" || true
count() { grep -cE "$1" <<<"$2" || true; }
skips=$(count '^SKIP: ' "$all")
failed=$(count ':[FE]:' "$here")
echo "$(($(count ':P:' "$here") - skips)) passed, $failed failed, $((skips + $(count ":($elsewhere):" "$all"))) skipped"
[ "$failed" = 0 ]
