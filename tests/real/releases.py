#!/usr/bin/python3
"""The releases of Kubernetes and Kueue that fedra is tried with.

  releases.py [--record] [OPTION ...]   plays the scenarios on fleets of several releases (make test-real-releases), each
                                        on one of them, or on all of them those of OPTION, as in tests/scenarios/run.py
  releases.py --usual [--record] [...]  all of them on the usual releases, once with Kueue leaving devices alone and once
                                        with Kueue's own DRA support (make test-real)
  releases.py --part N [--record]       the share of the Nth of the fleets alone, from 1 on, as after it has failed
  releases.py --write                   writes the table of README.md and docs/support.md, which says what was tried
  releases.py --check                   whether it is true

--record: a fleet on which nothing has failed is noted in tests/data/releases.json, of which the table is made. Only of a
tree that is committed, under the commit that fedra itself says it is of, and of all scenarios: of the options only --lanes
may be given. The comparison of single pods notes its own result (agree_scheduler.py --record).
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).parents[1]))

from real import tested  # noqa: E402
from real.tools import KUEUE, RELEASE, kubernetes_version, kueue_version  # noqa: E402
from scenarios.fedra_process import default_binary  # noqa: E402
from scenarios.fleet import MANAGER  # noqa: E402
from scenarios.real_fleet import WORKERS  # noqa: E402

_ROOT = Path(__file__).parents[2]
_PAGES = ("README.md", "docs/support.md")
_RECORDS = (str(tested.FILE.relative_to(_ROOT)), *_PAGES)
_BEGIN, _BEGIN_FLEETS = (
    "<!-- tests/real/releases.py -->\n",
    "<!-- tests/real/releases.py: fleets -->\n",
)
_END = "<!-- end -->\n"


@dataclasses.dataclass(frozen=True)
class _Fleet:
    """Of the clusters that are not of the usual release."""

    kubernetes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    kueue: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def options(self) -> Iterator[str]:
        for option, releases in (("--kubernetes", self.kubernetes), ("--kueue", self.kueue)):
            for cluster, release in releases.items():
                yield from (option, f"{cluster}={release}")

    def versions(self) -> dict[str, dict[str, str]]:
        """As the module files say that the programs are built from."""
        return {
            cluster: {
                "kubernetes": kubernetes_version(self.kubernetes.get(cluster, RELEASE))[1:],
                "kueue": kueue_version(self.kueue.get(cluster, KUEUE))[1:],
            }
            for cluster in (MANAGER, *WORKERS)
        }


_USUAL = _Fleet()
_MIXED = (
    _Fleet({"worker1": "1.34", "worker2": "1.37"}),
    _Fleet({MANAGER: "1.37", "worker2": "1.35"}, {"worker1": "0.18", "worker2": "0.17"}),
    _Fleet({MANAGER: "1.35"}, {MANAGER: "0.18"}),
)


def main() -> int:
    arguments = sys.argv[1:]
    if arguments in (["--write"], ["--check"]):
        return _pages(arguments == ["--write"])
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--usual", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--part", type=int, choices=range(1, len(_MIXED) + 1))
    how, options = parser.parse_known_args(arguments)
    try:
        run = _run_of_all(how, options) if how.record else None
        return _play_all(how, options, run)
    except ValueError as error:
        print(f"error: not recorded: {error}", file=sys.stderr)
        return 2


def run_of(command: list[str], fedra: Path) -> tested.Run:
    """What is to be noted of a run that begins now: it may take an hour. ValueError: files of this tree are in no commit, or
    `fedra` is of none that led to it."""
    pending = _changed(*_RECORDS)
    if _changed(".", *(f":!{file}" for file in _RECORDS)):
        raise ValueError("the tree has changes that are in no commit")
    head = _git("rev-parse", "--short=8", "HEAD")
    try:
        said = json.loads(_output([str(fedra.resolve()), "version", "-o", "json"]))["commit"]
        built_from = said.removesuffix("-dirty") + "^{commit}"
        commit = _git("rev-parse", "--short=8", "--verify", built_from)
        _git("merge-base", "--is-ancestor", commit, "HEAD")
    except (OSError, subprocess.CalledProcessError) as error:
        raise ValueError(f"{fedra} is of no commit that led to this tree: {error}") from None
    # What a run before this one has recorded may wait for its commit, also while fedra is built.
    if said.endswith("-dirty") and not (pending and commit == head):
        raise ValueError(f"{fedra} was built of changes that are in no commit")
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return tested.Run(shlex.join(command), commit, head, today)


def run_of_comparison(script: str, options: argparse.Namespace) -> tested.Run:
    """The same of a comparison with a real scheduler; `options` as of agreement/options.py, with the `fedra` that is asked."""
    command = [script, "--kubernetes", options.kubernetes]
    command += ["-n", str(options.n), "--seed", str(options.seed)]
    if options.first:
        command += ["--first", str(options.first)]
    return run_of(command, options.fedra)


class Comparison(Protocol):
    """What a comparison with a real scheduler came to."""

    def agreed(self) -> bool:
        ...

    def is_worth_noting(self) -> bool:
        ...

    def entry(self, run: tested.Run) -> tested.Entry:
        ...


def conclude(comparison: Comparison, run: tested.Run | None) -> int:
    """The exit code. It is noted, if it is worth that, where there is a `run`."""
    if run is None:
        return 0 if comparison.agreed() else 1
    if not comparison.is_worth_noting():
        print("error: not recorded: too much differs or is left out", file=sys.stderr)
        return 1
    note([comparison.entry(run)])
    return 0


def note(entries: list[tested.Entry]) -> None:
    tested.record(entries, [fleet.versions() for fleet in (_USUAL, *_MIXED)])
    _pages(write=True)
    print(f"recorded: commit {', '.join(_RECORDS)}")


def _play_all(how: argparse.Namespace, options: list[str], run: tested.Run | None) -> int:
    failed = False
    passed: list[tested.Entry] = []
    for number, fleet in enumerate((_USUAL,) if how.usual else _MIXED):
        if how.part not in (None, number + 1):
            continue
        if how.usual:
            plays = [["--kueue-dra", dra, *options] for dra in ("off", "on")]
        else:
            plays = [options or ["--share", f"{number}/{len(_MIXED)}"]]
        results = [_play([*fleet.options(), *each]) for each in plays]
        ended_well = [each for each in results if each is not None]
        if len(ended_well) < len(results):
            failed = True
        elif run is not None:
            counts = {key: sum(each[key] for each in ended_well) for key in ("passed", "failed")}
            passed.append(tested.scenarios(fleet.versions(), **counts, run=run))
    if passed:
        note(passed)
    return 1 if failed else 0


def _run_of_all(how: argparse.Namespace, options: list[str]) -> tested.Run:
    """ValueError: with these options a run may say less than the table, or something else."""
    harmless = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    harmless.add_argument("--lanes")
    if others := harmless.parse_known_args(options)[1]:
        raise ValueError(f"with {shlex.join(others)} it may not be what the table says")
    target = ["make", "test-real" if how.usual else "test-real-releases"]
    if how.part is not None:
        options = ["--part", str(how.part), *options]
    if options:
        target.append(f"SCENARIO_OPTIONS={' '.join(options)}")
    return run_of(target, default_binary())


def _play(options: list[str]) -> dict[str, int] | None:
    """How many scenarios "passed" and "failed"; None unless all went well."""
    with tempfile.TemporaryDirectory(prefix="fedra-releases-") as folder:
        results = Path(folder) / "results"
        command = ["tests/scenarios/run.py", "--fleet", "real", *options]
        print(" ".join(command), flush=True)
        if subprocess.run([*command, "--results", str(results)], cwd=_ROOT).returncode != 0:
            return None
        # Of no scenario at all run.py has no results.
        counts = json.loads(results.read_text()) if results.exists() else {}
        return {key: counts.get(key, 0) for key in ("passed", "failed")}


def _changed(*paths: str) -> bool:
    return bool(_git("status", "--porcelain", "--", *paths))


def _git(*arguments: str) -> str:
    return _output(["git", *arguments])


def _output(command: list[str]) -> str:
    done = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _pages(write: bool) -> int:
    entries = tested.read()
    table, fleets = tested.table(entries, MANAGER), tested.fleets(entries, MANAGER)
    wrong = False
    for name in _PAGES:
        page = _ROOT / name
        old = page.read_text()
        new = _with_block(_with_block(old, _BEGIN, table), _BEGIN_FLEETS, fleets)
        if new == old:
            continue
        if write:
            page.write_text(new)
        else:
            wrong = True
            print(
                f"error: {name} does not name the tested releases; run make docs", file=sys.stderr
            )
    return 1 if wrong else 0


def _with_block(page: str, begin: str, block: str) -> str:
    """Where the page has one."""
    before, found, rest = page.partition(begin)
    return before + begin + block + _END + rest.partition(_END)[2] if found else page


if __name__ == "__main__":
    sys.exit(main())
