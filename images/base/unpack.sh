#!/usr/bin/env bash
# unpack.sh FOLDER: the root of a small Debian, from the packages of packages.txt
# and what they depend on. They are resolved against a machine that has nothing,
# and unpacked rather than installed: their install scripts want a running system.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1
debs=$root.debs

rm -rf "$debs"
mkdir -p "$debs/partial"
: >"$debs/status"
mapfile -t packages <"$here/packages.txt"
apt-get install -y -qq --no-install-recommends --download-only \
  -o Dir::State::status="$debs/status" -o Dir::Cache::archives="$debs" -o APT::Sandbox::User=root \
  "${packages[@]}" >/dev/null

for dir in bin sbin lib lib64; do
  mkdir -p "$root/usr/$dir"
  ln -s "usr/$dir" "$root/$dir"
done
for deb in "$debs"/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$root" \
    --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' \
    --exclude='./usr/share/info/*' --exclude='./usr/share/fonts/*' --exclude='./usr/share/perl/*'
done
ln -sf dash "$root/usr/bin/sh"
rm -rf "$debs"
