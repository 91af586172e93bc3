"""Plays the operators of other kinds of jobs on a real cluster: test code, no operator.

Where the real operator would make pods, it only writes the status that the real one writes then (read from the
sources that build_kinds.sh links). A job runs until its annotation sim.fedra.dev/run-for is "0s", as in the
simulation (tests/sim/kinds). Jobs that somebody else manages are left alone, as the real operators do.
"""

from __future__ import annotations

import dataclasses
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scenarios.kube_client import ApiError, KubeClient, Watch
from scenarios.resources import Object

_RUN_FOR = "sim.fedra.dev/run-for"
_PAUSE = 0.5  # seconds before a watch that ended is opened again


@dataclasses.dataclass(frozen=True)
class _Script:
    managed_by: tuple[str, ...]  # paths below spec; (): it looks at none
    suspend: tuple[str, ...]
    controller: str  # the managedBy that means this operator
    # Of a status; and the status as a merge patch, of a job.
    runs: Callable[[Object], bool]
    ended: Callable[[Object], bool]
    run: Callable[[Object], Object]
    finish: Callable[[Object], Object]
    stop: Callable[[Object], Object]


class ScriptedOperator:
    """Of one cluster, from construction to `close`. `close` says what went wrong."""

    def __init__(self, client: KubeClient, kinds: tuple[str, ...], log: Path):
        self._client = client
        self._log = log
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._watches: dict[str, Watch] = {}
        self._threads = [
            threading.Thread(target=self._serve, args=(kind,), daemon=True) for kind in kinds
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            watches = list(self._watches.values())
        for watch in watches:
            watch.close()
        for thread in self._threads:
            thread.join(5)

    def _serve(self, kind: str) -> None:
        """Whatever goes wrong (no CRD, no API server) is tried again."""
        while not self._closed.is_set():
            try:
                watch = self._client.watch(kind, None)
                with self._lock:
                    self._watches[kind] = watch
                for event, seen in watch:
                    if event != "DELETED":
                        self._look(kind, seen["metadata"])
            except Exception:
                self._note(kind, traceback.format_exc(limit=2))
            self._closed.wait(_PAUSE)

    def _look(self, kind: str, metadata: Object) -> None:
        job = self._client.find(kind, metadata["namespace"], metadata["name"])
        if job is None or "deletionTimestamp" in job["metadata"]:
            return
        patch = next_status(kind, job)
        if patch is None:
            return
        try:
            self._client.patch(
                kind, metadata["namespace"], metadata["name"], {"status": patch}, "status"
            )
            self._note(kind, f"{metadata['namespace']}/{metadata['name']}: {patch}")
        except ApiError as error:
            if error.status != 404:  # deleted meanwhile
                raise

    def _note(self, kind: str, text: str) -> None:
        with self._lock, self._log.open("a") as log:
            log.write(f"{time.strftime('%H:%M:%S')} {kind}: {text}\n")


def next_status(kind: str, job: Object) -> Object | None:
    """What the operator writes now, as a merge patch of the status; None: nothing."""
    script = _SCRIPTS[kind]
    status = job.get("status") or {}
    manager = _at(job["spec"], script.managed_by) if script.managed_by else None
    if manager not in (None, "", script.controller) or script.ended(status):
        return None
    runs = script.runs(status)
    if _at(job["spec"], script.suspend):
        return script.stop(job) if runs else None
    if not runs:
        return script.run(job)
    annotations = job["metadata"].get("annotations", {})
    return script.finish(job) if annotations.get(_RUN_FOR) == "0s" else None


def _at(place: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        place = (place or {}).get(step)
    return place


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _conditions(job: Object, **states: bool) -> list[Object]:
    """The job's conditions with some of them set."""
    kept = [
        each
        for each in (job.get("status") or {}).get("conditions") or []
        if each["type"] not in states
    ]
    return kept + [
        {
            "type": kind,
            "status": "True" if state else "False",
            "reason": "Scripted",
            "message": "written by tests/real/scripted_operator.py",
            "lastTransitionTime": _now(),
        }
        for kind, state in states.items()
    ]


def _is(status: Object, *kinds: str) -> bool:
    return any(
        each["type"] in kinds and each["status"] == "True"
        for each in status.get("conditions") or []
    )


def _job_set() -> _Script:
    def parts(job: Object, *counters: str) -> list[Object]:
        zero = {"active": 0, "failed": 0, "ready": 0, "succeeded": 0, "suspended": 0}
        return [
            # It counts child Jobs, not pods.
            {
                "name": each["name"],
                **zero,
                **{counter: each.get("replicas", 1) for counter in counters},
            }
            for each in job["spec"]["replicatedJobs"]
        ]

    return _Script(
        ("managedBy",),
        ("suspend",),
        "jobset.sigs.k8s.io/jobset-controller",
        runs=lambda status: any(each["active"] for each in status.get("replicatedJobsStatus", [])),
        ended=lambda status: _is(status, "Completed", "Failed"),
        run=lambda job: {
            "replicatedJobsStatus": parts(job, "active", "ready"),
            "conditions": _conditions(job, Suspended=False),
        },
        finish=lambda job: {
            "replicatedJobsStatus": parts(job, "succeeded"),
            "terminalState": "Completed",
            "conditions": _conditions(job, Completed=True),
        },
        stop=lambda job: {
            "replicatedJobsStatus": parts(job, "suspended"),
            "conditions": _conditions(job, Suspended=True),
        },
    )


def _of_kubeflow(controller: str, replicas: str) -> _Script:
    def roles(job: Object, counts: Callable[[int], Object]) -> Object:
        return {
            role: counts(each.get("replicas", 1)) for role, each in job["spec"][replicas].items()
        }

    return _Script(
        ("runPolicy", "managedBy"),
        ("runPolicy", "suspend"),
        controller,
        runs=lambda status: any(
            each.get("active") for each in (status.get("replicaStatuses") or {}).values()
        ),
        ended=lambda status: _is(status, "Succeeded", "Failed"),
        run=lambda job: {
            "startTime": _now(),
            "replicaStatuses": roles(job, lambda count: {"active": count}),
            "conditions": _conditions(job, Created=True, Running=True, Suspended=False),
        },
        finish=lambda job: {
            "completionTime": _now(),
            "replicaStatuses": roles(job, lambda count: {"active": None, "succeeded": count}),
            "conditions": _conditions(job, Running=False, Succeeded=True),
        },
        stop=lambda job: {
            "startTime": None,
            "replicaStatuses": roles(job, lambda _: {"active": None}),
            "conditions": _conditions(job, Running=False, Suspended=True),
        },
    )


_RUNNING_CLUSTER: Object = {
    "state": "ready",
    "desiredWorkerReplicas": 2,
    "availableWorkerReplicas": 2,
    "readyWorkerReplicas": 2,
    "endpoints": {"client": "10001", "dashboard": "8265"},
    "head": {"podIP": "10.1.2.3", "serviceIP": "10.1.2.4"},
}
_RAY = "ray.io/kuberay-operator"


def _ray_cluster() -> _Script:
    return _Script(
        ("managedBy",),
        ("suspend",),
        _RAY,
        runs=lambda status: status.get("state") == "ready",
        ended=lambda status: False,
        run=lambda job: {
            **_RUNNING_CLUSTER,
            "conditions": _conditions(job, HeadPodReady=True, RayClusterProvisioned=True),
        },
        finish=lambda job: {},
        stop=lambda job: {
            "state": "suspended",
            "availableWorkerReplicas": 0,
            "readyWorkerReplicas": 0,
            "conditions": _conditions(job, HeadPodReady=False, RayClusterSuspended=True),
        },
    )


def _ray_job() -> _Script:
    return _Script(
        ("managedBy",),
        ("suspend",),
        _RAY,
        runs=lambda status: status.get("jobDeploymentStatus", "") not in ("", "Suspended"),
        ended=lambda status: status.get("jobDeploymentStatus") in ("Complete", "Failed"),
        run=lambda job: {
            "jobId": f"{job['metadata']['name']}-12345",
            "rayClusterName": f"{job['metadata']['name']}-abcde",
            "jobDeploymentStatus": "Running",
            "jobStatus": "RUNNING",
            "startTime": _now(),
            "rayClusterStatus": _RUNNING_CLUSTER,
        },
        finish=lambda job: {
            "jobDeploymentStatus": "Complete",
            "jobStatus": "SUCCEEDED",
            "endTime": _now(),
        },
        stop=lambda job: {
            "jobId": "",
            "rayClusterName": "",
            "jobDeploymentStatus": "Suspended",
            "jobStatus": "",
            "rayClusterStatus": None,
        },
    )


def _ray_service() -> _Script:
    return _Script(
        ("managedBy",),
        ("rayClusterConfig", "suspend"),
        _RAY,
        runs=lambda status: _is(status, "Ready"),
        ended=lambda status: False,
        run=lambda job: {
            "serviceStatus": "Running",
            "numServeEndpoints": 2,
            "activeServiceStatus": {
                "rayClusterName": f"{job['metadata']['name']}-abcde",
                "rayClusterStatus": _RUNNING_CLUSTER,
            },
            "conditions": _conditions(job, Ready=True),
        },
        finish=lambda job: {},
        stop=lambda job: {
            "serviceStatus": "",
            "numServeEndpoints": 0,
            "activeServiceStatus": None,
            "conditions": _conditions(job, Ready=False),
        },
    )


def _train_job() -> _Script:
    def parts(**counts: int) -> list[Object]:
        zero = {"active": 0, "failed": 0, "ready": 0, "succeeded": 0, "suspended": 0}
        return [{"name": "node", **zero, **counts}]  # it counts child Jobs, as JobSet does

    return _Script(
        ("managedBy",),
        ("suspend",),
        "trainer.kubeflow.org/trainjob-controller",
        runs=lambda status: any(each["active"] for each in status.get("jobsStatus", [])),
        ended=lambda status: _is(status, "Complete", "Failed"),
        run=lambda job: {
            "jobsStatus": parts(active=1, ready=1),
            "conditions": _conditions(job, Suspended=False),
        },
        finish=lambda job: {
            "jobsStatus": parts(succeeded=1),
            "conditions": _conditions(job, Complete=True),
        },
        stop=lambda job: {
            "jobsStatus": parts(suspended=1),
            "conditions": _conditions(job, Suspended=True),
        },
    )


def _app_wrapper() -> _Script:
    def conditions(job: Object, holds: bool) -> list[Object]:
        return _conditions(job, QuotaReserved=holds, ResourcesDeployed=holds, PodsReady=holds)

    return _Script(
        ("managedBy",),
        ("suspend",),
        "workload.codeflare.dev/appwrapper-controller",
        runs=lambda status: _is(status, "QuotaReserved"),
        ended=lambda status: status.get("phase") == "Succeeded",
        run=lambda job: {"phase": "Running", "conditions": conditions(job, True)},
        finish=lambda job: {"phase": "Succeeded", "conditions": conditions(job, False)},
        stop=lambda job: {"phase": "Suspended", "conditions": conditions(job, False)},
    )


def _spark_application() -> _Script:
    def state(name: str) -> Callable[[Object], Object]:
        return lambda job: {
            "driverInfo": {"podName": f"{job['metadata']['name']}-driver"},
            "applicationState": {"state": name},
        }

    def state_of(status: Object) -> str:
        return str((status.get("applicationState") or {}).get("state", ""))

    return _Script(
        (),  # it has none
        ("suspend",),
        "",
        runs=lambda status: state_of(status) == "RUNNING",
        ended=lambda status: state_of(status) in ("COMPLETED", "FAILED"),
        run=state("RUNNING"),
        finish=state("COMPLETED"),
        stop=state("SUSPENDED"),
    )


_TRAINING = "kubeflow.org/training-operator"

_SCRIPTS = {
    "JobSet": _job_set(),
    "MPIJob": _of_kubeflow("kubeflow.org/mpi-operator", "mpiReplicaSpecs"),
    "TFJob": _of_kubeflow(_TRAINING, "tfReplicaSpecs"),
    "PyTorchJob": _of_kubeflow(_TRAINING, "pytorchReplicaSpecs"),
    "XGBoostJob": _of_kubeflow(_TRAINING, "xgbReplicaSpecs"),
    "PaddleJob": _of_kubeflow(_TRAINING, "paddleReplicaSpecs"),
    # It does not look at managedBy.
    "JAXJob": dataclasses.replace(_of_kubeflow(_TRAINING, "jaxReplicaSpecs"), managed_by=()),
    "RayCluster": _ray_cluster(),
    "RayJob": _ray_job(),
    "RayService": _ray_service(),
    "TrainJob": _train_job(),
    "AppWrapper": _app_wrapper(),
    "SparkApplication": _spark_application(),
}

KINDS = tuple(_SCRIPTS)
