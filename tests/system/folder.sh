# Sourced by system tests that need no daemon of their own: a folder for what they write, and a line for each result.
#   $build $ctl             where the programs are; proprioctl
#   $to                     the folder; removed at exit, as are the processes in `children`
#   result NAME STATUS      a line; of a failure the end of $to/log, too
. "$(dirname "${BASH_SOURCE[0]}")/eventually.sh"
. "$(dirname "${BASH_SOURCE[0]}")/result.sh"
build=$(realpath "${BUILD:-build}")
ctl=$build/proprioctl
to=$(mktemp -d)
children=()
result_log=$to/log

folder_end() {
  [ ${#children[@]} = 0 ] || kill "${children[@]}" 2>/dev/null
  wait
  rm -rf "$to"
}
trap folder_end EXIT
