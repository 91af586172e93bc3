"""What was tested on which releases: tests/data/releases.json, and the table that is made of it.

Runs write the file (releases.py, agree_scheduler.py). It has one entry for each fleet, the last run that passed there, and
one for each release whose kube-scheduler fedra was compared with.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "data/releases.json"
SCENARIOS, SCHEDULER = "scenarios", "scheduler"

# "kind" tells what the other keys are, see scenarios() and scheduler().
Entry = dict[str, Any]
# Of each cluster of a fleet by its name the versions of "kubernetes" and "kueue", as "1.36.3".
Clusters = Mapping[str, Mapping[str, str]]


@dataclasses.dataclass(frozen=True)
class Run:
    command: str
    commit: str  # of the fedra that was tested
    tests: str  # the commit of the tests
    date: str

    def keys(self) -> Entry:
        """The commit of the tests only where it is another one."""
        tests = {} if self.tests == self.commit else {"tests": self.tests}
        return {"command": self.command, "commit": self.commit, **tests, "date": self.date}


def scenarios(clusters: Clusters, passed: int, failed: int, run: Run) -> Entry:
    of_fleet = {cluster: dict(versions) for cluster, versions in clusters.items()}
    counts = {"clusters": of_fleet, "passed": passed, "failed": failed}
    return {"kind": SCENARIOS, **counts, **run.keys()}


def scheduler(kubernetes: str, compared: int, left_out: int, differ: int, run: Run) -> Entry:
    """`kubernetes`: "1.36.3"; the numbers are of cases, and those that differ are among those that were compared."""
    counts = {"compared": compared, "left_out": left_out, "differ": differ}
    return {"kind": SCHEDULER, "kubernetes": kubernetes, **counts, **run.keys()}


def read(file: Path = FILE) -> list[Entry]:
    entries: list[Entry] = json.loads(file.read_text())
    return entries


def record(new: Iterable[Entry], fleets: Iterable[Clusters], file: Path = FILE) -> None:
    """Replaces older entries of the same fleets and releases. Drops entries of fleets that are not in `fleets`, for no run
    would renew them. ValueError, and nothing is written: scenarios of an entry failed, or none ran.
    """
    played = {_subject_of_fleet(fleet) for fleet in fleets}
    entries = [
        entry
        for entry in (read(file) if file.exists() else [])
        if entry["kind"] == SCHEDULER or _subject(entry) in played
    ]
    for entry in new:
        if entry["kind"] == SCENARIOS and (entry["failed"] > 0 or entry["passed"] == 0):
            raise ValueError(f"{entry['passed']} passed, {entry['failed']} failed")
        entries = [each for each in entries if _subject(each) != _subject(entry)] + [entry]
    file.write_text(json.dumps(sorted(entries, key=_subject), indent=1) + "\n")


def table(entries: list[Entry], manager: str) -> str:
    """In Markdown; `manager` is the name of a fleet's manager, all others are workers."""
    fleets = [entry["clusters"] for entry in entries if entry["kind"] == SCENARIOS]
    lines = []
    for program, title in (("kubernetes", "Kubernetes"), ("kueue", "Kueue")):
        managers = {fleet[manager][program] for fleet in fleets}
        workers = {fleet[name][program] for fleet in fleets for name in fleet if name != manager}
        lines += [(f"{title}, manager", managers), (f"{title}, workers", workers)]
    rows = [f"| {what} | {', '.join(sorted(versions, key=_parts))} |\n" for what, versions in lines]
    compared = [entry for entry in entries if entry["kind"] == SCHEDULER]
    results = map(_result, sorted(compared, key=lambda entry: _parts(entry["kubernetes"])))
    rows.append(f"| kube-scheduler compared with | {', '.join(results)} |\n")
    return "\n| | tested with |\n|---|---|\n" + "".join(rows) + "\n"


def fleets(entries: list[Entry], manager: str) -> str:
    """In Markdown: what ran beside what, and how much of it."""
    of_scenarios = [entry for entry in entries if entry["kind"] == SCENARIOS]
    names = sorted({name for entry in of_scenarios for name in entry["clusters"]} - {manager})
    titles = [manager, *names, "scenarios", "commit, date"]
    rows = []
    for entry in sorted(of_scenarios, key=lambda entry: -int(entry["passed"])):
        clusters = [
            f"{entry['clusters'][name]['kubernetes']} with Kueue {entry['clusters'][name]['kueue']}"
            for name in titles[: len(names) + 1]
        ]
        note = f"; {entry['note']}" if "note" in entry else ""
        when = f"{entry['commit']}, {entry['date']}{note}"
        rows.append(f"| {' | '.join([*clusters, str(entry['passed']), when])} |\n")
    return f"\n| {' | '.join(titles)} |\n|{'---|' * len(titles)}\n{''.join(rows)}\n"


def _result(entry: Entry) -> str:
    """Of a comparison: "1.36.3"."""
    differ: int = entry["differ"]
    of_how_many = f" ({differ:,} of {entry['compared']:,} cases differ)" if differ else ""
    return f"{entry['kubernetes']}{of_how_many}"


def _subject(entry: Entry) -> str:
    """The same for two entries of which the later one counts."""
    if entry["kind"] == SCHEDULER:
        return f"{SCHEDULER} {_minor(entry['kubernetes'])}"
    return _subject_of_fleet(entry["clusters"])


def _subject_of_fleet(clusters: Clusters) -> str:
    """Another patch release is no other fleet."""
    versions = [
        f"{name} {_minor(of['kubernetes'])} {_minor(of['kueue'])}"
        for name, of in sorted(clusters.items())
    ]
    return " ".join([SCENARIOS, *versions])


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]
