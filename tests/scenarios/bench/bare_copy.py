"""The least that brings a job to a worker and its end back, for comparison: how fast the clusters let anybody be.

For each job it creates the clone when quota is reserved, and the job when the clone is admitted; says that the check is
Ready; copies the end of the job; and deletes the job. It looks at no devices, chooses workers in turn, remembers nothing,
and mends nothing.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from scenarios import objects
from scenarios.bench.followers import Followers
from scenarios.federated_job import PREBUILT_ANNOTATION
from scenarios.fleet import MANAGER, Fleet
from scenarios.kube_client import KubeClient
from scenarios.resources import Object

CONTROLLER = "bench.example.com/bare-copy"
_WRITERS = 16  # calls at a time


def check(name: str) -> list[Object]:
    return [objects.admission_check(name, controller=CONTROLLER)]


class BareCopier:
    """Works from when it is made until `close`, which raises what has failed."""

    def __init__(self, fleet: Fleet, ns: str, check_name: str):
        self._check = check_name
        # Its own, so that what it asks for is told apart from what the measurement does (server_counts.py).
        self._clients = {name: KubeClient(fleet.admin_access(name)) for name in fleet.clusters}
        self._next = itertools.cycle(fleet.workers)
        self._begun: set[tuple[str, str]] = set()  # step, name
        self._workloads: dict[str, Object] = {}  # of the manager
        self._lock = threading.Lock()
        self._calls: list[Future[None]] = []
        self._cpu = time.process_time()
        self._pool = ThreadPoolExecutor(_WRITERS)
        self._set_active()
        follow: list[tuple[str, str, Callable[[Object], None]]] = [
            (MANAGER, "Workload", self._on_workload)
        ]
        for worker in fleet.workers:
            for kind, each in (("Workload", self._on_clone), ("Job", self._on_job)):
                follow.append((worker, kind, functools.partial(each, worker)))
        self._followers = Followers(self._clients.__getitem__, ns, follow)

    def cpu_seconds(self) -> float:
        """Of the whole process, which submits and watches as well."""
        return time.process_time() - self._cpu

    def close(self) -> None:
        self._followers.close()
        self._pool.shutdown()
        for call in self._calls:
            call.result()
        self._followers.check()

    def _set_active(self) -> None:
        active = {
            "type": "Active",
            "status": "True",
            "reason": "Active",
            "message": "",
            "lastTransitionTime": _now(),
        }
        status = {"status": {"conditions": [active]}}
        self._clients[MANAGER].patch("AdmissionCheck", None, self._check, status, "status")

    def _once(self, step: str, name: str, call: Callable[[], None]) -> None:
        with self._lock:
            if (step, name) in self._begun:
                return
            self._begun.add((step, name))
            self._calls.append(self._pool.submit(call))

    def _on_workload(self, workload: Object) -> None:
        name = workload["metadata"]["name"]
        if not objects.is_true(workload, "QuotaReserved"):
            return
        self._workloads.setdefault(name, workload)
        # The next worker is taken by this call alone: events of a Workload are many.
        self._once("clone", name, lambda: self._create_clone(next(self._next), workload))

    def _on_clone(self, worker: str, clone: Object) -> None:
        name = clone["metadata"]["name"]
        if not objects.is_true(clone, "Admitted"):
            return
        workload = self._workloads[name]
        self._once("job", name, lambda: self._create_job(worker, workload))
        self._once("ready", name, lambda: self._set_ready(workload))

    def _on_job(self, worker: str, job: Object) -> None:
        if objects.is_true(job, "Complete"):
            self._once("end", job["metadata"]["name"], lambda: self._end(worker, job))

    def _create_clone(self, worker: str, workload: Object) -> None:
        metadata = workload["metadata"]
        self._clients[worker].create(
            {
                "apiVersion": workload["apiVersion"],
                "kind": "Workload",
                "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
                "spec": workload["spec"],
            }
        )

    def _create_job(self, worker: str, workload: Object) -> None:
        metadata = workload["metadata"]
        (owner,) = metadata["ownerReferences"]
        job = self._clients[MANAGER].get("Job", metadata["namespace"], owner["name"])
        spec = dict(job["spec"])
        for own in ("selector", "managedBy"):
            spec.pop(own, None)
        template = dict(spec["template"])
        template["metadata"] = {}  # the controller's labels have the UID of the manager's job
        marks = {PREBUILT_ANNOTATION: metadata["name"]}
        self._clients[worker].create(
            {
                "apiVersion": job["apiVersion"],
                "kind": "Job",
                "metadata": {
                    "name": job["metadata"]["name"],
                    "namespace": metadata["namespace"],
                    "labels": {**job["metadata"]["labels"], **marks},
                    "annotations": marks,
                },
                "spec": {**spec, "template": template, "suspend": True},
            }
        )

    def _set_ready(self, workload: Object) -> None:
        metadata = workload["metadata"]
        ready = {"name": self._check, "state": "Ready", "message": "", "lastTransitionTime": _now()}
        self._clients[MANAGER].patch(
            "Workload",
            metadata["namespace"],
            metadata["name"],
            {"status": {"admissionChecks": [ready]}},
            "status",
        )

    def _end(self, worker: str, job: Object) -> None:
        namespace, name = job["metadata"]["namespace"], job["metadata"]["name"]
        status = {"status": job["status"]}
        self._clients[MANAGER].patch("Job", namespace, name, status, "status")
        self._clients[worker].delete("Job", namespace, name)
        for mark in ("annotations", "labels"):
            if clone := job["metadata"].get(mark, {}).get(PREBUILT_ANNOTATION):
                return self._clients[worker].delete("Workload", namespace, clone)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
