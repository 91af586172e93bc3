"""Mode dispatcher: Kueue's own MultiKueue copies and mirrors, and fedra nominates workers to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from real import multikueue
from scenarios import objects, setup
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.kubeconfig import Access
from scenarios.modes import DISPATCHER, ORIGIN_LABEL
from scenarios.multikueue_installation import check_name, remove, submit, wait_queue
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import IMPATIENT, QUEUE, TEMPLATE, World

_MODE = {"kueue": {"mode": "dispatcher"}}


@scenario("dispatcher-by-verdict", sets_up=DISPATCHER)
def nominated_where_it_can_run(world: World) -> None:
    """MultiKueue sends a job only where fedra's verdict is Yes, and its end comes back."""
    rare = setup.RARE_CLASSES[0]
    world.add_template_everywhere(rare)
    world.add_class(world.worker2, rare)
    with _dispatching(world) as fedra:
        job = submit(world, "train", template=TEMPLATE)
        job.wait_running_on(world.worker2)
        assert world.reasons(job)[world.worker1] == ["DeviceClassMissing"]
        world.eventually(
            "status shows it", lambda: _shown(fedra, job) == ("Running", world.worker2)
        )
        assert "Placed" in fedra.history(job.key)
        assert world.dispatched_to(world.worker1) == 0, "never nominated"
        job.finish(world.worker2)
        world.eventually("status shows its end", lambda: _shown(fedra, job)[0] == "Finished")


@scenario("dispatcher-discovered", sets_up=DISPATCHER)
def workers_are_multikueues(world: World) -> None:
    """No worker is in fedra's configuration: they are the MultiKueueClusters, read with the kubeconfigs that Kueue has."""
    world.add_template(MANAGER)
    world.add_template(world.worker2)
    world.fleet.grant(MANAGER, "manager-rbac-discovery.yaml")
    discovery = {"workersFrom": {"multiKueueClusters": True}, "workers": []}
    with _dispatching(
        world, discovery, accesses={MANAGER: world.fleet.fedra_access(MANAGER)}
    ) as fedra:
        job = submit(world, "train", template=TEMPLATE)
        job.wait_running_on(world.worker2)
        assert fedra.worker_states() == {worker: "Connected" for worker in world.workers}
        assert world.dispatched_to(world.worker1) == 0, "it was nominated there"
        job.finish(world.worker2)


@scenario("dispatcher-next-worker", sets_up=DISPATCHER)
def next_worker_when_nobody_admits(world: World) -> None:
    """A worker that does not admit within admissionTimeout loses its nomination to the next one."""
    world.close_queue(world.worker1)
    with _dispatching(world, IMPATIENT) as fedra:
        job = submit(world, "train")
        job.wait_clone(world.worker1)
        job.wait_running_on(world.worker2)
        job.wait_gone_from(world.worker1)
        assert "AdmissionTimedOut" in fedra.history(job.key)
        job.finish(world.worker2)


@scenario("dispatcher-worker-goes", sets_up=DISPATCHER)
def taken_back_from_a_worker_that_goes(world: World) -> None:
    """A nominated worker that cannot be reached any more loses its nomination, and its copy when it is back."""
    world.close_queue(world.worker1)
    with _dispatching(world):
        job = submit(world, "train")
        job.wait_clone(world.worker1)
        world.stop_api_server(world.worker1)
        try:
            world.eventually("running on the other", lambda: job.cluster_name() == world.worker2)
        finally:
            world.start_api_server(world.worker1)
        world.eventually(
            "the copy is gone",
            lambda: job.clone(world.worker1) is None,
            world.fleet.patience + world.fleet.recovery,
        )
        job.finish(world.worker2)


@scenario("dispatcher-blocked", sets_up=DISPATCHER)
def blocked_with_its_reason(world: World) -> None:
    """Where no worker can run a job nothing is nominated, people see why, and the missing object releases it."""
    world.add_template(world.fleet.clusters[0])
    with _dispatching(world) as fedra:
        job = submit(world, "train", template=TEMPLATE)
        world.eventually("it is blocked", lambda: _shown(fedra, job)[0] == "Blocked")
        assert world.reasons(job) == {worker: ["TemplateMissing"] for worker in world.workers}
        world.eventually("an Event says so", lambda: "PlacementRejected" in job.event_reasons())
        assert 'fedra_blocked_workloads{reason="TemplateMissing"} 1' in fedra.page("/metrics")
        assert _nominated(job) == [] and job.nowhere()
        world.add_template(world.worker2)
        job.wait_running_on(world.worker2)
        job.finish(world.worker2)


