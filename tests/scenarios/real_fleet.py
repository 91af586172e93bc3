"""The fleet of real control planes: etcd, Kubernetes, Kueue and kwok, three clusters on loopback."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from real import tools as real_tools
from real.accounts import account_access
from real.control_plane import ControlPlane, Etcd
from real.kinds import KindCrds
from real.kueue import Kueue, KueueOptions, ensure_metrics_certificate
from real.operators import Operator, kinds_of, with_needed
from real.pki import Pki
from real.scripted_operator import KINDS, ScriptedOperator
from scenarios import objects, setup
from scenarios.certificates import make_ca
from scenarios.fleet import MANAGER, Fleet
from scenarios.job_kinds import END_OF_RUN, JobKind
from scenarios.kube_client import KubeClient
from scenarios.kubeconfig import Access
from scenarios.resources import Object
from scenarios.waiting import eventually

WORKERS = ("worker1", "worker2")


class RealFleet(Fleet):
    """About 20 s to start and 1.8 GB of memory with two workers."""

    kind = "real"
    patience = 60.0
    recovery = 120.0  # client back-off of Kueue and the scheduler: 33 to 68 s were seen

    def __init__(
        self,
        kueue_dra: bool,
        workers: tuple[str, ...] = WORKERS,
        kueue_configuration: Mapping[str, Object] | None = None,
        other_kinds: bool = False,
        releases: Mapping[str, str] | None = None,
        kueues: Mapping[str, str] | None = None,
        operators: Collection[str] = (),
        multikueue: bool = True,
        kueue_metrics: bool = False,
    ):
        """`kueue_configuration`: cluster -> top-level entries for its Kueue's configuration file.

        `other_kinds`: with the CRDs of real/kinds.py, and their operators played by real/scripted_operator.py, but
        for the kinds of `operators` (names of real/operators.py), which are real.
        `multikueue`: the manager's Kueue has its MultiKueue controllers at first.
        `kueue_metrics`: each Kueue serves its metrics.
        `releases`, `kueues`: cluster -> its release of Kubernetes ("1.34") and Kueue ("0.18"), if it is another than
        usual.
        """
        self._releases, self._kueue_releases = releases or {}, kueues or {}
        # Before 1.36 an API server has MutatingAdmissionPolicies off.
        self.sets_managed_by = self._release_of(MANAGER) not in ("1.34", "1.35")
        self._other_kinds, self._kueue_metrics = other_kinds, kueue_metrics
        self._crds: KindCrds | None = None
        self._scripted: list[ScriptedOperator] = []
        self._operator_names, self._operators = with_needed(operators), list[Operator]()
        self._really_run = kinds_of(self._operator_names)
        self._forgotten: set[tuple[str, str]] = set()  # cluster, kind
        self._renamed: set[tuple[str, str]] = set()  # likewise: served in another version
        self.kueue_dra = kueue_dra
        self.workers = workers
        self._kueue_configuration = kueue_configuration or {}
        self.folder = Path(tempfile.mkdtemp(prefix="fedra-real-"))
        self._planes: dict[str, ControlPlane] = {}
        self._kueues: dict[str, Kueue] = {}
        self._granted: list[tuple[str, str, str | None, str]] = []  # cluster, kind, namespace, name
        self._has_multikueue = self._begins_with_multikueue = multikueue
        # By cluster. The manager has one of its own, which can be restored.
        self._etcds: dict[str, Etcd] = {}
        self._backup = self.folder / "backup"  # of the manager's etcd
        self._foreign_ca = make_ca(self.folder, "foreign", "somebody else").read_text()

    def start(self) -> None:
        tools = {name: self._tools_of(name) for name in self.clusters}
        pki = Pki(self.folder / "pki")
        ensure_metrics_certificate(pki)
        own, shared = (Etcd(tools[MANAGER], self.folder, name) for name in ("etcd", "etcd-workers"))
        self._etcds = {MANAGER: own, **dict.fromkeys(self.workers, shared)}
        # Processes must be started from this thread (see Process); calls to different clusters run in parallel.
        for name in self.clusters:
            # The manager too: without GenericWorkload an API server drops a pod template's schedulingGroup.
            alpha = name in (MANAGER, self.workers[0])
            self._planes[name] = ControlPlane(
                name, tools[name], pki, self._etcds[name], self.folder, alpha=alpha
            )
        with ThreadPoolExecutor(len(self.clusters)) as pool:
            list(pool.map(ControlPlane.wait_ready, self._planes.values()))
            for name, plane in self._planes.items():
                plane.start_controllers()
                self._kueues[name] = Kueue(plane, tools[name], pki, self._kueue_options(name))
            list(pool.map(Kueue.install_crds, self._kueues.values()))
            if self._other_kinds:
                crds = self._crds = KindCrds()
                list(pool.map(lambda cluster: crds.install(self.admin(cluster)), self.clusters))
            for kueue in self._kueues.values():
                kueue.start()
            self._operators = [
                Operator(name, plane, pki)
                for name in self._operator_names
                for plane in self._planes.values()
            ]
            list(pool.map(Kueue.wait_ready, self._kueues.values()))
            list(pool.map(Operator.wait_ready, self._operators))
            list(pool.map(self._install_objects, self.clusters))
        if self._other_kinds:
            self._start_scripted()

    def announce(self, namespaces: Collection[str]) -> None:
        # Kueue looks once: a Workload whose namespace its informer has not seen yet is inadmissible, and a namespace
        # that appears later wakes nothing (cqNamespaceHandler of clusterqueue_controller.go, 0.19).
        for cluster in self.clusters:
            for name in namespaces:
                self.admin(cluster).apply(objects.namespace(name, managed=cluster == MANAGER))

    def stop(self) -> None:
        for scripted in self._scripted:
            scripted.close()
        for operator in self._operators:
            operator.stop()
        for kueue in self._kueues.values():
            kueue.stop()
        for plane in self._planes.values():
            plane.stop()
        for etcd in self._etcds.values():
            etcd.stop()
        shutil.rmtree(self.folder)

    def admin(self, cluster: str) -> KubeClient:
        return self._planes[cluster].client

    def admin_access(self, cluster: str) -> Access:
        return self._planes[cluster].access

    def fedra_access(self, cluster: str) -> Access:
        return self._account_access(cluster, setup.FEDRA_ACCOUNT)

    def dispatcher_access(self, cluster: str) -> Access:
        account = "fedra-dispatcher"
        for document in setup.dispatcher_rights_of(cluster):
            if document["kind"] != "Namespace":
                self.admin(cluster).apply(_renamed(document, account, ()))
        return self._account_access(cluster, account)

    def restricted_access(self, worker: str, without: Collection[str]) -> Access:
        account = "fedra-without-" + "-".join(sorted(without))
        for document in setup.rights_of(worker):
            if document["kind"] == "Namespace":
                continue
            self.admin(worker).apply(_renamed(document, account, without))
        return self._account_access(worker, account)

    def access_without_jobs_in(self, worker: str, namespace: str) -> Access:
        account = "fedra-elsewhere"
        for document in setup.rights_of(worker):
            if document["kind"] == "Namespace":
                continue
            renamed = _renamed(document, account, ())
            if (
                document["kind"] == "ClusterRoleBinding"
                and document["metadata"]["name"] == "fedra-worker-writing"
            ):
                assert namespace != setup.FEDRA_NAMESPACE
                renamed["kind"] = "RoleBinding"
                renamed["metadata"]["namespace"] = setup.FEDRA_NAMESPACE
            self.admin(worker).apply(renamed)
        return self._account_access(worker, account)

    def grant(self, worker: str, manifest: str) -> None:
        for document in setup.deploy_manifests(manifest):
            self.admin(worker).apply(document)
            metadata = document["metadata"]
            granted = (worker, document["kind"], metadata.get("namespace"), metadata["name"])
            self._granted.append(granted)

    def withhold(self, worker: str, manifest: str) -> None:
        """Nothing to do: what was not granted is not allowed."""

    def set_multikueue(self, on: bool) -> None:
        self._has_multikueue = on
        self._kueues[MANAGER].restart({"MultiKueue": on})

    def foreign_ca(self) -> str:
        return self._foreign_ca

    def upgrade(self, cluster: str) -> None:
        """To the next release of Kubernetes, until `reset`."""
        release = real_tools.RELEASES[real_tools.RELEASES.index(self._planes[cluster].release) + 1]
        self._planes[cluster].change_release(real_tools.build(release))

    def back_up_manager(self) -> None:
        """Its etcd. Its API server is away meanwhile."""
        plane, etcd = self._planes[MANAGER], self._etcds[MANAGER]
        plane.stop_api_server()
        etcd.stop()
        etcd.copy_to(self._backup)
        etcd.start()
        plane.start_api_server()

    def restore_manager(self) -> None:
        """What `back_up_manager` has kept, with its revisions.

        All programs that read it start anew, as "Operating etcd clusters for Kubernetes" (kubernetes.io) asks for.
        """
        plane, etcd = self._planes[MANAGER], self._etcds[MANAGER]
        self._kueues[MANAGER].stop()
        plane.stop_own_programs()
        etcd.stop()
        etcd.copy_from(self._backup)
        shutil.rmtree(self._backup)
        etcd.start()
        plane.start_own_programs()
        self._kueues[MANAGER].start()
        self._kueues[MANAGER].wait_ready()

    def stop_api_server(self, cluster: str) -> None:
        self._planes[cluster].stop_api_server()

    def start_api_server(self, cluster: str) -> None:
        self._planes[cluster].start_api_server()

    def end_pods(
        self, worker: str, namespace: str, job: str | None = None, phase: str = "Succeeded"
    ) -> None:
        labels = f"batch.kubernetes.io/job-name={job}" if job else ""
        for pod in self.admin(worker).list("Pod", namespace, labels):
            if _runs(pod):
                self.end_pod(worker, namespace, pod["metadata"]["name"], phase)

    def end_job(self, worker: str, kind: JobKind, namespace: str, name: str, phase: str) -> None:
        if kind.kind == "Pod":
            return self.end_pod(worker, namespace, name, phase)
        client = self.admin(worker)
        if kind.kind in self._really_run:
            for pod in client.list("Pod", namespace, f"{kind.pod_label}={name}"):
                self.end_pod(worker, namespace, pod["metadata"]["name"], phase)
        elif client.find(kind.kind, namespace, name) is not None:
            client.patch(kind.kind, namespace, name, END_OF_RUN)

    def makes_pods(self, kind: str) -> bool:
        return kind in self._really_run

    def end_pod(self, worker: str, namespace: str, name: str, phase: str = "Succeeded") -> None:
        client = self.admin(worker)
        pod = client.find("Pod", namespace, name)
        if pod is not None and _runs(pod):
            client.patch("Pod", namespace, name, {"status": {"phase": phase}}, "status")

    def kueue_cpu_seconds(self, cluster: str) -> float:
        """What Kueue there has used so far."""
        return self._kueues[cluster].cpu_seconds()

    def kueue_metrics(self, cluster: str) -> str:
        """Prometheus' text format."""
        return self._kueues[cluster].metrics()

    def api_server_metrics(self, cluster: str) -> str:
        return str(self.admin(cluster).call("GET", "/metrics")["text"])

    def preempt(self, worker: str, namespace: str, workload: str) -> None:
        """By a more important job of the worker's own users with the same requests."""
        client = self.admin(worker)
        victim = client.get("Workload", namespace, workload)["spec"]
        cpu = victim["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"][
            "cpu"
        ]
        client.apply(objects.priority_class("urgent", 1000))
        urgent = objects.job(
            namespace, "urgent", victim["queueName"], cpu=cpu, priority="urgent", managed_by=False
        )
        client.create(urgent)

    def evict(self, cluster: str, namespace: str, workload: str) -> None:
        """The administrator stops the queue and starts it again when nothing has quota any more."""
        client = self.admin(cluster)
        queue = client.get("Workload", namespace, workload)["spec"]["queueName"]
        cluster_queue = client.get("LocalQueue", namespace, queue)["spec"]["clusterQueue"]

        def stop_policy(policy: str) -> None:
            client.patch("ClusterQueue", None, cluster_queue, {"spec": {"stopPolicy": policy}})

        stop_policy("HoldAndDrain")
        eventually(
            f"{workload} has given back its quota",
            lambda: not objects.is_true(
                client.get("Workload", namespace, workload), "QuotaReserved"
            ),
            self.patience,
        )
        stop_policy("None")

    def forget_kind(self, cluster: str, kind: str) -> None:
        assert self._crds is not None
        self._forgotten.add((cluster, kind))
        self._crds.remove(self.admin(cluster), kind)

    def change_version(self, cluster: str, kind: str) -> None:
        assert self._crds is not None
        self._renamed.add((cluster, kind))
        self._crds.change_version(self.admin(cluster), kind)

    def install_kind(self, cluster: str, kind: str) -> None:
        assert self._crds is not None
        if (cluster, kind) in self._renamed:
            self._crds.restore_version(self.admin(cluster), kind)
            self._renamed.discard((cluster, kind))
        else:
            self._crds.install_one(self.admin(cluster), kind)
            self._forgotten.discard((cluster, kind))

    def reset(self) -> None:
        for cluster, plane in self._planes.items():
            plane.ensure_api_server()
            if plane.release != self._release_of(cluster):
                plane.change_release(real_tools.build(self._release_of(cluster)))
        if self._has_multikueue != self._begins_with_multikueue:
            self.set_multikueue(self._begins_with_multikueue)
        for cluster, kind in (*self._renamed, *self._forgotten):
            self.install_kind(cluster, kind)
        for worker, kind, namespace, name in self._granted:
            self.admin(worker).delete(kind, namespace, name)
        self._granted.clear()

    def _release_of(self, cluster: str) -> str:
        return self._releases.get(cluster, real_tools.RELEASE)

    def _tools_of(self, cluster: str) -> real_tools.Tools:
        kueue = self._kueue_releases.get(cluster, real_tools.KUEUE)
        return real_tools.build(self._release_of(cluster), kueue)

    def _kueue_options(self, cluster: str) -> KueueOptions:
        return KueueOptions(
            device_class_mappings=setup.DEVICE_CLASS_MAPPINGS if self.kueue_dra else {},
            other_kinds=self._other_kinds,
            metrics=self._kueue_metrics,
            configuration=self._kueue_configuration.get(cluster, {}),
            multikueue=self._begins_with_multikueue or cluster != MANAGER,
        )

    def _start_scripted(self) -> None:
        """On the manager too, where they must leave alone what is managed by another cluster."""
        kinds = tuple(kind for kind in KINDS if kind not in self._really_run)
        for plane in self._planes.values():
            log = plane.folder / "scripted-operator.log"
            self._scripted.append(ScriptedOperator(plane.client, kinds, log))

    def _install_objects(self, cluster: str) -> None:
        client = self.admin(cluster)
        for document in setup.rights_of(cluster):
            client.apply(document)
        if cluster == MANAGER:
            if self.sets_managed_by:
                for document in setup.deploy_manifests("managed-by-policy.yaml"):
                    client.apply(document)
            for document in setup.deploy_manifests("placement-records.yaml"):
                client.apply(document)
            setup.install_manager(client)
        else:
            setup.install_worker(client)

    def _account_access(self, cluster: str, account: str) -> Access:
        return account_access(self._planes[cluster], account)


def _runs(pod: Object) -> bool:
    return bool(pod.get("status", {}).get("phase") == "Running")


def _renamed(document: Object, account: str, without: Collection[str]) -> Object:
    """The same account, roles or bindings under other names, with resources taken out of the rules."""
    renamed: Object = {
        **document,
        "metadata": {
            **document["metadata"],
            "name": _in_place_of_fedra(document["metadata"]["name"], account),
        },
    }
    if document["kind"] in ("ClusterRole", "Role"):
        renamed["rules"] = [
            {**rule, "resources": [name for name in rule["resources"] if name not in without]}
            for rule in document["rules"]
            if not set(rule["resources"]) <= set(without)
        ]
    if document["kind"] in ("ClusterRoleBinding", "RoleBinding"):
        role = document["roleRef"]
        renamed["roleRef"] = {**role, "name": _in_place_of_fedra(role["name"], account)}
        renamed["subjects"] = [{**subject, "name": account} for subject in document["subjects"]]
    return renamed


def _in_place_of_fedra(name: str, account: str) -> str:
    """fedra-worker-writing is ACCOUNT-worker-writing."""
    assert name.startswith("fedra"), name
    return account + name.removeprefix("fedra")
