#!/usr/bin/env bash
#
# How long people wait for the build: for all of it from nothing, without ccache, in a folder of its own; and from
# touching one .cc to its tests done, in build/dev, where people work.
#
#   bench_build.sh                       the table of docs/performance.md
#   bench_build.sh COMMIT [--every N]    the CPU time of every target, beside that of another commit (compare_builds.py)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 0 ]]; then
  exec scripts/compare_builds.py "$@"
fi

seconds() {
  local start
  start="$(date +%s.%N)"
  "$@" >/dev/null
  awk -v start="$start" -v end="$(date +%s.%N)" 'BEGIN { printf "%.1f s", end - start }'
}

from_nothing() {
  local folder
  folder="$(mktemp -d)"
  cmake --preset release -B "$folder" && CCACHE_DISABLE=1 ninja -C "$folder"
  rm -rf "$folder"
}

# touch_and_test FILE PROGRAM
touch_and_test() {
  touch "$1"
  CCACHE_DISABLE=1 ninja -C build/dev "$2" && "build/dev/tests/$2"
}

scripts/install_packages.sh clang
[[ -f build/dev/build.ninja ]] || cmake --preset dev >/dev/null
ninja -C build/dev test_dra test_manager >/dev/null

echo "| what | took |"
echo "|---|---|"
echo "| all programs, tests and benchmarks from nothing | $(seconds from_nothing) |"
echo "| dra/model/pool.cc touched → test_dra done | $(seconds touch_and_test dra/model/pool.cc test_dra) |"
echo "| manager/placement/rank.cc touched → test_manager done | $(seconds touch_and_test manager/placement/rank.cc test_manager) |"
