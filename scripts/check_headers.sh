#!/usr/bin/env bash
#
# Compiles headers alone: each includes what it uses, whatever was included before it. A header that is the
# first include of a .cc file is compiled alone by that file; only the others are looked at here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The first #include of every .cc file.
proved() {
  git ls-files -co --exclude-standard -- '*.cc' | while read -r source; do
    if [[ -e "$source" ]]; then
      awk -F'"' '/^#include/ {if (NF > 1) print $2; exit}' "$source"
    fi
  done
}

# An _inl.h belongs to the header that includes it.
mapfile -t headers < <(git ls-files -co --exclude-standard -- '*.h' | grep -vxF -f <(proved) | grep -v '_inl\.h$')

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
echo "headers: all compile alone (${#headers[@]} of them checked here)"
