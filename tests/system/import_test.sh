#!/bin/bash
# proprioctl import: tables, MCAP files and rosbags become recordings with the same numbers and stamps, and estimates.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/system/folder.sh

# the chain without its skin: logs of others have none
config=$to/chain9.yaml
sed '/cells/d; /skin/d' config/chain9.yaml >"$config"
ln -s "$PWD/config/robots" "$to/robots"
fetch() { "$ctl" export --raw --npz "$to/$1.npz" "$to/$1.rec" $config; }
made() {
  "$build/propriod-sim" --config "$config" --scenario medium --headless --duration 1 --record "$to/chain.rec" --quiet &&
    fetch chain && "$ctl" export --mcap "$to/chain.mcap" "$to/chain.rec" "$config" && /usr/bin/python3 tests/system/import_check.py make "$to"
}
made >"$to/log" 2>&1
result logs_of_others_are_made $?
imported() {
  "$ctl" import -o "$to/mcap.rec" --joints /measured/joint_states "$config" "$to/chain.mcap" && fetch mcap &&
    "$ctl" import -o "$to/bag.rec" "$config" "$to/bag.db3" && fetch bag &&
    "$ctl" import -o "$to/table.rec" --time 2:1 --time-scale 0.001 --degrees --position 1,2,3,4,5,6,7,8,9 "$config" "$to/q.txt" "$to/t.txt" && fetch table
}
imported >"$to/log" 2>&1
result they_are_imported $?
/usr/bin/python3 tests/system/import_check.py compare "$to" || bad=1

says() { # WORDS IMPORT...
  local words=$1
  shift
  rm -f "$to/none.rec"
  ! "$ctl" import -o "$to/none.rec" "$@" >"$to/log" 2>&1 && grep -q -- "$words" "$to/log" && [ ! -e "$to/none.rec" ]
}
refusals() {
  head -c 30000 "$to/chain.mcap" >"$to/cut.mcap"
  { head -c 20000 "$to/chain.mcap"; head -c 100 /dev/zero; tail -c +20101 "$to/chain.mcap"; } >"$to/damaged.mcap"
  says 'cut.db3: message 51 of topic 2 is cut' "$config" "$to/cut.db3" &&
    says 'damaged.mcap: a chunk is damaged' "$config" "$to/damaged.mcap" &&
    says 'no such topic of type sensor_msgs/msg/JointState' "$config" "$to/cut.mcap" &&
    says 'no topic /legs of type' --joints /legs "$config" "$to/bag.db3" &&
    says 'no column for the time' "$config" "$to/q.txt" && says 'none.csv: cannot be opened: No such file' "$config" "$to/none.csv" &&
    says "no column for the position of" --time 1 "$config" "$to/t.txt"
}
refusals
result what_is_cut_damaged_or_not_there_is_refused_with_its_name $?
"$ctl" import -o "$to/bag.rec" "$config" "$to/bag.db3" >"$to/log" 2>&1
[ $? = 1 ] && grep -q 'bag.rec: File exists' "$to/log"
result a_recording_that_exists_is_kept $?

data=../shared/data
if [ -d $data ]; then
  printf 'robot: {urdf: %s/config/robots/panda.urdf, fixed_base: true}\n' "$PWD" >"$to/panda.yaml"
  printf 'robot: {urdf: %s/%s/icub_walking_real/model.urdf, locked: ["*_wrist_*"]}\n' "$PWD" $data >"$to/icub.yaml"
  panda() { # two commands: import, then estimates
    local p=$data/panda_real/exciting_traj
    # one value a line, seven a sample
    paste -d' ' - - - - - - - <${p}_positions.txt >"$to/positions.txt"
    paste -d' ' - - - - - - - <${p}_torques.txt >"$to/torques.txt"
    "$ctl" import -o "$to/panda.rec" --time 3:1 --position 1,2,3,4,5,6,7 --effort 2:1,2:2,2:3,2:4,2:5,2:6,2:7 "$to/panda.yaml" \
      "$to/positions.txt" "$to/torques.txt" ${p}_time.txt && "$ctl" replay --config "$to/panda.yaml" -o "$to/panda.csv" "$to/panda.rec" &&
      [ "$(wc -l <"$to/panda.csv")" -gt 20000 ]
  }
  panda >"$to/log" 2>&1
  result a_real_panda_is_estimated_in_two_commands $?
  icub() {
    "$ctl" import -o "$to/icub.rec" "$to/icub.yaml" $data/icub_walking_real/walking.csv &&
      "$ctl" replay --config "$to/icub.yaml" -o "$to/icub.csv" "$to/icub.rec" && [ "$(wc -l <"$to/icub.csv")" -gt 1000 ]
  }
  icub >"$to/log" 2>&1
  result a_real_icub_that_walks_is_estimated_in_two_commands $?
  grep -h frames "$to/log" | sed 's/^/# icub: /'
else
  echo "SKIP: ../shared/data: import of a real Panda and a real iCub"
fi
exit $bad
