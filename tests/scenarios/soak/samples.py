"""What is measured during a soak, and how it is kept: a line of JSON each."""

from __future__ import annotations

import dataclasses
import json
import threading
from pathlib import Path
from typing import Any

# The parts of a soak: the leader is ended every minute; no replica is ended; no job is left.
KILLS, CALM, DRAINED = "kills", "calm", "drained"
# SUCCESSOR: its leader has ended, and it is not known yet whether it leads. Nothing is said of it.
LEADER, STANDBY, SUCCESSOR = "leader", "standby", "successor"


@dataclasses.dataclass(frozen=True)
class Sample:
    """Of one process, at one moment. Times are seconds, sizes bytes."""

    at: float  # since the soak has begun
    phase: str
    replica: str
    life: int  # which process of this replica
    role: str
    age: float  # of the process
    in_role: float  # since when it leads, or its age
    resident: int
    descriptors: int
    threads: int
    log: int  # SQLite's write-ahead log
    rows: dict[str, int]  # by table; empty: could not be read


@dataclasses.dataclass(frozen=True)
class Marks:
    """How many objects of ours are on each worker; those without any are left out."""

    at: float
    phase: str
    workers: dict[str, int]


class Recording:
    """A file that grows. `write` may be called from several threads."""

    def __init__(self, file: Path):
        self._lock = threading.Lock()
        self._file = file
        file.touch()

    def write(self, entry: Sample | Marks) -> None:
        with self._lock, self._file.open("a") as output:
            output.write(json.dumps(dataclasses.asdict(entry)) + "\n")


def read(file: Path) -> tuple[list[Sample], list[Marks]]:
    samples, marks = [], []
    for line in file.read_text().splitlines():
        entry: dict[str, Any] = json.loads(line)
        if "replica" in entry:
            samples.append(Sample(**entry))
        else:
            marks.append(Marks(**entry))
    return samples, marks
