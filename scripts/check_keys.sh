#!/usr/bin/env bash
#
# Checks that no file of the tree holds a private key, as PEM or as a kubeconfig has it: tests make theirs anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# In base64: "-----BEGIN PRIVATE", "-----BEGIN RSA PRIVATE", EC, ENCRYPTED and OPENSSH.
found=$(git grep -IlE --untracked -e '-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY-----' \
  -e 'LS0tLS1CRUdJTiB(QUklWQVRF|SU0EgUFJJVkFUR|FQyBQUklWQVRF|FTkNSWVBURUQgUFJJVkFUR|PUEVOU1NIIFBSSVZBVEUg)' || true)
if [[ -n "$found" ]]; then
  printf '%s: holds a private key\n' $found >&2
  exit 1
fi
