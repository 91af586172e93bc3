"""Asks `fedra check` about jobs on clusters of which a snapshot file is made from what their API servers stored."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path
from typing import Protocol

from real import tools as real_tools
from real.agreement.cluster_writer import POD_GROUP_VERSIONS, WITH_RULES
from real.agreement.dice import Json
from real.agreement.job_seen import Objects
from real.agreement.job_case import JobCase

_QUEUE = "queue"
_RESOURCES = {
    "Namespace": "namespaces",
    "Node": "nodes",
    "Pod": "pods",
    "DeviceClass": "deviceclasses.resource.k8s.io",
    "ResourceSlice": "resourceslices.resource.k8s.io",
    "DeviceTaintRule": "devicetaintrules.resource.k8s.io",
    "ResourceClaim": "resourceclaims.resource.k8s.io",
    "ResourceClaimTemplate": "resourceclaimtemplates.resource.k8s.io",
    "PodGroup": "podgroups.scheduling.k8s.io",
    "LocalQueue": "localqueues.kueue.x-k8s.io",
    "ClusterQueue": "clusterqueues.kueue.x-k8s.io",
    "Workload": "workloads.kueue.x-k8s.io",
    "JobSet": "jobsets.jobset.x-k8s.io",
}


@dataclasses.dataclass
class Answer:
    """What fedra says of one job on one cluster."""

    verdict: str  # Yes, No, Unknown, MayScale; "not judged": the linter found mistakes in the job
    fitting: list[int] | None  # by pod set; None: its devices were not judged
    reasons: list[str]  # code and message

    @property
    def codes(self) -> list[str]:
        return [reason.partition(":")[0] for reason in self.reasons]

    @property
    def is_by_order(self) -> bool:
        """Unknown, because the scheduler takes pools in an order that is chance."""
        return self.verdict == "Unknown" and any(
            reason.startswith("ReleaseUnverified:") and "an order that is chance" in reason
            for reason in self.reasons[:1]
        )

    @property
    def counts_are_by_order(self) -> bool:
        """No, and that order decides how many pods fit."""
        return self.verdict == "No" and any(
            reason.startswith("PodsDoNotFit: how many pods fit may be chance")
            for reason in self.reasons
        )


class Fedra(Protocol):
    """Whoever answers as FedraCheck does."""

    def ask(self, release: str, questions: list[tuple[Objects, Json]]) -> list[Answer]:
        ...


class FedraCheck:
    """`folder`: where the files go that the program reads; those of the last question stay there."""

    def __init__(self, program: Path, folder: Path):
        self._program, self._folder = program, folder
        folder.mkdir(parents=True, exist_ok=True)

    def ask(self, release: str, questions: list[tuple[Objects, Json]]) -> list[Answer]:
        """Each is a cluster and a job, of which no two have one name; the answers in their order."""
        snapshot, jobs = self._folder / "snapshot.json", self._folder / "jobs.yaml"
        workers = [_worker(f"c{i}", release, cluster) for i, (cluster, _) in enumerate(questions)]
        snapshot.write_text(json.dumps(_snapshot(workers)))
        documents = [json.dumps(job) for _, job in questions]
        jobs.write_text("\n---\n".join(documents) + "\n")
        result = subprocess.run(
            [self._program, "check", "--snapshot", snapshot, "-f", jobs, "-o", "json"],
            capture_output=True,
            text=True,
        )
        if not result.stdout:
            raise RuntimeError(f"{self._program} check: {result.stderr.strip()}")
        report = json.loads(result.stdout)
        if len(report["items"]) != len(questions):
            raise RuntimeError(f'{len(questions)} jobs, and {len(report["items"])} answers')
        return [_answer(item, i, report) for i, item in enumerate(report["items"])]


def job_of(case: JobCase, namespace: str) -> Json:
    """The job, in the kind that has several pod sets."""
    parts = []
    for i, pod_set in enumerate(case.pod_sets):
        parts.append((pod_set.name, pod_set.count, pod_set.spec, case.group_of(i)))
    return job_set(case.name, namespace, parts)


def job_set(name: str, namespace: str, parts: list[tuple[str, int, Json, str | None]]) -> Json:
    """`parts`: name, count, spec of a pod, PodGroup."""
    jobs = []
    for part, count, spec, group in parts:
        pod = {**spec, "schedulingGroup": {"podGroupName": group}} if group else spec
        template = {"spec": {"parallelism": 1, "completions": 1, "template": {"spec": pod}}}
        jobs.append({"name": part, "replicas": count, "template": template})
    labels = {"kueue.x-k8s.io/queue-name": _QUEUE}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"managedBy": "kueue.x-k8s.io/multikueue", "replicatedJobs": jobs},
    }


def _answer(item: Json, number: int, report: Json) -> Answer:
    if item["result"] == "NotJudged":
        mistakes = [f["message"] for f in report["findings"] if f["severity"] == "error"]
        return Answer("not judged", None, mistakes)
    worker = item["workers"][number]
    fitting = None
    if "podSets" in worker:
        fitting = [pod_set["podsFitting"] for pod_set in worker["podSets"]]
    reasons = [f'{reason["code"]}: {reason["message"]}' for reason in worker["reasons"]]
    return Answer(worker["verdict"], fitting, reasons)


def _snapshot(workers: list[Json]) -> Json:
    return {
        "apiVersion": "fedra.dev/v1alpha1",
        "kind": "Snapshot",
        "takenAt": "2026-01-01T00:00:00Z",
        "fedra": "agreement",
        "origin": "fedra",
        "namesRedacted": False,
        "workers": workers,
    }


def _worker(name: str, release: str, cluster: Objects) -> Json:
    namespace = cluster["Namespace"][0]["metadata"]["name"]
    objects = {**cluster, "LocalQueue": [_queue(namespace)]}
    resources = [
        {"resource": plural, "state": "Synced", "complete": True, "items": objects.get(kind, [])}
        for kind, plural in _RESOURCES.items()
    ]
    groups = POD_GROUP_VERSIONS.get(release)
    return {
        "name": name,
        "connection": {"phase": "Connected", "since": "2026-01-01T00:00:00Z"},
        "kubernetes": real_tools.kubernetes_version(release),
        "draVersions": ["v1", "v1beta2"],
        "draResources": ["v1beta2/devicetaintrules"] if release in WITH_RULES else [],
        "schedulingResources": [f"{groups}/podgroups"] if groups else [],
        "verification": {
            "drift": "Ignore",
            "copiesTemplates": False,
            "capabilities": [],
            "requireCapabilities": False,
            "queueQuota": False,
            "devices": {"nodeResources": True, "scalablePools": []},
        },
        "resources": resources,
    }


def _queue(namespace: str) -> Json:
    """Kueue is not there, and has no say."""
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": _QUEUE, "namespace": namespace},
        "spec": {"clusterQueue": "all"},
        "status": {"conditions": [{"type": "Active", "status": "True"}]},
    }
