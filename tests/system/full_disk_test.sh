#!/bin/bash
# A disk without room under a daemon that learns: it runs on, says so once, and saves when there is room again.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
[ -x "$build/propriod-sim" ] || { echo "skip full_disk: no simulated robot was built"; exit 77; }
daemon_begin
simulator=
disk=$daemon_dir/state
mkdir "$disk"
if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o size=64k tmpfs "$disk" 2>/dev/null; then
  echo "skip full_disk: a small disk cannot be mounted here"
  exit 77
fi
trap 'kill "$simulator" 2>/dev/null; umount -l "$disk"; daemon_end' EXIT

sed -i 's/trigger: timer/trigger: frame/; s|state_directory: [^}]*|state_directory: '"$disk"'|' "$daemon_config"
sed -i 's/feet: \[left_sole, right_sole\]/&, wrenches: [left_ankle_ft, right_ankle_ft]/' "$daemon_config"
echo "inertia: {links: [torso_pitch_link]}" >>"$daemon_config"
dd if=/dev/zero of="$disk/everything_else" bs=4k count=64 2>/dev/null

wait_for() { # SECONDS COMMAND...
  local tries
  for tries in $(seq $((10 * $1))); do
    "${@:2}" && return 0
    sleep 0.1
  done
  return 1
}
cannot_save() { grep -q 'cannot be saved' "$daemon_dir/log"; }
is_saved() { [ -s "$disk/inertia.learned" ]; }
hears_states() { PROPRIOD_ENDPOINT=ipc://$daemon_dir/pub.sock "$build/proprioctl" echo state -n 100 >/dev/null; }

daemon_start; result it_starts_on_a_full_disk $?
"$build/propriod-sim" --config "$daemon_config" --segment "$daemon_segment" --scenario arm-swing --quiet >"$daemon_dir/sim.log" 2>&1 &
simulator=$!
wait_for 30 cannot_save; result it_says_that_it_cannot_save $?
sleep 6 # the next attempt has failed too
hears_states; result it_goes_on_publishing $?
[ "$(grep -c 'cannot be saved' "$daemon_dir/log")" = 1 ]; result it_says_so_once $?
! is_saved && [ -z "$(find "$disk" -name '*.learned*' -size +0)" ]; result no_half_a_file_is_left $?
rm "$disk/everything_else"
wait_for 15 is_saved; result with_room_again_it_saves $?
grep -q 'saved again' "$daemon_dir/log"; result and_says_so $?
kill "$simulator" 2>/dev/null && wait "$simulator" 2>/dev/null
daemon_stop; result it_ends_with_0 $?
exit $bad
