#!/bin/sh
# Prints the seed files of a fuzz target: tests/fuzz/seeds/NAME/* and those that tests/fuzz/NAME.seeds names.
#   tests/fuzz/seeds.sh NAME
set -eu
for file in tests/fuzz/seeds/"$1"/* $([ ! -e "tests/fuzz/$1.seeds" ] || cat "tests/fuzz/$1.seeds"); do
  [ ! -f "$file" ] || echo "$file"
done