@scenario("dispatcher-disconnected", sets_up=DISPATCHER)
def only_where_kueue_is_connected(world: World) -> None:
    """A worker that only fedra can reach is not nominated: it waits for Kueue's connection."""
    world.close_queue(world.worker2)
    with _dispatching(world, without=[world.worker1]) as fedra:
        job = submit(world, "train")
        job.wait_clone(world.worker2)
        assert world.reasons(job)[world.worker1] == ["KueueDisconnected"]
        another = fedra.checked(objects.job(world.ns, "another", QUEUE))
        assert another[world.worker1].reasons == ["KueueDisconnected"], another
        assert another[world.worker2].reasons == [], another
        # A disconnected worker does not come first any more.
        _connect(world, [world.worker1])
        world.set_quota(world.worker2, Quota())
        job.wait_running_on(world.worker2)
        job.finish(world.worker2)
        second = submit(world, "second")
        second.wait_running_on(world.worker1)
        second.finish(world.worker1)


# The simulated MultiKueue reads no kubeconfigs.
@scenario("dispatcher-insecure", fleets=("real",), sets_up=DISPATCHER)
def not_where_kueue_refuses_the_kubeconfig(world: World) -> None:
    """A worker whose kubeconfig becomes insecure, so that Kueue gives it up, is not nominated any more."""
    with _dispatching(world):
        first = submit(world, "first")
        first.wait_running_on(world.worker1)
        first.finish(world.worker1)
        access = world.fleet.admin_access(world.worker1)
        multikueue.put_kubeconfig(world.manager, world.worker1, multikueue.insecure(access))
        world.eventually(
            "Kueue gives it up",
            lambda: _why_inactive(world, world.worker1) == "InsecureKubeConfig",
        )
        second = submit(world, "second")
        second.wait_running_on(world.worker2)
        assert world.reasons(second)[world.worker1] == ["KueueDisconnected"]
        second.finish(world.worker2)
        _connect(world, [world.worker1])


@scenario("dispatcher-evicted", sets_up=DISPATCHER)
def elsewhere_after_an_eviction(world: World) -> None:
    """A job that its worker preempts is nominated to another one first."""
    world.set_quota(world.worker1, Quota(cpu="4"))
    with _dispatching(world) as fedra:
        job = submit(world, "train", cpu="4")
        job.wait_running_on(world.worker1)
        world.preempt_on(world.worker1, job)
        job.wait_running_on(world.worker2)
        assert fedra.history(job.key).count("Dispatched") == 2
        job.finish(world.worker2)


@scenario("dispatcher-race", sets_up=DISPATCHER)
def all_that_can_run_it(world: World) -> None:
    """With policy race all eligible workers are nominated, and the first that admits has it."""
    world.close_queue(world.worker1)
    world.close_queue(world.worker2)
    with _dispatching(world, {"dispatch": {"policy": "race"}}):
        job = submit(world, "train", managed_by=not world.fleet.sets_managed_by)
        for worker in world.workers:
            job.wait_clone(worker)
        world.set_quota(world.worker2, Quota())
        job.wait_running_on(world.worker2)
        job.wait_gone_from(world.worker1)
        job.finish(world.worker2)


@scenario("dispatcher-killed", sets_up=DISPATCHER)
def killed_while_it_nominates(world: World) -> None:
    """A fedra that dies before or after it nominates goes on when it is started again."""
    with _dispatching(world, crash_at="after-intent") as fedra:
        job = submit(world, "train")
        fedra.wait_crashed(world.fleet.patience)
        assert _nominated(job) == [], "it died before"
        fedra.start(crash_at="after-nomination", ready=False)
        fedra.wait_crashed(world.fleet.patience)
        fedra.start()
        job.wait_running_on(world.worker1)
        job.finish(world.worker1)


@scenario("dispatcher-crowd", sets_up=DISPATCHER)
def many_jobs(world: World) -> None:
    """Forty jobs at once: all run, and what Kueue writes survives each nomination."""
    with _dispatching(world):
        jobs = [submit(world, f"train-{i}") for i in range(40)]
        for job in jobs:
            world.eventually(f"{job.key} runs", lambda: job.check_state() == "Ready")
        for job in jobs:
            status = objects.present(job.workload())["status"]
            conditions = {each["type"] for each in status["conditions"]}
            assert {"QuotaReserved", "Admitted"} <= conditions, conditions
            assert status["admission"]["podSetAssignments"], status
            assert "nominatedClusterNames" not in status, status


