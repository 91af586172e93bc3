"""Every kind of job takes the same way as a batch/v1 Job: one table of kinds, the same scenarios for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from scenarios import objects
from scenarios.external_kinds import EXTERNAL_KINDS
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.job_kinds import (
    APP_WRAPPER,
    JOB_KINDS,
    JOB_SET,
    RAY_JOB,
    RAY_SERVICE,
    SPARK_APPLICATION,
    TRAIN_JOB,
    JobKind,
)
from scenarios.modes import ADMISSION_CHECK, COPYING
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.rows.stage import grant_pods
from scenarios.world import QUEUE, TEMPLATE, World

# One of each family: a row of the table, a row to whose pods Kueue adds one, pod templates that code finds in the job or in
# what it names, a copy that cannot name its Workload (as JAXJob's). Pods, and what is made of them, are in pods.py,
# stateful_sets.py and leader_worker_sets.py.
_FAMILIES = (JOB_SET, RAY_JOB, APP_WRAPPER, TRAIN_JOB, SPARK_APPLICATION)


def for_each_kind(
    suffix: str,
    kinds: tuple[JobKind, ...] = JOB_KINDS + EXTERNAL_KINDS,
    modes: tuple[str, ...] = (ADMISSION_CHECK,),
) -> Callable[[Callable[[World, JobKind], None]], None]:
    """Registers the body once per kind: "jobset-" + suffix.

    No kind knows of what a mode changes: whose a copy is, where workers come from. So beside admissionCheck simulated clusters
    play one of each family and the external kinds, or else the first one; real ones (make test-real-modes) play all.
    """
    chosen = [kind for kind in kinds if kind in _FAMILIES or kind.entry is not None] or kinds[:1]

    def register(body: Callable[[World, JobKind], None]) -> None:
        for kind in kinds:

            def run(world: World, kind: JobKind = kind) -> None:
                body(world, kind)

            run.__doc__ = f"{kind.kind}: {body.__doc__}"
            # On real clusters nobody makes the Workloads of an external kind.
            fleets = ("sim", "real") if kind.entry is None else ("sim",)
            scenario(
                f"{kind.label}-{suffix}",
                fleets=fleets,
                other_kinds=True,
                modes=modes,
                other_modes_on=("sim", "real") if kind in chosen else ("real",),
            )(run)

    return register


def start_with_pod_rights(world: World, kind: JobKind, **more: Any) -> Fedra:
    """fedra as the documentation says for pods and what is made of them: with their rights on every cluster.

    Both workers are known then, so that of equal ones the first is chosen.
    """
    grant_pods(world)
    fedra = world.start_fedra({**kind.settings, **more}, links=[world.worker1])
    for worker in (world.worker1, world.worker2):
        world.wait_worker_state(worker, "Connected")
    return fedra


@for_each_kind("runs", modes=COPYING)
def runs(world: World, kind: JobKind) -> None:
    """dispatched by its devices' template, mirrored, finished, and removed from the worker."""
    world.add_template_for(world.worker2)
    if not kind.shows_pods:
        world.use_workers(world.worker2)
    world.start_fedra(kind.settings)
    # Without managedBy: the policy (in the simulation: Kueue) writes it.
    job = world.submit_kind(
        kind, "train", template=TEMPLATE, managed_by=not world.fleet.sets_managed_by
    )
    job.wait_running_on(world.worker2)
    if kind.managed_by:
        assert kind.manager(objects.present(job.manager_job())) == objects.MANAGED_BY
    remote = objects.present(job.remote_job(world.worker2))
    assert kind.manager(remote) == kind.own_manager, "its own operator runs it"
    # Of a RayJob the CRD writes one of its own, 0, which deletes its cluster only.
    assert '"ttlSeconds": 1' not in objects.canonical(remote["spec"])
    assert '"ttlSecondsAfterFinished": 1' not in objects.canonical(remote["spec"])
    assert '"timeToLiveSeconds": 1' not in objects.canonical(remote["spec"])
    if kind.mirrors_whole:
        world.eventually(
            "the whole status is mirrored",
            lambda: objects.present(job.manager_job())["status"]
            == objects.present(job.remote_job(world.worker2))["status"],
        )
    if kind.ends:
        job.finish(world.worker2)
        finished = objects.condition(job.workload(), "Finished")
        assert finished is not None and finished["reason"] == "Succeeded", finished
    else:
        world.manager.delete(kind.kind, world.ns, "train")
        world.eventually("nothing is left on the workers", job.nowhere)


