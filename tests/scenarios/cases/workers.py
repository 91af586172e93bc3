"""Workers come and go while fedra runs."""

from __future__ import annotations

from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.registry import scenario
from scenarios.world import TEMPLATE, World


@scenario("worker-added")
def blocked_job_goes_to_a_new_worker(world: World) -> None:
    """A job that no worker can run is dispatched to one that is added to the configuration, without a restart."""
    fedra = world.start_fedra()
    entry = fedra.remove_worker(world.worker1)
    _wait_released(world, fedra, world.worker1)
    world.add_template(MANAGER)
    world.add_template(world.worker1)
    job = world.submit("train", template=TEMPLATE)
    message = job.wait_message("no worker eligible")
    assert world.worker1 not in message, message
    fedra.add_worker(entry)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("worker-removed")
def running_job_ends_on_a_removed_worker(world: World) -> None:
    """removedWorkers: Keep. The job of a removed worker runs on and ends there; new jobs go elsewhere."""
    world.add_template_everywhere()
    fedra = world.start_fedra()
    world.use_workers(world.worker1, world.worker2)
    first = world.submit("first", template=TEMPLATE)
    first.wait_running_on(world.worker1)
    fedra.remove_worker(world.worker1)
    _wait_leaving(world, fedra, world.worker1)
    second = world.submit("second", template=TEMPLATE)
    second.wait_running_on(world.worker2)
    assert fedra.verdicts(second.key)[world.worker1].reasons == ["WorkerRemoved"]
    assert first.cluster_name() == world.worker1
    assert first.check_state() == "Ready"
    assert world.worker1 in fedra.worker_states()
    first.finish(world.worker1)
    _wait_released(world, fedra, world.worker1)
    second.finish(world.worker2)


@scenario("worker-drained")
def running_job_leaves_a_removed_worker(world: World) -> None:
    """removedWorkers: Drain. The job of a removed worker is queued again and runs elsewhere."""
    world.add_template_everywhere()
    fedra = world.start_fedra({"dispatch": {"removedWorkers": "Drain"}})
    world.use_workers(world.worker1, world.worker2)
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    fedra.remove_worker(world.worker1)
    job.wait_running_on(world.worker2)
    job.wait_gone_from(world.worker1)
    _wait_released(world, fedra, world.worker1)
    job.finish(world.worker2)


@scenario("worker-taken-out")
def worker_is_emptied_before_it_is_removed(world: World) -> None:
    """As docs/operations.md says: its queue is held, its job ends there, and a restart without it queues no job again."""
    world.add_template_everywhere()
    fedra = world.start_fedra()
    world.use_workers(world.worker1, world.worker2)
    first = world.submit("first", template=TEMPLATE)
    first.wait_running_on(world.worker1)
    hold = {"spec": {"stopPolicy": "Hold"}}
    world.admin(world.worker1).patch("ClusterQueue", None, world.ns, hold)
    second = world.submit("second", template=TEMPLATE)
    second.wait_running_on(world.worker2)
    assert fedra.verdicts(second.key)[world.worker1].reasons == ["QueueStopped"]
    assert first.cluster_name() == world.worker1 and first.check_state() == "Ready"
    first.finish(world.worker1)
    fedra.stop()
    fedra.remove_worker(world.worker1)
    fedra.start()
    third = world.submit("third", template=TEMPLATE)
    third.wait_running_on(world.worker2)
    assert second.cluster_name() == world.worker2 and second.check_state() == "Ready"
    second.finish(world.worker2)
    third.finish(world.worker2)


@scenario("worker-removed-by-a-restart")
def restart_ends_what_keep_promises(world: World) -> None:
    """removedWorkers: Keep. A fedra that starts without a worker queues its running job again, as docs/install.md warns."""
    world.add_template_everywhere()
    fedra = world.start_fedra(
        watchdog=False
    )  # fedra knows nothing of the worker, so the job is on both
    world.use_workers(world.worker1, world.worker2)
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    fedra.stop()
    entry = fedra.remove_worker(world.worker1)
    fedra.start()
    job.wait_running_on(world.worker2)
    assert job.remote_job(world.worker1) is not None, "nobody could have removed it"
    fedra.add_worker(entry)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


def _wait_leaving(world: World, fedra: Fedra, worker: str) -> None:
    """Waits until fedra has noticed that the worker was removed."""
    world.eventually(
        f"{worker} counts as removed", lambda: "removed" in fedra.worker_notes()[worker]
    )


def _wait_released(world: World, fedra: Fedra, worker: str) -> None:
    """Waits until fedra has nothing to do with the worker any more."""
    world.eventually(f"{worker} is released", lambda: worker not in fedra.worker_states())
