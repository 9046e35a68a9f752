#!/bin/bash
# Puts everything in its place, or takes it away again.
#   BUILD=build DESTDIR= PREFIX=/usr SYSCONFDIR=/etc tools/install.sh install|uninstall
# PARTS="programs service ..." only some of it: functions below.
# A configuration that somebody has edited is never overwritten: the new one goes beside it as FILE.new.
set -eu
verb=$1
build=${BUILD:-build}
destdir=${DESTDIR:-}
prefix=${PREFIX:-/usr}
sysconfdir=${SYSCONFDIR:-/etc}
man=$(mktemp -d)
trap 'rm -rf "$man"' EXIT

place() { # MODE SOURCE TARGET
  if [ "$verb" = uninstall ]; then
    rm -f "$destdir$3"
  else
    install -D -m "$1" "$2" "$destdir$3"
  fi
}

# Like place, for files that people edit.
place_config() { # SOURCE TARGET
  local target=$destdir$2
  if [ "$verb" = uninstall ]; then
    rm -f "$target.new"
    if [ -e "$target" ] && cmp -s "$1" "$target"; then
      rm -f "$target"
    elif [ -e "$target" ]; then
      echo "kept, because it has been edited: $target"
    fi
  elif [ -e "$target" ] && ! cmp -s "$1" "$target"; then
    install -D -m 644 "$1" "$target.new"
    echo "kept, because it differs: $target (the new one is $target.new)"
  else
    install -D -m 644 "$1" "$target"
  fi
}

programs() {
  local program
  for program in propriod proprioctl propriod-sim propriod-identify; do
    if [ -e "$build/$program" ] || [ "$verb" = uninstall ]; then
      place 755 "$build/$program" "$prefix/bin/$program"
    fi
  done
}

# Where Debian's Python looks: below /usr one folder serves every version, elsewhere each has its own.
python_folder() {
  if [ "$prefix" = /usr ]; then
    echo "$prefix/lib/python3/dist-packages"
  else
    /usr/bin/python3 -c 'import sys; print(sys.argv[1] + "/lib/python%d.%d/dist-packages" % sys.version_info[:2])' "$prefix"
  fi
}

headers_and_clients() {
  local file
  for file in {dynamics,estimators,daemon}/propriod/*.h; do
    place 644 "$file" "$prefix/include/propriod/${file##*/}"
  done
  place 644 README.md "$prefix/share/doc/propriod/README.md"
  sed -e "s|@prefix@|$prefix|" -e "s|@version@|${VERSION:-0}|" tools/examples/propriod.pc.in >"$man/propriod.pc"
  place 644 "$man/propriod.pc" "$prefix/share/pkgconfig/propriod.pc"
  for file in tools/python/propriod/{*.py,py.typed}; do
    place 644 "$file" "$(python_folder)/propriod/${file##*/}"
  done
  place 644 "$build/python/propriod/_segment.so" "$(python_folder)/propriod/_segment.so"
  for file in tools/python/example.py tools/plotjuggler/* tools/foxglove/* tools/examples/*.{c,cpp,py,mjs}; do
    if [ -e "$file" ]; then
      place 644 "$file" "$prefix/share/propriod/${file#tools/}"
    fi
  done
}

# One file for all programs; bash looks for one by each program's name.
completion() {
  local program
  for program in propriod proprioctl propriod-sim propriod-identify; do
    place 644 tools/bash/proprioctl "$prefix/share/bash-completion/completions/$program"
  done
}

service() {
  sed -e "s|/usr/bin/|$prefix/bin/|" -e "s|/etc/propriod|$sysconfdir/propriod|" systemd/propriod.service >"$man/service"
  place 644 "$man/service" "$prefix/lib/systemd/system/propriod.service"
  # propriod@NAME: one service a robot, each with its own configuration, folders, segment and sockets
  sed -e "s|^Description=.*|& (%i)|" \
    -e "s|^ExecStart=.*|ExecStart=$prefix/bin/propriod --config $sysconfdir/propriod/%i.yaml --set service.runtime_directory=/run/propriod-%i --set service.state_directory=/var/lib/propriod-%i --set input.segment=/run/propriod-%i/shm|" \
    -e "s|^ExecReload=.*|& --socket /run/propriod-%i/control.sock|" \
    -e 's/^\(RuntimeDirectory\|StateDirectory\)=propriod$/&-%i/' "$man/service" >"$man/template"
  place 644 "$man/template" "$prefix/lib/systemd/system/propriod@.service"
  place 644 systemd/ipc-only.conf "$prefix/share/propriod/ipc-only.conf"
  place 644 systemd/propriod.catalog "$prefix/lib/systemd/catalog/propriod.catalog"
  place 644 systemd/propriod.sysusers "$prefix/lib/sysusers.d/propriod.conf"
}

# The example without its robot: the service runs, and waits for one.
without_robot() {
  sed -e '1s/.*/# Configuration of propriod, the proprioception daemon. It names no robot yet: robot.urdf is empty, and the\n# service waits. proprioctl init ROBOT.urdf writes a first configuration; examples lie beside this file./' \
    -e 's|^  urdf: .*|  #urdf: ""|; s|^  cells: .*|  #cells: ""|; s|^  imu: .*|  #imu: ""|; s|^  feet: .*|  #feet: []|' config/propriod.yaml
}

