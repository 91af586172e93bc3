#!/usr/bin/python3
"""Runs the scenarios against a fleet of simulated or real clusters.

  run.py --fleet sim|real [--kueue-dra on|off] [--only NAME ...] [--kinds [--operator NAME ...]] [--share K/N] [--fedra PATH] [--lanes N]
  run.py --fleet sim|real --mode multikueue|dispatcher [...]
  run.py --fleet real --kubernetes manager=1.37 --kubernetes worker1=1.34 --kueue worker2=0.18
  run.py --list
  run.py --write-docs | --check-docs

One line per scenario; exit 0 only if every one passed. See README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.operators import NAMES as OPERATORS, kinds_of  # noqa: E402
from real.tools import KUEUE, KUEUES, RELEASE, RELEASES, ToolsMissing  # noqa: E402
from scenarios import case_table, cases, lanes, setup, setup_page  # noqa: E402
from scenarios.conformance import page as conformance  # noqa: E402
from scenarios.fedra_process import default_binary, previous_binary  # noqa: E402
from scenarios.fleet import MANAGER, Fleet  # noqa: E402
from scenarios.modes import ADMISSION_CHECK, MODES, MULTIKUEUE  # noqa: E402
from scenarios.real_fleet import WORKERS, RealFleet  # noqa: E402
from scenarios.registry import Scenario  # noqa: E402
from scenarios.rows import page  # noqa: E402
from scenarios.sim_fleet import SimFleet  # noqa: E402


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
            if arguments.mode in each.modes:
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
    if (previous := previous_binary()) is not None and not previous.exists():
        print(f"error: FEDRA_PREVIOUS: {previous} does not exist", file=sys.stderr)
        return 2
    if (arguments.kubernetes or arguments.kueue) and arguments.fleet != "real":
        print("error: --kubernetes and --kueue are for --fleet real", file=sys.stderr)
        return 2
    # So that SIGTERM ends the fleet as well as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        return (_serve if arguments.lane else _run)(arguments, scenarios)
    except (ToolsMissing, lanes.LaneEnded) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs the scenarios against a fleet of clusters.")
    parser.add_argument("--fleet", choices=("sim", "real"), default="sim")
    parser.add_argument(
        "--mode",
        choices=tuple(MODES),
        default=ADMISSION_CHECK,
        help="kueue.mode; only the scenarios that say something of this mode are played in it",
    )
    parser.add_argument(
        "--kueue-dra", choices=("on", "off"), default="off", help="Kueue's own DRA support"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="may be repeated"
    )
    parser.add_argument(
        "--kinds",
        action="store_true",
        help="only the scenarios of other kinds of jobs, which real clusters leave out otherwise",
    )
    parser.add_argument(
        "--play-operators",
        action="store_true",
        help="no operator is real, so that all kinds are played that can be",
    )
    parser.add_argument(
        "--operator",
        action="append",
        choices=OPERATORS,
        metavar="NAME",
        help=f"a real operator on real clusters: of {', '.join(OPERATORS)}; may be repeated; all, if none is named",
    )
    parser.add_argument(
        "--kubernetes",
        action="append",
        default=[],
        type=lambda text: _release(text, RELEASES),
        metavar="CLUSTER=RELEASE",
        help=f"a real cluster with another Kubernetes than {RELEASE}; may be repeated",
    )
    parser.add_argument(
        "--kueue",
        action="append",
        default=[],
        type=lambda text: _release(text, KUEUES),
        metavar="CLUSTER=RELEASE",
        help=f"a real cluster with another Kueue than {KUEUE}; may be repeated",
    )
    parser.add_argument(
        "--share",
        type=_share,
        default=(0, 1),
        metavar="K/N",
        help="every Nth of these scenarios, from the Kth on (any number: K counts modulo N)",
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
    parser.add_argument(
        "--lanes", type=int, metavar="N", help="fleets that play scenarios side by side"
    )
    parser.add_argument(
        "--results", type=Path, metavar="FILE", help="write how many passed and failed into it"
    )
    parser.add_argument("--lane", action="store_true", help=argparse.SUPPRESS)  # see lanes.py
    parser.add_argument(
        "--list", action="store_true", help="name the scenarios of the mode and end"
    )
    parser.add_argument(
        "--write-docs",
        action="store_true",
        help="make docs/workloads.md and conformance.md of their tables and end",
    )
    parser.add_argument(
        "--check-docs",
        action="store_true",
        help="whether these pages and the README's table are true, and end",
    )
    return parser.parse_args()


def _share(text: str) -> tuple[int, int]:
    first, _, step = text.partition("/")
    if not (first.isdigit() and step.isdigit() and int(step) > 0):
        raise argparse.ArgumentTypeError(f"{text}: not as 1/3")
    return int(first) % int(step), int(step)


def _release(text: str, known: tuple[str, ...]) -> tuple[str, str]:
    cluster, _, release = text.partition("=")
    if cluster not in (MANAGER, *WORKERS) or release not in known:
        clusters = ", ".join((MANAGER, *WORKERS))
        raise argparse.ArgumentTypeError(
            f"{text}: not as {MANAGER}={known[0]}; there are {clusters}, and {', '.join(known)}"
        )
    return cluster, release


def _documentation(write: bool) -> int:
    if write:
        page.write()
        conformance.write()
        return 0
    names = {each.name for each in cases.SCENARIOS}
    problems = [f"{case_table.PAGE}: {each}" for each in case_table.problems(names)]
    problems += [f"{setup_page.PAGE}: {each}" for each in setup_page.problems(names)]
    shown = {mode: {each.name for each in cases.SCENARIOS if each.shows(mode)} for mode in MODES}
    problems += [f"{conformance.TABLE_FILE}: {each}" for each in conformance.problems(shown)]
    for each in (page, conformance):
        if not each.is_current():
            problems.append(f"{each.PAGE} is not what the scenarios say; run make docs")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _make_fleet(arguments: argparse.Namespace, scenarios: list[Scenario]) -> Fleet:
    kueue_dra = arguments.kueue_dra == "on"
    with_multikueue = arguments.mode != MULTIKUEUE
    if arguments.fleet == "sim":
        return SimFleet(kueue_dra, multikueue=with_multikueue)
    with_kinds = any(each.other_kinds for each in scenarios)
    return RealFleet(
        kueue_dra,
        kueue_configuration={MANAGER: setup.DISPATCHER},
        other_kinds=with_kinds,
        releases=dict(arguments.kubernetes),
        kueues=dict(arguments.kueue),
        operators=_operators(arguments) if with_kinds else (),
        multikueue=with_multikueue,
    )


def _operators(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Those that are real, by name."""
    return () if arguments.play_operators else tuple(arguments.operator or OPERATORS)


