#!/usr/bin/env bash
#
# make test-real: every scenario on real clusters, once with Kueue leaving devices alone and once with Kueue's
# own DRA support. Never skips: without Go 1.26 it says so and fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tests/real/build_tools.sh >/dev/null
failed=0
for kueue_dra in off on; do
  tests/scenarios/run.py --fleet real --kueue-dra "$kueue_dra" "$@" || failed=1
done
exit "$failed"
