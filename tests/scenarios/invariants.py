"""What must hold in every scenario, watched from outside while it runs and checked when it ends."""

from __future__ import annotations

import itertools
import threading
import traceback
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import NamedTuple

from scenarios.federated_job import UID_ANNOTATION
from scenarios.fleet import Fleet
from scenarios.kube_client import ApiError
from scenarios.modes import copies_of
from scenarios.objects import is_going
from scenarios.resources import Object
from scenarios.waiting import eventually

_INTERVAL = 0.1  # seconds between two looks


class _Conflict(NamedTuple):
    """What invariant 1 forbids, at one look."""

    workers: frozenset[str]
    text: str


class Watchdog:
    """Looks all the time whether a job of ours is on two workers, or on one while another still has its clone.

    Runs in a thread of its own from construction to `close`. That it could not look is a finding as well: only
    a worker that `ignore` has named may fail to answer.
    """

    def __init__(self, fleet: Fleet, ns: str, kinds: list[str], origin: str):
        """`origin`: of the copies that are ours."""
        self._fleet, self._ns, self._origin = fleet, ns, origin
        self._kinds = kinds  # of jobs; grows
        self._ignored: set[str] = set()
        self._returning: set[str] = set()
        self._looks = 0
        self.findings: list[str] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ignore(self, worker: str) -> None:
        """A worker that fedra cannot reach may keep what it has (invariant 1 speaks of connected workers)."""
        self._ignored.add(worker)

    def heed(self, worker: str) -> None:
        """fedra can reach it again: what it had to keep is excused until fedra has removed it once."""
        self._returning.add(worker)
        self._ignored.discard(worker)

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()

    def assert_nothing_seen(self) -> None:
        assert not self.findings, "; ".join(self.findings)
        assert self._looks > 0, "the invariants were never looked at"

    def _run(self) -> None:
        # The shortest scenario, too, is looked at once.
        while not self._stopped.wait(_INTERVAL) or self._looks == 0:
            try:
                self._look()
            except Exception:
                self.findings.append(f"the invariants were not watched: {traceback.format_exc()}")
                return

    def _look(self) -> None:
        workers = [worker for worker in self._fleet.workers if worker not in self._ignored]
        kinds = list(self._kinds)
        before = self._jobs(kinds, workers)
        clones = self._lists("Workload", workers)
        after = self._jobs(kinds, workers)
        # Only what was there before and after the other reads was there during them.
        jobs = {
            worker: dict(before[worker].items() & after[worker].items())
            for worker in before.keys() & clones.keys() & after.keys()
        }
        conflicts = list(_conflicts(jobs, clones))
        self._returning -= jobs.keys() - frozenset().union(*(each.workers for each in conflicts))
        excused = self._ignored | self._returning
        self.findings += [each.text for each in conflicts if not each.workers & excused]
        self._looks += 1

    def _jobs(self, kinds: list[str], workers: list[str]) -> dict[str, dict[str, str]]:
        """Worker -> UID of the manager's workload -> kind and name."""
        jobs: dict[str, dict[str, str]] = {}
        for kind in kinds:
            for worker, found in self._lists(kind, workers).items():
                named = {uid: f"{kind} {name}" for uid, name in found.items()}
                jobs[worker] = jobs.get(worker, {}) | named
        return jobs

    def _lists(self, kind: str, workers: list[str]) -> dict[str, dict[str, str]]:
        """Worker -> UID of the manager's workload -> name, without workers that are away as they should be."""
        found = {}
        for worker in workers:
            try:
                found[worker] = self._list(kind, worker)
            except (OSError, RuntimeError, HTTPException) as error:
                if _lacks_kind(error):
                    found[worker] = {}
                elif worker not in self._ignored and not _is_starting(error):
                    raise
        return found

    def _list(self, kind: str, worker: str) -> dict[str, str]:
        found = self._fleet.admin(worker).list(kind, self._ns, copies_of(self._origin))
        # Without the UID it is not ours, whatever its label says (invariant 2).
        return {
            uid: obj["metadata"]["name"]
            for obj in found
            if (uid := _manager_uid(obj)) is not None and not is_going(obj)
        }


def _is_starting(error: Exception) -> bool:
    """A real API server that has just come up: 429 "storage is (re)initializing"."""
    return isinstance(error, ApiError) and error.status in (429, 503)


def _lacks_kind(error: Exception) -> bool:
    """The CRD is not installed there."""
    return isinstance(error, ApiError) and error.status == 404


def _conflicts(
    jobs: Mapping[str, Mapping[str, str]], clones: Mapping[str, Mapping[str, str]]
) -> Iterator[_Conflict]:
    for worker, other in itertools.permutations(jobs, 2):
        for uid, name in jobs[worker].items():
            if name in jobs[other].values():
                text = f"job {name} on {worker} and on {other}"
                yield _Conflict(frozenset((worker, other)), text)
            if uid in clones[other]:
                text = f"job {name} on {worker} while {other} still has its clone"
                yield _Conflict(frozenset((worker, other)), text)


def _manager_uid(obj: Object) -> str | None:
    return obj["metadata"].get("annotations", {}).get(UID_ANNOTATION)


def ours_on(
    fleet: Fleet, worker: str, ns: str | None, job_kinds: list[str], origin: str
) -> list[str]:
    """Kind and name of what the worker has that is ours; None: in all namespaces."""
    # What is made on workers -> the label by which it is known.
    kinds = {kind: copies_of(origin) for kind in ("Workload", *job_kinds)}
    kinds["ResourceClaimTemplate"] = f"fedra.dev/origin={origin}"
    return [
        f"{kind} {obj['metadata']['name']}"
        for kind, label in kinds.items()
        for obj in fleet.admin(worker).list(kind, ns, label)
    ]


def assert_no_residue(fleet: Fleet, ns: str, job_kinds: list[str], origin: str) -> None:
    """Nothing of ours is left on any worker once the manager's jobs are gone."""

    def left() -> list[str]:
        return [
            f"{worker}: {name}"
            for worker in fleet.workers
            for name in ours_on(fleet, worker, ns, job_kinds, origin)
        ]

    try:
        eventually("no residue on the workers", lambda: not left(), fleet.patience)
    except AssertionError:
        raise AssertionError(f"residue on the workers: {', '.join(left())}") from None
