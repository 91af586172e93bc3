#!/usr/bin/python3
"""What fedra costs on large fleets: sizes of workers x workloads, on simulated clusters over HTTP/2.

  bench_scale.py [--sizes "10x1000 100x10000"] [--limit 3600] [--json FILE] ...      `make bench-scale`

For each size: workers with devices; a share of the jobs waits for ever, some run, the others have finished; then a pause,
kill -9 and a start, writes of others at given rates, and what people wait for. A size that takes too long is cut off, and
its row says how far it came. Prints two Markdown tables, times and counts; progress goes to standard error. The document
of --json has all numbers, also those that the tables leave out; scripts/plots.py draws it.
"""

from __future__ import annotations

import argparse
import dataclasses
import resource
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scenarios.bench import bad_workers, measured_run, size_row  # noqa: E402
from scenarios.bench.churn import parse_rates  # noqa: E402
from scenarios.bench.sizes import Plan, Size  # noqa: E402
from scenarios.bench.stock import Shape  # noqa: E402
from scenarios.fedra_process import default_binary  # noqa: E402

_SIZES = "10x1000 10x10000 100x1000 100x10000 200x10000 200x100000 1000x1000 1000x10000 1000x100000"
_CHURN = "slices=20,nodes=20,pods=40,claims=20"
_USUAL = Plan()


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and so what was started ends, too
    arguments = _parse()
    # A connection to each worker, and more from each thread.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    plan = _plan(arguments)
    document = measured_run.describe("bench-scale", arguments.fedra, dataclasses.asdict(plan))
    rows = []
    print(size_row.heads(), flush=True)
    for workers, workloads in arguments.sizes:
        with tempfile.TemporaryDirectory(prefix="fedra-scale-") as name:
            size = Size(workers, workloads, plan, arguments.fedra, Path(name) / "fedra")
            size.measure()
        rows.append(size.row)
        print(size_row.line(size.row), flush=True)
        document["rows"].append(dataclasses.asdict(size.row))
        measured_run.write(arguments.json, document)
    print(f"\n{size_row.count_table(rows)}")
    if slopes := size_row.memory_table(rows):
        print(f"\n{slopes}")
    print(f"written to {arguments.json}", file=sys.stderr)
    return 1 if any(row.failed for row in rows) else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures large fleets.")
    parser.add_argument(
        "--sizes",
        type=_sizes,
        default=_sizes(_SIZES),
        help="WORKERSxWORKLOADS, several with blanks",
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=_USUAL.limit,
        help="seconds for each size; then it is cut off",
    )
    parser.add_argument("--json", type=Path, default=Path("build/bench-scale.json"))
    parser.add_argument(
        "--waiting", type=int, default=_USUAL.waiting_share, help="per cent of the jobs"
    )
    parser.add_argument(
        "--running",
        type=int,
        default=_USUAL.running_share,
        help="per cent of the jobs; at most for half of the devices",
    )
    parser.add_argument(
        "--waiting-for",
        choices=("devices", "template"),
        default="devices",
        help="that others hold, or that no cluster has",
    )
    parser.add_argument(
        "--verify-later",
        action="store_true",
        help="devices are verified only after the restart: the jobs get to the workers more quickly",
    )
    parser.add_argument("--churn", type=_rates, default=_rates(_CHURN), help="writes a second")
    parser.add_argument("--churn-seconds", type=float, default=_USUAL.churn_seconds)
    parser.add_argument("--idle-seconds", type=float, default=_USUAL.idle_seconds)
    parser.add_argument("--nodes", type=int, default=_USUAL.shape.nodes, help="of each worker")
    parser.add_argument("--devices", type=int, default=_USUAL.shape.devices, help="of each node")
    parser.add_argument(
        "--demands", type=int, default=_USUAL.shape.demands, help="different ones of waiting jobs"
    )
    parser.add_argument(
        "--pods", type=int, default=_USUAL.shape.pods, help="of others, on each worker"
    )
    parser.add_argument(
        "--claims",
        type=int,
        default=_USUAL.shape.claims,
        help="of these pods, with a device each that no job asks for",
    )
    parser.add_argument(
        "--own-jobs",
        type=int,
        default=_USUAL.shape.own_jobs,
        help="of the worker's own users, on each worker",
    )
    parser.add_argument(
        "--slow", type=int, default=0, help="per cent of the workers: they answer a second late"
    )
    parser.add_argument(
        "--dead", type=int, default=0, help="per cent of the workers: they answer nothing"
    )
    parser.add_argument("--samples", type=int, default=_USUAL.samples, help="template to clone")
    parser.add_argument("--queues", type=int, default=_USUAL.queues, help="that compete")
    parser.add_argument("--queue-jobs", type=int, default=_USUAL.queue_jobs, help="of each of them")
    parser.add_argument("--fedra", type=Path, default=default_binary(), metavar="PATH")
    arguments = parser.parse_args()
    if not 1 <= arguments.demands <= 128 or arguments.devices > 128:
        parser.error("a slice has at most 128 devices")
    if arguments.claims > arguments.pods:
        parser.error("more claims than pods to have them")
    if arguments.slow < 0 or arguments.dead < 0 or arguments.slow + arguments.dead > 50:
        parser.error("more than half of the workers would be slow or dead")
    for workers, _ in arguments.sizes:
        names = tuple(str(index) for index in range(workers))
        try:
            bad_workers.part(names, arguments.slow, arguments.dead)
        except ValueError as error:
            parser.error(f"{workers} workers: {error}")
    if (
        arguments.samples < 2
        or arguments.waiting < 1
        or arguments.waiting + arguments.running > 100
    ):
        parser.error(
            "at least two samples, one per cent of waiting jobs, and no more than all jobs"
        )
    return arguments


def _plan(arguments: argparse.Namespace) -> Plan:
    return Plan(
        limit=arguments.limit,
        shape=Shape(
            arguments.nodes,
            arguments.devices,
            arguments.demands,
            arguments.pods,
            arguments.claims,
            arguments.own_jobs,
        ),
        slow_share=arguments.slow,
        dead_share=arguments.dead,
        waiting_share=arguments.waiting,
        running_share=arguments.running,
        waits_for_devices=arguments.waiting_for == "devices",
        devices_verified_later=arguments.verify_later,
        churn=arguments.churn,
        churn_seconds=arguments.churn_seconds,
        idle_seconds=arguments.idle_seconds,
        samples=arguments.samples,
        queues=arguments.queues,
        queue_jobs=arguments.queue_jobs,
    )


def _sizes(text: str) -> list[tuple[int, int]]:
    sizes = []
    for part in text.split():
        workers, separator, workloads = part.partition("x")
        if not separator or int(workers) < 1 or int(workloads) < 1:
            raise argparse.ArgumentTypeError(f"{part}: WORKERSxWORKLOADS, as 200x10000")
        sizes.append((int(workers), int(workloads)))
    return sizes


def _rates(text: str) -> dict[str, float]:
    return dict(parse_rates(text))


if __name__ == "__main__":
    sys.exit(main())
