"""The kinds of jobs beside batch/v1 Job: how one is written, and how its status shows that it runs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from scenarios.objects import MANAGED_BY, QUEUE_LABEL
from scenarios.resources import RESOURCES, Object


_OF_JOB_SET = "jobset.sigs.k8s.io/jobset-name"
_OF_KUBEFLOW = "training.kubeflow.org/job-name"

# Ends a job whose operator is played, as a merge patch.
END_OF_RUN: Object = {"metadata": {"annotations": {"sim.fedra.dev/run-for": "0s"}}}


@dataclasses.dataclass(frozen=True)
class JobKind:
    kind: str
    spec: Callable[[Object], Object]  # of a pod template
    active: Callable[[Object], bool]  # of a status, as Kueue reads it
    managed_by: tuple[str, ...] = ("managedBy",)  # path below spec; (): it has none
    own_manager: str | None = None  # what the CRD writes there by itself
    # Other objects that must be on every cluster, of a pod template; their namespace is the job's.
    beside: Callable[[Object], list[Object]] = lambda pod: []
    ends: bool = True  # or serves until it is deleted
    shows_pods: bool = True  # its pod templates are in it
    entry: Object | None = (
        None  # of an external kind: what the configuration says of it under `kinds`
    )
    # Its check stays Pending while a worker has it.
    holds_check: bool = False
    mirrors_whole: bool = True  # its status; or its end alone, if it has one
    pod_label: str | None = None  # of the pods that its real operator makes; its value is the job

    @property
    def label(self) -> str:
        """In the names of scenarios."""
        return self.kind.lower()

    @property
    def settings(self) -> Object:
        """What fedra's configuration must have to run it."""
        if self.kind in ("Pod", "StatefulSet", "LeaderWorkerSet"):
            return {"kueue": {"pods": True}}
        return {} if self.entry is None else {"kinds": [self.entry]}

    def make(
        self,
        namespace: str,
        name: str,
        queue: str,
        template: str | None = None,
        managed_by: bool = True,
    ) -> Object:
        """A job for Kueue that runs until it is told to end; `template`: the ResourceClaimTemplate it uses.

        `managed_by`: it says that it runs elsewhere.
        """
        spec = self.spec(_pod_template(template))
        if managed_by and self.managed_by:
            place = spec
            for step in self.managed_by[:-1]:
                place = place.setdefault(step, {})
            place[self.managed_by[-1]] = MANAGED_BY
        return {
            "apiVersion": RESOURCES[self.kind].api_version,
            "kind": self.kind,
            "metadata": {
                "name": name,
                "namespace": namespace,
                "labels": {QUEUE_LABEL: queue},
                "annotations": {"sim.fedra.dev/run-for": "forever"},
            },
            "spec": spec,
        }

    def needed(self, namespace: str, template: str | None = None) -> list[Object]:
        """What a job of `make` names, for every cluster."""
        objects = self.beside(_pod_template(template))
        for each in objects:
            each["metadata"]["namespace"] = namespace
        return objects

    def manager(self, job: Object) -> str | None:
        """What the job's managedBy says."""
        if not self.managed_by:
            return None
        place: Any = job["spec"]
        for step in self.managed_by:
            place = place.get(step, {})
        return place or None


def _pod_template(template: str | None) -> Object:
    container: Object = {
        "name": "main",
        "image": "registry.k8s.io/pause:3.10",
        "resources": {"requests": {"cpu": "1", "memory": "64Mi"}},
    }
    pod: Object = {"restartPolicy": "Never", "containers": [container]}
    if template is not None:
        container["resources"]["claims"] = [{"name": "gpu"}]
        pod["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": template}]
    return {"spec": pod}


def _renamed(pod: Object, container: str) -> Object:
    """Its container under the name that an operator asks for."""
    return {**pod["spec"]["containers"][0], "name": container}


def _serving(pod: Object) -> Object:
    return {"spec": {**pod["spec"], "restartPolicy": "Always"}}


def _job_set(pod: Object) -> Object:
    job = {"spec": {"parallelism": 2, "completions": 2, "template": pod}}
    return {
        "ttlSecondsAfterFinished": 1,
        "replicatedJobs": [{"name": "workers", "replicas": 2, "template": job}],
    }


