#!/usr/bin/env bash
#
# Checks that every file has the form that `make format` gives it; --fix gives it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t cpp < <(git ls-files -co --exclude-standard -- '*.h' '*.cc')
mapfile -t python < <(git ls-files -co --exclude-standard -- '*.py')
mapfile -t shell < <(git ls-files -co --exclude-standard -- '*.sh' .ci/run)

existing() {
  for path in "$@"; do
    if [[ -e "$path" ]]; then echo "$path"; fi
  done
}
mapfile -t cpp < <(existing "${cpp[@]}")
mapfile -t python < <(existing "${python[@]}")
mapfile -t shell < <(existing "${shell[@]}")

if [[ "${1:-}" == "--fix" ]]; then
  clang-format-19 -i "${cpp[@]}"
  black --quiet --line-length 100 "${python[@]}"
  exit 0
fi

failed=0
clang-format-19 --dry-run -Werror --ferror-limit=1 "${cpp[@]}" || failed=1
black --quiet --check --line-length 100 "${python[@]}" || {
  echo "black: some Python files are not formatted" >&2
  failed=1
}
for path in "${shell[@]}"; do
  bash -n "$path" || failed=1
done
if [[ $failed -ne 0 ]]; then
  echo "error: run make format" >&2
  exit 1
fi
echo "format: ${#cpp[@]} C++, ${#python[@]} Python, ${#shell[@]} shell files in form"
