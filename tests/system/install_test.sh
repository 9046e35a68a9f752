#!/bin/bash
# make install puts everything in its place under DESTDIR, keeps what people have edited, and uninstall leaves nothing else.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
. tests/system/check.sh

# the build is what the tests were started with: nothing is compiled here; all of it once, which takes long, then parts
install_to() { BUILD=$build DESTDIR=$to/root PREFIX=${1:-/usr} SYSCONFDIR=/etc PARTS=${2:-} tools/install.sh install; }
uninstall_from() { BUILD=$build DESTDIR=$to/root PREFIX=/usr SYSCONFDIR=/etc tools/install.sh uninstall; }

all_there() {
  install_to || return 1
  local file
  for file in usr/bin/propriod usr/bin/proprioctl usr/include/propriod/{shm,state,vector}.h usr/lib/systemd/system/propriod.service \
    usr/lib/sysusers.d/propriod.conf etc/propriod/propriod.yaml etc/propriod/humanoid30.yaml etc/propriod/robots/humanoid30.urdf \
    etc/propriod/robots/humanoid30_cells.csv usr/share/man/man8/propriod.8 usr/share/man/man1/proprioctl.1 \
    usr/share/man/man1/proprioctl-reload.1 usr/share/man/man5/propriod.yaml.5 \
    usr/share/man/man7/propriod-{topics,segment,robots,weighing,recordings}.7 usr/share/doc/propriod/topics.md usr/share/doc/propriod/settings.md; do
    [ -s "$to/root/$file" ] || { echo "missing: $file"; return 1; }
  done
}

examples_are_good() {
  local file
  for file in "$to"/root/etc/propriod/*.yaml; do
    [ "${file##*/}" = propriod.yaml ] || "$to/root/usr/bin/proprioctl" check "$file" || return 1
  done
}
# the service's own names no robot, and nothing else is wrong with it
no_robot_is_named() {
  "$to/root/usr/bin/propriod" --check-config -c "$to/root/etc/propriod/propriod.yaml" 2>"$to/said"
  [ "$(wc -l <"$to/said")" = 1 ] && grep -q 'robot.urdf: no robot is named' "$to/said"
}

