"""Jobs that are submitted one after the other while something else happens."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.client import HTTPException

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.kube_client import ApiError
from scenarios.resources import Object
from scenarios.world import QUEUE, World


class JobStream:
    """Submits from a thread of its own, for a `with`, which fails if a job could not be submitted.

    The API server may be away for a while: that delays the next job, and loses none. It must be back at the end.
    """

    def __init__(
        self,
        world: World,
        period: float,
        prefix: str = "train",
        make: Callable[[str], Object] | None = None,
    ):
        """`period`: seconds between two jobs, called PREFIX-NUMBER. `make`: a job of that name; usual ones without it."""
        self._world, self._period, self._prefix = world, period, prefix
        self._make = make or (lambda name: objects.job(world.ns, name, QUEUE))
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._failed: Exception | None = None
        self.jobs: list[FederatedJob] = []  # grows; the thread alone writes

    def __enter__(self) -> JobStream:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()
        self.check()

    def check(self) -> None:
        """Raises what has ended the stream, if anything has."""
        if self._failed is not None:
            raise self._failed

    def placed(self) -> list[FederatedJob]:
        return [job for job in list(self.jobs) if job.remote_jobs()]

    def next(self) -> FederatedJob:
        """One that is submitted after this was asked for."""
        known = len(self.jobs)
        self._world.eventually("a job is submitted", lambda: len(self.jobs) > known + 1)
        return self.jobs[known + 1]  # the one before may have been submitted already

    def submit(self, name: str) -> FederatedJob:
        """Now, and not counted among `jobs`, unless the stream does it."""
        made = self._make(name)
        fleet = self._world.fleet
        limit = fleet.patience + fleet.recovery
        self._world.eventually(f"{name} is submitted", lambda: self._is_taken(made), limit)
        return self._world.job(name)

    def _run(self) -> None:
        try:
            while not self._ends.wait(self._period):
                self.jobs.append(self.submit(f"{self._prefix}-{len(self.jobs)}"))
        except Exception as error:
            self._failed = error

    def _is_taken(self, job: Object) -> bool:
        try:
            self._world.manager.create(job)
        except HTTPException:
            return False  # the server went away in the middle of its answer
        except ApiError as error:
            if error.reason != "AlreadyExists":  # the answer to the first try was lost
                raise
        return True
