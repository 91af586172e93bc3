#!/usr/bin/env bash
#
# Prints a folder (last line of stdout) with links to the sources of the operators of other kinds of jobs, at exactly
# the versions of tests/real/go/kinds/go.mod: the harness reads their CRDs. Nothing of them is compiled.
#
# The folder is ${FEDRA_KINDS_DIR:-$HOME/.cache/fedra/kinds-<hash of the Go module>}. Apart from build_tools.sh,
# whose programs all other tests need and these sources not. Seconds, and 10 MB from the module proxy, when cold.
set -euo pipefail

readonly module="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/go/kinds"
readonly dir="${FEDRA_KINDS_DIR:-$HOME/.cache/fedra/kinds-$(cat "$module"/go.{mod,sum} | sha256sum | cut -c1-12)}"

# link_source MODULE NAME
link_source() {
  if [[ -d "$dir/$2/" ]]; then
    return
  fi
  # GOTOOLCHAIN=local: a Go that would first download another Go is not "Go is installed".
  (cd "$module" && GOTOOLCHAIN=local go mod download "$1")
  ln -sfn "$(cd "$module" && GOTOOLCHAIN=local go list -m -f '{{.Dir}}' "$1")" "$dir/$2"
}

if ! command -v go >/dev/null; then export PATH="$PATH:/usr/local/go/bin"; fi
if ! command -v go >/dev/null; then
  echo "error: the tests of other kinds of jobs read their CRDs from Go modules, with Go 1.26 or newer." \
    "Install it from https://go.dev/dl/ and run again." >&2
  exit 1
fi
mkdir -p "$dir"
link_source sigs.k8s.io/jobset jobset
link_source github.com/kubeflow/mpi-operator mpi-operator
link_source github.com/kubeflow/trainer/v2 trainer
link_source github.com/kubeflow/training-operator training-operator
link_source github.com/project-codeflare/appwrapper appwrapper
link_source github.com/ray-project/kuberay/ray-operator kuberay
link_source github.com/kubeflow/spark-operator/v2 spark-operator
echo "$dir"
