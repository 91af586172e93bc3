"""The fleet of simulated clusters: one child process `fedra-sim` that serves all of them over TLS."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from scenarios import objects, setup
from scenarios.certificates import make_ca
from scenarios.fleet import MANAGER, Fleet
from scenarios.job_kinds import END_OF_RUN, JobKind
from scenarios.kube_client import KubeClient
from scenarios.kubeconfig import Access
from scenarios.process import Process
from scenarios.resources import RESOURCES, Object
from scenarios.waiting import eventually

_BUILT = Path(__file__).parents[2] / "build/release/tests/sim/fedra-sim"

_CONTROL_SECONDS = 600.0  # for an answer of the control endpoint

# The simulated job controller obeys these annotations of a Job.
_RUN_FOR, _RESULT = "sim.fedra.dev/run-for", "sim.fedra.dev/result"


class SimFleet(Fleet):
    """Up in well under a second; hundreds of workers are possible."""

    kind = "sim"
    sets_managed_by = True
    patience = 30.0
    recovery = 30.0

    def __init__(
        self,
        kueue_dra: bool,
        workers: tuple[str, ...] = ("worker1", "worker2"),
        multikueue: bool = True,
        http1: bool = False,
    ):
        """`multikueue`: the manager's Kueue has its MultiKueue controllers at first. `http1`: no HTTP/2."""
        self.kueue_dra = kueue_dra
        self.workers = workers
        self.folder = Path(tempfile.mkdtemp(prefix="fedra-sim-"))
        self._protocol = ("--http1",) if http1 else ()
        self._process: Process | None = None
        self._control = ""
        self._clients: dict[str, KubeClient] = {}
        self._withheld: set[str] = set()
        self._has_multikueue, self._begins_with_multikueue = True, multikueue

    def start(self) -> None:
        """Clusters with our usual objects and no queues."""
        self._start("--empty", "--run-for", "forever", "--alpha-on", self.workers[0])
        for cluster in self.clusters:
            client = self.admin(cluster)
            setup.install_manager(client) if cluster == MANAGER else setup.install_worker(client)
            if self.kueue_dra:
                self.steer_kueue(cluster, deviceClasses=_class_to_quota())
        if not self._begins_with_multikueue:
            self.set_multikueue(False)

    def start_furnished(self) -> None:
        """Clusters with namespace ml, queue gpu and everything a job needs there, for `load`."""
        self._start()

    def stop(self) -> None:
        code = self._process.terminate(grace=30) if self._process is not None else 0
        report = self._process.log_tail(100) if self._process is not None and code != 0 else ""
        shutil.rmtree(self.folder)
        if code != 0:
            raise AssertionError(f"fedra-sim ended with {code}:\n{report}")

    def reset(self) -> None:
        self._withheld.clear()
        if self._has_multikueue != self._begins_with_multikueue:
            self.set_multikueue(self._begins_with_multikueue)
        for cluster in self.clusters:
            self._command("/faults", cluster=cluster, fault="none")
            self.steer_kueue(cluster, identifierAnnotations=True)

    def admin(self, cluster: str) -> KubeClient:
        return self._clients[cluster]

    def admin_kubeconfig(self, cluster: str) -> Path:
        return self.folder / f"{cluster}.admin.kubeconfig"

    def admin_access(self, cluster: str) -> Access:
        return Access.from_kubeconfig(self.admin_kubeconfig(cluster))

    def fedra_access(self, cluster: str) -> Access:
        return Access.from_kubeconfig(self.folder / f"{cluster}.kubeconfig")

    def dispatcher_access(self, cluster: str) -> Access:
        """On a worker nothing may be written, on the manager neither a job nor a check."""
        resources = ["jobs/status", "admissionchecks/status"] if cluster == MANAGER else ["*"]
        for verb in ("create", "update", "patch", "delete"):
            for resource in resources:
                forbidden = {"fault": "forbid", "verb": verb, "resource": resource}
                self._command("/faults", cluster=cluster, **forbidden)
        return self.fedra_access(cluster)

    def restricted_access(self, worker: str, without: Collection[str]) -> Access:
        for resource in without:
            self._command("/faults", cluster=worker, fault="forbid", resource=resource)
        return self.fedra_access(worker)

    def access_without_jobs_in(self, worker: str, namespace: str) -> Access:
        for verb in ("create", "patch", "delete"):
            forbidden = {"fault": "forbid", "verb": verb, "namespace": namespace}
            self._command("/faults", cluster=worker, **forbidden)
        return self.fedra_access(worker)

    def grant(self, worker: str, manifest: str) -> None:
        """Everything is allowed that is not forbidden."""
        if worker in self._withheld:
            self._withheld.remove(worker)
            self._command("/faults", cluster=worker, fault="none")

    def withhold(self, worker: str, manifest: str) -> None:
        self._withheld.add(worker)
        for document in setup.deploy_manifests(manifest):
            for rule in document.get("rules", []):
                for verb, resource in itertools.product(rule["verbs"], rule["resources"]):
                    forbidden = {"fault": "forbid", "verb": verb, "resource": resource}
                    self._command("/faults", cluster=worker, **forbidden)

    def set_multikueue(self, on: bool) -> None:
        self._has_multikueue = on
        self._command("/actors", cluster=MANAGER, actor="multikueue", on=on)

    @cached_property
    def _foreign_ca(self) -> str:
        return make_ca(self.folder, "foreign", "somebody else").read_text()

    def foreign_ca(self) -> str:
        return self._foreign_ca

    def stop_api_server(self, cluster: str) -> None:
        self._command("/faults", cluster=cluster, fault="refuse", on=True)

    def start_api_server(self, cluster: str) -> None:
        self._command("/faults", cluster=cluster, fault="refuse", on=False)

    def forget_api(self, cluster: str, version: str) -> None:
        """It answers 404 for everything in this group and version, and has ended its watches."""
        self._command("/faults", cluster=cluster, fault="not-served", version=version)
        self._command("/faults", cluster=cluster, fault="reset")

    def refuse_jobs(self, cluster: str) -> None:
        """As an exhausted quota for objects would: 403 for everybody who creates one."""
        refusal = {"fault": "status", "method": "POST", "path": "/jobs", "code": 403}
        self._command("/faults", cluster=cluster, **refusal)

    def refuse_statuses(self, cluster: str) -> None:
        """As a webhook that is down: 500 for every write of a Workload's status."""
        failure = {"fault": "status", "method": "PATCH", "path": "/status", "code": 500}
        self._command("/faults", cluster=cluster, **failure)

    def hide_identity(self, cluster: str, code: int) -> None:
        """The namespace kube-system, whose UID tells clusters apart, is not read but answered so."""
        path = "/namespaces/kube-system"
        self._command(
            "/faults", cluster=cluster, fault="status", method="GET", path=path, code=code
        )

    def break_workloads(self, cluster: str) -> None:
        """As a conversion webhook that is down: 500 for every read of a Workload, while /version works."""
        failure = {"fault": "status", "method": "GET", "path": "/workloads", "code": 500}
        self._command("/faults", cluster=cluster, **failure)
        self._command("/faults", cluster=cluster, fault="reset")

    def answer_hostile(self, cluster: str, answer: str, path: str) -> None:
        """Requests whose path and query contain `path` get an answer of tests/sim/http/hostile.cc."""
        self._command("/faults", cluster=cluster, fault="hostile", answer=answer, path=path)

    def slow_down(self, cluster: str, ms: int) -> None:
        """So long it waits before each answer."""
        self._command("/faults", cluster=cluster, fault="latency", ms=ms)

    def hang(self, cluster: str) -> None:
        """As a stopped process: it accepts connections, and says nothing, on open ones either."""
        self._command("/faults", cluster=cluster, fault="hang")

    def end_faults(self, cluster: str) -> None:
        self._command("/faults", cluster=cluster, fault="none")

    def end_pods(
        self, worker: str, namespace: str, job: str | None = None, phase: str = "Succeeded"
    ) -> None:
        client = self.admin(worker)
        annotations = {_RUN_FOR: "0s", **({_RESULT: "failure"} if phase == "Failed" else {})}
        names = (
            [job] if job else [each["metadata"]["name"] for each in client.list("Job", namespace)]
        )
        for name in names:
            if client.find("Job", namespace, name) is not None:
                client.patch("Job", namespace, name, {"metadata": {"annotations": annotations}})

    def end_pod(self, worker: str, namespace: str, name: str, phase: str = "Succeeded") -> None:
        client = self.admin(worker)
        annotations = {_RUN_FOR: "0s", **({_RESULT: "failure"} if phase == "Failed" else {})}
        if client.find("Pod", namespace, name) is not None:
            client.patch("Pod", namespace, name, {"metadata": {"annotations": annotations}})

    def end_job(self, worker: str, kind: JobKind, namespace: str, name: str, phase: str) -> None:
        if kind.kind == "Pod":
            return self.end_pod(worker, namespace, name, phase)
        client = self.admin(worker)
        if client.find(kind.kind, namespace, name) is None:
            return
        if phase == "Failed":
            failure = {"metadata": {"annotations": {_RESULT: "failure"}}}
            client.patch(kind.kind, namespace, name, failure)
        client.patch(kind.kind, namespace, name, END_OF_RUN)

    def preempt(self, worker: str, namespace: str, workload: str) -> None:
        """The quota goes first, or the evicted Workload would have it back before anybody looks."""
        client = self.admin(worker)
        queue = client.get("Workload", namespace, workload)["spec"]["queueName"]
        cluster_queue = client.get("LocalQueue", namespace, queue)["spec"]["clusterQueue"]
        client.apply(objects.cluster_queue(cluster_queue, objects.NO_QUOTA))
        self.evict(worker, namespace, workload)

    def forget_kind(self, cluster: str, kind: str) -> None:
        client = self.admin(cluster)
        for each in client.list(kind):
            client.delete(kind, each["metadata"]["namespace"], each["metadata"]["name"])
        self.change_version(cluster, kind)

    def change_version(self, cluster: str, kind: str) -> None:
        """With the other kinds of its group and version; there is no other version, which nobody would read."""
        self.forget_api(cluster, RESOURCES[kind].api_version)

    def install_kind(self, cluster: str, kind: str) -> None:
        self.end_faults(cluster)

    def evict(self, cluster: str, namespace: str, workload: str) -> None:
        evict = {
            "namespace": namespace,
            "name": workload,
            "reason": "Preempted",
            "message": "Preempted to accommodate a workload of higher priority",
        }
        self._command("/actors", cluster=cluster, actor="kueue", evict=evict)

    def steer_kueue(self, cluster: str, **settings: Any) -> None:
        """Settings of the simulated Kueue, see tests/sim/README.md."""
        self._command("/actors", cluster=cluster, actor="kueue", **settings)

    def load(self, **request: Any) -> Object:
        """Creates many jobs at once inside of the simulation and waits for them; returns its measurements."""
        # Creating them takes its time, too, and the simulation bounds only how long it waits for them.
        patience = request.get("timeoutSeconds", 0) + _CONTROL_SECONDS
        return self._command("/load", patience, **request)

    def requests_served(self) -> int:
        """By all clusters together, lists and watches among them; those of these tests, too."""
        return sum(sum(cluster["requests"].values()) for cluster in self._stats().values())

    def lists_served(self, cluster: str) -> dict[str, int]:
        """By resource, pages one by one; those of these tests, too."""
        requests = self._stats()[cluster]["requests"]
        return {
            request.removeprefix("list "): count
            for request, count in requests.items()
            if request.startswith("list ")
        }

    def watches_open(self) -> int:
        """Of all clusters together; those of these tests, too."""
        return sum(cluster["watches"] for cluster in self._stats().values())

    def cpu_seconds(self) -> float:
        """Of all clusters together."""
        assert self._process is not None, "the fleet was not started"
        return self._process.cpu_seconds()

    def resident_bytes(self) -> int:
        """Of all clusters together."""
        assert self._process is not None, "the fleet was not started"
        return self._process.resident_bytes()

    def _start(self, *options: str) -> None:
        binary = Path(os.environ.get("FEDRA_SIM", str(_BUILT)))
        clusters = ",".join(self.clusters)
        command = [binary, "--dir", self.folder, "--clusters", clusters, *self._protocol, *options]
        self._process = process = Process(command, self.folder / "fedra-sim.log")
        ready = self.folder / "control.json"

        def started() -> bool:
            if not process.running():
                raise AssertionError(f"{binary} ended at its start:\n{process.log_tail(20)}")
            return ready.exists()

        eventually("fedra-sim ready", started, 60)
        self._control = json.loads(ready.read_text())["url"]
        for cluster in self.clusters:
            self._clients[cluster] = KubeClient.from_kubeconfig(self.admin_kubeconfig(cluster))
        self.steer_kueue(MANAGER, defaultManagedBy=True)

    def _stats(self) -> dict[str, Object]:
        """Of each cluster, see tests/sim/README.md."""
        with urllib.request.urlopen(self._control + "/stats", timeout=_CONTROL_SECONDS) as response:
            clusters: dict[str, Object] = json.load(response)["clusters"]
        return clusters

    def _command(self, path: str, patience: float = _CONTROL_SECONDS, /, **body: Any) -> Object:
        request = urllib.request.Request(self._control + path, json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=patience) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"fedra-sim {path} {body}: {error.read().decode()}") from None


def _class_to_quota() -> Mapping[str, str]:
    return {
        name: quota for quota, classes in setup.DEVICE_CLASS_MAPPINGS.items() for name in classes
    }
