#!/bin/sh
# Debian's packages for another processor, unpacked into a folder: what a cross compiler and qemu's user mode need beside
# the sources. Nothing is installed on this machine, no architecture is added to it, and root is not needed.
#   tools/sysroot.sh ARCHITECTURE FOLDER       arm64 build-sysroot
set -eu
architecture=$1
folder=$2
packages="libc6-dev check libexpat1-dev libopenblas-serial-dev liblapacke-dev libyaml-dev libzmq3-dev libsystemd-dev
          libmsgpack-dev libzstd-dev libxxhash-dev zlib1g-dev libmujoco-dev"
[ "$(cat "$folder/complete" 2>/dev/null)" != "$packages" ] || exit 0

mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
: >"$folder/apt/status"
apt="apt-get -qq -o APT::Architecture=$architecture -o APT::Architectures=$architecture -o Debug::NoLocking=1
     -o Dir::State::Lists=$(realpath "$folder")/apt/lists -o Dir::State::status=$(realpath "$folder")/apt/status
     -o Dir::Cache=$(realpath "$folder")/apt"
echo "fetching Debian's $architecture packages into $folder"
$apt update
# shellcheck disable=SC2086 # lists of words
$apt install -y --download-only --no-install-recommends $packages >/dev/null
for package in "$folder"/apt/archives/*.deb; do
  dpkg-deb -x "$package" "$folder"
done
rm -r "$folder/apt"

# what Debian's alternatives would have linked
libraries=$folder/usr/lib/$(basename "$folder"/usr/lib/*-linux-gnu)
for library in libopenblas.so.0 libopenblas.so; do
  ln -sf openblas-serial/$library "$libraries/$library"
done
ln -sf openblas-serial/libblas.so.3 "$libraries/libblas.so.3"
ln -sf openblas-serial/liblapack.so.3 "$libraries/liblapack.so.3"
headers=$folder/usr/include/$(basename "$libraries")
for header in "$headers"/openblas-serial/*.h; do
  ln -sf "openblas-serial/${header##*/}" "$headers/${header##*/}"
done
echo "$packages" >"$folder/complete"