@scenario("rayservice-edited", other_kinds=True, modes=COPYING)
def edited(world: World) -> None:
    """RayService: an edited serveConfigV2 reaches its copy, which runs on; a change of its cluster does not."""
    world.start_fedra()
    job = world.submit_kind(RAY_SERVICE, "train")
    job.wait_running_on(world.worker1)

    def copy() -> Object:
        return objects.present(job.remote_job(world.worker1))

    before = copy()
    changes = {"serveConfigV2": "applications: []", "rayClusterConfig": {"rayVersion": "2.50.0"}}
    world.manager.patch("RayService", world.ns, "train", {"spec": changes})
    world.eventually(
        "the copy has it",
        lambda: copy()["spec"]["serveConfigV2"] == changes["serveConfigV2"],
    )
    after = copy()
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["spec"] == {**before["spec"], "serveConfigV2": changes["serveConfigV2"]}


# No operator refuses a job on command.
@scenario("rayjob-invalid", fleets=("sim",), other_kinds=True, modes=COPYING)
def invalid(world: World) -> None:
    """RayJob: one that KubeRay refuses on its worker has failed; the manager shows why, and no other worker is tried."""
    fedra = world.start_fedra()
    made = RAY_JOB.make(world.ns, "train", QUEUE)
    made["metadata"]["annotations"]["sim.fedra.dev/result"] = "invalid"
    job = world.submit_object(RAY_JOB, made)

    def status() -> Object:
        found: Object = objects.present(job.manager_job()).get("status", {})
        return found

    world.eventually(
        "the refusal is mirrored",
        lambda: status().get("jobDeploymentStatus") == "ValidationFailed",
    )
    assert status()["message"] == "the spec is invalid", status()

    def is_held() -> bool:
        quota = objects.condition(job.workload(), "QuotaReserved")
        return quota is not None and quota["reason"] == "OnHold"

    world.eventually("Kueue holds it back", is_held)
    world.eventually("nothing is left on the workers", job.nowhere)
    job.stays_nowhere()
    assert status()["jobDeploymentStatus"] == "ValidationFailed"
    world.eventually("people see it", lambda: "Failed" in fedra.cli("status", "jobs").stdout)


def lose_worker_and_evict(world: World, job: FederatedJob) -> None:
    """The job moves when its first worker is lost, is then evicted on the manager, and is dispatched again."""
    job.wait_running_on(world.worker1)
    world.cut(world.worker1)
    job.wait_running_on(world.worker2)
    world.restore(world.worker1)
    job.wait_gone_from(world.worker1)
    evict_here(world, job)
    job.wait_running_on(world.eventually("it is dispatched again", job.cluster_name))


def evict_here(world: World, job: FederatedJob) -> None:
    """The manager's Kueue takes its quota back: only when no activity is mirrored any more."""
    world.fleet.evict(MANAGER, world.ns, objects.present(job.workload())["metadata"]["name"])
    world.eventually(
        "it was requeued",
        lambda: objects.condition(job.workload(), "Requeued") is not None,
    )


@for_each_kind("moved", modes=COPYING)
def moved(world: World, kind: JobKind) -> None:
    """moved when its worker is lost, evicted there and requeued, and deleted by its user."""
    fedra = world.start_fedra({"workerLostTimeout": "3s", **kind.settings}, links=[world.worker1])
    job = world.submit_kind(kind, "train")
    lose_worker_and_evict(world, job)
    assert kind.kind in fedra.cli("status", "jobs", "-o", "wide").stdout
    world.manager.delete(kind.kind, world.ns, "train")
    world.eventually("nothing is left on the workers", job.nowhere)


@for_each_kind("evicted", _FAMILIES, modes=COPYING)
def evicted(world: World, kind: JobKind) -> None:
    """one that is preempted on its worker runs on the other one, and nothing of it stays on the first."""
    world.start_fedra(kind.settings)
    job = world.submit_kind(kind, "train")
    job.wait_running_on(world.worker1)
    world.set_quota(world.worker1, objects.Quota(cpu=_cpu_used(job, world.worker1)))
    world.preempt_on(world.worker1, job)
    job.wait_running_on(world.worker2)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


