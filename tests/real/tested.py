"""What was tested on which releases: tests/data/releases.json, and the table that is made of it.

Runs write the file (releases.py, agree_scheduler.py, agree_jobs.py). It has one entry for each fleet, the last run that
passed there, and two for each release whose kube-scheduler fedra was compared with: of single pods, and of whole jobs.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "data/releases.json"
SCENARIOS, SCHEDULER, JOBS = "scenarios", "scheduler", "jobs"

# "kind" tells what the other keys are, see scenarios(), scheduler() and jobs().
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


def jobs(
    kubernetes: str, compared: int, left_out: int, equal: int, explained: int, run: Run
) -> Entry:
    """The same of whole jobs: those that are equal and those that are explained are among those that were compared."""
    counts = {"compared": compared, "left_out": left_out, "equal": equal, "explained": explained}
    return {"kind": JOBS, "kubernetes": kubernetes, **counts, **run.keys()}


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
        if entry["kind"] != SCENARIOS or _subject(entry) in played
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
    for kind, result, title in (
        (SCHEDULER, _of_pods, "kube-scheduler, single pods: those that differ"),
        (JOBS, _of_jobs, "kube-scheduler, whole jobs: equal; or explained as well"),
    ):
        compared = [entry for entry in entries if entry["kind"] == kind]
        results = map(result, sorted(compared, key=lambda entry: _parts(entry["kubernetes"])))
        if compared:
            rows.append(f"| {title} | {', '.join(results)} |\n")
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


def _of_pods(entry: Entry) -> str:
    """Of a comparison: "1.36.3 (0 of 2,488)"."""
    return f"{entry['kubernetes']} ({entry['differ']:,} of {entry['compared']:,})"


def _of_jobs(entry: Entry) -> str:
    """Of a comparison: "1.36.3 (98.89 %; 99.90 % of 995)"."""
    equal, explained, compared = entry["equal"], entry["explained"], entry["compared"]
    shares = f"{100 * equal / compared:.2f} %; {100 * (equal + explained) / compared:.2f} %"
    return f"{entry['kubernetes']} ({shares} of {compared:,})"


def _subject(entry: Entry) -> str:
    """The same for two entries of which the later one counts."""
    if entry["kind"] != SCENARIOS:
        return f"{entry['kind']} {_minor(entry['kubernetes'])}"
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
