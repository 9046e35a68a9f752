#!/bin/bash
# Nothing looks up: an include names its own room or one that stands before it in the README's "Reading the source", which
# is read here. The layers' order is what the Makefile's -iquote enforces; this is the order of rooms within a layer.
# Exit 1 with a line for each include that looks up, and for each folder that is not in the plan.
set -u
bad=0
for layer in dynamics estimators daemon; do
  rooms=$(awk -v layer="$layer/" '$1 == layer { on = 1; next } on { print; exit }' README.md | sed -nE 's/^ +rooms: ([a-z ]+).*/\1/p')
  declare -A place=()
  n=0
  for room in $rooms .; do
    place[$room]=$((n++))
  done
  for folder in "$layer"/*/; do
    folder=$(basename "$folder")
    [ -n "${place[$folder]:-}" ] || { echo "$layer/$folder: not among the rooms of the README"; bad=1; }
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
