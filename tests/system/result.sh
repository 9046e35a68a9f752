# Sourced by system tests: what they print.
# shellcheck shell=bash
#   result NAME STATUS      a line; of a failure also what `why` prints, and then $bad is 1
#   check NAME COMMAND...   the same of a command
#   answers STATUS WORDS COMMAND...   succeeds when it ends with this status and says these words, which $to/said keeps
#   result_log=FILE         whose end that is, unless the test has a `why` of its own
bad=0
why() { [ ! -e "${result_log:-}" ] || tail -n 15 "$result_log"; }

result() { # NAME STATUS
  if [ "$2" = 0 ]; then
    echo "ok $1"
  else
    echo "not ok $1"
    why | sed 's/^/# /'
    bad=1
  fi
}

check() { # NAME COMMAND...
  local name=$1
  shift
  "$@"
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
