#!/bin/bash
# What a newcomer has: a checkout with nothing beside it, and an empty environment. Tests that need recordings and models
# from beside it say so once, in one line, and nothing fails.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/system/folder.sh

checkout=$to/checkout
mkdir -p "$checkout/build/tests"
ln -s "$PWD"/* "$checkout" 2>/dev/null # but for build, which is there
ln -s "$build"/tests/{unit,scenario} "$checkout/build/tests"
suites=(urdf_reader urdf_writer dynamics_mujoco five_mass_fit icub_leg)
(cd "$checkout" && env -i PATH="$PATH" HOME="$to" tests/run.sh "${suites[@]}") >"$to/log" 2>&1
result a_checkout_with_nothing_beside_it_passes_its_tests $?

one_line() {
  [ "$(grep -c 'shared' "$to/log")" = 1 ] && grep -q '^skipped without ../shared/data, which would show: .*; .*; .*; .*;' "$to/log" &&
    grep -qE '^[0-9]+ passed, 0 failed, [1-9][0-9]* skipped$' "$to/log"
}
one_line
result what_is_skipped_for_want_of_recordings_is_said_in_one_line $?
exit $bad
