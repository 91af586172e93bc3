#!/usr/bin/env bash
#
# Prints a folder (last line of stdout) with links to the sources of the operators of other kinds of jobs, at exactly
# the versions of tests/real/go/operators/*/go.mod, and of go/kinds/go.mod for those that are not built: the harness reads
# their CRDs and webhooks. Nothing of them is compiled.
#
# The folder is ${FEDRA_KINDS_DIR:-$HOME/.cache/fedra/kinds-<hash of the Go modules and this script>}. Apart from build_tools.sh,
# whose programs all other tests need and these sources not. Seconds, and 10 MB from the module proxy, when cold.
set -euo pipefail

readonly here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
hash="$(cat "$here"/go/{kinds,operators/*}/go.{mod,sum} "$here/build_kinds.sh" | sha256sum | cut -c1-12)"
readonly dir="${FEDRA_KINDS_DIR:-$HOME/.cache/fedra/kinds-$hash}"

# link_source MODULE_DIR MODULE NAME
link_source() {
  local module="$here/go/$1"
  if [[ -d "$dir/$3/" ]]; then
    return
  fi
  # GOTOOLCHAIN=local: a Go that would first download another Go is not "Go is installed".
  (cd "$module" && GOTOOLCHAIN=local go mod download "$2")
  ln -sfn "$(cd "$module" && GOTOOLCHAIN=local go list -m -f '{{.Dir}}' "$2")" "$dir/$3"
}

if ! command -v go >/dev/null; then export PATH="$PATH:/usr/local/go/bin"; fi
if ! command -v go >/dev/null; then
  echo "error: the tests of other kinds of jobs read their CRDs from Go modules, with Go 1.26 or newer." \
    "Install it from https://go.dev/dl/ and run again." >&2
  exit 1
fi
mkdir -p "$dir"
link_source operators/jobset sigs.k8s.io/jobset jobset
link_source operators/lws sigs.k8s.io/lws lws
link_source operators/mpi-operator github.com/kubeflow/mpi-operator mpi-operator
link_source operators/trainer github.com/kubeflow/trainer/v2 trainer
link_source operators/training-operator github.com/kubeflow/training-operator training-operator
link_source operators/appwrapper github.com/project-codeflare/appwrapper appwrapper
link_source operators/kuberay github.com/ray-project/kuberay/ray-operator kuberay
link_source kinds github.com/kubeflow/spark-operator/v2 spark-operator
echo "$dir"