configuration() {
  local file name
  without_robot >"$man/propriod.yaml"
  place_config "$man/propriod.yaml" "$sysconfdir/propriod/propriod.yaml"
  for file in config/*.yaml; do
    name=${file##*/}
    place_config "$file" "$sysconfdir/propriod/${name/#propriod/humanoid30}"
  done
  for file in config/robots/*; do
    place_config "$file" "$sysconfdir/propriod/robots/${file##*/}"
  done
}

manual_page() { # SECTION NAME ONE-LINE COMMAND...
  local section=$1 name=$2 line=$3
  shift 3
  [ "$verb" = uninstall ] || tools/man.sh "$name" "$section" "$line" "$@" >"$man/$name.$section"
  place 644 "$man/$name.$section" "$prefix/share/man/man$section/$name.$section"
}

# One page per command, proprioctl-NAME(1).
command_pages() {
  local command
  if [ "$verb" = uninstall ]; then
    rm -f "$destdir$prefix"/share/man/man1/proprioctl-*.1
    return
  fi
  "$build/proprioctl" --help | sed -n '/^commands/,/^$/s/^  \([a-z-]*\) *\(.*\)/\1 \2/p' >"$man/commands"
  while read -r command line; do
    manual_page 1 "proprioctl-$command" "$line" "$build/proprioctl" "$command" --help
  done <"$man/commands"
}

guides() {
  local file name
  for file in tools/guide/*.md; do
    name=$(basename "$file" .md)
    [ "$verb" = uninstall ] || tools/man.sh --guide "$file" >"$man/$name.7"
    place 644 "$man/$name.7" "$prefix/share/man/man7/$name.7"
  done
}

manual_pages() {
  command_pages
  manual_page 8 propriod 'estimates how a robot moves and what it weighs' "$build/propriod" --help
  manual_page 1 proprioctl 'looks after propriod' "$build/proprioctl" --help
  [ "$verb" = uninstall ] || tools/man.sh --settings "$build/propriod" >"$man/propriod.yaml.5"
  place 644 "$man/propriod.yaml.5" "$prefix/share/man/man5/propriod.yaml.5"
  [ "$verb" = uninstall ] || tools/man.sh --topics "$build/propriod" >"$man/propriod-topics.7"
  place 644 "$man/propriod-topics.7" "$prefix/share/man/man7/propriod-topics.7"
  [ "$verb" = uninstall ] || tools/man.sh --segment >"$man/propriod-segment.7"
  place 644 "$man/propriod-segment.7" "$prefix/share/man/man7/propriod-segment.7"
  guides
  [ "$verb" = uninstall ] || "$build/propriod" --print-topics >"$man/topics.md"
  place 644 "$man/topics.md" "$prefix/share/doc/propriod/topics.md"
  [ "$verb" = uninstall ] || "$build/propriod" --print-reference >"$man/settings.md"
  place 644 "$man/settings.md" "$prefix/share/doc/propriod/settings.md"
  if [ -e "$build/propriod-sim" ] || [ "$verb" = uninstall ]; then
    manual_page 1 propriod-sim 'simulated robot for propriod' "$build/propriod-sim" --help
  fi
  if [ -e "$build/propriod-identify" ] || [ "$verb" = uninstall ]; then
    manual_page 1 propriod-identify 'what a robot weighs, from its own log' "$build/propriod-identify" --help
    manual_page 1 propriod-identify-fit 'fits bodies and drives to a log' "$build/propriod-identify" fit --help
    manual_page 1 propriod-identify-compare 'compares methods on a log' "$build/propriod-identify" compare --help
    manual_page 1 propriod-identify-excite 'designs a motion that tells most' "$build/propriod-identify" excite --help
    manual_page 1 propriod-identify-payload 'finds what a load weighs' "$build/propriod-identify" payload --help
    manual_page 1 propriod-identify-gains "finds torque sensors' gains" "$build/propriod-identify" gains --help
  fi
}

remove_empty_folders() {
  local folder
  for folder in "$(python_folder)/propriod" "$prefix/include/propriod" "$prefix/share/propriod/python" \
    "$prefix/share/propriod/plotjuggler" "$prefix/share/propriod/foxglove" "$prefix/share/propriod/examples" \
    "$prefix/share/propriod" "$prefix/share/doc/propriod" "$sysconfdir/propriod/robots" "$sysconfdir/propriod"; do
    rmdir --ignore-fail-on-non-empty "$destdir$folder" 2>/dev/null || true
  done
}

case $verb in
install | uninstall) ;;
*)
  echo "usage: tools/install.sh install|uninstall" >&2
  exit 2
  ;;
esac
for part in ${PARTS:-programs headers_and_clients completion service configuration manual_pages}; do
  "$part"
done
if [ "$verb" = uninstall ]; then
  remove_empty_folders
elif [ -z "$destdir" ]; then
  echo "next, as root: systemd-sysusers && systemctl daemon-reload && systemctl enable --now propriod"
fi
