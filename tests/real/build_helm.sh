#!/usr/bin/env bash
#
# build_helm.sh [--if-built]: builds Helm at exactly the version of tests/real/go/helm/go.mod, and prints its path (last line of stdout).
#
# It goes to ${FEDRA_HELM_DIR:-$HOME/.cache/fedra/helm-<hash of the Go module>}. Apart from build_tools.sh, whose
# programs all other tests need and this one does not. Cold about 5 minutes on 2 cores.
# --if-built: fails instead of building it.
set -euo pipefail

readonly module="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/go/helm"
readonly dir="${FEDRA_HELM_DIR:-$HOME/.cache/fedra/helm-$(cat "$module"/go.{mod,sum} | sha256sum | cut -c1-12)}"

if [[ ! -x "$dir/helm" && "${1:-}" == --if-built ]]; then
  echo "helm has not been built here: tests/real/build_helm.sh" >&2
  exit 1
fi
if [[ ! -x "$dir/helm" ]]; then
  if ! command -v go >/dev/null; then export PATH="$PATH:/usr/local/go/bin"; fi
  if ! command -v go >/dev/null; then
    echo "error: the tests of the chart build Helm, with Go 1.26 or newer. Install it from https://go.dev/dl/." >&2
    exit 1
  fi
  echo "building helm ..." >&2
  mkdir -p "$dir"
  cd "$module"
  # GOTOOLCHAIN=local: a Go that would first download another Go is not "Go is installed".
  GOTOOLCHAIN=local CGO_ENABLED=0 nice go build -trimpath -ldflags="-s -w" -o "$dir/helm.part" helm.sh/helm/v4/cmd/helm
  mv "$dir/helm.part" "$dir/helm"
fi
echo "$dir/helm"
