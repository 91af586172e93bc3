"""Jobs of different priority: the manager's Kueue preempts, or a worker's."""

from __future__ import annotations

from scenarios import objects
from scenarios.cases.kinds import start_with_pod_rights
from scenarios.cases.pods import stays_here
from scenarios.federated_job import FederatedJob
from scenarios.job_kinds import POD
from scenarios.modes import ALL, COPYING
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.world import QUEUE, World

# The simulated Kueue preempts nothing by itself.
_REAL = ("real",)


@scenario("preempted-on-manager", fleets=_REAL, modes=ALL)
def preempted_for_the_same_worker(world: World) -> None:
    """The manager preempts a running job for a more important one: its copies go, the other takes its place, it runs again."""
    low, high = _classes(world)
    first = _fill_worker1(world, low)
    second = world.submit("second", cpu="4", priority=high)
    _wait_preempted(world, first)
    first.wait_gone_from(world.worker1)
    second.wait_running_on(world.worker1)
    assert not objects.is_true(first.workload(), "QuotaReserved")
    _finish_in_turn(world, second, first)


@scenario("preempted-for-another-worker", fleets=_REAL, modes=ALL)
def preempted_for_another_worker(world: World) -> None:
    """The same when only the other worker is large enough for the more important job: it goes there."""
    low, high = _classes(world)
    world.set_quota(world.worker1, Quota(cpu="4"))
    world.manager.apply(objects.cluster_queue(world.ns, Quota(cpu="8"), world.check))
    world.start_fedra()
    first = world.submit("first", cpu="4", priority=low)
    first.wait_running_on(world.worker1)
    second = world.submit("second", cpu="8", priority=high)
    _wait_preempted(world, first)
    second.wait_running_on(world.worker2)
    first.wait_gone_from(world.worker1)
    assert world.dispatched_to(world.worker2) == 1, "the first one was dispatched there, too"
    second.finish(world.worker2)
    where = world.eventually("it has a worker again", first.cluster_name)
    first.wait_running_on(where)
    first.finish(where)


@scenario("preempted-on-its-worker", fleets=_REAL, modes=ALL)
def preempted_by_a_federated_job(world: World) -> None:
    """The manager admits both, and their worker preempts one for the other: it is queued again, dispatched again, and runs later."""
    low, high = _classes(world)
    world.use_workers(world.worker1)
    world.set_quota(world.worker1, Quota(cpu="4"))
    world.start_fedra()
    first = world.submit("first", cpu="4", priority=low)
    first.wait_running_on(world.worker1)
    second = world.submit("second", cpu="4", priority=high)
    second.wait_running_on(world.worker1)
    world.eventually("the first is taken back", lambda: first.cluster_name() is None)
    assert not objects.is_true(first.workload(), "Finished")
    _finish_in_turn(world, second, first)


@scenario("priority-raised-to-preempt", fleets=_REAL, modes=ALL)
def priority_is_raised(world: World) -> None:
    """A job without quota is made more important: it takes the place of the one that runs."""
    low, high = _classes(world)
    first = _fill_worker1(world, low)
    second = world.submit("second", cpu="4", priority=low)
    world.eventually(
        "it waits for quota",
        lambda: objects.condition(second.workload(), "QuotaReserved") is not None,
    )
    assert not objects.is_true(second.workload(), "QuotaReserved")
    labels = {"kueue.x-k8s.io/priority-class": high}
    world.manager.patch("Job", world.ns, second.name, {"metadata": {"labels": labels}})
    _wait_preempted(world, first)
    second.wait_running_on(world.worker1)
    _finish_in_turn(world, second, first)


@scenario("pod-preempted-on-manager", fleets=_REAL, other_kinds=True, modes=COPYING)
def pod_is_preempted(world: World) -> None:
    """A pod that runs elsewhere is preempted on the manager for a more important one: it waits here, gated, and runs again."""
    low, high = _classes(world)
    world.use_workers(world.worker1)
    world.manager.apply(objects.cluster_queue(world.ns, Quota(cpu="1"), world.check))
    start_with_pod_rights(world, POD)
    first = _submit_pod(world, "first", low)
    first.wait_running_on(world.worker1)
    uid = objects.present(first.manager_job())["metadata"]["uid"]
    second = _submit_pod(world, "second", high)
    _wait_preempted(world, first)
    first.wait_gone_from(world.worker1)
    second.wait_running_on(world.worker1)
    assert not objects.is_true(first.workload(), "QuotaReserved")
    assert stays_here(first) and stays_here(second)
    _finish_in_turn(world, second, first)
    assert objects.present(first.manager_job())["metadata"]["uid"] == uid, "it was made again"


def _submit_pod(world: World, name: str, priority: str) -> FederatedJob:
    made = POD.make(world.ns, name, QUEUE)
    made["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = priority
    return world.submit_object(POD, made)


def _classes(world: World) -> tuple[str, str]:
    """Everywhere, as Kueue on a worker ranks by its own."""
    low, high = f"{world.ns}-low", f"{world.ns}-high"
    for cluster in world.fleet.clusters:
        world.admin(cluster).apply(objects.priority_class(low, 10))
        world.admin(cluster).apply(objects.priority_class(high, 1000))
    return low, high


def _fill_worker1(world: World, priority: str) -> FederatedJob:
    """A job that runs on worker1, the only one, and has all quota of the manager."""
    world.use_workers(world.worker1)
    world.manager.apply(objects.cluster_queue(world.ns, Quota(cpu="4"), world.check))
    world.start_fedra()
    job = world.submit("first", cpu="4", priority=priority)
    job.wait_running_on(world.worker1)
    return job


def _finish_in_turn(world: World, runs: FederatedJob, waits: FederatedJob) -> None:
    """On worker1: the one that runs, and then the other, which has its place."""
    runs.finish(world.worker1)
    waits.wait_running_on(world.worker1)
    waits.finish(world.worker1)


def _wait_preempted(world: World, job: FederatedJob) -> None:
    world.eventually(
        f"{job.key} is preempted on the manager",
        lambda: objects.is_true(job.workload(), "Preempted"),
    )
