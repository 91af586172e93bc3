#!/usr/bin/env bash
#
# make test-real-modes: the scenarios that are also played in the modes multikueue and dispatcher, on real clusters:
# those of batch/v1 Jobs, then those of other kinds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

failed=0
for mode in multikueue dispatcher; do
  for kinds in "" --kinds; do
    tests/scenarios/run.py --fleet real --mode "$mode" ${kinds:+"$kinds"} "$@" || failed=1
  done
done
exit "$failed"