def _serve(arguments: argparse.Namespace, scenarios: list[Scenario]) -> int:
    scenarios = _chosen(arguments, scenarios)
    fleet = _make_fleet(arguments, scenarios)
    try:
        with tempfile.TemporaryDirectory(prefix="fedra-scenarios-") as folder:
            fleet.start()
            fleet.announce([each.namespace for each in scenarios])
            lanes.serve(scenarios, fleet, arguments.fedra, Path(folder), MODES[arguments.mode])
    finally:
        fleet.stop()
    return 0


def _of_share(arguments: argparse.Namespace, scenarios: list[Scenario]) -> list[Scenario]:
    dra = arguments.kueue_dra == "on"
    chosen = [each for each in scenarios if each.runs_on(arguments.fleet, dra, arguments.mode)]
    if not arguments.only:
        chosen = [each for each in chosen if arguments.fleet not in each.on_request]
    if arguments.kinds:
        chosen = [each for each in chosen if each.other_kinds]
    elif arguments.fleet == "real" and not arguments.only:
        chosen = [each for each in chosen if not each.other_kinds]
    chosen = [each for each in chosen if not _lacks_operator(arguments, each)]
    releases = dict(arguments.kubernetes)
    if {releases.get(cluster, RELEASE) for cluster in (MANAGER, WORKERS[0])} != {RELEASE}:
        chosen = [each for each in chosen if not each.off_by_default]
    if not releases:
        chosen = [each for each in chosen if not each.upgrades]
    if previous_binary() is None:
        chosen = [each for each in chosen if not each.needs_previous]
    first, step = arguments.share
    return chosen[first::step]


