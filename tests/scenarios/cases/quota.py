"""What the quota of the workers' queues means for a job."""

from __future__ import annotations

from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.world import World


@scenario("quota-never")
def worker_that_can_never_admit_is_refused(world: World) -> None:
    """A worker whose ClusterQueue is too small is a No with the numbers; the job waits, and leaves when it grows."""
    for worker in world.workers:
        world.set_quota(worker, Quota(cpu="2"))
    world.start_fedra()
    job = world.submit("train", cpu="4")
    message = job.wait_message("has quota for at most 2 in one flavor")
    assert "no worker eligible" in message, message
    reasons = world.reasons(job)
    assert all(codes == ["QueueCannotHold"] for codes in reasons.values()), reasons
    assert not any(world.dispatched_to(worker) for worker in world.workers)
    world.set_quota(world.worker2, Quota(cpu="4"))
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("quota-full")
def full_worker_comes_last(world: World) -> None:
    """A queue that is full now ranks its worker behind one with room; `why` says so, and it is no refusal."""
    world.set_quota(world.worker1, Quota(cpu="4"))
    world.start_fedra()
    world.use_workers(world.worker1, world.worker2)
    first = world.submit("first", cpu="3")
    first.wait_running_on(world.worker1)
    # Kueue tells of what is reserved about a second after it has reserved it.
    world.eventually("the worker says what is reserved", lambda: _reserved_cpu(world) == "3")
    second = world.submit("second", cpu="3")
    second.wait_running_on(world.worker2)
    assert (
        world.dispatched_to(world.worker1) == 1
    ), "the second job was sent to the full queue first"
    first.finish(world.worker1)
    second.finish(world.worker2)


def _reserved_cpu(world: World) -> str | None:
    queue = world.admin(world.worker1).get("ClusterQueue", None, world.ns)
    for flavor in queue["status"].get("flavorsReservation", []):
        for resource in flavor["resources"]:
            if resource["name"] == "cpu":
                return resource["total"]
    return None
