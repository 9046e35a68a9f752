#!/bin/bash
# The installed headers and the examples as foreign programs use them: each C and C++ dialect that is here, no warning.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
mkdir "$folder/propriod"
cp {dynamics,estimators,daemon}/propriod/*.h "$folder/propriod/"

compiles() { # NAME COMPILER OPTION...
  local name=$1
  shift
  if ! command -v "$1" >/dev/null; then
    echo "skip $name: no $1 here"
  elif "$@" -Wall -Wextra -Wshadow -Wconversion -Werror -I "$folder" -o "$folder/program" 2>"$folder/said"; then
    echo "ok $name"
  else
    echo "not ok $name"
    sed 's/^/    /' "$folder/said"
    status=1
  fi
}

refused_without_gnu_extensions() { # HEADER
  local name=a_dialect_without_gnu_extensions_is_refused_with_a_word_by_$1
  printf '#include <propriod/%s.h>\nint main(void) { return 0; }\n' "$1" >"$folder/strict.c"
  if ! gcc -std=c11 -I "$folder" -c "$folder/strict.c" -o /dev/null 2>"$folder/said" &&
    grep -q "compile with -std=gnu11" "$folder/said"; then
    echo "ok $name"
  else
    echo "not ok $name"
    sed 's/^/    /' "$folder/said"
    status=1
  fi
}

for level in -O0 -O2 -O3; do
  compiles "the_example_driver_is_c_as_gcc_has_it_at_$level" gcc $level tools/examples/driver.c
done
compiles the_example_skin_driver_is_c_as_gcc_has_it gcc -O2 tools/examples/skin_driver.c
compiles the_example_robot_state_is_cpp17 g++ -std=gnu++17 -O2 tools/examples/robot_state.cpp
compiles the_example_driver_is_strict_c11 gcc -std=c11 -D_GNU_SOURCE -pedantic tools/examples/driver.c
compiles the_example_driver_is_c_as_clang_has_it clang-14 -O2 tools/examples/driver.c
for dialect in c++11 gnu++17 gnu++20; do
  compiles "the_example_skin_driver_is_${dialect/++/pp}" g++ -std=$dialect -D_GNU_SOURCE -O2 -x c++ tools/examples/skin_driver.c
done

for example in shared_state subscriber; do
  compiles "the_example_${example}_is_c_as_gcc_has_it" gcc -O2 tools/examples/$example.c -lzmq -lmsgpackc
  compiles "the_example_${example}_is_cpp" g++ -std=gnu++17 -O2 -x c++ tools/examples/$example.c -lzmq -lmsgpackc
done
compiles the_example_shared_state_is_cpp11 g++ -std=gnu++11 -pedantic -x c++ tools/examples/shared_state.c

refused_without_gnu_extensions shm
refused_without_gnu_extensions state
exit $status
