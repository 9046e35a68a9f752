#!/bin/sh
# Prints the file and line where an equation is implemented and where it is tested.
#   tools/where.sh 138            any source
#   tools/where.sh Leboutet22:138 one source
set -eu
key='[A-Za-z]+[0-9]+'
number=$1
case $1 in
*:*)
  key=${1%%:*}
  number=${1#*:}
  ;;
esac
pattern="@(eq|differs) +$key +[^:]*\b$number\b"
found=1
for part in "implemented dynamics estimators daemon tools" "tested tests"; do
  # shellcheck disable=SC2086 # a list of words
  set -- $part
  title=$1
  shift
  hits=$(grep -rnE --include='*.[ch]' "$pattern" "$@" | sed 's/^/  /') || hits=
  if [ -n "$hits" ]; then
    found=0
    printf '%s:\n%s\n' "$title" "$hits"
  else
    printf '%s: nowhere\n' "$title"
  fi
done
exit $found
