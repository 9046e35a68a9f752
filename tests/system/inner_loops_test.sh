#!/bin/bash
# What is compiled for an instruction set keeps its numbers in that set's registers: no innermost loop writes more than
# two of them to the stack for five that it calculates (a vector type wider than the registers: one for one), and the
# products of matrices, where the time goes, none at all, and read less often than they calculate.
set -u
build=${BUILD:-build}
objdump=${OBJDUMP:-objdump}
if [ -n "${SANITIZE:-}" ]; then
  echo "skip inner_loops: a build for sanitizers has the plain variant alone"
  exit 77
fi
status=0

verdict() { # NAME LINES-OF-TROUBLE
  if [ -z "$2" ]; then
    echo "ok $1"
  else
    echo "not ok $1"
    sed 's/^/# /' <<<"$2"
    status=1
  fi
}

mapfile -t kernels < <(grep -rl --include='*.c' '^ISA_KERNEL' dynamics estimators)
mapfile -t clones < <(grep -rl --include='*.c' '^FOR_EACH_ISA' dynamics estimators)

seen=0
for source in "${kernels[@]}" "${clones[@]}"; do
  loops=$(/usr/bin/python3 tests/isa/inner_loops.py "$objdump" "$build/${source%.c}".*o) || verdict "$source is built" "no"
  [[ " ${kernels[*]} " == *" $source "* ]] || loops=$(grep -E '\.(default|arch)' <<<"$loops")
  seen=$((seen + $(grep -c . <<<"$loops")))
  verdict "$source spills nothing" "$(awk '5 * $4 > 2 * $2' <<<"$loops")"
done
verdict "loops were looked at" "$([ "$seen" -ge 40 ] || echo "only $seen")"

# of every function that multiplies, the loop that calculates most: the one over the whole depth of a tile
tiles=$(/usr/bin/python3 tests/isa/inner_loops.py "$objdump" "$build"/estimators/numerics/matrix_{products,cholesky}.*o |
  grep -E '^matrix_(multiply|gram|cholesky|solve_(upper_)?rows)' | sort -k1,1 -k2,2nr -k3,3n | awk '!seen[$1]++')
verdict "tiles stay in registers" "$(awk '$4 > 0 || $3 > $2' <<<"$tiles")"
exit $status