def _with_replicas(field: str, container: str, *roles: str) -> Callable[[Object], Object]:
    def spec(pod: Object) -> Object:
        template = {"spec": {**pod["spec"], "containers": [_renamed(pod, container)]}}
        replicas = {role: {"replicas": 1, "template": template} for role in roles}
        return {"runPolicy": {"ttlSecondsAfterFinished": 1}, field: replicas}

    return spec


def _ray_cluster(pod: Object) -> Object:
    return {
        "headGroupSpec": {"rayStartParams": {}, "template": pod},
        "workerGroupSpecs": [
            {"groupName": "Small", "replicas": 2, "rayStartParams": {}, "template": pod}
        ],
    }


def _ray_service(pod: Object) -> Object:
    application = {"name": "chat", "import_path": "chat:app", "route_prefix": "/"}
    return {
        "serveConfigV2": json.dumps({"applications": [application]}),
        "rayClusterConfig": _ray_cluster(pod),
    }


def _any_active(counts: Any) -> bool:
    return any(count.get("active", 0) > 0 for count in counts)


def _of_kubeflow(kind: str, field: str, container: str, *roles: str) -> JobKind:
    """`container`: without one of this name the operator refuses the job."""
    return JobKind(
        kind,
        _with_replicas(field, container, *roles),
        lambda status: _any_active(status.get("replicaStatuses", {}).values()),
        managed_by=("runPolicy", "managedBy"),
        pod_label=_OF_KUBEFLOW,
    )


def _is_true(status: Object, condition: str) -> bool:
    conditions = status.get("conditions", [])
    return any(each["type"] == condition and each["status"] == "True" for each in conditions)


def _is_ready(status: Object) -> bool:
    return _is_true(status, "Ready")


def _app_wrapper(pod: Object) -> Object:
    """Its first Job's pods are inferred, the second one's declared; its ConfigMap has none.

    All of them end: with a Deployment it would run for ever.
    """

    def wrapped(api_version: str, kind: str, name: str, **fields: Any) -> Object:
        return {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": f"wrapped-{name}"},
            **fields,
        }

    spec = {"parallelism": 2, "completions": 2, "template": pod}
    return {
        "components": [
            {"template": wrapped("v1", "ConfigMap", "settings", data={"epochs": "3"})},
            {"template": wrapped("batch/v1", "Job", "inferred", spec=spec)},
            {
                "podSets": [{"replicas": 2, "path": "template.spec.template"}],
                "template": wrapped("batch/v1", "Job", "declared", spec=spec),
            },
        ]
    }


def _spark_application(pod: Object) -> Object:
    """Its pods are made of fields; its templates have the claims, which its Workload does not show."""

    def role(container: str, **fields: Any) -> Object:
        template = {"spec": {**pod["spec"], "containers": [_renamed(pod, container)]}}
        return {"coreRequest": "1", "memory": "64m", "template": template, **fields}

    return {
        "type": "Python",
        "mode": "cluster",
        "sparkVersion": "4.0.0",
        "mainApplicationFile": "local:///opt/spark/examples/src/main/python/pi.py",
        "timeToLiveSeconds": 1,
        "driver": role("spark-kubernetes-driver"),
        "executor": role("spark-kubernetes-executor", instances=2),
    }


def training_runtime(pod: Object, kind: str = "TrainingRuntime", name: str = "torch") -> Object:
    """Of one part, whose pods are the job's nodes."""
    spec = {**pod["spec"], "containers": [_renamed(pod, "node")]}
    return {
        "apiVersion": RESOURCES[kind].api_version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {
            "mlPolicy": {"numNodes": 1},
            "template": {
                "spec": {
                    "replicatedJobs": [
                        {
                            "name": "node",
                            "template": {
                                "metadata": {
                                    "labels": {
                                        "trainer.kubeflow.org/trainjob-ancestor-step": "trainer"
                                    }
                                },
                                "spec": {"template": {"spec": spec}},
                            },
                        }
                    ]
                }
            },
        },
    }


