#!/usr/bin/env bash
#
# Makes every artefact of this commit, with checksums: package, image and its bill of materials, chart, kubectl plugin,
# documentation, sources.
#
#   release.sh [--dirty] [FOLDER]    into build/packages/release unless FOLDER is given, which must be empty
#
# --dirty: also when files differ from the commit, to try it. KREW_URL is where the plugin will be downloaded from.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

dirty=false
if [[ "${1:-}" == --dirty ]]; then
  dirty=true
  shift
fi
readonly folder="${1:-build/packages/release}"

if [[ $dirty == false && -n "$(git status --porcelain)" ]]; then
  echo "error: files differ from the commit; a release is of a commit (--dirty to try it)" >&2
  exit 1
fi
if [[ -n "$(ls -A "$folder" 2>/dev/null)" ]]; then
  echo "error: $folder is not empty" >&2
  exit 1
fi
mkdir -p "$folder"

make --no-print-directory all site deb DEB_FOLDER="$folder" >&2
scripts/install_packages.sh image
scripts/image/build.py --folder "$folder"
scripts/build_chart.py --folder "$folder"
scripts/build_krew.py --folder "$folder" --url "${KREW_URL:-https://downloads.example.com/fedra}"

version="$(scripts/debian_changelog.py)"
readonly version="${version//\~/-}"
git archive --prefix="fedra-$version/" HEAD | gzip --no-name --best >"$folder/fedra-$version.src.tar.gz"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
  --transform="s|^html|fedra-$version-docs|" -C build/site -cf - html |
  gzip --no-name --best >"$folder/fedra-$version-docs.tar.gz"

cd "$folder"
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS
echo "$PWD/SHA256SUMS"