@scenario("dispatcher-to-multikueue-and-back", sets_up=DISPATCHER)
def to_multikueue_and_back(world: World) -> None:
    """Jobs run on when fedra takes over copying from Kueue (mode multikueue), and when Kueue copies again."""
    for rights in ("manager-rbac-discovery.yaml", "manager-rbac-multikueue.yaml"):
        world.fleet.grant(MANAGER, rights)
    discovery = {"workersFrom": {"multiKueueClusters": True}, "workers": []}
    manager = {MANAGER: world.fleet.fedra_access(MANAGER)}
    with _dispatching(world, discovery, accesses=manager) as fedra:
        uids: dict[FederatedJob, str] = {}
        for name, mode in (("first", None), ("second", "multikueue"), ("third", "dispatcher")):
            if mode is not None:
                fedra.stop()
                world.fleet.set_multikueue(mode == "dispatcher")
                fedra.change_settings({"kueue": {"mode": mode}})
                fedra.start()
                wait_queue(world)
            job = submit(world, name)
            job.wait_running_on(world.worker1)
            uids[job] = job.remote_uid(world.worker1)
            for each, uid in uids.items():
                assert each.remote_uid(world.worker1) == uid, f"{each.key} was made again"
        for job in uids:
            job.finish(world.worker1)


@contextmanager
def _dispatching(
    world: World,
    settings: Mapping[str, Any] | None = None,
    without: Collection[str] = (),
    crash_at: str | None = None,
    accesses: Mapping[str, Access] | None = None,
) -> Iterator[Fedra]:
    """MultiKueue has the queue and is connected to the workers but `without`; fedra has the rights of this mode, or `accesses`."""
    check = check_name(world)
    try:
        for each in multikueue.check(check, list(world.workers)):
            world.manager.apply(each)
        _connect(world, [worker for worker in world.workers if worker not in without])
        world.manager.apply(objects.cluster_queue(world.ns, Quota(), check))
        world.eventually("MultiKueue's check is Active", lambda: _is_active(world, check))
        fedra = world.start_fedra(
            {**_MODE, **(settings or {})},
            accesses=accesses
            or {each: world.fleet.dispatcher_access(each) for each in world.fleet.clusters},
            check_active=False,
            crash_at=crash_at,
        )
        wait_queue(world)
        yield fedra
    finally:
        _disconnect(world)


def _is_copy(workload: Object) -> bool:
    return bool(workload["metadata"].get("labels", {}).get(ORIGIN_LABEL) == multikueue.ORIGIN)


def _disconnect(world: World) -> None:
    """The jobs go first, as long as Kueue can remove their copies."""
    for job in world.manager.list("Job", world.ns):
        world.manager.delete("Job", world.ns, job["metadata"]["name"])
    world.eventually("no Workload is left", lambda: not world.manager.list("Workload", world.ns))
    for worker in world.workers:
        world.eventually(
            f"no copy is left on {worker}",
            lambda: not any(
                _is_copy(each) for each in world.admin(worker).list("Workload", world.ns)
            ),
        )
    remove(world)


def _connect(world: World, workers: Collection[str]) -> None:
    accesses = {worker: world.fleet.admin_access(worker) for worker in workers}
    multikueue.connect_workers(world.manager, accesses)


def _is_active(world: World, check: str) -> bool:
    return objects.is_true(world.manager.get("AdmissionCheck", None, check), "Active")


def _why_inactive(world: World, worker: str) -> str:
    cluster = world.manager.get("MultiKueueCluster", None, worker)
    active = objects.condition(cluster, "Active")
    return active["reason"] if active and active["status"] == "False" else ""


def _nominated(job: FederatedJob) -> list[str]:
    status: Object = objects.present(job.workload()).get("status", {})
    names: list[str] = status.get("nominatedClusterNames", [])
    return names


def _shown(fedra: Fedra, job: FederatedJob) -> tuple[str, str]:
    """The state and the worker of a job as `fedra status` shows them."""
    for row in fedra.cli("status", "-o", "json").json()["jobs"]:
        if f"{row['namespace']}/{row['name']}" == job.key:
            return row["state"], row.get("worker") or ""
    return "", ""
