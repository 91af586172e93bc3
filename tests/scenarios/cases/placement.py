"""Where a job goes: policies, subsets, time-outs, and names that are taken."""

from __future__ import annotations

from scenarios import objects
from scenarios.modes import ALL, COPYING
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import IMPATIENT, QUEUE, World


@scenario("race", modes=COPYING)
def first_to_admit_wins(world: World) -> None:
    """policy race: every eligible worker gets a clone, and the one that admits first the job."""
    for worker in world.workers:
        world.close_queue(worker)
    world.start_fedra({"dispatch": {"policy": "race"}})
    job = world.submit("train")
    for worker in world.workers:
        job.wait_clone(worker)
    world.set_quota(world.worker2, Quota())
    job.wait_running_on(world.worker2)
    assert job.clones() == [world.worker2]
    job.finish(world.worker2)


@scenario("admission-timeout", modes=COPYING)
def next_worker_after_timeout(world: World) -> None:
    """A worker that does not admit within admissionTimeout loses the clone to the next one."""
    world.close_queue(world.worker1)
    world.start_fedra(IMPATIENT)
    job = world.submit("train")
    job.wait_clone(world.worker1)
    job.wait_running_on(world.worker2)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("config-subset")
def only_the_named_workers(world: World) -> None:
    """A check with a MultiKueueConfig uses only the workers that it lists."""
    world.use_workers(world.worker2)
    world.close_queue(world.worker2)
    world.start_fedra({"dispatch": {"policy": "race"}})
    job = world.submit("train")
    job.wait_clone(world.worker2)
    job.wait_event("Dispatched", "1 of 1 workers eligible")
    assert job.clones() == [world.worker2]
    world.set_quota(world.worker2, Quota())
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("config-order")
def in_the_listed_order(world: World) -> None:
    """The order of the MultiKueueConfig, not of fedra's own configuration, says which worker is preferred."""
    world.use_workers(world.worker2, world.worker1)
    fedra = world.start_fedra()
    _run_in_turn(world, "second-first", world.worker2)
    fedra.stop()
    world.use_workers(world.worker1, world.worker2)
    fedra.start()
    _run_in_turn(world, "first-first", world.worker1)


def _run_in_turn(world: World, name: str, worker: str) -> None:
    """One job after another, all on this worker: a choice by chance would pass once in eight times."""
    for number in range(3):
        job = world.submit(f"{name}-{number}")
        job.wait_running_on(worker)
        job.finish(worker)


@scenario("config-changed", modes=ALL)
def config_changes_later(world: World) -> None:
    """A worker added to the MultiKueueConfig is used for a job that is already waiting."""
    world.use_workers(world.worker1)
    world.close_queue(world.worker1)
    world.start_fedra({"dispatch": {"policy": "race"}})
    job = world.submit("train")
    job.wait_clone(world.worker1)
    assert job.clones() == [world.worker1]
    world.use_workers(world.worker1, world.worker2)
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("config-missing")
def check_without_its_config(world: World) -> None:
    """A check whose MultiKueueConfig does not exist is not Active, and becomes so when it is created."""
    world.manager.apply(objects.admission_check(world.check, config=world.ns))
    world.start_fedra(check_active=False)
    world.eventually("check is not Active", lambda: _active_status(world) == "False")
    world.manager.apply(objects.multikueue_config(world.ns, [world.worker1]))
    world.wait_check_active()


def _active_status(world: World) -> str | None:
    active = objects.condition(world.manager.get("AdmissionCheck", None, world.check), "Active")
    return active["status"] if active else None


@scenario("queue-missing")
def no_local_queue(world: World) -> None:
    """A worker without the LocalQueue, or with one that is stopped, is told apart and avoided."""
    world.admin(world.worker1).delete("LocalQueue", world.ns, QUEUE)
    world.admin(world.worker2).patch(
        "ClusterQueue", None, world.ns, {"spec": {"stopPolicy": "Hold"}}
    )
    world.start_fedra()
    job = world.submit("train")
    job.wait_message("no worker eligible")
    assert world.reasons(job) == {
        world.worker1: ["QueueMissing"],
        world.worker2: ["QueueStopped"],
    }
    world.admin(world.worker2).patch(
        "ClusterQueue", None, world.ns, {"spec": {"stopPolicy": "None"}}
    )
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("name-conflict-job", modes=ALL)
def foreign_job_of_the_same_name(world: World) -> None:
    """Somebody's job of the same name on a worker: NameConflict, avoided, never touched."""
    foreign = _create_foreign_job(world, world.worker1)
    world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["NameConflict"]
    job.finish(world.worker2)
    _assert_untouched(world, world.worker1, foreign)
    world.admin(world.worker1).delete("Job", world.ns, "train")


@scenario("name-conflict-everywhere")
def foreign_jobs_everywhere(world: World) -> None:
    """The name is taken on every worker: blocked and said so; freed on one, the job goes there."""
    foreign = {worker: _create_foreign_job(world, worker) for worker in world.workers}
    world.start_fedra()
    job = world.submit("train")
    job.wait_message("no worker eligible")
    assert world.reasons(job) == {worker: ["NameConflict"] for worker in world.workers}
    for worker in world.workers:
        _assert_untouched(world, worker, foreign[worker])
    world.admin(world.worker2).delete("Job", world.ns, "train")
    job.wait_running_on(world.worker2)
    world.admin(world.worker1).delete("Job", world.ns, "train")
    job.finish(world.worker2)


@scenario("name-conflict-workload")
def foreign_workload_of_the_same_name(world: World) -> None:
    """Somebody's Workload of the clone's name: NameConflict, avoided, never touched."""
    fedra = world.start_fedra()
    fedra.stop()
    job = world.submit("train")
    workload = world.eventually("workload", job.workload)
    foreign = world.admin(world.worker1).create(_foreign_workload(workload))
    fedra.start()
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["NameConflict"]
    now = world.admin(world.worker1).get("Workload", world.ns, foreign["metadata"]["name"])
    assert now["metadata"]["uid"] == foreign["metadata"]["uid"]
    assert objects.canonical(now["spec"]) == objects.canonical(foreign["spec"])
    world.admin(world.worker1).delete("Workload", world.ns, foreign["metadata"]["name"])
    job.finish(world.worker2)


def _create_foreign_job(world: World, worker: str) -> Object:
    """A suspended job in no queue: neither Kueue nor the job controller touches it."""
    foreign = objects.job(world.ns, "train", QUEUE, managed_by=False)
    del foreign["metadata"]["labels"]
    return world.admin(worker).create(foreign)


def _foreign_workload(workload: Object) -> Object:
    metadata = {key: workload["metadata"][key] for key in ("name", "namespace")}
    return {
        "apiVersion": workload["apiVersion"],
        "kind": "Workload",
        "metadata": metadata,
        "spec": {**workload["spec"], "active": False},
    }


def _assert_untouched(world: World, worker: str, foreign: Object) -> None:
    now = world.admin(worker).get("Job", world.ns, foreign["metadata"]["name"])
    assert now["metadata"]["uid"] == foreign["metadata"]["uid"]
    assert objects.canonical(now["spec"]) == objects.canonical(foreign["spec"])
    assert (
        "labels" not in now["metadata"]
        or "kueue.x-k8s.io/multikueue-origin" not in now["metadata"]["labels"]
    )
