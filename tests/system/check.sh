# Sourced by system tests of single commands: a folder for what they write, and a line for each result.
#   $to                     the folder, removed at exit
#   check NAME COMMAND...   ok when it succeeds; else what it has said
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/result.sh"
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
why() { head -n 30 "$to/log"; }

check() { # NAME COMMAND...
  local name=$1
  shift
  "$@" >"$to/log" 2>&1
  result "$name" $?
}
