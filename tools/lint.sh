#!/bin/bash
# Layout, static analysis and the rules of the house that a tool can check. Exit 0 when there is nothing to say.
set -u
bad=0
mapfile -t files < <(git ls-files '*.c' '*.h')

clang-format --dry-run -Werror "${files[@]}" || bad=1

# a hundred columns; clang-format leaves comments and the names of tests alone
awk 'length > 100 && !/^    [a-z_0-9]+[,)]/ { print FILENAME ":" FNR ": " length " columns"; bad = 1 } END { exit bad }' \
  "${files[@]}" || bad=1

# rooms in their order: no include looks up
tools/layers.sh || bad=1

# dynamics/ and estimators/ have no I/O, no clock, no threads, no logging (reading a model file at start is urdf_* and *_file.c)
grep -nE '\b(f?printf|fopen|clock_gettime|pthread_[a-z]+|syslog|exit|abort)\(' \
  $(git ls-files 'dynamics/*.c' 'estimators/*.c' | grep -vE '(urdf_[a-z_]+|_file)\.c$') && bad=1

cppcheck --quiet -j "$(nproc)" --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability \
  --suppressions-list=.cppcheck-suppressions -I dynamics -I estimators -I daemon \
  $(git ls-files 'dynamics/*.c' 'estimators/*.c' 'daemon/*.c' 'tools/*.c') || bad=1

[ $bad = 0 ] && echo "lint: nothing to say"
exit $bad
