#!/usr/bin/python3
"""Runs the scenarios against a fleet of simulated or real clusters.

  run.py --fleet sim|real [--kueue-dra on|off] [--only NAME ...] [--fedra PATH]
  run.py --list
  run.py --write-docs | --check-docs

One line per scenario; exit 0 only if every one passed. See README.md.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.tools import ToolsMissing  # noqa: E402
from scenarios import cases  # noqa: E402
from scenarios.fedra_process import default_binary  # noqa: E402
from scenarios.fleet import Fleet  # noqa: E402
from scenarios.real_fleet import RealFleet  # noqa: E402
from scenarios.registry import Scenario  # noqa: E402
from scenarios.rows import page  # noqa: E402
from scenarios.sim_fleet import SimFleet  # noqa: E402
from scenarios.world import World  # noqa: E402


def main() -> int:
    arguments = _parse()
    scenarios = [s for s in cases.SCENARIOS if not arguments.only or s.name in arguments.only]
    unknown = set(arguments.only) - {s.name for s in scenarios}
    if unknown:
        print(
            f"error: no scenario is called {', '.join(sorted(unknown))}; see --list",
            file=sys.stderr,
        )
        return 2
    if arguments.list:
        for each in scenarios:
            print(f"{each.name:28} {each.summary}")
        return 0
    if arguments.write_docs or arguments.check_docs:
        return _documentation(arguments.write_docs)
    if not arguments.fedra.exists():
        print(
            f"error: {arguments.fedra} does not exist; build it with make, or use --fedra",
            file=sys.stderr,
        )
        return 2
    # So that SIGTERM ends the fleet as well as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        return _run_on_fleet(arguments, scenarios)
    except ToolsMissing as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs the scenarios against a fleet of clusters.")
    parser.add_argument("--fleet", choices=("sim", "real"), default="sim")
    parser.add_argument(
        "--kueue-dra", choices=("on", "off"), default="off", help="Kueue's own DRA support"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="may be repeated"
    )
    parser.add_argument(
        "--fedra",
        type=Path,
        default=default_binary(),
        metavar="PATH",
        help="the program under test",
    )
    parser.add_argument(
        "--second-look",
        action="store_true",
        help="run what failed once more, say so, and fail only for what fails again",
    )
    parser.add_argument("--list", action="store_true", help="name the scenarios and end")
    parser.add_argument(
        "--write-docs", action="store_true", help="make docs/workloads.md of the table and end"
    )
    parser.add_argument(
        "--check-docs", action="store_true", help="whether that page is current, and end"
    )
    return parser.parse_args()


def _documentation(write: bool) -> int:
    if write:
        page.write()
    elif not page.is_current():
        print(f"error: {page.PAGE} is not what the scenarios say; run make docs", file=sys.stderr)
        return 1
    return 0


def _run_on_fleet(arguments: argparse.Namespace, scenarios: list[Scenario]) -> int:
    kueue_dra = arguments.kueue_dra == "on"
    fleet: Fleet = RealFleet(kueue_dra) if arguments.fleet == "real" else SimFleet(kueue_dra)
    folder = Path(tempfile.mkdtemp(prefix="fedra-scenarios-"))
    failed: list[Scenario] = []
    started = time.monotonic()
    chosen = [each for each in scenarios if each.runs_on(fleet)]
    try:
        fleet.start()
        print(
            f"{fleet.kind} fleet, Kueue DRA {arguments.kueue_dra}, ready in {time.monotonic() - started:.1f} s"
        )
        failed = _failing(chosen, fleet, arguments.fedra, folder / "first")
        if failed and arguments.second_look:
            print(f"second look at{_names(failed)}", flush=True)
            failed = _failing(failed, fleet, arguments.fedra, folder / "second")
    finally:
        fleet.stop()
        shutil.rmtree(folder)
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed{_names(failed)}", flush=True)
    return 1 if failed else 0


def _failing(scenarios: list[Scenario], fleet: Fleet, binary: Path, folder: Path) -> list[Scenario]:
    folder.mkdir()
    return [each for each in scenarios if not _run_one(each, fleet, binary, folder)]


def _run_one(each: Scenario, fleet: Fleet, binary: Path, folder: Path) -> bool:
    world = World(fleet, each.name.lower(), binary, folder / each.name)
    started = time.monotonic()
    try:
        world.open()
        each.body(world)
        world.close()
    except Exception:
        print(f"FAIL  {each.name:28} {time.monotonic() - started:6.1f} s", flush=True)
        _print_failure(world)
        world.abandon()
        return False
    print(
        f"ok    {each.name:28} {time.monotonic() - started:6.1f} s  {world.notes}".rstrip(),
        flush=True,
    )
    return True


def _print_failure(world: World) -> None:
    print(traceback.format_exc())
    if world.fedra is not None:
        print(world.fedra.report())
    for line in world.describe():
        print(line)
    sys.stdout.flush()


def _names(scenarios: list[Scenario]) -> str:
    return f": {', '.join(each.name for each in scenarios)}" if scenarios else ""


if __name__ == "__main__":
    sys.exit(main())
