#!/usr/bin/env bash
#
# clang-tidy over every .cc file that the given build compiles, on all cores; findings are errors.
#
#   run_tidy.sh BUILD_DIR [FILE_REGEX]
#
# The build must be one of clang 19, and built: its precompiled headers save most of the time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly build="$1"
readonly files="${2:-^$PWD/(base|config|store|cel|dra|cluster-clients|manager|tests)/.*\.cc$}"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! run-clang-tidy-19 -quiet -p "$build" -j "$(nproc)" "$files" >"$log" 2>&1; then
  # One finding in a header is reported once for each file that includes it.
  grep -E '(error|warning): ' "$log" | sort -u
  exit 1
fi
echo "tidy: $(grep -cE 'clang-tidy-19 ' "$log") files without findings"
