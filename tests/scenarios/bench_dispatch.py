#!/usr/bin/python3
"""Measures fedra from outside, on simulated clusters and against Kueue's own MultiKueue on real ones.

  bench_dispatch.py real      200 jobs through both, and through a script that copies the bare minimum, on the same
                              clusters, one after the other; and what that costs their API servers and Kueues
  bench_dispatch.py sim       2,000 jobs where no Kueue burns the cores
  bench_dispatch.py latency   template created on a worker -> clone there
  bench_dispatch.py scale     200 workers, 2,000 workloads: memory, idle CPU, restart
  bench_dispatch.py burst     20 workers, 1,000 jobs at once that want devices
  bench_dispatch.py kinds     CPU per job of each kind; memory, idle CPU and watches of kinds, used or not; then
                              200 JobSets and 200 RayJobs through MultiKueue and fedra on real clusters
  bench_dispatch.py names     one real kube-apiserver as 1,000 workers: connections, watches, memory, a minute's CPU

Prints Markdown tables. Numbers differ from machine to machine; what counts are the ratios of one run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scenarios.bench import burst, dispatch, kinds, latency, names, scale  # noqa: E402
from scenarios.fedra_process import default_binary  # noqa: E402


def main() -> int:
    arguments = _parse()
    with tempfile.TemporaryDirectory(prefix="fedra-bench-") as name:
        _run_part(arguments, Path(name))
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures dispatch.")
    parser.add_argument(
        "part", choices=("real", "sim", "latency", "scale", "burst", "kinds", "names")
    )
    parser.add_argument(
        "--jobs", type=int, default=200, help="through each system on real clusters"
    )
    parser.add_argument("--before", type=Path, metavar="PATH", help="another fedra, in real alone")
    parser.add_argument("--sim-jobs", type=int, default=2000)
    parser.add_argument(
        "--watchers", type=int, default=0, help="streams that are open during sim; at most 16"
    )
    parser.add_argument("--samples", type=int, default=200, help="of the latency")
    parser.add_argument("--workers", type=int, default=200, help="of the fleet at rest")
    parser.add_argument("--workloads", type=int, default=2000, help="of the fleet at rest")
    parser.add_argument("--http1", action="store_true", help="no HTTP/2 in sim and scale")
    parser.add_argument("--burst-workers", type=int, default=20)
    parser.add_argument("--burst-jobs", type=int, default=1000)
    parser.add_argument("--burst-limit", type=int, default=300, help="seconds; then it is cut off")
    parser.add_argument("--kind-jobs", type=int, default=100, help="of each kind, simulated")
    parser.add_argument(
        "--kind-real-jobs",
        type=int,
        default=200,
        help="JobSets, and RayJobs, on real clusters; 0 leaves them out",
    )
    parser.add_argument(
        "--kind-workers", type=int, default=20, help="of the fleet with kinds at rest"
    )
    parser.add_argument("--names", type=int, default=1000, help="of the one API server")
    parser.add_argument("--names-seconds", type=float, default=60, help="that nothing happens")
    parser.add_argument(
        "--names-limit", type=float, default=900, help="seconds; then it is cut off"
    )
    parser.add_argument("--fedra", type=Path, default=default_binary(), metavar="PATH")
    return parser.parse_args()


def _run_part(arguments: argparse.Namespace, folder: Path) -> None:
    if arguments.part == "real":
        dispatch.bench_real(arguments.jobs, arguments.before, arguments.fedra, folder)
    elif arguments.part == "sim":
        jobs, watchers = arguments.sim_jobs, arguments.watchers
        dispatch.bench_sim(jobs, watchers, arguments.http1, arguments.fedra, folder)
    elif arguments.part == "latency":
        latency.bench_latency(arguments.samples, arguments.fedra, folder)
    elif arguments.part == "burst":
        workers, jobs = arguments.burst_workers, arguments.burst_jobs
        burst.bench_burst(workers, jobs, arguments.burst_limit, arguments.fedra, folder)
    elif arguments.part == "kinds":
        kinds.bench_kinds(
            arguments.kind_jobs,
            arguments.kind_workers,
            arguments.kind_real_jobs,
            arguments.fedra,
            folder,
        )
    elif arguments.part == "names":
        seconds, limit = arguments.names_seconds, arguments.names_limit
        names.bench_names(arguments.names, seconds, limit, arguments.fedra)
    else:
        workers, workloads = arguments.workers, arguments.workloads
        scale.bench_scale(workers, workloads, arguments.http1, arguments.fedra, folder)


if __name__ == "__main__":
    sys.exit(main())
