"""When a job passed each stage of its way, as the API servers' watches tell it: quota, clone, admission, job there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from scenarios import objects
from scenarios.bench.followers import Followers
from scenarios.federated_job import PREBUILT_ANNOTATION
from scenarios.fleet import MANAGER, Fleet
from scenarios.resources import Object

QUOTA, CLONE, ADMITTED, JOB = "quota reserved", "clone", "clone admitted", "job"


class Stages:
    """Of each Workload of a namespace when (time.monotonic) a stage was seen first, on whichever worker. Any thread."""

    def __init__(self, fleet: Fleet, kind: str, ns: str):
        """`kind`: of the jobs."""
        self._seen: dict[str, dict[str, float]] = {}  # stage -> name of the Workload -> time
        self._lock = threading.Lock()
        follow: list[tuple[str, str, Callable[[Object], None]]] = [
            (MANAGER, "Workload", self._on_workload)
        ]
        for worker in fleet.workers:
            follow += [(worker, "Workload", self._on_clone), (worker, kind, self._on_job)]
        self._followers = Followers(fleet.admin, ns, follow)

    def close(self) -> None:
        """Raises when a watch had ended before."""
        self._followers.close()
        self._followers.check()

    def between(self, first: str, second: str) -> list[float]:
        """Seconds, of each Workload that has passed both."""
        with self._lock:
            begun, done = self._seen.get(first, {}), self._seen.get(second, {})
            return [done[name] - at for name, at in begun.items() if name in done]

    def _on_workload(self, workload: Object) -> None:
        if objects.is_true(workload, "QuotaReserved"):
            self._note(QUOTA, workload["metadata"]["name"])

    def _on_clone(self, clone: Object) -> None:
        name = clone["metadata"]["name"]
        self._note(CLONE, name)
        if objects.is_true(clone, "Admitted"):
            self._note(ADMITTED, name)

    def _on_job(self, job: Object) -> None:
        metadata = job["metadata"]
        for place in ("annotations", "labels"):
            if name := metadata.get(place, {}).get(PREBUILT_ANNOTATION):
                self._note(JOB, name)

    def _note(self, stage: str, name: str) -> None:
        now = time.monotonic()
        with self._lock:
            self._seen.setdefault(stage, {}).setdefault(name, now)