def _cpu_used(job: FederatedJob, worker: str) -> str:
    """What Kueue there counts of it: with the pods that it adds, and those that the job does not show."""

    def milli(quantity: str) -> int:
        return int(quantity[:-1]) if quantity.endswith("m") else 1000 * int(quantity)

    admission = objects.present(job.clone(worker))["status"]["admission"]
    usages = [
        each.get("resourceUsage", {}).get("cpu", "0") for each in admission["podSetAssignments"]
    ]
    return f"{sum(map(milli, usages))}m"


# No operator stays there on command.
@scenario("rayjob-evicted-initializing", fleets=("sim",), other_kinds=True, modes=COPYING)
def evicted_initializing(world: World) -> None:
    """RayJob: one that is evicted here before its cluster is up gives its quota back, and is dispatched again (kueue#15380)."""
    world.start_fedra()
    made = RAY_JOB.make(world.ns, "train", QUEUE)
    made["metadata"]["annotations"]["sim.fedra.dev/result"] = "initializing"
    job = world.submit_object(RAY_JOB, made)
    job.wait_running_on(world.worker1)
    status = objects.present(job.manager_job())["status"]
    assert status["jobDeploymentStatus"] == "Initializing", status
    evict_here(world, job)
    job.wait_running_on(world.eventually("it is dispatched again", job.cluster_name))
    world.manager.delete("RayJob", world.ns, "train")
    world.eventually("nothing is left on the workers", job.nowhere)


# A real operator cannot be told to ignore a job. The clone's admission is dated back, for fedra waits two minutes.
@scenario("jobset-ignored", fleets=("sim",), other_kinds=True, modes=COPYING)
def ignored(world: World) -> None:
    """JobSet: one that no operator looks at on its worker is told of, stays there, and runs on when the operator is back."""
    fedra = world.start_fedra()
    made = JOB_SET.make(world.ns, "train", QUEUE)
    made["metadata"].setdefault("annotations", {})["sim.fedra.dev/result"] = "ignored"
    job = world.submit_object(JOB_SET, made)

    def is_started() -> bool:
        copy = job.remote_job(world.worker1)
        return copy is not None and copy["spec"].get("suspend") is False

    def is_told() -> bool:
        return "no controller on" in fedra.cli("status", "jobs", "-o", "wide").stdout

    world.eventually("Kueue has started it there", is_started)
    assert not is_told() and "NotStarted" not in job.event_reasons()
    clone = objects.present(job.clone(world.worker1))
    conditions = clone["status"]["conditions"]
    for each in conditions:
        if each["type"] == "Admitted":
            each["lastTransitionTime"] = objects.LONG_AGO
    admin = world.admin(world.worker1)
    name = clone["metadata"]["name"]
    admin.patch("Workload", world.ns, name, {"status": {"conditions": conditions}}, "status")
    world.eventually("it is told", is_told)
    world.eventually("as an Event, too", lambda: "NotStarted" in job.event_reasons())
    assert job.cluster_name() == world.worker1
    back = {"metadata": {"annotations": {"sim.fedra.dev/result": None}}}
    admin.patch("JobSet", world.ns, "train", back)
    job.wait_running_on(world.worker1)
    world.eventually("it is told no more", lambda: not is_told())
    job.finish(world.worker1)


@for_each_kind("preempted", EXTERNAL_KINDS, modes=COPYING)
def preempted(world: World, kind: JobKind) -> None:
    """one that its worker preempts, which may end the copy: it has not failed, and runs again."""
    world.start_fedra(kind.settings)
    job = world.submit_kind(kind, "train")
    job.wait_running_on(world.worker1)
    first = objects.present(job.remote_job(world.worker1))["metadata"]["uid"]
    world.preempt_on(world.worker1, job)

    def runs_again() -> bool:
        where = job.cluster_name()
        copy = job.remote_job(where) if where else None
        return copy is not None and copy["metadata"]["uid"] != first

    world.eventually("it is dispatched again", runs_again)
    where = world.eventually("it has a worker", job.cluster_name)
    job.wait_running_on(where)
    assert not objects.is_true(job.workload(), "Finished")
    world.manager.delete(kind.kind, world.ns, "train")
    world.eventually("nothing is left on the workers", job.nowhere)


