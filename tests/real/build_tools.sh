#!/usr/bin/env bash
#
# Builds the real control-plane programs that tests/real runs: etcd, the Kubernetes servers, kubectl, kwok
# and Kueue, at exactly the versions of tests/real/go/*/go.mod.
#
#   build_tools.sh               builds what is missing and prints the folder (last line of stdout)
#   build_tools.sh --print-dir   prints the folder and builds nothing
#
# The folder is ${FEDRA_TOOLS_DIR:-$HOME/.cache/fedra/tools-<hash>}; the hash covers the Go modules and this
# script, so a changed version gets a folder of its own. It holds the programs in bin/, and links to the
# module sources whose manifests the harness reads: kueue-src (CRDs, webhooks), kwok-src (stages).
#
# Cold about 10 minutes on 2 cores and 2 GB of memory; with a warm Go build cache, seconds.
set -euo pipefail

readonly here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly min_go_minor=26

tools_hash() {
  cat "$here"/go/{kube,kueue,kwok}/go.{mod,sum} "$here/build_tools.sh" | sha256sum | cut -c1-12
}

readonly dir="${FEDRA_TOOLS_DIR:-$HOME/.cache/fedra/tools-$(tools_hash)}"
if [[ "${1:-}" == "--print-dir" ]]; then
  echo "$dir"
  exit 0
fi

require_go() {
  if ! command -v go >/dev/null && [[ -x /usr/local/go/bin/go ]]; then
    export PATH="$PATH:/usr/local/go/bin"
  fi
  local version="none"
  # GOTOOLCHAIN=local: a Go that would first download another Go is not "Go is installed".
  if command -v go >/dev/null; then
    version="$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null || echo unknown)"
  fi
  if [[ ! "$version" =~ ^go1\.([0-9]+) ]] || ((BASH_REMATCH[1] < min_go_minor)); then
    echo "error: the real-cluster tests need Go 1.$min_go_minor or newer to build Kubernetes and Kueue;" \
      "found: $version. Install it from https://go.dev/dl/ and run again." >&2
    exit 1
  fi
}

# module_version MODULE_DIR MODULE -> the version its go.mod asks for
module_version() {
  (cd "$here/go/$1" && go list -m -f '{{.Version}}' "$2")
}

# build MODULE_DIR PACKAGE PROGRAM [LDFLAGS]
build() {
  local module="$1" package="$2" program="$3" ldflags="${4:-}"
  if [[ -x "$dir/bin/$program" ]]; then
    return
  fi
  echo "building $program ..." >&2
  local start=$SECONDS
  (cd "$here/go/$module" &&
    CGO_ENABLED=0 go build -trimpath -ldflags="-s -w $ldflags" -o "$dir/bin/$program.part" "$package")
  mv "$dir/bin/$program.part" "$dir/bin/$program"
  echo "built $program in $((SECONDS - start)) s" >&2
}

# link_source MODULE_DIR MODULE NAME: the module cache holds the manifests that belong to the program.
link_source() {
  local module="$1" path="$2" name="$3"
  if [[ -d "$dir/$name/" ]]; then
    return
  fi
  (cd "$here/go/$module" && go mod download "$path")
  ln -sfn "$(cd "$here/go/$module" && go list -m -f '{{.Dir}}' "$path")" "$dir/$name"
}

main() {
  require_go
  mkdir -p "$dir/bin"
  # Without the stamp the servers report v0.0.0 and clients that compare versions misbehave.
  local kubernetes
  kubernetes="$(module_version kube k8s.io/kubernetes)"
  local minor="${kubernetes#v1.}"
  local stamp="-X k8s.io/component-base/version.gitVersion=$kubernetes"
  stamp+=" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${minor%%.*}"
  local kueue="-X sigs.k8s.io/kueue/pkg/version.GitVersion=$(module_version kueue sigs.k8s.io/kueue)"

  build kube go.etcd.io/etcd/server/v3 etcd
  build kube k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver "$stamp"
  build kube k8s.io/kubernetes/cmd/kube-controller-manager kube-controller-manager "$stamp"
  build kube k8s.io/kubernetes/cmd/kube-scheduler kube-scheduler "$stamp"
  build kube k8s.io/kubernetes/cmd/kubectl kubectl "$stamp"
  build kwok sigs.k8s.io/kwok/cmd/kwok kwok
  build kueue sigs.k8s.io/kueue/cmd/kueue kueue "$kueue"
  link_source kueue sigs.k8s.io/kueue kueue-src
  link_source kwok sigs.k8s.io/kwok kwok-src
  echo "$dir"
}

main
