#!/usr/bin/env bash
#
# `make test` of this commit on another release of Debian, or on Ubuntu, in a root of its own: will its compiler and
# libraries do?
#
#   test_suite.sh trixie|noble [TARGET...]    Debian 13, Ubuntu 24.04; targets of make, `test` unless given
#
# As root. The root and its compiler cache stay in build/packages/SUITE for the next time; its network is this
# machine's. Not part of CI: an hour on two cores the first time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly suite="${1:?which suite: trixie or noble?}"
shift
case "$suite" in
  trixie) archive=() ;;  # Debian's own, and mmdebstrap knows its keys
  # Debian 12 has no package of Ubuntu's keys: TLS says who the archive is.
  noble) archive=("deb [trusted=yes] https://archive.ubuntu.com/ubuntu noble main universe"
    "deb [trusted=yes] https://archive.ubuntu.com/ubuntu noble-updates main universe") ;;
  *)
    echo "error: $suite is no suite that this script knows: trixie, noble" >&2
    exit 2
    ;;
esac
readonly root="$PWD/build/packages/$suite"
readonly source="$root/src"

if [[ $EUID -ne 0 ]]; then
  echo "error: only root can make a root of another system" >&2
  exit 1
fi
if [[ ! -d "$root" ]]; then
  mkdir -p "$(dirname "$root")"
  rm -rf "$root.new"
  mmdebstrap --quiet --variant=minbase --include=apt,ca-certificates,git,make,procps "$suite" "$root.new" "${archive[@]}"
  mv "$root.new" "$root"
fi
# The network is this machine's, and so is who may vouch for servers there: a proxy may have an authority of its own.
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"

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
