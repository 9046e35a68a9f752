# Sourced by system tests: a condition is waited for, never a time.
# shellcheck shell=bash
#   eventually COMMAND...   tries it until it succeeds; a minute is generous, and only what is broken needs it
eventually() {
  local until=$((SECONDS + ${PATIENCE:-60}))
  while ! "$@"; do
    [ $SECONDS -lt $until ] || return 1
    sleep 0.1
  done
}
