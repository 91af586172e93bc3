#!/usr/bin/env bash
#
# Builds programs of another release than the one that build_tools.sh builds, and prints their folder (last line of
# stdout):
#
#   build_release.sh kube 1.35     API server, controllers and scheduler, at the version of go/kube/kube-1.35.mod
#   build_release.sh kueue 0.18    Kueue, at the version of go/kueue/kueue-0.18.mod, and kueue-src, its module
#
# The folder is ~/.cache/fedra/NAME-VERSION-<hash>; the hash covers the Go module and this script. Cold about ten
# minutes on 2 cores; what is there already is not built again.
set -euo pipefail

readonly name="$1" release="$2"
# Says what to do where Go is missing, and builds what all releases share.
"$(dirname "${BASH_SOURCE[0]}")/build_tools.sh" >/dev/null
export PATH="$PATH:/usr/local/go/bin"

cd "$(dirname "${BASH_SOURCE[0]}")/go/$name"
readonly module="$name-$release.mod"
if [[ ! -f "$module" ]]; then
  echo "error: there is no $PWD/$module; there are: $(ls "$name"-*.mod | tr '\n' ' ')" >&2
  exit 1
fi

case "$name" in
  kube)
    readonly path=k8s.io/kubernetes
    readonly programs=(kube-apiserver kube-controller-manager kube-scheduler)
    ;;
  kueue)
    readonly path=sigs.k8s.io/kueue
    readonly programs=(kueue)
    ;;
esac
version="$(go list -modfile="$module" -m -f '{{.Version}}' "$path")"
readonly version
hash="$(cat "$module" "${module%.mod}.sum" ../../build_release.sh | sha256sum | cut -c1-12)"
readonly folder="$HOME/.cache/fedra/$name-$version-$hash"

# Without the stamp the servers report v0.0.0 and clients that compare versions misbehave.
stamp="-s -w -X k8s.io/component-base/version.gitVersion=$version"
stamp+=" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${release#1.}"
stamp+=" -X sigs.k8s.io/kueue/pkg/version.GitVersion=$version"
mkdir -p "$folder/bin"
for program in "${programs[@]}"; do
  if [[ -x "$folder/bin/$program" ]]; then continue; fi
  echo "building $program $version ..." >&2
  start=$SECONDS
  CGO_ENABLED=0 go build -modfile="$module" -trimpath -ldflags="$stamp" -o "$folder/bin/$program.part" \
    "$path/cmd/$program"
  mv "$folder/bin/$program.part" "$folder/bin/$program"
  echo "built $program in $((SECONDS - start)) s" >&2
done
if [[ "$name" == kueue ]]; then # CRDs and webhooks are read from it
  ln -sfn "$(go list -modfile="$module" -m -f '{{.Dir}}' "$path")" "$folder/kueue-src"
fi
echo "$folder"
