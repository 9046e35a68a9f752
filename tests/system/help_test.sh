#!/bin/bash
# What the programs say about themselves: it fits a terminal, it is found from everywhere, and nothing senseless is done.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
ctl=$build/proprioctl
. tests/system/check.sh

"$ctl" --help | sed -n '/^commands/,/^$/s/^  \([a-z-]*\) .*/\1/p' >"$to/commands"
mapfile -t commands <"$to/commands"

helps() { # the help of everything
  "$ctl" --help && "$build/propriod" --help && "$build/propriod-sim" --help && "$build/propriod-sim" --list || return 1
  local command
  for command in "${commands[@]}"; do
    "$ctl" "$command" --help || return 1
  done
}

fits_80_columns() {
  [ "${#commands[@]}" -gt 10 ] && helps >"$to/helps" && [ "$(wc -l <"$to/helps")" -gt 200 ] || return 1
  ! grep '.\{81,\}' "$to/helps"
}

found_from_everywhere() {
  local command
  for command in "${commands[@]}"; do
    "$ctl" "$command" --help >"$to/help"
    grep -q "^usage: proprioctl $command" "$to/help" || { echo "$command --help"; return 1; }
    "$ctl" help "$command" | cmp - "$to/help" || { echo "help $command"; return 1; }
    "$ctl" "$command" -h | cmp - "$to/help" || { echo "$command -h"; return 1; }
    "$ctl" "$command" anything --help | cmp - "$to/help" || { echo "$command anything --help"; return 1; }
  done
}

refused_by_name() { # WORD...: every command refuses them, exit status 2, and names the first
  local command
  for command in "${commands[@]}"; do
    "$ctl" "$command" "$@" >"$to/out" 2>"$to/error" </dev/null
    [ $? = 2 ] && [ ! -s "$to/out" ] && grep -q "^proprioctl $command: .*--help explains" "$to/error" ||
      { echo "$command $*"; cat "$to/out" "$to/error"; return 1; }
  done
}

numbers_are_whole() { # COMMAND WORD ...: refused with 2, and the bad value named
  "$ctl" "$@" >"$to/out" 2>"$to/error"
  [ $? = 2 ] && grep -q 5x "$to/error" || { cat "$to/out" "$to/error"; return 1; }
}

versions() {
  local program version commit
  version=$(sed -n '1s/.*(\(.*\)).*/\1/p' tools/debian/changelog)
  commit=$(cut -d' ' -f2 "$build/version") # of what is built, if there was git
  for program in propriod proprioctl propriod-sim propriod-identify; do
    [ "$("$build/$program" --version)" = "$program $version${commit:+ ($commit)}" ] || { "$build/$program" --version; return 1; }
  done
}

check every_help_fits_80_columns fits_80_columns
check help_is_found_wherever_it_is_asked_for found_from_everywhere
check an_unknown_option_is_refused_by_every_command refused_by_name --no-such-option
for words in 'echo state -n 5x' 'hz state -n 5x' 'hz state --seconds 5x' 'top --rate 5x' 'doctor --priority 5x' \
  'reload --timeout 5x' 'status --timeout 5x' 'shm watch skin --seconds 5x' 'tune --seconds 5x c.yaml'; do
  # shellcheck disable=SC2086 # a list of words
  check "refuses_the_number_in: $words" numbers_are_whole $words
done
check every_program_has_the_version_of_the_changelog_and_the_commit versions
exit $bad
