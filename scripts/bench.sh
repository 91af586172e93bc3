#!/usr/bin/env bash
#
# Prints numbers of docs/performance.md, which says which ones it does not: the micro benchmarks, the time of a build, then dispatch on simulated
# clusters, then on real ones against Kueue's own MultiKueue (needs Go 1.26; REAL=0 leaves that part out and says
# so).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "# $(nproc) cores, $(awk -F': ' '/model name/ {print $2; exit}' /proc/cpuinfo), $(git describe --always --dirty)"
for program in build/release/tests/bench/bench_*; do
  if [[ -x "$program" && -f "$program" ]]; then
    echo "# $(basename "$program")"
    "$program" --benchmark_counters_tabular=true 2>/dev/null
  fi
done
scripts/bench_build.sh
for part in sim latency scale burst; do
  tests/scenarios/bench_dispatch.py "$part"
done
if [[ "${REAL:-1}" == 0 ]]; then
  tests/scenarios/bench_dispatch.py kinds --kind-real-jobs 0
  echo "# real clusters: left out (REAL=0)"
else
  tests/scenarios/bench_dispatch.py kinds
  tests/scenarios/bench_dispatch.py real
fi
