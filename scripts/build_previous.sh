#!/usr/bin/env bash
#
# Builds fedra as it was last released and prints where it is: build/previous/COMMIT/fedra, made once for each commit.
# For tests of upgrades (FEDRA_PREVIOUS, tests/scenarios/README.md).
#
#   build_previous.sh [COMMIT]       the last tag of a version before HEAD; until there is one, STAND_IN
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Of 29 November 2026: several replicas, their Lease, PlacementRecords and take-over are in it.
readonly STAND_IN=3a3d51a065ee

previous="${1:-$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null || echo "$STAND_IN")}"
commit="$(git rev-parse --verify --quiet "$previous^{commit}")" || {
  echo "error: no commit $previous here, as in a shallow clone or a release's sources; make test-real PREVIOUS= does without" >&2
  exit 1
}
program="$PWD/build/previous/$commit/fedra"
if [[ ! -x $program ]]; then
  folder="$(mktemp -d)"
  trap 'git worktree remove --force "$folder/tree" >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
  {
    git worktree add --detach "$folder/tree" "$commit"
    cmake --preset release -S "$folder/tree" -B "$folder/build"
    ninja -C "$folder/build" fedra
    mkdir -p "${program%/*}"
    # Whole or not at all, whenever this is broken off.
    cp "$folder/build/manager/fedra" "$program.new"
    mv "$program.new" "$program"
  } >&2
fi
echo "$program"