@for_each_kind("owned", EXTERNAL_KINDS[:1], modes=COPYING)
def owned(world: World, kind: JobKind) -> None:
    """one that something on the manager owns: its copy has no owner, and none of what its API server wrote."""
    world.start_fedra(kind.settings)
    settings = {"apiVersion": "v1", "kind": "ConfigMap"}
    owner = world.manager.create({**settings, "metadata": {"name": "owner", "namespace": world.ns}})
    made = kind.make(world.ns, "train", QUEUE)
    reference = {**settings, "name": "owner", "uid": owner["metadata"]["uid"]}
    made["metadata"]["ownerReferences"] = [reference]
    job = world.submit_object(kind, made)
    job.wait_running_on(world.worker1)
    here = objects.present(job.manager_job())["metadata"]
    there = objects.present(job.remote_job(world.worker1))["metadata"]
    assert here["ownerReferences"] == [reference], here
    assert "ownerReferences" not in there, there
    assert there["uid"] != here["uid"] and there["namespace"] == here["namespace"], there
    job.finish(world.worker1)


@for_each_kind(
    "missing",
    (JOB_SET, RAY_JOB, *EXTERNAL_KINDS[:1]),
)
def missing(world: World, kind: JobKind) -> None:
    """a worker without the CRD loses this kind only, and gets it back when the CRD is installed."""
    world.fleet.forget_kind(world.worker1, kind.kind)
    world.start_fedra(kind.settings)
    job = world.submit_kind(kind, "train")
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["KindMissing"]
    plain = world.submit("plain")
    plain.wait_running_on(world.worker1)
    plain.finish(world.worker1)
    world.fleet.install_kind(world.worker1, kind.kind)
    world.drain(world.worker2)
    world.eventually("it moves", lambda: job.cluster_name() == world.worker1, 90)
    job.wait_running_on(world.worker1)


def _run_beside_a_job(world: World, kind: JobKind) -> tuple[FederatedJob, FederatedJob, str]:
    """One of the kind and a batch/v1 Job, both on worker1; and the UID of the Job's copy."""
    world.add_template_for(world.worker1)
    plain = world.submit("plain", template=TEMPLATE)
    job = world.submit_kind(kind, "train", TEMPLATE)
    for each in (job, plain):
        each.wait_running_on(world.worker1)
    world.add_template_for(world.worker2)
    return job, plain, plain.remote_uid(world.worker1)


@for_each_kind("vanished", (JOB_SET, RAY_JOB))
def vanished(world: World, kind: JobKind) -> None:
    """a worker whose CRD goes, with all of its objects, loses this kind only: what ran there runs elsewhere."""
    fedra = world.start_fedra({"workerLostTimeout": "10m"})  # nobody waits for the worker
    job, plain, before = _run_beside_a_job(world, kind)
    world.fleet.forget_kind(world.worker1, kind.kind)
    job.wait_running_on(world.worker2)
    planned = kind.make(world.ns, "planned", QUEUE)
    world.eventually(
        "it is said", lambda: fedra.checked(planned)[world.worker1].reasons == ["KindMissing"]
    )
    world.eventually("nothing of it is left", lambda: job.clone(world.worker1) is None)
    assert plain.remote_uid(world.worker1) == before
    world.fleet.install_kind(world.worker1, kind.kind)
    world.add_template_for(world.worker1, "fresh")
    again = world.submit_kind(kind, "again", "fresh")
    again.wait_running_on(world.worker1)
    for each in (again, plain):
        each.finish(world.worker1)
    job.finish(world.worker2)


@for_each_kind("version-changed", (JOB_SET,))
def version_changed(world: World, kind: JobKind) -> None:
    """a worker that serves its CRD in another version only is lost for this kind alone, until it serves the known one."""
    world.start_fedra({"workerLostTimeout": "3s"})
    job, plain, before = _run_beside_a_job(world, kind)
    world.unwatch(world.worker1)  # its copies cannot be reached there
    world.fleet.change_version(world.worker1, kind.kind)
    job.wait_running_on(world.worker2)
    other = world.submit_kind(kind, "other")
    other.wait_running_on(world.worker2)
    assert world.reasons(other)[world.worker1] == ["KindMissing"]
    assert job.clone(world.worker1) is not None
    assert plain.remote_uid(world.worker1) == before
    world.fleet.install_kind(world.worker1, kind.kind)
    job.wait_gone_from(world.worker1)
    world.watch_again(world.worker1)
    assert plain.remote_uid(world.worker1) == before
    plain.finish(world.worker1)
    for each in (job, other):
        each.finish(world.worker2)


