#!/bin/sh
# Installs by name, from Debian, the packages that the named groups need and that are missing. Says what it installs.
#   tools/deps.sh run [test] [bench] [browser] [evaluate] [lint] [cross] [fuzz] [deb]
set -eu

run="gcc make pkg-config libc6-dev libyaml-dev libzmq3-dev libopenblas-serial-dev liblapacke-dev libsystemd-dev libexpat1-dev
     libwebsockets-dev libzip-dev libmatio-dev libsqlite3-dev zlib1g-dev libmsgpack-dev libzstd-dev libxxhash-dev libmujoco-dev python3 python3-zmq python3-msgpack python3-numpy"
test="check g++ groff-base iproute2 libdsdp-dev locales rt-tests stress-ng strace procps python3-pandas python3-setuptools python3-scipy python3-venv python3-wheel python3-zstandard util-linux systemd-container dbus systemd"
bench="check rt-tests"
browser="chromium"
evaluate="python3-matplotlib"
lint="clang-format cppcheck git"
deb="debhelper dh-python dpkg-dev fakeroot lintian python3-all"
cross="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
fuzz="clang-14 libclang-rt-14-dev"

wanted=
for group in "$@"; do
  eval "wanted=\"\$wanted \$$group\""
done

missing=
for package in $wanted; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
  "install ok installed") ;;
  *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "missing packages, and neither root nor sudo to install them; as root: apt-get install$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi
echo "installing from Debian:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
