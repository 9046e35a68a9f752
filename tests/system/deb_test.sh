#!/bin/bash
# make deb: packages that lintian has nothing to say of; installed under a real systemd they run, are upgraded, and go without a trace.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/service.sh"

# a package of the same content and a later version
later_version() { # PACKAGE FOLDER
  dpkg-deb -R "$1" "$2/later" && sed -i 's/^Version: .*/&+later/' "$2/later/DEBIAN/control" &&
    dpkg-deb --root-owner-group -Znone -b "$2/later" "$2/later.deb" >/dev/null && rm -r "$2/later"
}

prepare() {
  mkdir -p "$1/opt" "$1/etc/systemd/system/propriod.service.d"
  cp "$0" "$here"/{service,eventually,result}.sh "$BUILD"/deb/*.deb "$1/opt"
  [ -z "${BASE:-}" ] || touch "$1/opt/bare"
  rm -f "$1/usr/sbin/policy-rc.d" # of a container's image: starts no service
  rm -f "$1/var/lib/man-db/auto-update" # the index of all the machine's manual pages is not made anew each time
  later_version "$1"/opt/propriod_*.deb "$1/opt"
  printf '[Service]\nEnvironment=ASAN_OPTIONS=detect_leaks=0\n' >"$1/etc/systemd/system/propriod.service.d/asan.conf"
}

# nothing is fetched: what the packages depend on is on a machine that builds them, and apt is spared what else there is; on a bare
# machine it has been fetched, and apt has to know of it
apt_does() { DEBIAN_FRONTEND=noninteractive apt-get "$@" >/tmp/apt 2>&1 || { sed 's/^/# /' /tmp/apt; return 1; }; }
lists=/tmp/lists
[ ! -e /opt/bare ] || lists=/var/lib/apt/lists
apt_installs() { apt_does install -o Dir::State::Lists="$lists" -y --no-install-recommends "$@"; }

it_runs_and_says_what_it_waits_for() {
  apt_installs /opt/propriod_*.deb && is ActiveState active && is UnitFileState enabled &&
    grep -q 'waits for a robot' /tmp/apt && property StatusText | grep -q 'waits for a robot' || return 1
  proprioctl status >/tmp/said 2>&1
  [ $? = 1 ] && grep -q 'waits' /tmp/said || { sed 's/^/# /' /tmp/said; return 1; }
}

it_takes_a_robot() {
  local before
  before=$(property MainPID)
  cp /etc/propriod/humanoid30.yaml /etc/propriod/propriod.yaml
  systemctl reload propriod && eventually status_shows 'no joints' && is MainPID "$before"
}
status_shows() { proprioctl status 2>&1 | grep -q "$1"; }

users_are_made() { id -nG propriod | grep -qw propriod-in && [ "$(stat -c %U /var/lib/propriod)" = propriod ]; }

the_others_work() {
  apt_installs /opt/propriod-sim_*.deb /opt/libpropriod-dev_*.deb /opt/python3-propriod_*.deb &&
    propriod-sim --config /etc/propriod/propriod.yaml --headless --duration 0.1 --truth /tmp/truth.csv --quiet && [ -s /tmp/truth.csv ] || return 1
  command -v gcc >/dev/null && command -v pkg-config >/dev/null || apt_installs gcc libc6-dev pkgconf || return 1
  printf '#include <propriod/shm.h>\nint main(void) { return 0; }\n' >/tmp/driver.c
  pkg-config --exact-version="$(dpkg-query -W -f '${Version}' libpropriod-dev)" propriod || return 1
  # shellcheck disable=SC2046 # a list of words
  gcc $(pkg-config --cflags propriod) -Werror /tmp/driver.c -o /tmp/driver || return 1
  (cd / && /usr/bin/python3 -c '
import propriod
with propriod.Subscriber(topics=()) as robot, propriod.Driver("joints", len(robot.joints)) as driver:
    driver.write(q=[0.0] * len(robot.joints))')
}

upgrade_keeps_the_configuration() {
  local before
  before=$(property MainPID)
  echo '# mine' >>/etc/propriod/propriod.yaml
  apt_installs /opt/later.deb && is ActiveState active && [ "$(property MainPID)" != "$before" ] &&
    grep -q '# mine' /etc/propriod/propriod.yaml && dpkg -s propriod | grep -q '^Version: .*+later$'
}

purge_leaves_nothing() {
  apt_does purge -o Dir::State::Lists="$lists" -y propriod propriod-sim libpropriod-dev python3-propriod || return 1
  ! systemctl is-active -q propriod && [ ! -e /var/lib/propriod ] && [ ! -e /run/propriod ] && [ ! -e /etc/propriod ] &&
    ! find /usr /etc /var -xdev -name '*propriod*' | grep -v '/etc/systemd/system/propriod.service.d' | sed 's/^/# left: /' | grep .
}

completion_knows() { # WORDS OF A LINE, then a word that must be offered
  local line=("${@:1:$#-1}") wanted=${!#}
  bash -c '. /usr/share/bash-completion/completions/proprioctl; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _propriod_complete
    printf "%s\n" "${COMPREPLY[@]}"' - "${line[@]}" | grep -qx -- "$wanted"
}
completion_offers() {
  completion_knows proprioctl st status && completion_knows proprioctl echo cen centroidal &&
    completion_knows proprioctl status --j --json && completion_knows propriod --conf --config &&
    completion_knows propriod-identify f fit && ! completion_knows proprioctl st top
}

inside() {
  systemctl daemon-reload
  it_runs_and_says_what_it_waits_for; result apt_install_gives_a_running_service_that_says_what_it_waits_for $?
  it_takes_a_robot; result a_reload_gives_it_the_robot_of_the_edited_file $?
  users_are_made; result its_user_and_groups_are_made $?
  completion_offers; result bash_completes_commands_topics_and_options $?
  the_others_work; result headers_simulator_and_python_work_as_installed $?
  upgrade_keeps_the_configuration; result an_upgrade_restarts_it_and_keeps_an_edited_configuration $?
  purge_leaves_nothing; result purge_leaves_nothing $?
  exit $bad
}

build_packages() {
  command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null && command -v lintian >/dev/null || {
    echo "skip deb: no debhelper or lintian here"
    exit 77
  }
  cd "$here/../.." || exit 1
  # packed quickly: how small they are is not asked
  DPKG_DEB_COMPRESSOR_LEVEL=1 DEB_BUILD_OPTIONS=noautodbgsym PROPRIOD_COMMIT=$(git describe --always --abbrev=12 --match= --dirty 2>/dev/null) \
    VERSION=$(sed -n '1s/.*(\(.*\)).*/\1/p' tools/debian/changelog) tools/debian/build.sh >/tmp/deb.$$ 2>&1
  local status=$?
  sed 's/^/# /' /tmp/deb.$$
  rm /tmp/deb.$$
  [ $status = 0 ]
}

nothing_to_say() {
  local said
  said=$(lintian --allow-root --fail-on error,warning "$BUILD"/deb/*.changes 2>/dev/null)
  [ $? = 0 ] && [ -z "$said" ] || { sed 's/^/# /' <<<"$said"; return 1; }
}

case ${1:-} in
prepare) prepare "$2" ;;
inside) inside ;;
*)
  export BUILD=${BUILD:-build}
  if [ -n "${SANITIZE:-}" ]; then
    echo "skip deb: packages are not built with sanitizers"
    exit 77
  fi
  build_packages; result the_packages_build $?
  nothing_to_say; result lintian_has_nothing_to_say $?
  [ $bad = 0 ] || exit 1
  run_under_systemd deb_test.sh
  ;;
esac