_KIND = {kind.kind: kind for kind in JOB_KINDS}
# Of some kinds what their own controller is called in managedBy.
_OPERATORS = {
    "JobSet": "jobset.sigs.k8s.io/jobset-controller",
    "MPIJob": "kubeflow.org/mpi-operator",
    "PyTorchJob": "kubeflow.org/training-operator",
    "RayJob": "ray.io/kuberay-operator",
}


@for_each_kind("managed-elsewhere", (_KIND["MPIJob"],), modes=COPYING)
def managed_elsewhere(world: World, kind: JobKind) -> None:
    """one that names another controller is rejected with what to write, and goes nowhere."""
    _is_rejected(world, kind)


def _is_rejected(world: World, kind: JobKind) -> None:
    world.start_fedra(kind.settings)
    made = kind.make(world.ns, "train", QUEUE, managed_by=False)
    made["spec"]["runPolicy"]["managedBy"] = "example.com/other-controller"
    job = world.submit_object(kind, made)
    wait_rejected(world, job)
    assert any("expecting spec.runPolicy.managedBy" in event["note"] for event in job.events())


# training-operator's webhook takes no other name than its own and Kueue's.
@scenario("pytorchjob-managed-elsewhere", fleets=("sim",), other_kinds=True, modes=COPYING)
def pytorch_managed_elsewhere(world: World) -> None:
    """A PyTorchJob that names another controller is rejected with what to write, and goes nowhere."""
    _is_rejected(world, _KIND["PyTorchJob"])


@for_each_kind("names-its-operator", tuple(_KIND[each] for each in _OPERATORS))
def names_its_operator(world: World, kind: JobKind) -> None:
    """one that names its own operator, as a chart may write out, is dispatched as if it named none."""
    world.start_fedra(kind.settings)
    made = kind.make(world.ns, "train", QUEUE, managed_by=False)
    of = made["spec"]["runPolicy"] if "runPolicy" in made["spec"] else made["spec"]
    of["managedBy"] = _OPERATORS[kind.kind]
    job = world.submit_object(kind, made)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


def wait_rejected(world: World, job: FederatedJob) -> None:
    """Its check is Rejected, so that Kueue deactivates it; people are told, and no worker gets it."""

    def is_deactivated() -> bool:
        evicted = objects.condition(job.workload(), "Evicted")
        return evicted is not None and evicted["reason"].startswith("DeactivatedDueToAdmission")

    world.eventually("Kueue deactivates it", is_deactivated)
    world.eventually("it is said", lambda: "NotDispatchable" in job.event_reasons())
    job.stays_nowhere()


def _with_own_runtimes(world: World, **nodes: int) -> FederatedJob:
    """A TrainJob whose runtime differs from cluster to cluster: by the nodes that it says when the job says nothing."""
    kind = dataclasses.replace(TRAIN_JOB, beside=lambda pod: [])
    for cluster, count in nodes.items():
        for runtime in TRAIN_JOB.needed(world.ns):
            runtime["spec"]["mlPolicy"]["numNodes"] = count
            world.admin(cluster).apply(runtime)
    return world.submit_kind(kind, "train")


@scenario("trainjob-runtime", other_kinds=True)
def train_job_runtime(world: World) -> None:
    """TrainJob: only a worker with the runtime that it has on the manager is given it, where drift: Require says so."""
    fedra = world.start_fedra({"verification": {"templates": {"drift": "Require"}}})
    job = _with_own_runtimes(world, **{MANAGER: 1, world.worker2: 3})
    refused = {world.worker1: ["DependencyMissing"], world.worker2: ["TemplateDrift"]}
    world.eventually("both are refused", lambda: world.reasons(job) == refused)
    manifest = objects.canonical({**TRAIN_JOB.make(world.ns, "other", QUEUE)})
    checked = fedra.cli("check", "-f", "-", stdin=manifest)
    assert checked.code == 3, checked
    runtime = f"TrainingRuntime {world.ns}/torch"
    assert f"{runtime} does not exist there" in checked.stdout, checked
    assert f"{runtime} differs from the manager's" in checked.stdout, checked
    for each in TRAIN_JOB.needed(world.ns):
        world.admin(world.worker1).apply(each)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("trainjob-check", other_kinds=True)
