#!/usr/bin/env bash
#
# Compiles every header alone: each includes what it uses, whatever was included before it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t headers < <(git ls-files -co --exclude-standard -- '*.h')

check() {
  if [[ -e "$1" ]]; then
    clang++-19 -std=c++20 -fsyntax-only -Wno-pragma-once-outside-header -DFMT_SHARED -DSPDLOG_FMT_EXTERNAL \
      -I. -x c++ "$1" || echo "$1: does not compile alone"
  fi
}
export -f check
problems="$(printf '%s\0' "${headers[@]}" | xargs -0 -n1 -P"$(nproc)" bash -c 'check "$1"' _ 2>&1)"
if [[ -n "$problems" ]]; then
  echo "$problems"
  exit 1
fi
echo "headers: ${#headers[@]} compile alone"
