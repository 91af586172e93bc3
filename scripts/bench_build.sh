#!/usr/bin/env bash
#
# How long people wait for the build: for all of it from nothing, without ccache, in a folder of its own; and from
# touching one .cc to its tests done, in build/release, which must be built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
  CCACHE_DISABLE=1 ninja -C build/release "$2" && "build/release/tests/$2"
}

echo "| what | took |"
echo "|---|---|"
echo "| all programs, tests and benchmarks from nothing | $(seconds from_nothing) |"
echo "| dra/model/pool.cc touched → test_dra done | $(seconds touch_and_test dra/model/pool.cc test_dra) |"
echo "| manager/placement/rank.cc touched → test_manager done | $(seconds touch_and_test manager/placement/rank.cc test_manager) |"
