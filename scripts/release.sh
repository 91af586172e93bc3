#!/usr/bin/env bash
#
# Makes every artefact of a version, with checksums: package, image and its bill of materials, chart, kubectl plugin,
# documentation, sources.
#
#   KREW_URL=https://… HOMEPAGE=https://… release.sh [FOLDER]
#                                   of the commit that has the tag vVERSION; KREW_URL is the folder that the plugin will be
#                                   downloaded from, HOMEPAGE where people read about it
#   release.sh --snapshot [FOLDER]  of any commit, also when files differ from it; both variables may be missing
#
# Into build/packages/release unless FOLDER is given, which must be empty.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

snapshot=false
if [[ "${1:-}" == --snapshot ]]; then
  snapshot=true
  shift
fi
if [[ $# -gt 1 || "${1:-}" == -* ]]; then
  sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' scripts/release.sh
  exit 2
fi
readonly folder="${1:-build/packages/release}"
version="$(scripts/version.py)"
readonly version

fail() {
  echo "error: $*" >&2
  exit 1
}

if [[ $snapshot == false ]]; then
  [[ -z "$(git status --porcelain)" ]] || fail "files differ from the commit; a release is of a commit (--snapshot to try it)"
  [[ "$version" != *-* ]] || fail "CHANGELOG.md calls this version unreleased: give it a date (--snapshot to try it)"
  [[ "$(git tag --points-at HEAD --list "v$version")" ]] || fail "this commit does not have the tag v$version"
  [[ -n "${KREW_URL:-}" ]] || fail "KREW_URL is not set: the plugin's manifest says where its archive is"
  [[ -n "${HOMEPAGE:-}" ]] || fail "HOMEPAGE is not set: the plugin's manifest says where people read about it"
fi
[[ -z "$(ls -A "$folder" 2>/dev/null)" ]] || fail "$folder is not empty"
mkdir -p "$folder"

make --no-print-directory all site deb DEB_FOLDER="$folder" >&2
scripts/install_packages.sh image
scripts/image/build.py --folder "$folder"
scripts/build_chart.py --folder "$folder"
scripts/build_krew.py --folder "$folder" ${KREW_URL:+--url "$KREW_URL"} ${HOMEPAGE:+--homepage "$HOMEPAGE"}

git archive --prefix="fedra-$version/" --add-virtual-file="fedra-$version/COMMIT:$(scripts/version.py --commit)" HEAD |
  gzip --no-name --best >"$folder/fedra-$version.src.tar.gz"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
  --transform="s|^html|fedra-$version-docs|" -C build/site -cf - html |
  gzip --no-name --best >"$folder/fedra-$version-docs.tar.gz"

cd "$folder"
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS
echo "$PWD/SHA256SUMS"
