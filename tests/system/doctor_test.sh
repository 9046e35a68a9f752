#!/bin/bash
# proprioctl doctor against machines made of files, each with one thing wrong.
set -u
build=${BUILD:-build}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
status=0

put() { # PATH CONTENT
  mkdir -p "$root/$(dirname "$1")"
  printf '%s\n' "$2" >"$root/$1"
}
healthy() {
  rm -rf "$root"
  mkdir -p "$root/run"
  put sys/kernel/realtime 1
  put sys/devices/system/clocksource/clocksource0/current_clocksource tsc
  put sys/devices/system/cpu/cpu0/cpufreq/scaling_governor performance
  put sys/devices/system/cpu/cpu0/cpuidle/state1/latency 2
  put sys/devices/system/cpu/isolated 3
  put sys/kernel/mm/transparent_hugepage/enabled "always [madvise] never"
  put proc/swaps "Filename Type Size Used Priority"
  put proc/cpuinfo "flags : fpu tsc"
  put proc/sys/kernel/sched_rt_runtime_us 950000
  put proc/self/cgroup "0::/"
}
verdict() { # CHECK
  "$build/proprioctl" doctor --quick --json --root "$root" | sed -n "s/.*\"check\": \"$1\", \"verdict\": \"\([a-z]*\)\".*/\1/p"
}
finds() { # NAME CHECK VERDICT
  local found
  found=$(verdict "$2")
  if [ "$found" = "$3" ]; then echo "ok $1"; else
    echo "not ok $1 ($2: $found, expected $3)"
    status=1
  fi
}

healthy
for check in cgroup throttling shm preemption governor idle hugepages swap host clock; do
  finds "a_healthy_machine_has_a_good_$check" $check good
done
put proc/self/cgroup "1:cpu:/robot"
put sys/fs/cgroup/cpu/robot/cpu.rt_runtime_us 0
finds a_control_group_without_budget_is_a_problem cgroup problem
put sys/fs/cgroup/cpu/robot/cpu.rt_runtime_us 100000
finds a_control_group_with_budget_is_good cgroup good
put proc/self/cgroup "0::/"
put "boot/config-$(uname -r)" "CONFIG_RT_GROUP_SCHED=y"
finds a_kernel_with_rt_group_sched_is_a_warning cgroup warning
put proc/sys/kernel/sched_rt_runtime_us 0
finds throttling_to_nothing_is_a_problem throttling problem
put proc/sys/kernel/sched_rt_runtime_us 100000
finds throttling_below_half_is_a_warning throttling warning
chmod 700 "$root/run"
finds a_folder_that_drivers_cannot_enter_is_a_warning shm warning
rm -r "$root/run"
finds a_missing_run_folder_is_a_problem shm problem
put sys/devices/system/cpu/cpu0/cpufreq/scaling_governor powersave
finds a_saving_governor_is_a_warning governor warning
put sys/devices/system/cpu/cpu0/cpuidle/state3/latency 133
finds a_deep_idle_state_is_a_warning idle warning
put sys/devices/system/cpu/cpu0/cpuidle/state3/disable 1
finds a_deep_idle_state_that_is_off_is_good idle good
put sys/devices/system/clocksource/clocksource0/current_clocksource hpet
finds a_slow_clock_source_is_a_warning clock warning
put sys/kernel/mm/transparent_hugepage/enabled "[always] madvise never"
finds huge_pages_everywhere_are_noted hugepages note
printf 'Filename\n/dev/sda2 partition 8 0 -2\n' >"$root/proc/swaps"
finds swap_space_is_noted swap note
put proc/cpuinfo "flags : fpu hypervisor tsc"
finds a_virtual_machine_is_noted host note
rm "$root/sys/kernel/realtime"
put sys/kernel/debug/sched/preempt "none voluntary (full)"
finds full_preemption_is_noted preemption note

if "$build/proprioctl" doctor --json | grep -q '"wakeup".*woken late by [0-9]* us (median)'; then
  echo "ok how_late_threads_are_woken_is_measured"
else
  echo "not ok how_late_threads_are_woken_is_measured"
  status=1
fi
healthy
put proc/sys/kernel/sched_rt_runtime_us 0
"$build/proprioctl" doctor --quick --root "$root" >/dev/null
if [ $? = 1 ]; then echo "ok a_problem_ends_with_1"; else echo "not ok a_problem_ends_with_1" && status=1; fi
"$build/proprioctl" doctor --priority 0 >/dev/null 2>&1
if [ $? = 2 ]; then echo "ok a_priority_of_0_is_a_usage_error"; else echo "not ok a_priority_of_0_is_a_usage_error" && status=1; fi
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
  cp "$build/proprioctl" "$root/proprioctl" && chmod -R a+rX "$root"
  found=$(cd / && setpriv --reuid 65534 --clear-groups prlimit --rtprio=0:0 --memlock=65536:65536 "$root/proprioctl" doctor --quick --json)
  for check in fifo memlock; do
    if grep -q "\"$check\", \"verdict\": \"problem\".*limits.d" <<<"$found"; then
      echo "ok a_user_without_limits_is_told_how_to_mend_$check"
    else
      echo "not ok a_user_without_limits_is_told_how_to_mend_$check"
      status=1
    fi
  done
else
  echo "skip a_user_without_limits_is_told: becoming another user needs root"
fi
exit $status
