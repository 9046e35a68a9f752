#!/bin/bash
# Runs every test and closes with `N passed, N failed, N skipped`.
#   tests/run.sh [WORD ...]    only the tests whose path contains one of the words
# C test programs come from build/tests. System tests are scripts that print `ok NAME`, `not ok NAME` or `skip NAME: why`
# a line and exit 0 (passed), 77 (cannot run here) or anything else (failed). What only computes runs beside each other,
# on all processors; what waits for clocks and daemons runs one by one before it, and leaves it the time that it waits;
# what waits for them, however long they take, does so beside both, one by one.
# What measures the machine runs last, by itself, and so does once more what failed in that company.
set -u
build=${BUILD:-build}
log=$build/tests/log
mkdir -p "$log"
passed=0 failed=0 skipped=0
beside='SKIP: ../shared/data: ' without= # what recordings and models beside the checkout would show

chosen() {
  [ ${#words[@]} = 0 ] && return 0
  for word in "${words[@]}"; do
    [[ $1 == *"$word"* ]] && return 0
  done
  return 1
}

count() { # FILE STATUS NAME SECONDS PROCESSOR-SECONDS
  local ok bad skips
  read -r ok bad skips < <(awk '
    /^ok |^[^ ]+:[0-9]+:P:/ { ok++ }
    /^not ok |^[^ ]+:[0-9]+:[FE]:/ { bad++ }
    /^skip |^SKIP: / { skips++ }
    /^SKIP: / { ok-- } # a skipped Check test also counts as passed
    END { print ok + 0, bad + 0, skips + 0 }' "$1")
  if [ "$2" = 77 ] && [ "$skips" = 0 ]; then
    skips=1
  elif [ "$2" != 0 ] && [ "$2" != 77 ] && [ "$bad" = 0 ]; then
    bad=1
  elif [ "$2" = 0 ] && [ $((ok + bad + skips)) = 0 ]; then
    ok=1
  fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skips))
  printf '%-44s %4d passed %3d failed %3d skipped  %5.1f s, %5.1f of a processor\n' "$3" "$ok" "$bad" "$skips" "$4" "$5"
  if [ "$skips" != 0 ]; then
    grep -hE '^skip |^SKIP: ' "$1" | grep -vF "$beside" | sed 's/^/    /'
    without+=$(grep -hF "$beside" "$1" | sed "s|^$beside||")$'\n'
  fi
  if [ "$bad" != 0 ]; then
    grep -hE '^not ok |:[FE]:|^seed |ERROR: |runtime error' "$1" | head -40 | sed 's/^/    /'
    [ "$2" != 0 ] && tail -n 5 "$1" | sed 's/^/    | /'
  fi
}

start() { # NAME COMMAND...: leaves its status, its seconds and those of a processor
  local file=$log/${1//\//_} status TIMEFORMAT='%R %U %S'
  shift
  { time "$@" >"$file.log" 2>&1 </dev/null; } 2>"$file.time"
  status=$?
  awk -v status=$status 'END { print status, $1, $2 + $3 }' "$file.time" >"$file.end"
  rm "$file.time"
}

tell() { # NAME
  local file=$log/${1//\//_} status seconds processor
  read -r status seconds processor <"$file.end"
  count "$file.log" "$status" "$1" "$seconds" "$processor"
}

# Processor time since the start of the machine: wanted by its processes, and of it taken away by the host; in ticks.
wanted_and_taken() { awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 + $9, $9 }' /proc/stat; }

# A test that measures time says nothing while the host gives this machine's processors to others. One that fails
# meanwhile is run again; when they were taken away both times, it is skipped, and its log kept.
taken_enough=20 # percent
measures_time() { # NAME
  case $1 in
  system/locked_memory_* | system/mistakes_* | system/unconfigured_*) return 1 ;;
  esac
}
alone() { # NAME COMMAND...
  local file=$log/${1//\//_} status wanted taken wanted_before taken_before percent
  for _ in 1 2; do
    read -r wanted_before taken_before < <(wanted_and_taken)
    start "$@"
    read -r wanted taken < <(wanted_and_taken)
    read -r status _ <"$file.end"
    percent=$((100 * (taken - taken_before) / (wanted - wanted_before + 1)))
    if [ "$status" = 0 ] || [ "$status" = 77 ] || [ $percent -lt $taken_enough ] || ! measures_time "$1"; then
      tell "$1"
      return
    fi
  done
  mv "$file.log" "$file.failed.log"
  echo "skip ${1##*/}: $percent % of the processors' time was taken away from this machine, see $file.failed.log" >"$file.log"
  sed -i 's/^[0-9]*/77/' "$file.end"
  tell "$1"
}

# Threads, sockets, drivers and clocks: one at a time, and before what only computes.
waits() { # NAME
  case $1 in
  unit/shm/* | unit/cycle/* | unit/publish/* | unit/service/* | unit/learned/*) return 0 ;;
  unit/common/log_test | unit/robot/cell_mesh_test | unit/settings/yaml_reader_test) return 0 ;;
  system/calibrate_* | system/check_* | system/delivered_* | system/doctor_* | system/export_* | system/fuzz_seeds_* | system/header_* | system/help_* | system/import_*) return 1 ;;
  system/identify_* | system/inner_loops_* | system/install_test* | system/instruction_sets_*) return 1 ;;
  system/newcomer_* | system/robots_* | system/tune_* | system/unit_file_*) return 1 ;;
  system/*) return 0 ;;
  esac
  return 1
}

# Of these, what asks whether something happens and not how soon: beside the others, one at a time.
lingers() { # NAME
  case $1 in
  unit/learned/* | unit/service/* | unit/publish/publisher_* | unit/common/log_test | unit/robot/cell_mesh_test) return 0 ;;
  unit/settings/yaml_reader_test) return 0 ;;
  system/full_disk_* | system/inertia_* | system/installation_* | system/joint_order_* | system/limb_imus_*) return 0 ;;
  system/locked_memory_* | system/mistakes_* | system/python_* | system/recorded_robot_* | system/ros2_node_*) return 0 ;;
  system/start_* | system/systemd_* | system/terminate_* | system/unconfigured_* | system/watch_*) return 0 ;;
  esac
  return 1
}

# Of the former, what measures how long the machine takes, and wants it for itself.
measures() { # NAME
  case $1 in
  unit/cycle/cycle_load_test | system/hogs_*) return 0 ;;
  esac
  return 1
}

# Longest first, so that no processor waits for the last one: as long as the last time, had it had a processor, or as is
# known of these.
by_length() { # NAME...
  local name seconds
  for name in "$@"; do
    case $name in
    scenario/doubted_imu_test | scenario/sensor_faults_test | scenario/weighing_test | scenario/wrong_legs_test) seconds=30 ;;
    system/delivered_* | system/identify_* | system/install_test.sh) seconds=20 ;;
    scenario/* | system/export_* | system/inner_loops_*) seconds=15 ;;
    system/*) seconds=5 ;;
    *) seconds=1 ;;
    esac
    [ -e "$log/${name//\//_}.end" ] && read -r _ _ seconds <"$log/${name//\//_}.end"
    echo "$seconds $name"
  done | sort -gr | cut -d' ' -f2
}

command_of() { # NAME
  case $1 in
  system/*) echo "tests/$1" ;;
  *) echo "$build/tests/$1" ;;
  esac
}

# Below whatever waits for daemons now, where the system has such a thing.
gives_way() {
  chrt --idle --pid 0 $BASHPID 2>/dev/null || renice -n 19 -p $BASHPID >/dev/null
}

# Recordings are written once, and each small page of them costs more than what is written.
in_large_pages() { GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$@"; }

# Of `computing` as many at once as there are processors, and one at a time of `waiting` and of `lingering`; each is told
# when it has ended. What has failed of those, or says that it had to share the machine, is left in `again`.
together() {
  local name ended lane
  declare -A name_of=() one=() # names by process; the process that each lane has now
  while :; do
    while [ ${#computing[@]} -gt 0 ] && [ $((${#name_of[@]} - ${#one[@]})) -lt "$(nproc)" ]; do
      name=${computing[0]}
      computing=("${computing[@]:1}")
      { [ -z "${one[*]}${waiting[*]}${lingering[*]}" ] || gives_way; in_large_pages start "$name" "$(command_of "$name")"; } &
      name_of[$!]=$name
    done
    for lane in waiting lingering; do
      local -n queue=$lane
      if [ -z "${one[$lane]:-}" ] && [ ${#queue[@]} -gt 0 ]; then
        start "${queue[0]}" "$(command_of "${queue[0]}")" &
        name_of[$!]=${queue[0]} one[$lane]=$!
        queue=("${queue[@]:1}")
      fi
    done
    [ ${#name_of[@]} -gt 0 ] || return 0
    wait -n -p ended
    name=${name_of[$ended]}
    unset "name_of[$ended]"
    for lane in "${!one[@]}"; do
      [ "${one[$lane]}" != "$ended" ] || { unset "one[$lane]"; to_be_repeated "$name" && continue 2; }
    done
    tell "$name"
  done
}

# What waited and has failed in this company runs once more at the end.
to_be_repeated() { # NAME
  local file=$log/${1//\//_} status
  read -r status _ <"$file.end"
  if { [ "$status" != 0 ] && [ "$status" != 77 ]; } || grep -q "^skip .* processes want this machine's" "$file.log"; then
    mv "$file.log" "$file.first.log"
    echo "$1: once more, by itself, at the end, see $file.first.log"
    again+=("$1")
    return 0
  fi
  return 1
}

words=("$@")
export BUILD=$build OPENBLAS_NUM_THREADS=1
export ALL_SUITES=$((${#words[@]} == 0)) # 1: every suite runs, 0: those with the words
export LC_ALL=C         # numbers have a point and messages are English, wherever this is
unset PROPRIOD_ENDPOINT # no test asks a propriod that it has not started
export TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp:${TSAN_OPTIONS:-}
computing=() waiting=() lingering=() measuring=() again=()
for source in tests/unit/*/*_test.c tests/scenario/*_test.c tests/system/*_test.sh; do
  name=${source#tests/}
  name=${name%.c}
  if ! chosen "$name"; then
    continue
  elif measures "$name"; then
    measuring+=("$name")
  elif lingers "$name"; then
    lingering+=("$name")
  elif waits "$name"; then
    waiting+=("$name")
  else
    computing+=("$name")
  fi
done
mapfile -t computing < <(by_length "${computing[@]}")
mapfile -t waiting < <(by_length "${waiting[@]}")
mapfile -t lingering < <(by_length "${lingering[@]}")
together
for name in "${measuring[@]}" "${again[@]}"; do
  alone "$name" "$(command_of "$name")"
done
echo
without=$(sort -u <<<"$without" | sed '/^$/d' | paste -sd ';' | sed 's/;/; /g')
[ -n "$without" ] && echo "skipped without ../shared/data, which would show: $without"
echo "$passed passed, $failed failed, $skipped skipped"
if [ $((passed + failed + skipped)) = 0 ]; then
  echo "no test has '${words[*]}' in its path" >&2
  exit 1
fi
[ "$failed" = 0 ]
