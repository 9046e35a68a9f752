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

cannot_save() { grep -q 'cannot be saved' "$daemon_dir/log"; }
is_touched() { [ "$(stat -c %y "$disk")" != "$touched" ]; }
is_saved() { [ -s "$disk/inertia.learned" ]; }
hears_states() { PROPRIOD_ENDPOINT=ipc://$daemon_dir/pub.sock "$build/proprioctl" echo state -n 100 >/dev/null; }

# 250 Hz and much patience: what a disk does is tested here, not how fast this machine is. A standing robot learns in minutes
# that it is its model, and in seconds that it carries something: only what is worth more than the model is saved.
daemon_start -s cycle.period=0.004 -s input.joints_limit=1 -s input.imu_limit=1 -s input.wrench_limit=1 -s cycle.rt=off
result it_starts_on_a_full_disk $?
"$build/propriod-sim" --config "$daemon_config" --segment "$daemon_segment" --scenario arm-swing --payload torso_pitch_link --payload-mass 3 --rate 250 --quiet >"$daemon_dir/sim.log" 2>&1 &
simulator=$!
eventually cannot_save; result it_says_that_it_cannot_save $?
# another attempt has failed too: each makes a file and takes it away
for _ in begun ended; do
  touched=$(stat -c %y "$disk")
  eventually is_touched
done
result it_tries_again $?
hears_states; result it_goes_on_publishing $?
[ "$(grep -c 'cannot be saved' "$daemon_dir/log")" = 1 ]; result it_says_so_once $?
! is_saved && [ -z "$(find "$disk" -name '*.learned*' -size +0)" ]; result no_half_a_file_is_left $?
rm "$disk/everything_else"
eventually is_saved; result with_room_again_it_saves $?
says_so() { grep -q 'saved again' "$daemon_dir/log"; }
eventually says_so; result and_says_so $?
kill "$simulator" 2>/dev/null && wait "$simulator" 2>/dev/null
daemon_stop; result it_ends_with_0 $?
exit $bad
