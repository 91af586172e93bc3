"""One scenario's corner of a fleet: its namespace, queues and check, the fedra that serves it, and its jobs.

A scenario gets names of its own for everything, so many run one after the other on one fleet. `close` takes
everything away again and checks that fedra has left nothing behind.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from scenarios import objects, setup
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra, Verdict, merged
from scenarios.fleet import MANAGER, Fleet
from scenarios.invariants import Watchdog, assert_no_residue
from scenarios.job_kinds import JobKind
from scenarios.kube_client import ApiError, KubeClient
from scenarios.kubeconfig import Access
from scenarios.link import Link
from scenarios.modes import ADMISSION_CHECK, MODES, Mode
from scenarios.objects import NO_QUOTA, Quota
from scenarios.observer import Arrivals
from scenarios.resources import Object
from scenarios.supply import Supply
from scenarios.waiting import T, eventually

QUEUE = "main"  # name of the LocalQueue everywhere
TEMPLATE = "one-gpu"
_IS_GROUP = "kueue.x-k8s.io/is-group-workload"
_DESCRIBED = 10  # jobs in the report of a failure
IMPATIENT = {"dispatch": {"admissionTimeout": "2s"}}


class World:
    """Lifetime: `open`, the scenario, `close`. Main thread only."""

    def __init__(
        self,
        fleet: Fleet,
        name: str,
        binary: Path,
        folder: Path,
        mode: Mode = MODES[ADMISSION_CHECK],
    ):
        self.fleet = fleet
        self.mode = mode
        self.ns = name
        self.check = name  # AdmissionCheck, ClusterQueue and namespace share the scenario's name
        self.workers = fleet.workers
        self.worker1, self.worker2 = fleet.workers[:2]
        self.supply = Supply(fleet, name)
        self.fedra: Fedra | None = None
        self._binary, self._folder = binary, folder
        self._ignores_quota = False
        self._queues: list[str] = []
        self._links: dict[str, Link] = {}
        self._classes: set[tuple[str, str]] = set()
        self._notes: list[str] = []
        self._replicas: list[Fedra] = []  # beside the first one
        self._started_with: tuple[dict[str, Access], dict[str, Any]] = ({}, {})
        self._without_links: dict[str, Access] = {}  # of the first fedra
        self._clones: Arrivals | None = None
        self._watchdog: Watchdog | None = None
        self._kinds: list[str] = ["Job"]  # of jobs that were submitted
        self._of_other_kinds: list[FederatedJob] = []

    # --- The stage.

    def open(self, check: Sequence[Object] | None = None) -> None:
        """The namespace everywhere, a queue with ample quota everywhere, the check on the manager's queue.

        `check`: objects to create in place of an AdmissionCheck of ours; it must have this world's name.
        """
        for cluster in self.fleet.clusters:
            client = self.admin(cluster)
            self.eventually(
                f"the namespace of a former run is gone from {cluster}",
                lambda: not objects.is_going(client.find("Namespace", None, self.ns)),
            )
            client.apply(objects.namespace(self.ns, managed=cluster == MANAGER))
            client.apply(objects.local_queue(self.ns, QUEUE, self.ns))
        for each in check or self.mode.check(self.check, list(self.workers)):
            self.manager.apply(each)
        self.manager.apply(objects.cluster_queue(self.ns, Quota(), self.check))
        for worker in self.workers:
            self.set_quota(worker, Quota())
        for worker in self.workers:
            self.eventually(f"queue of {worker} is active", lambda: self._queue_active(worker))

    def close(self) -> None:
        """Removes the jobs, waits until fedra has cleaned up after them, ends it and removes the rest."""
        watchdog = self._watchdog
        try:
            self._remove_jobs()
            self._end_fedra()
        finally:
            self.abandon()
        if watchdog is not None:
            watchdog.assert_nothing_seen()

    def _end_fedra(self) -> None:
        """It ends as it is told; it would not if it had died before."""
        if self.fedra is not None and self.fedra.process is not None:
            self.fedra.stop()

    def abandon(self) -> None:
        """Ends fedra and takes away the queues, whatever state they are in. May be called again."""
        for fedra in (self.fedra, *self._replicas):
            if fedra is not None and fedra.process is not None:
                fedra.process.kill()
        for observer in (self._watchdog, self._clones, *self._links.values()):
            if observer is not None:
                observer.close()
        self._watchdog, self._clones, self._links = None, None, {}
        self.fleet.reset()
        # One that was killed has left it.
        self.manager.delete("Lease", setup.FEDRA_NAMESPACE, setup.LEASE)
        self.manager.delete("ConfigMap", setup.FEDRA_NAMESPACE, setup.OUTAGES)
        self.supply.restore()
        self.mode.disconnect(self.manager, self.workers)
        for worker, class_name in self._classes:
            self.admin(worker).delete("DeviceClass", None, class_name)
        for cluster in self.fleet.clusters:
            self.admin(cluster).delete("Namespace", None, self.ns)
            for queue in (self.ns, *self._queues):
                self.admin(cluster).delete("ClusterQueue", None, queue)
        self.manager.delete("AdmissionCheck", None, self.check)
        self.manager.delete("MultiKueueConfig", None, self.ns)

    @property
    def manager(self) -> KubeClient:
        return self.fleet.admin(MANAGER)

    def admin(self, cluster: str) -> KubeClient:
        return self.fleet.admin(cluster)

    def set_quota(self, worker: str, quota: Quota) -> None:
        self.admin(worker).apply(objects.cluster_queue(self.ns, quota))

    def close_queue(self, worker: str) -> None:
        """The worker's Kueue admits nothing more. fedra ignores quota and still dispatches jobs there."""
        assert self.fedra is None or self._ignores_quota, "start fedra with ignore_quota=True"
        self._ignores_quota = True
        self.set_quota(worker, NO_QUOTA)

    def add_template(
        self,
        cluster: str,
        class_name: str = setup.GPU_CLASS,
        count: int = 1,
        name: str = TEMPLATE,
    ) -> None:
        self.admin(cluster).apply(objects.claim_template(self.ns, name, class_name, count))

    def add_template_for(self, worker: str, name: str = TEMPLATE) -> None:
        """What a job needs to run there. Where Kueue counts devices, the manager's refuses it without a template of its own."""
        self.add_template(worker, name=name)
        if self.fleet.kueue_dra:
            self.add_template(MANAGER, name=name)

    def add_template_everywhere(self, class_name: str = setup.GPU_CLASS) -> None:
        for cluster in self.fleet.clusters:
            self.add_template(cluster, class_name)

    def add_class(self, worker: str, class_name: str) -> None:
        """A DeviceClass for this scenario only."""
        self._classes.add((worker, class_name))
        self.admin(worker).apply(objects.device_class(class_name))

    def use_workers(self, *workers: str) -> None:
        """Limits the scenario's check to these workers, in this order, by a MultiKueueConfig."""
        for each in self.mode.restricted_check(self.check, list(workers)):
            self.manager.apply(each)

    def add_queue(self, name: str) -> str:
        """Another LocalQueue everywhere, and a ClusterQueue of its own; returns the latter's name."""
        full_name = f"{self.ns}-{name}"
        self._queues.append(full_name)
        for cluster in self.fleet.clusters:
            check = self.check if cluster == MANAGER else None
            self.admin(cluster).apply(objects.cluster_queue(full_name, Quota(), check))
            self.admin(cluster).apply(objects.local_queue(self.ns, name, full_name))
        return full_name

    def drain(self, worker: str) -> None:
        """The worker's administrator stops the queue and evicts what runs there."""
        self.admin(worker).patch(
            "ClusterQueue", None, self.ns, {"spec": {"stopPolicy": "HoldAndDrain"}}
        )

    def preempt_on(self, worker: str, job: FederatedJob) -> None:
        """The job, which uses all of the queue's quota, is preempted by the worker's Kueue."""
        clone = objects.present(job.clone(worker))
        self.fleet.preempt(worker, self.ns, clone["metadata"]["name"])

    def scratch(self, name: str) -> Path:
        """A new folder beside fedra's own."""
        folder = self._folder.with_name(f"{self._folder.name}-{name}")
        folder.mkdir(parents=True)
        return folder

    def note(self, text: str) -> None:
        """A measured value, printed beside the scenario's result."""
        self._notes.append(text)

    @property
    def notes(self) -> str:
        return ", ".join(self._notes)

    # --- fedra.

    def start_fedra(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        links: Collection[str] = (),
        accesses: Mapping[str, Access] | None = None,
        workers: Mapping[str, Mapping[str, Any]] | None = None,
        cut: Collection[str] = (),
        crash_at: str | None = None,
        check_active: bool = True,
        watchdog: bool = True,
        ignore_quota: bool = False,
        start: bool = True,
    ) -> Fedra:
        """Starts fedra on this fleet with an empty store.

        `links`: workers whose network the scenario wants to control (see `link`), `cut`: those of them that are
        cut from the beginning. `accesses`: other credentials than the usual ones. `workers`: settings in the
        entries of some workers. `check_active`: wait until Kueue lets jobs into the queue. `watchdog`: off where
        its reads would disturb a measurement. `ignore_quota`: for scenarios that close a queue later. `start`:
        False where only commands are asked at first.
        """
        self._ignores_quota |= ignore_quota
        usual = {cluster: self.mode.access(self.fleet, cluster) for cluster in self.fleet.clusters}
        chosen = {**usual, **(accesses or {})}
        self._without_links = dict(chosen)
        for worker in links:
            chosen[worker] = self._through_link(worker, chosen[worker])
        if watchdog:
            self._watchdog = Watchdog(self.fleet, self.ns, self._kinds, self.mode.origin)
            self._clones = Arrivals(self.fleet, self.workers, "Workload", self.ns)
        for worker in cut:
            self.cut(worker)
        self.mode.connect(self.fleet, {worker: chosen[worker] for worker in self.workers})
        settings = merged(self.mode.settings, settings or {})
        if self._ignores_quota:
            settings["verification"] = {
                **settings.get("verification", {}),
                "queueQuota": "Ignore",
            }
        self._started_with = (chosen, settings)
        self.fedra = Fedra(self._binary, self._folder, chosen, settings)
        for worker, entry in (workers or {}).items():
            self.fedra.change_worker(worker, entry)
        if start:
            self.fedra.start(crash_at)
        if start and check_active:
            self.wait_check_active()
        return self.fedra

    def start_replica(
        self, name: str, ready: bool = True, own_links: Collection[str] = ()
    ) -> Fedra:
        """Another fedra with the configuration of the first one and a store of its own; `ready`: waits until it is.

        `own_links`: clusters whose link, called NAME/CLUSTER, is not the first one's.
        """
        accesses, settings = self._started_with
        own = {
            cluster: self._through_link(f"{name}/{cluster}", self._without_links[cluster])
            for cluster in own_links
        }
        replica = Fedra(self._binary, self._folder / name, {**accesses, **own}, settings)
        self._replicas.append(replica)
        replica.start(ready=ready)
        return replica

    def link(self, worker: str) -> Link:
        return self._links[worker]

    def cut(self, worker: str) -> None:
        """fedra loses contact with the worker; everything else there goes on."""
        self.unwatch(worker)
        self._links[worker].cut()

    def restore(self, worker: str) -> None:
        """The network to the worker is whole again."""
        self._links[worker].restore()
        self.watch_again(worker)

    def unwatch(self, cluster: str) -> None:
        """The invariants cannot be looked at there, or need not hold, until `watch_again`."""
        if self._watchdog is not None:
            self._watchdog.ignore(cluster)

    def watch_again(self, cluster: str) -> None:
        if self._watchdog is not None:
            self._watchdog.heed(cluster)

    def wait_worker_state(self, worker: str, state: str) -> None:
        """Waits until `fedra status` shows the worker in that state."""

        def look() -> bool:
            assert self.fedra is not None
            return self.fedra.worker_states()[worker] == state

        self.eventually(f"{worker} is {state}", look)

    def dispatched_to(self, worker: str) -> int:
        """How many Workloads the worker has had in this namespace since fedra was first started."""
        assert self._clones is not None
        return self._clones.per_cluster()[worker]

    def verdicts(self, job: FederatedJob) -> dict[str, Verdict]:
        """What `fedra why` says of each worker, as soon as it is stored."""
        assert self.fedra is not None
        verdicts = functools.partial(self.fedra.verdicts, job.key)
        self.eventually(f"fedra has verdicts on {job.key}", verdicts)
        return verdicts()

    def reasons(self, job: FederatedJob) -> dict[str, list[str]]:
        """What `fedra why` has against each worker: reason codes, empty for a worker that can run the job."""
        return {worker: verdict.reasons for worker, verdict in self.verdicts(job).items()}

    def wait_check_active(self) -> None:
        """Kueue lets nothing into the queue before our check is Active."""
        self.eventually(
            "the check is Active",
            lambda: objects.is_true(self.manager.get("AdmissionCheck", None, self.check), "Active"),
        )
        self.eventually(
            "the manager's queue is Active",
            lambda: objects.is_true(self.manager.get("ClusterQueue", None, self.ns), "Active"),
        )

    # --- Jobs.

    def submit(self, name: str, **options: Any) -> FederatedJob:
        """Creates a job on the manager; the options are those of objects.job."""
        self.manager.create(objects.job(self.ns, name, QUEUE, **options))
        return self.job(name)

    def _is_taken(self, job: Object) -> bool:
        """An admission policy hears of a new CRD seconds after it is served (503, Kubernetes 1.36)."""
        try:
            self.manager.create(job)
        except ApiError as error:
            if error.status != 503:
                raise
            return False
        return True

    def submit_kind(
        self, kind: JobKind, name: str, template: str | None = None, managed_by: bool = True
    ) -> FederatedJob:
        """Creates a job of another kind on the manager. fedra must have been started."""
        for needed in kind.needed(self.ns, template):
            for cluster in self.fleet.clusters:
                self.admin(cluster).apply(needed)
        return self.submit_object(kind, kind.make(self.ns, name, QUEUE, template, managed_by))

    def submit_object(self, kind: JobKind, made: Object) -> FederatedJob:
        """The same with an object that is made already."""
        self._note_kinds(kind.kind)
        self.eventually("the job is taken", lambda: self._is_taken(made))
        job = self.job(made["metadata"]["name"], kind=kind)
        self._of_other_kinds.append(job)
        return job

    def submit_pods_of(self, made: Object) -> None:
        """Creates on the manager what makes pods that are jobs. fedra must have been started."""
        self._note_kinds(made["kind"], "Pod")
        self.manager.create(made)

    def _note_kinds(self, *kinds: str) -> None:
        """What is watched, and removed in the end, in this order. In place: the watchdog has the list."""
        self._kinds += [kind for kind in kinds if kind not in self._kinds]

    def job(
        self,
        name: str,
        ns: str | None = None,
        check: str | None = None,
        kind: JobKind | None = None,
    ) -> FederatedJob:
        """A job by its name; in this world's namespace and under its check unless others are named.

        `kind`: None: a batch/v1 Job.
        """
        if kind is not None and not self.mode.holds_checks:
            kind = dataclasses.replace(kind, holds_check=False)
        return FederatedJob(
            self.fleet, ns or self.ns, name, check or self.check, kind, self.mode.origin
        )

    def eventually(
        self, what: str, look: Callable[[], T | None], timeout: float | None = None
    ) -> T:
        return eventually(what, look, timeout or self.fleet.patience)

    def describe(self) -> list[str]:
        """Findings of the watchdog, and one line per job and clone (of the first few), after a failure."""
        lines = list(self._watchdog.findings) if self._watchdog is not None else []
        for job in self._submitted()[:_DESCRIBED]:
            lines.append(
                f"{job.key}: check {job.check_state()!r} {job.check_message()!r} on {job.cluster_name()}"
            )
            lines += [
                f"  {cluster}: {_conditions(workload)}"
                for cluster, workload in [
                    (MANAGER, job.workload()),
                    *((w, job.clone(w)) for w in self.workers),
                ]
                if workload is not None
            ]
            lines += [f"  {worker}: has a {job.kind} {job.name}" for worker in job.remote_jobs()]
        return lines

    def stop_api_server(self, worker: str) -> None:
        self.unwatch(worker)
        self.fleet.stop_api_server(worker)

    def start_api_server(self, worker: str) -> None:
        self.fleet.start_api_server(worker)
        self.eventually(
            f"{worker} answers", lambda: self.admin(worker).find("Namespace", None, self.ns)
        )
        self.watch_again(worker)

    def _queue_active(self, worker: str) -> bool:
        return objects.is_true(self.admin(worker).get("LocalQueue", self.ns, QUEUE), "Active")

    def _through_link(self, name: str, access: Access) -> Access:
        host, _, port = access.server.rpartition(":")
        link = self._links[name] = Link(int(port))
        return Access(
            f"{host}:{link.port}",
            access.ca,
            access.token,
            access.client_certificate,
            access.client_key,
        )

    def _submitted(self) -> list[FederatedJob]:
        jobs = self.manager.list("Job", self.ns)
        return self._of_other_kinds + [self.job(found["metadata"]["name"]) for found in jobs]

    def _remove_jobs(self) -> None:
        # The pods of a group that has not finished wait for replacements: it ends with its Workload.
        for workload in self.manager.list("Workload", self.ns) if "Pod" in self._kinds else []:
            if _IS_GROUP in workload["metadata"].get("annotations", {}):
                self.manager.delete("Workload", self.ns, workload["metadata"]["name"])
        for kind in self._kinds:
            for job in self.manager.list(kind, self.ns):
                self.manager.delete(kind, self.ns, job["metadata"]["name"])
        if self.fedra is not None:
            for worker in self._links:
                self.restore(worker)
            assert_no_residue(self.fleet, self.ns, self._kinds, self.mode.origin)


def _conditions(workload: Object) -> str:
    conditions = workload.get("status", {}).get("conditions", [])
    return ", ".join(
        f"{c['type']}={c['status']} {c['reason']} ({c['message'][:120]})" for c in conditions
    )
