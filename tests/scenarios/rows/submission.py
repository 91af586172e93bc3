"""What a row submits: its manifests, the pods that come of them, and the jobs that fedra sees in them."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.job_kinds import JOB_KINDS, POD
from scenarios.objects import MANAGED_BY, QUEUE_LABEL
from scenarios.resources import Object
from scenarios.rows.published import GROUP_NAME
from scenarios.rows.row import Row
from scenarios.world import QUEUE, World

_KINDS = {each.kind: each for each in (*JOB_KINDS, POD)}
# They serve until they are deleted.
_SERVING = ("Pod", "Deployment")
_OF_KUBEFLOW = {"MPIJob": "mpiReplicaSpecs", "PyTorchJob": "pytorchReplicaSpecs"}
# By which their operators' pods are known, beside the job's name.
_OPERATORS = {"MPIJob": "mpi-operator", "PyTorchJob": "pytorchjob-controller"}
_OF_TRAINING = "training.kubeflow.org/"
_KUEUE = "kueue.x-k8s.io/"
# What placement depends on.
_DECISIVE = ("resourceClaims", "nodeSelector", "tolerations", "schedulingGroup")


# --- Manifests. Pure.


def manifests(row: Row, namespace: str, name: str) -> list[Object]:
    """`name`: of the job of a row that is no article's."""
    if not row.workload:
        return [job_of(row, namespace, name)]
    return [queued(each, namespace) for each in row.workload]


def queued(published: Object, namespace: str) -> Object:
    """As its user applies it here: in a queue, and to run elsewhere."""
    made = copy.deepcopy(published)
    made["metadata"]["namespace"] = namespace
    made["metadata"].setdefault("labels", {})[QUEUE_LABEL] = QUEUE
    if made["kind"] == "Deployment":
        made["spec"]["template"]["metadata"]["labels"][QUEUE_LABEL] = QUEUE
    elif made["kind"] == "Job":
        made["spec"] |= {"suspend": True, "managedBy": MANAGED_BY}
    elif made["kind"] in _OF_KUBEFLOW:
        made["spec"].setdefault("runPolicy", {})["managedBy"] = MANAGED_BY
    return made


def first_job(documents: Sequence[Object]) -> list[Object]:
    """What `fedra check` is given, and what is judged: all pods of a group, or one of several that are alone."""
    if documents[0]["kind"] == "Deployment":
        return [_pod("replica", documents[0]["metadata"]["namespace"], pods_of(documents[0])[0])]
    return list(documents) if _group_of(documents[0]) else [documents[0]]


def pods_of(document: Object) -> list[Object]:
    """The pods that come of it: metadata and spec of each."""
    spec = document["spec"]
    if document["kind"] == "Pod":
        return [document]
    if document["kind"] in _OF_KUBEFLOW:
        replicas = spec[_OF_KUBEFLOW[document["kind"]]].values()
        return [role["template"] for role in replicas for _ in range(role.get("replicas", 1))]
    count = spec.get("replicas", spec.get("parallelism", 1))
    return [spec["template"]] * int(count)


def unmanaged(documents: Sequence[Object], namespace: str, name: str) -> list[Object]:
    """Their pods, as nobody's that Kueue or fedra knows of."""
    pods = [each for document in documents for each in pods_of(document)]
    made = [_pod(f"{name}-{index}", namespace, each) for index, each in enumerate(pods)]
    for each in made:
        for marks in (each["metadata"]["labels"], each["metadata"]["annotations"]):
            for key in [key for key in marks if key.startswith(_KUEUE)]:
                del marks[key]
    return made


def extended_resources(documents: Sequence[Object]) -> tuple[str, ...]:
    """Names of the extended resources that their containers ask for."""
    limits = (
        container.get("resources", {}).get("limits", {})
        for document in documents
        for pod in pods_of(document)
        for container in pod["spec"]["containers"]
    )
    return tuple(dict.fromkeys(name for each in limits for name in each if "/" in name))


