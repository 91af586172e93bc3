"""What the quota of the workers' queues means for a job."""

from __future__ import annotations

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import CHECK_PLACEABLE
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import QUEUE, World


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


@scenario("quota-burst")
def burst_of_jobs_fills_no_queue_beyond_its_quota(world: World) -> None:
    """Of jobs that are submitted at once as many go to a worker as its queue has room for, before Kueue has counted any."""
    room = {world.worker1: 4, world.worker2: 2}
    for worker, cpu in room.items():
        world.set_quota(worker, Quota(cpu=str(cpu)))
    world.start_fedra()
    world.use_workers(world.worker1, world.worker2)
    jobs = [world.submit(f"train-{number}") for number in range(sum(room.values()))]
    places = [world.eventually(f"{job.name} has a worker", job.cluster_name) for job in jobs]
    for job, place in zip(jobs, places):
        job.wait_running_on(place)
    for worker, count in room.items():
        assert places.count(worker) == count, places
        assert world.dispatched_to(worker) == count, f"{worker} had copies of further jobs"
    for job, place in zip(jobs, places):
        job.finish(place)


def _reserved_cpu(world: World) -> str | None:
    queue = world.admin(world.worker1).get("ClusterQueue", None, world.ns)
    for flavor in queue["status"].get("flavorsReservation", []):
        for resource in flavor["resources"]:
            if resource["name"] == "cpu":
                return resource["total"]
    return None


@scenario("asks-for-nothing")
def job_that_asks_for_nothing(world: World) -> None:
    """Kueue admits a job that asks for no resource without its check: check warns, why says it; a queue that counts pods has it go."""
    world.manager.apply(objects.cluster_queue(world.ns, Quota(), world.check, counts_pods=False))
    fedra = world.start_fedra()
    output = fedra.check(_asking_for_nothing(world, "train"))
    (finding,) = output.json()["findings"]
    assert output.code == CHECK_PLACEABLE and finding["severity"] == "warning", output
    assert "without fedra's AdmissionCheck" in finding["message"], finding
    world.manager.create(_asking_for_nothing(world, "train"))
    job = world.job("train")
    world.eventually("Kueue admits it", lambda: objects.is_true(job.workload(), "Admitted"))
    world.eventually("why says it", lambda: _is_unasked(world, job))
    assert "its pods ask for no resource" in fedra.cli("why", job.key).stdout
    world.eventually("no worker has it", job.nowhere)
    world.manager.delete("Job", world.ns, job.name)
    world.manager.apply(objects.cluster_queue(world.ns, Quota(), world.check))
    world.manager.create(_asking_for_nothing(world, "counted"))
    counted = world.job("counted")
    where = world.eventually("it has a worker", counted.cluster_name)
    counted.wait_running_on(where)
    counted.finish(where)


def _asking_for_nothing(world: World, name: str) -> Object:
    job = objects.job(world.ns, name, QUEUE)
    del job["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]
    return job


def _is_unasked(world: World, job: FederatedJob) -> bool:
    assert world.fedra is not None
    answer = world.fedra.cli("why", job.key, "-o", "json")
    told: list[Object] = answer.json()["jobs"] if answer.code == 0 else []
    return [(each["state"], each.get("waitsFor")) for each in told] == [("Waiting", "Kueue")]
