"""What is in the store of a fedra, counted from outside."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

_HISTORY = ("attempts", "events")  # beside workloads that are gone
_FLEET = ("clusters", "heartbeat")  # a row for each cluster, and one
_GONE = "workloads, gone"
# The newest events stay, and what is found by them (store/retention.cc).
_KEPT_EVENTS = 1000


def rows(store: Path) -> dict[str, int]:
    """Of each table; workloads that are gone apart."""
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
        found = reader.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        names = sorted(name for (name,) in found if not name.startswith("sqlite_"))
        counted = {name: _count(reader, name) for name in names}
        counted[_GONE] = _count(reader, "workloads WHERE removed_at IS NOT NULL")
        counted["workloads"] -= counted[_GONE]
    return counted


def left(counted: dict[str, int]) -> dict[str, int]:
    """Rows about jobs that live, which are too many when none does."""
    kept = (*_HISTORY, *_FLEET, _GONE)
    return {name: count for name, count in counted.items() if count and name not in kept}


def beyond_retention(counted: dict[str, int]) -> dict[str, int]:
    """Rows of history that should be gone when all of it is older than what is kept."""
    most = {"attempts": 0, "events": _KEPT_EVENTS, _GONE: _KEPT_EVENTS}
    return {name: counted[name] for name, count in most.items() if counted[name] > count}


def age(store: Path, seconds: float) -> None:
    """All history is older by so much. No fedra may run on it."""
    by = int(seconds * 1000)
    with contextlib.closing(sqlite3.connect(store)) as writer, writer:
        writer.execute("UPDATE events SET at = at - ?", (by,))
        writer.execute(
            "UPDATE attempts SET started_at = started_at - ?1, ended_at = ended_at - ?1", (by,)
        )
        writer.execute("UPDATE workloads SET removed_at = removed_at - ?", (by,))


def _count(reader: sqlite3.Connection, what: str) -> int:
    return int(reader.execute(f"SELECT count(*) FROM {what}").fetchone()[0])
