#!/bin/bash
# make install puts each file below $(DESTDIR)$(PREFIX), once. Needs a built build/release.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
make --no-print-directory install DESTDIR="$root" PREFIX=/opt/fedra >/dev/null

pages=$(cd build/release/manager/pages/man && printf 'share/man/man1/%s\n' *.1 && printf 'share/man/man5/%s\n' *.5)
expected=$(sed 's|^|opt/fedra/|' <<<"bin/fedra
bin/kubectl-fedra
bin/kubectl_complete-fedra
lib/systemd/system/fedra-rotate@.service
lib/systemd/system/fedra-rotate@.timer
lib/systemd/system/fedra.service
lib/systemd/system/fedra.socket
lib/sysusers.d/fedra.conf
lib/tmpfiles.d/fedra.conf
share/bash-completion/completions/fedra
share/doc/fedra/examples/fedra.yaml
share/fish/vendor_completions.d/fedra.fish
share/zsh/vendor-completions/_fedra
$pages" | sort)
found=$(cd "$root" && find . ! -type d -printf '%P\n' | sort)
if [ "$found" != "$expected" ]; then
  printf 'make install wrote\n%s\ninstead of\n%s\n' "$found" "$expected" >&2
  exit 1
fi
grep -q '^ExecStart=/opt/fedra/bin/fedra ' "$root/opt/fedra/lib/systemd/system/fedra.service"
"$root/opt/fedra/bin/kubectl-fedra" version >/dev/null
offered=$(PATH="$root/opt/fedra/bin:$PATH" kubectl_complete-fedra explain TemplateM)
if [ "$offered" != $'TemplateMissing\n:4' ]; then
  echo "kubectl_complete-fedra offers $offered" >&2
  exit 1
fi