def _chosen(arguments: argparse.Namespace, scenarios: list[Scenario]) -> list[Scenario]:
    # What the clusters are too old for is taken out last, so that it changes no other fleet's share.
    share = _of_share(arguments, scenarios)
    return [each for each in share if too_old(arguments, each) is None]


def too_old(arguments: argparse.Namespace, scenario: Scenario) -> str | None:
    """What of one of the workers is, for this scenario."""
    for since, what, known, usual, others in (
        (scenario.workers_since, "Kubernetes", RELEASES, RELEASE, arguments.kubernetes),
        (scenario.kueue_since, "Kueue", KUEUES, KUEUE, arguments.kueue),
    ):
        oldest = min(known.index(dict(others).get(worker, usual)) for worker in WORKERS)
        if since is not None and oldest < known.index(since):
            return f"{what} before {since} on a worker"
    return None


def _lacks_operator(arguments: argparse.Namespace, scenario: Scenario) -> bool:
    needed = None if arguments.fleet == "sim" else scenario.operator_of
    return needed is not None and needed not in kinds_of(_operators(arguments))


def _run(arguments: argparse.Namespace, scenarios: list[Scenario]) -> int:
    started = time.monotonic()
    chosen = [each.name for each in _chosen(arguments, scenarios)]
    if arguments.share[1] > 1:
        print(
            f"share {arguments.share[0]}/{arguments.share[1]}: {len(chosen)} scenarios", flush=True
        )
    for each in scenarios if previous_binary() is None else ():
        if each.needs_previous and not arguments.kinds:
            print(
                f"SKIP {each.name}: FEDRA_PREVIOUS names no program of the version before",
                flush=True,
            )
    for each in _of_share(arguments, scenarios):
        if old := too_old(arguments, each):
            print(f"SKIP {each.name}: {old}", flush=True)
    if arguments.kinds:
        without = [each.name for each in scenarios if _lacks_operator(arguments, each)]
        if without:
            print(f"left out, since their operator does not run{_names(without)}", flush=True)
    if elsewhere := [name for name in arguments.only if name not in chosen]:
        fleet = f"{arguments.fleet} fleet with Kueue DRA {arguments.kueue_dra}{_in_mode(arguments)}"
        print(f"not on a {fleet}{_names(elsewhere)}", flush=True)
    if not chosen:
        return 0
    command = [*sys.argv, "--lane"]
    running = [lanes.Lane(command) for _ in range(min(_lane_count(arguments), len(chosen)))]
    failed: list[str] = []
    try:
        for lane in running:
            lane.wait_ready()
        print(
            f"{arguments.fleet} fleet, Kueue DRA {arguments.kueue_dra}{_in_mode(arguments)}, {len(running)} lanes, "
            f"ready in {time.monotonic() - started:.1f} s",
            flush=True,
        )
        failed = _failing(running, chosen)
        if failed and arguments.second_look:
            print(f"second look, one by one, at{_names(failed)}", flush=True)
            failed = _failing(running[:1], failed)
    finally:
        ended_well = all([lane.stop() for lane in running])
    took = f"in {time.monotonic() - started:.0f} s"
    print(
        f"{len(chosen) - len(failed)} passed, {len(failed)} failed {took}{_names(failed)}",
        flush=True,
    )
    if arguments.results:
        counts = {"passed": len(chosen) - len(failed), "failed": len(failed)}
        arguments.results.write_text(json.dumps(counts))
    if not ended_well:
        print("error: a fleet did not end as it should", file=sys.stderr)
    return 0 if ended_well and not failed else 1


def _in_mode(arguments: argparse.Namespace) -> str:
    return "" if arguments.mode == ADMISSION_CHECK else f", mode {arguments.mode}"


def _lane_count(arguments: argparse.Namespace) -> int:
    """Two for each core: a lane is busy for a third of its time. Real clusters fill the machine alone."""
    if arguments.lanes is not None:
        return int(arguments.lanes)
    return 1 if arguments.fleet == "real" else 2 * (os.cpu_count() or 1)


def _failing(running: list[lanes.Lane], names: list[str]) -> list[str]:
    results = lanes.play_all(running, names, lambda result: print(result, flush=True))
    return [result.name for result in results if not result.passed]


def _names(names: list[str]) -> str:
    return f": {', '.join(names)}" if names else ""


if __name__ == "__main__":
    sys.exit(main())
