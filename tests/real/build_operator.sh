#!/usr/bin/env bash
#
# Builds the operator of a kind of jobs, and prints the program (last line of stdout):
#
#   build_operator.sh jobset
#   build_operator.sh kuberay
#
# Each is the one tool of a Go module of its own, go/operators/NAME: they need different versions of the same libraries.
# The folder is ~/.cache/fedra/operators-<hash of the Go module and this script>. Cold some minutes each on 2 cores; what
# is there already is not built again.
set -euo pipefail

readonly name="$1"
# Says what to do where Go is missing.
"$(dirname "${BASH_SOURCE[0]}")/build_kinds.sh" >/dev/null
export PATH="$PATH:/usr/local/go/bin"

cd "$(dirname "${BASH_SOURCE[0]}")/go/operators/$name"
hash="$(cat go.mod go.sum ../../../build_operator.sh | sha256sum | cut -c1-12)"
readonly program="$HOME/.cache/fedra/operators-$hash/$name"
if [[ ! -x "$program" ]]; then
  mkdir -p "$(dirname "$program")"
  path="$(go list tool)"
  echo "building $path ..." >&2
  start=$SECONDS
  CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$program.part" "$path"
  mv "$program.part" "$program"
  echo "built $name in $((SECONDS - start)) s" >&2
fi
echo "$program"
