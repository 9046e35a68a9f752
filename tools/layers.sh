#!/bin/bash
# Nothing looks up: an include names its own room or one that stands before it here. The layers' order is what the
# Makefile's -iquote enforces; this is the order of rooms within a layer. Exit 1 with a line for each include that looks up.
set -u
declare -A rooms=(
  [dynamics]="propriod common math model inertia body urdf ."
  [estimators]="propriod numerics describe robot skin joints base inertial centroidal ."
  [daemon]="propriod common shm cycle publish learned service settings ."
)
bad=0
for layer in "${!rooms[@]}"; do
  declare -A place=()
  n=0
  for room in ${rooms[$layer]}; do
    place[$room]=$((n++))
  done
  while IFS=: read -r file line include; do
    from=${file#"$layer/"} to=$(sed -E 's/.*"([^"]+)".*/\1/' <<<"$include")
    [[ $from == */* ]] && from=${from%%/*} || from=.
    [ -e "$layer/$to" ] || continue # a lower layer's; the build refuses a higher one's
    [[ $to == */* ]] && to=${to%%/*} || to=.
    if [ -z "${place[$from]:-}" ] || [ -z "${place[$to]:-}" ] || [ "${place[$to]}" -gt "${place[$from]}" ]; then
      echo "$file:$line: looks up, from $layer/$from to $to: $include"
      bad=1
    fi
  done < <(grep -rnE '^#include "' --include='*.[ch]' "$layer")
  unset place
done
exit $bad
