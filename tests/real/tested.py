"""What was tested on which releases: tests/data/releases.json, and the table that is made of it.

Runs write the file (releases.py). It has one entry for each fleet, the last run that passed there, and one for each release
whose kube-scheduler fedra was compared with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "data/releases.json"
SCENARIOS, SCHEDULER = "scenarios", "scheduler"

# "kind" tells what the other keys are, see scenarios() and scheduler().
Entry = dict[str, Any]


def scenarios(
    clusters: Mapping[str, Mapping[str, str]],
    passed: int,
    failed: int,
    command: str,
    commit: str,
    date: str,
) -> Entry:
    """`clusters`: of each by its name the versions of "kubernetes" and "kueue", as "1.36.3"."""
    of_fleet = {cluster: dict(versions) for cluster, versions in clusters.items()}
    counts = {"clusters": of_fleet, "passed": passed, "failed": failed}
    return {"kind": SCENARIOS, **counts, "command": command, "commit": commit, "date": date}


def scheduler(output: str, versions: Mapping[str, str], commit: str, date: str) -> Entry:
    """Of what agree_scheduler.py has printed; `versions`: the "1.36.3" of "1.36". ValueError: it was no run of one, or
    nothing can be said of most of its cases."""
    line = re.search(r"^Kubernetes (\S+), seed (\d+): (\d+) cases compared", output, re.MULTILINE)
    left_out = re.search(
        r"^left out: (\d+) refused\D+(\d+) given up\D+(\d+) evicted", output, re.MULTILINE
    )
    differ = re.search(r"^looked at twice: \d+; differ: (\d+)", output, re.MULTILINE)
    if line is None or left_out is None or differ is None:
        raise ValueError("this is not what agree_scheduler.py prints at its end")
    release, seed, compared = line[1], line[2], int(line[3])
    others = sum(int(count) for count in left_out.groups())
    if compared <= others:
        raise ValueError(f"{compared} cases were compared, {others} were left out")
    command = (
        f"tests/real/agree_scheduler.py -n {compared + others} --seed {seed} --kubernetes {release}"
    )
    counts = {"kubernetes": versions[release], "compared": compared, "differ": int(differ[1])}
    return {"kind": SCHEDULER, **counts, "command": command, "commit": commit, "date": date}


def read(file: Path = FILE) -> list[Entry]:
    entries: list[Entry] = json.loads(file.read_text())
    return entries


def record(new: Iterable[Entry], file: Path = FILE) -> None:
    """Writes the file anew with these entries in the place of older ones. ValueError, and nothing is written: one is of
    scenarios that failed, or of none."""
    entries = read(file) if file.exists() else []
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
    compared = {entry["kubernetes"] for entry in entries if entry["kind"] == SCHEDULER}
    lines.append(("kube-scheduler compared with", compared))
    rows = [f"| {what} | {', '.join(sorted(versions, key=_parts))} |\n" for what, versions in lines]
    return "\n| | tested with |\n|---|---|\n" + "".join(rows) + "\n"


def _subject(entry: Entry) -> str:
    """The same for two entries of which the later one counts: another patch release is no other fleet."""
    if entry["kind"] == SCHEDULER:
        return f"{SCHEDULER} {_minor(entry['kubernetes'])}"
    versions = [
        f"{name} {_minor(of['kubernetes'])} {_minor(of['kueue'])}"
        for name, of in sorted(entry["clusters"].items())
    ]
    return " ".join([SCENARIOS, *versions])


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]