TRAIN_JOB = JobKind(
    "TrainJob",
    lambda pod: {
        "runtimeRef": {"kind": "TrainingRuntime", "name": "torch"},
        "trainer": {"numNodes": 2},
    },
    lambda status: _any_active(status.get("jobsStatus", [])),
    own_manager="trainer.kubeflow.org/trainjob-controller",
    beside=lambda pod: [training_runtime(pod)],
    pod_label=_OF_JOB_SET,  # its operator makes a JobSet of the same name
)

POD = JobKind(
    "Pod",
    lambda pod: dict(pod["spec"]),
    lambda status: status.get("phase") == "Running",
    managed_by=(),
    holds_check=True,
)

STATEFUL_SET = JobKind(
    "StatefulSet",
    lambda pod: {
        "replicas": 2,
        "serviceName": "served",
        "selector": {"matchLabels": {"app": "served"}},
        "template": {
            "metadata": {"labels": {"app": "served"}},
            "spec": {**pod["spec"], "restartPolicy": "Always"},
        },
    },
    lambda status: status.get("readyReplicas", 0) > 0,
    managed_by=(),
    ends=False,
    holds_check=True,
    mirrors_whole=False,
)

# Two replicas of a leader and two workers, each with a Workload of its own.
LEADER_WORKER_SET = JobKind(
    "LeaderWorkerSet",
    lambda pod: {
        "replicas": 2,
        "leaderWorkerTemplate": {
            "size": 3,
            "leaderTemplate": _serving(pod),
            "workerTemplate": _serving(pod),
        },
    },
    lambda status: status.get("readyReplicas", 0) > 0,
    managed_by=(),
    ends=False,
    holds_check=True,
    mirrors_whole=False,
)

# It is held by its check, and its copy does not name its Workload.
JAX_JOB = dataclasses.replace(
    _of_kubeflow("JAXJob", "jaxReplicaSpecs", "jax", "Worker"),
    holds_check=True,
    mirrors_whole=False,
)

APP_WRAPPER = JobKind(
    "AppWrapper",
    _app_wrapper,
    lambda status: _is_true(status, "QuotaReserved"),
    pod_label="workload.codeflare.dev/appwrapper",
)

# As a JAXJob, and without managedBy.
SPARK_APPLICATION = JobKind(
    "SparkApplication",
    _spark_application,
    lambda status: status.get("applicationState", {}).get("state") == "RUNNING",
    managed_by=(),
    holds_check=True,
    mirrors_whole=False,
)

JOB_SET = JobKind(
    "JobSet",
    _job_set,
    lambda status: _any_active(status.get("replicatedJobsStatus", [])),
    pod_label=_OF_JOB_SET,
)

RAY_JOB = JobKind(
    "RayJob",
    lambda pod: {
        "entrypoint": "python train.py",
        "shutdownAfterJobFinishes": True,  # Kueue takes no other
        "ttlSecondsAfterFinished": 1,
        "rayClusterSpec": _ray_cluster(pod),
    },
    lambda status: status.get("jobDeploymentStatus", "") not in ("", "Suspended"),
    pod_label="batch.kubernetes.io/job-name",  # of the Job that submits it, whose name is its own
)

RAY_SERVICE = JobKind("RayService", _ray_service, _is_ready, ends=False)


JOB_KINDS = (
    JOB_SET,
    _of_kubeflow("MPIJob", "mpiReplicaSpecs", "mpi", "Launcher", "Worker"),
    _of_kubeflow("TFJob", "tfReplicaSpecs", "tensorflow", "Chief", "Worker"),
    _of_kubeflow("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Master", "Worker"),
    _of_kubeflow("XGBoostJob", "xgbReplicaSpecs", "xgboost", "Master", "Worker"),
    _of_kubeflow("PaddleJob", "paddleReplicaSpecs", "paddle", "Worker"),
    JAX_JOB,
    JobKind("RayCluster", _ray_cluster, lambda status: status.get("state") == "ready", ends=False),
    RAY_JOB,
    RAY_SERVICE,
    TRAIN_JOB,
    APP_WRAPPER,
    SPARK_APPLICATION,
)
