#!/usr/bin/python3
"""Two replicas on simulated clusters for an hour, under load, whose leader is ended every minute: does anything grow?

  run_soak.py [--minutes 60] [--workers 200] [--rate 5] [--seed 1] [--period 60] [--folder DIR]
  run_soak.py --again DIR

Then, for a quarter of that time, no replica is ended, and at last all jobs are. Prints lines about its progress, then a
table, and what is wrong; exit 0 only if nothing is. The samples are lines of JSON in DIR/samples.jsonl; `--again`
looks at those of an earlier run. See README.md.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scenarios.fedra_process import default_binary  # noqa: E402
from scenarios.replicas import seconds_without  # noqa: E402
from scenarios.sim_fleet import SimFleet  # noqa: E402
from scenarios.soak.course import Course, Plan  # noqa: E402
from scenarios.soak.jobs import Jobs  # noqa: E402
from scenarios.soak.report import Report  # noqa: E402
from scenarios.soak.samples import Recording, read  # noqa: E402
from scenarios.world import World  # noqa: E402

_RUNS = Path(__file__).resolve().parents[2] / "build/soak"
_SAMPLES, _PERIOD = "samples.jsonl", "period.json"
_SLACK = 3600  # seconds beside load and calm, after which it is given up


def main() -> int:
    arguments = _parse()
    folder = arguments.again
    found: list[str] = []
    if folder is None:
        folder = (arguments.folder or _RUNS / time.strftime("%Y%m%d-%H%M%S")).resolve()
        folder.mkdir(parents=True)
        found = _run(arguments, folder)
    samples, marks = read(folder / _SAMPLES)
    report = Report(samples, marks, json.loads((folder / _PERIOD).read_text()))
    print(f"\n{report.table()}\n")
    print("\n".join(report.growth_lines()))
    found += report.findings()
    for each in found:
        print(f"error: {each}", flush=True)
    print(
        f"{'nothing grows' if not found else f'{len(found)} findings'}; samples: {folder / _SAMPLES}"
    )
    return 1 if found else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="An hour of take-overs under load.")
    parser.add_argument("--minutes", type=float, default=60, help="in which leaders are ended")
    parser.add_argument("--period", type=float, default=60, help="seconds between two ends")
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--rate", type=float, default=5, help="jobs per second")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="a new one; as usual in build/soak")
    parser.add_argument("--again", type=Path, metavar="DIR", help="of an earlier run")
    parser.add_argument("--fedra", type=Path, default=default_binary(), metavar="PATH")
    return parser.parse_args()


def _run(arguments: argparse.Namespace, folder: Path) -> list[str]:
    """What is wrong beside the samples."""
    plan = Plan(
        arguments.minutes, arguments.period, arguments.workers, arguments.rate, arguments.seed
    )
    # A connection to each worker from each of several threads.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # So that SIGTERM ends the fleet as well as Ctrl-C does, and what hangs ends some time.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("error: it did not end in time"))
    signal.alarm(round(plan.minutes * 60 + plan.calm) + _SLACK)
    (folder / _PERIOD).write_text(json.dumps(plan.period))
    workers = tuple(f"worker-{index:03}" for index in range(plan.workers))
    fleet = SimFleet(kueue_dra=False, workers=workers)
    try:
        fleet.start()
        world = World(fleet, "soak", arguments.fedra, folder / "fedra")
        try:
            world.open()
            Jobs.prepare(world)
            course = Course(plan, world, Recording(folder / _SAMPLES))
            print(f"seed {plan.seed}, {plan.workers} workers, {folder}", flush=True)
            found = course.run()
        except BaseException:
            print(f"error: it ended early; what was measured: --again {folder}", flush=True)
            raise
        finally:
            world.abandon()
    finally:
        fleet.stop()
    for name, seconds in sorted(course.without.items()):
        print(seconds_without(f"after {name}", seconds))
    return found


if __name__ == "__main__":
    sys.exit(main())
