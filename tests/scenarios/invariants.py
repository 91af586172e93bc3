"""What must hold in every scenario, watched from outside while it runs and checked when it ends."""

from __future__ import annotations

import threading

from scenarios.federated_job import OURS
from scenarios.fleet import Fleet
from scenarios.resources import Object
from scenarios.waiting import eventually

_INTERVAL = 0.1  # seconds between two looks


class Watchdog:
    """Looks all the time whether a job of ours is on two workers, or on one while another still has its clone.

    Runs in a thread of its own from construction to `close`.
    """

    def __init__(self, fleet: Fleet, ns: str):
        self._fleet, self._ns = fleet, ns
        self._ignored: set[str] = set()
        self._violations: list[str] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ignore(self, worker: str) -> None:
        """A worker that fedra cannot reach may keep what it has (invariant 1 speaks of connected workers)."""
        self._ignored.add(worker)

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()

    def assert_nothing_seen(self) -> None:
        assert not self._violations, "; ".join(self._violations)

    def _run(self) -> None:
        while not self._stopped.wait(_INTERVAL):
            try:
                self._look()
            except (OSError, RuntimeError):
                continue  # an API server that the scenario has stopped

    def _look(self) -> None:
        workers = [worker for worker in self._fleet.workers if worker not in self._ignored]
        before = {worker: self._list("Job", worker) for worker in workers}
        clones = {worker: self._list("Workload", worker) for worker in workers}
        after = {worker: self._list("Job", worker) for worker in workers}
        for worker in workers:
            # Only what was there before and after the other reads was there during them.
            for uid in before[worker].keys() & after[worker].keys():
                name = after[worker][uid]
                for other in workers:
                    if (
                        other != worker
                        and name in before[other].values()
                        and name in after[other].values()
                    ):
                        self._violations.append(f"job {name} on {worker} and on {other}")
                    if other != worker and uid in clones[other]:
                        self._violations.append(
                            f"job {name} on {worker} while {other} still has its clone"
                        )

    def _list(self, kind: str, worker: str) -> dict[str, str]:
        """UID of the manager's workload -> name."""
        found = self._fleet.admin(worker).list(kind, self._ns, OURS)
        return {_manager_uid(obj): obj["metadata"]["name"] for obj in found if not _ending(obj)}


def _manager_uid(obj: Object) -> str:
    return obj["metadata"]["annotations"]["fedra.dev/workload-uid"]


def _ending(obj: Object) -> bool:
    return "deletionTimestamp" in obj["metadata"]


def assert_no_residue(fleet: Fleet, ns: str) -> None:
    """Nothing of ours is left on any worker once the manager's jobs are gone."""

    def left() -> list[str]:
        return [
            f"{worker}: {kind} {obj['metadata']['name']}"
            for worker in fleet.workers
            for kind in ("Workload", "Job")
            for obj in fleet.admin(worker).list(kind, ns, OURS)
        ]

    try:
        eventually("no residue on the workers", lambda: not left(), fleet.patience)
    except AssertionError:
        raise AssertionError(f"residue on the workers: {', '.join(left())}") from None
