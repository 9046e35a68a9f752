#!/bin/bash
# Debian packages of what has been built, into $BUILD/deb: `make deb` calls it.
#   BUILD=build VERSION=1.0.0 PROPRIOD_COMMIT=584d65a tools/debian/build.sh
# The packages' own rules want debian/ at the top of the tree: a copy of the tree gets it there.
set -eu
build=$(realpath "$BUILD")
tree=$build/deb/propriod-$VERSION
rm -rf "$build/deb"
mkdir -p "$tree"

# what git would take, or, where there is no git, all but what is built
{ git ls-files -z --cached --others --exclude-standard 2>/dev/null || find . -path './build*' -prune -o -type f -printf '%P\0'; } |
  while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
  done | tar -c --null --files-from=- | tar -x -C "$tree"
cp -r "$tree/tools/debian" "$tree/debian"
rm "$tree/debian/build.sh"

cd "$tree"
export BUILD=$build PROPRIOD_COMMIT
unset MAKEFLAGS MFLAGS
dpkg-buildpackage --build=binary --unsigned-changes --no-check-builddeps >"$build/deb/log" 2>&1 || {
  tail -n 30 "$build/deb/log" >&2
  exit 1
}
rm -rf "$tree"
ls "$build"/deb/*.deb