def job_of(row: Row, namespace: str, name: str) -> Object:
    """A usual Job: of a row with an article's workload as many pods as that has, with what decides placement."""
    pods = [each for document in row.workload for each in pods_of(document)]
    over = (
        {key: pods[0]["spec"][key] for key in _DECISIVE if key in pods[0]["spec"]} if pods else {}
    )
    job = objects.job(namespace, name, QUEUE, pods=len(pods) or row.pods)
    spec = job["spec"]["template"]["spec"] | copy.deepcopy(over or row.pod)
    container = spec["containers"][0]
    if row.resources:
        container["resources"]["limits"] = dict(row.resources)
    if "containers" not in row.pod and "resourceClaims" in spec:
        container["resources"]["claims"] = [
            {"name": each["name"]} for each in spec["resourceClaims"]
        ]
    job["spec"]["template"]["spec"] = spec
    return job


def _group_of(document: Object) -> str | None:
    group: str | None = document["metadata"].get("labels", {}).get(GROUP_NAME)
    return group


def _pod(name: str, namespace: str, template: Object) -> Object:
    found: Object = template.get("metadata", {})
    metadata = {key: dict(found.get(key, {})) for key in ("labels", "annotations")}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": copy.deepcopy(template["spec"]),
    }


# --- On the fleet.


class Submission:
    """These manifests, on the manager from construction to `end`. fedra must have been started. Main thread only."""

    def __init__(self, world: World, documents: Sequence[Object]):
        self._world, self._documents = world, list(documents)
        self._played: list[str] = []
        self.pods = sum(len(pods_of(each)) for each in documents)
        self.jobs = [job for each in documents for job in self._create(each)]

    @property
    def keys(self) -> list[str]:
        """By which commands know them: of a group of pods its own."""
        group = _group_of(self._documents[0])
        return [f"{self._world.ns}/{group}"] if group else [job.key for job in self.jobs]

    def play_operator(self, worker: str) -> None:
        """Where an operator is played, which makes no pods: those that the real one would make of the copy."""
        for job in self.jobs:
            if job.kind not in _OF_KUBEFLOW or self._world.fleet.makes_pods(job.kind):
                continue
            job.wait_running_on(worker)
            copied = objects.present(job.remote_job(worker))
            for pod in unmanaged([copied], self._world.ns, f"{job.name}-pod"):
                pod["metadata"]["labels"] |= {
                    f"{_OF_TRAINING}job-name": job.name,
                    f"{_OF_TRAINING}operator-name": _OPERATORS[job.kind],
                }
                self._world.admin(worker).create(pod)
                self._played.append(pod["metadata"]["name"])

    def wait_running(self) -> None:
        """Each runs where it is, and the manager says so."""
        for job in self.jobs:
            where = self._world.eventually(f"{job.key} has a worker", job.cluster_name)
            job.wait_running_on(where)

    def end(self, worker: str) -> None:
        """What ends is let end there; then the objects go, and everything on the workers with them."""
        kind = self._documents[0]["kind"]
        for job in self.jobs if kind not in _SERVING else []:
            job.finish(worker)
        for pod in self._played:
            self._world.admin(worker).delete("Pod", self._world.ns, pod)
        self._played.clear()
        # The pods of a group wait for replacements: it ends with its Workload.
        if group := _group_of(self._documents[0]):
            self._world.manager.delete("Workload", self._world.ns, group)
        for each in self._documents:
            self._world.manager.delete(kind, self._world.ns, each["metadata"]["name"])
        for job in self.jobs:
            self._world.eventually(f"{job.key} is gone", functools.partial(_is_gone, job))

    def _create(self, document: Object) -> list[FederatedJob]:
        if document["kind"] == "Deployment":
            self._world.submit_pods_of(document)
            return self._replicas(document)
        if document["kind"] == "Job":
            self._world.manager.create(document)
            return [self._world.job(document["metadata"]["name"])]
        return [self._world.submit_object(_KINDS[document["kind"]], document)]

    def _replicas(self, document: Object) -> list[FederatedJob]:
        world, wanted = self._world, document["spec"]["replicas"]
        labels = document["spec"]["selector"]["matchLabels"]
        selector = ",".join(f"{key}={value}" for key, value in labels.items())

        def found() -> list[str] | None:
            pods = world.manager.list("Pod", world.ns, selector)
            return [each["metadata"]["name"] for each in pods] if len(pods) == wanted else None

        names = world.eventually(f"{wanted} replicas exist", found)
        return [FederatedJob(world.fleet, world.ns, name, world.check, POD) for name in names]


def _is_gone(job: FederatedJob) -> bool:
    return job.manager_job() is None and job.nowhere()
