#!/usr/bin/env bash
#
# `make test` of this commit on Debian 13 (trixie), in a root of its own: will the next compiler and libraries do?
#
#   test_trixie.sh [TARGET...]    targets of make; `test` unless given
#
# As root. The root and its compiler cache stay in build/packages/trixie for the next time; its network is this
# machine's. Not part of CI: an hour on two cores the first time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly root="$PWD/build/packages/trixie"
readonly source="$root/src"

if [[ $EUID -ne 0 ]]; then
  echo "error: only root can make a root of another Debian" >&2
  exit 1
fi
if [[ ! -d "$root" ]]; then
  mkdir -p "$(dirname "$root")"
  rm -rf "$root.new"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,git,make,procps trixie "$root.new"
  mv "$root.new" "$root"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"

# The commit, with the history that versions are counted by. What was built from another one stays.
if [[ ! -d "$source/.git" ]]; then
  git clone --quiet --no-hardlinks . "$source"
fi
git -C "$source" fetch --quiet "$PWD" HEAD
git -C "$source" checkout --quiet --detach FETCH_HEAD

targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then targets=(test); fi

# The mounts, and processes that outlive a test, end with the namespaces.
exec unshare --mount --pid --fork --kill-child bash -c '
  set -euo pipefail
  root="$1"
  shift
  mount --make-rprivate /
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin make -C /src "$@"
' bash "$root" "${targets[@]}"
