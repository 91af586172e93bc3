#!/usr/bin/env bash
#
# Builds API server, controllers and scheduler of another Kubernetes release than the one of build_tools.sh, at the
# version of tests/real/go/kube/k8s-RELEASE.mod; prints their folder (last line of stdout).
#
#   build_kubernetes.sh 1.35
#
# The folder is ~/.cache/fedra/kubernetes-VERSION-<hash>/bin; the hash covers the Go module and this script. Cold about
# ten minutes on 2 cores; what is there already is not built again.
set -euo pipefail

readonly release="$1"
cd "$(dirname "${BASH_SOURCE[0]}")/go/kube"
readonly module="k8s-$release.mod"
if [[ ! -f "$module" ]]; then
  echo "error: there is no $PWD/$module; there are: $(ls k8s-*.mod | tr '\n' ' ')" >&2
  exit 1
fi
version="$(awk '$1 == "k8s.io/kubernetes" {print $2}' <(sed 's/^require //' "$module"))"
readonly version
hash="$(cat "$module" "${module%.mod}.sum" ../../build_kubernetes.sh | sha256sum | cut -c1-12)"
readonly folder="$HOME/.cache/fedra/kubernetes-$version-$hash/bin"

# Without the stamp the servers report v0.0.0 and clients that compare versions misbehave.
stamp="-s -w -X k8s.io/component-base/version.gitVersion=$version"
stamp+=" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${release#1.}"
mkdir -p "$folder"
for program in kube-apiserver kube-controller-manager kube-scheduler; do
  if [[ -x "$folder/$program" ]]; then continue; fi
  echo "building $program $version ..." >&2
  start=$SECONDS
  CGO_ENABLED=0 go build -modfile="$module" -trimpath -ldflags="$stamp" -o "$folder/$program.part" \
    "k8s.io/kubernetes/cmd/$program"
  mv "$folder/$program.part" "$folder/$program"
  echo "built $program in $((SECONDS - start)) s" >&2
done
echo "$folder"
