# Sourced by system tests of single commands: a folder for what they write, and a line for each result.
#   $to                             the folder, removed at exit
#   check NAME COMMAND...           ok when it succeeds; else what it has said
#   answers STATUS WORDS COMMAND... succeeds when the command ends with this status and says these words
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

answers() { # STATUS WORDS COMMAND...
  local wanted=$1 words=$2
  shift 2
  "$@" >"$to/said" 2>&1
  local got=$?
  cat "$to/said"
  [ $got = "$wanted" ] && grep -qF -- "$words" "$to/said" || { echo "exit $got, wanted $wanted and '$words'"; return 1; }
}
