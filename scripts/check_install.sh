#!/bin/bash
# make install puts each file below $(DESTDIR)$(PREFIX), once. Needs a built build/release.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
make --no-print-directory install DESTDIR="$root" PREFIX=/opt/fedra >/dev/null

expected="opt/fedra/bin/fedra
opt/fedra/lib/systemd/system/fedra.service
opt/fedra/lib/sysusers.d/fedra.conf"
found=$(cd "$root" && find . -type f -printf '%P\n' | sort)
if [ "$found" != "$expected" ]; then
  printf 'make install wrote\n%s\ninstead of\n%s\n' "$found" "$expected" >&2
  exit 1
fi
grep -q '^ExecStart=/opt/fedra/bin/fedra ' "$root/opt/fedra/lib/systemd/system/fedra.service"