header_compiles_alone() {
  printf '#include <propriod/shm.h>\nint main(void) { return 0; }\n' >"$to/driver.c"
  ${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$to/root/usr/include" "$to/driver.c" -o "$to/driver"
}

manual_pages_have_no_errors() {
  local page
  for page in "$to"/root/usr/share/man/man*/*; do
    groff -man -Tutf8 -ww "$page" 2>"$to/said" >/dev/null && [ ! -s "$to/said" ] || { echo "$page"; cat "$to/said"; return 1; }
  done
}

# every page says how one begins, which files and variables there are
manual_pages_have_examples_files_and_environment() {
  local page section
  for page in "$to"/root/usr/share/man/man*/*; do
    for section in EXAMPLES FILES ENVIRONMENT; do
      sed -n "/^.SH $section/,/^.SH /p" "$page" | grep -qv '^\.' || { echo "$page: $section"; return 1; }
    done
  done
}
# what stands in an example is a command, and its options are in that command's help
examples_can_be_typed() {
  local program command option line options
  declare -A help # of each command
  while read -r line; do
    [[ $line =~ (^|[^a-z-])(proprioctl|propriod-identify)\ ([a-z-]+) ]] || continue
    program=${BASH_REMATCH[2]} command=${BASH_REMATCH[3]}
    [ -n "${help[$program $command]:-}" ] || help[$program $command]=$("$build/$program" "$command" --help 2>&1) ||
      { echo "$line"; return 1; }
    read -ra options <<<"${line%%[|&>]*}"
    for option in "${options[@]}"; do
      [[ ! $option =~ ^--[a-z-]+ ]] || [[ ${help[$program $command]} == *" ${BASH_REMATCH[0]}"* ]] ||
        { echo "$line: $option"; return 1; }
    done
  done <tools/man_examples.txt
  [ ${#help[@]} -ge 10 ]
}
# every key that is published is a term of its manual: some of each topic, at every depth
every_topic_is_in_its_manual() {
  local key page=$to/root/usr/share/man/man7/propriod-topics.7
  for key in ddq com_acceleration cell_state mass_sd cycle.busy.p99 recent.streams.imu.late reload.last_error kind; do
    grep -qFx ".B $key" "$page" || { echo "$key"; return 1; }
  done
}

# a sentence that was taken for a heading has more words
manual_pages_have_headings_of_few_words() {
  ! grep -rhE '^\.SH ([^ ]+ +){4}' "$to/root/usr/share/man"
}

every_option_of_a_command_is_a_term_of_its_manual() {
  local page command options terms
  for page in "$to"/root/usr/share/man/man1/proprioctl-*.1; do
    command=${page##*/proprioctl-}
    options=$("$build/proprioctl" help "${command%.1}" | grep -cE '^ +--?[a-z].*[^ ]  +[^ ]')
    terms=$(grep -cE '^\.B \\-' "$page")
    [ "$options" = "$terms" ] || { echo "$command: $options options, $terms terms"; return 1; }
  done
}

every_option_has_its_place_in_the_manual() {
  "$build/propriod" --print-reference | sed -n 's/^| `\([a-z_.0-9]*\)`.*/.B \1/p' >"$to/keys"
  [ "$(wc -l <"$to/keys")" -gt 10 ] || return 1
  ! grep -vxFf "$to/root/usr/share/man/man5/propriod.yaml.5" "$to/keys"
}

edited_configuration_is_kept() {
  echo '# mine' >>"$to/root/etc/propriod/propriod.yaml"
  install_to /usr configuration || return 1
  grep -q '# mine' "$to/root/etc/propriod/propriod.yaml" && [ -e "$to/root/etc/propriod/propriod.yaml.new" ]
}

only_the_edited_file_is_left() {
  uninstall_from || return 1
  [ "$(find "$to/root" -type f)" = "$to/root/etc/propriod/propriod.yaml" ] || { find "$to/root" -type f; return 1; }
}

another_prefix_is_in_the_unit() {
  install_to /usr/local service && grep -qx 'ExecReload=/usr/local/bin/proprioctl reload' \
    "$to/root/usr/local/lib/systemd/system/propriod.service"
}

python_finds_the_module() {
  local folder found=0
  install_to /usr headers_and_clients && install_to /usr/local headers_and_clients || return 1
  for folder in $(cd "$to/root" && find usr -name subscriber.py -path '*/lib/*/propriod/*' -printf '/%h\n' | sed 's|/propriod$||'); do
    /usr/bin/python3 -c 'import site, sys; sys.exit(sys.argv[1] not in site.getsitepackages())' "$folder" ||
      { echo "nobody looks in $folder"; return 1; }
    found=$((found + 1))
  done
  [ $found = 2 ]
}

check install_puts_everything_in_its_place all_there
# a sanitizer makes the cycle that `check` measures too dear
[ -n "${SANITIZE:-}" ] || check the_installed_configurations_are_good examples_are_good
check the_service_s_configuration_lacks_nothing_but_the_robot no_robot_is_named
check the_installed_header_compiles_alone header_compiles_alone
check manual_pages_have_no_errors manual_pages_have_no_errors
check manual_pages_have_headings_of_few_words manual_pages_have_headings_of_few_words
check every_option_of_a_command_is_a_term_of_its_manual every_option_of_a_command_is_a_term_of_its_manual
check manual_pages_have_examples_files_and_environment manual_pages_have_examples_files_and_environment
check examples_can_be_typed examples_can_be_typed
check every_published_key_is_in_its_manual every_topic_is_in_its_manual
check every_option_is_in_the_manual_page every_option_has_its_place_in_the_manual
check an_edited_configuration_is_never_overwritten edited_configuration_is_kept
check uninstall_leaves_only_what_was_edited only_the_edited_file_is_left
check the_unit_names_the_prefix another_prefix_is_in_the_unit
check the_module_is_where_python_looks_below_either_prefix python_finds_the_module
exit $bad