def train_job_check(world: World) -> None:
    """TrainJob: check reads the claims of its pods where Kueue will, in the manager's runtime."""
    for each in TRAIN_JOB.needed(world.ns, TEMPLATE):
        for cluster in world.fleet.clusters:
            world.admin(cluster).apply(each)
    world.add_template_for(world.worker2)
    fedra = world.start_fedra()
    checked = fedra.checked(TRAIN_JOB.make(world.ns, "planned", QUEUE))
    reasons = {worker: verdict.reasons for worker, verdict in checked.items()}
    assert reasons == {world.worker1: ["TemplateMissing"], world.worker2: []}, checked


@scenario("trainjob-drift", other_kinds=True)
def train_job_drift(world: World) -> None:
    """TrainJob: a runtime that differs from the manager's is told, and by default keeps no job away."""
    world.use_workers(world.worker2)
    world.start_fedra()
    job = _with_own_runtimes(world, **{MANAGER: 1, world.worker2: 3})
    job.wait_running_on(world.worker2)
    world.eventually("it is told", lambda: "TemplateDrift" in job.event_reasons())
    job.finish(world.worker2)


@scenario("sparkapplication-check", other_kinds=True)
def spark_application_check(world: World) -> None:
    """SparkApplication: check makes its pods of its fields, with the claims of its templates."""
    world.add_template_for(world.worker2)
    fedra = world.start_fedra()
    checked = fedra.checked(SPARK_APPLICATION.make(world.ns, "planned", QUEUE, TEMPLATE))
    reasons = {worker: verdict.reasons for worker, verdict in checked.items()}
    assert reasons == {world.worker1: ["TemplateMissing"], world.worker2: []}, checked


@scenario("sparkapplication-failed", fleets=("sim",), other_kinds=True)
def spark_application_failed(world: World) -> None:
    """SparkApplication: one that fails on its worker has failed, and says so with its worker's status."""
    world.start_fedra()
    made = SPARK_APPLICATION.make(world.ns, "train", QUEUE)
    made["metadata"]["annotations"]["sim.fedra.dev/result"] = "failure"
    job = world.submit_object(SPARK_APPLICATION, made)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)
    finished = objects.condition(job.workload(), "Finished")
    assert finished is not None and finished["reason"] == "Failed", finished
    status = objects.present(job.manager_job())["status"]
    assert status["applicationState"]["state"] == "FAILED", status


@scenario("sparkapplication-quota", fleets=("sim",), other_kinds=True)
def spark_application_quota(world: World) -> None:
    """SparkApplication: its worker's quota must hold what Kueue counts of it, which is less than its pods ask for."""
    world.use_workers(world.worker1)
    world.set_quota(world.worker1, objects.Quota(cpu="2"))
    world.start_fedra()
    made = SPARK_APPLICATION.make(world.ns, "train", QUEUE)
    for role in ("driver", "executor"):
        del made["spec"][role]["coreRequest"]  # and so Kueue counts no cores
        made["spec"][role]["cores"] = 2
    job = world.submit_object(SPARK_APPLICATION, made)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("two-kinds-of-one-name", other_kinds=True)
def two_kinds_of_one_name(world: World) -> None:
    """Jobs of one name and of different kinds run side by side, and each has its own end."""
    world.use_workers(world.worker1)  # or they would spread
    fedra = world.start_fedra()
    jobs: list[FederatedJob] = [world.submit("train")]
    jobs += [
        world.submit_kind(kind, "train") for kind in JOB_KINDS if kind.kind in ("JobSet", "TFJob")
    ]
    for job in jobs:
        job.wait_running_on(world.worker1)
    # One name, three jobs: each is asked for by its kind.
    name = f"{world.ns}/train"
    unclear = fedra.cli("why", name)
    assert unclear.code == 1, unclear
    assert f"choose one of job/{name}, jobset/{name}, tfjob/{name}" in unclear.stderr, unclear
    assert "JobSet" in fedra.cli("why", f"jobset/{name}").stdout
    assert "TFJob" in fedra.cli("why", "-n", world.ns, "tfjobs/train").stdout
    for job in jobs[1:]:
        job.finish(world.worker1)
    assert objects.condition(jobs[0].workload(), "Finished") is None
    jobs[0].finish(world.worker1)
