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
# What must be quick says nothing on a machine where others wait for the processors, too, or whose host takes them away:
# a failure there is a skip.
#   timely NAME STATUS      a result of a measurement of time
taken() { awk '/^cpu / { print $9 }' "${STAT:-/proc/stat}"; } # by the host, hundredths of a second of one processor
taken_before=$(taken) taken_since=$SECONDS
taken_percent() { echo $((($(taken) - taken_before) / ((SECONDS - taken_since + 1) * $(nproc)))); }
busy() { [ "$(taken_percent)" -ge 5 ] || awk -v processors="$(nproc)" '{ exit !($1 > 1.5 * processors) }' /proc/loadavg; }
timely() {
  if [ "$2" != 0 ] && busy; then
    echo "skip $1: $(cut -d' ' -f1 /proc/loadavg) processes want this machine's $(nproc) processors, of which its host" \
      "took $(taken_percent) %"
  else
    result "$@"
  fi
}
