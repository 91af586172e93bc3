"""Crashes and lost workers."""

from __future__ import annotations

import random
import time

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.objects import present
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.waiting import always
from scenarios.world import IMPATIENT, TEMPLATE, World


def _crash(world: World, point: str) -> None:
    """fedra dies at `point` of the first job; after a restart the job runs, and nothing was done twice."""
    world.add_template_everywhere()
    fedra = world.start_fedra(crash_at=point)
    job = world.submit("train", template=TEMPLATE)
    fedra.wait_crashed(world.fleet.patience)
    clone = world.eventually("clone written before the crash", lambda: job.clone(world.worker1))
    remote = job.remote_job(world.worker1)
    fedra.start()
    job.wait_running_on(world.worker1)
    _assert_same(clone, job.clone(world.worker1), "the clone")
    if remote is not None:
        _assert_same(remote, job.remote_job(world.worker1), "the remote job")
    job.finish(world.worker1)


def _assert_same(before: Object | None, after: Object | None, what: str) -> None:
    assert before is not None and after is not None, f"{what} is gone"
    assert after["metadata"]["uid"] == before["metadata"]["uid"], f"{what} was made again"


@scenario("crash-after-clone")
def crash_after_clone(world: World) -> None:
    """kill -9 between the clone and the job."""
    _crash(world, "after-create-clone")


@scenario("trap-2-crash-in-admission")
def crash_after_cluster_name(world: World) -> None:
    """Trap 2: a crash right after clusterName was written is not an eviction; the fresh placement is kept."""
    _crash(world, "after-cluster-name")


@scenario("crash-after-job")
def crash_after_job(world: World) -> None:
    """kill -9 right after the remote job was created."""
    _crash(world, "after-create-job")


@scenario("kill-at-random")
def killed_again_and_again(world: World) -> None:
    """kill -9 at random moments while ten jobs are on their way: each runs once and finishes."""
    world.add_template_everywhere()
    fedra = world.start_fedra()
    jobs = [world.submit(f"train-{index}", template=TEMPLATE) for index in range(10)]
    for _ in range(8):
        time.sleep(random.uniform(0.05, 0.6))  # the random moment itself, not a wait for something
        fedra.restart()
    for job in jobs:
        world.eventually(f"{job.name} runs", job.remote_jobs)
    uids = {job.name: _remote_uid(job) for job in jobs}
    fedra.restart()
    for job in jobs:
        job.finish(job.remote_jobs()[0])
    assert len(set(uids.values())) == len(jobs)


def _remote_uid(job: FederatedJob) -> str:
    worker = job.remote_jobs()[0]
    return str(present(job.remote_job(worker))["metadata"]["uid"])


@scenario("finished-while-down")
def job_ends_while_fedra_is_down(world: World) -> None:
    """A job that ends while fedra is dead: the result reaches the manager after the restart."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    fedra.kill()

    def ended() -> bool:
        world.fleet.end_pods(world.worker1, world.ns, job.name, "Succeeded")
        return objects.is_true(job.remote_job(world.worker1), "Complete")

    world.eventually("remote job complete", ended)
    fedra.start()
    job.finish(world.worker1)
    assert objects.is_true(job.manager_job(), "Complete")


@scenario("store-lost")
def store_is_deleted(world: World) -> None:
    """Losing the SQLite file while a job runs: it is found again from labels and statuses, and not moved."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    before = job.remote_job(world.worker1)
    fedra.kill()
    fedra.delete_store()
    fedra.start()
    always("the job stays where it is", lambda: job.remote_job(world.worker1) is not None, 2)
    _assert_same(before, job.remote_job(world.worker1), "the remote job")
    job.finish(world.worker1)


@scenario("second-daemon")
def second_daemon_is_refused(world: World) -> None:
    """Two daemons on one store: the second ends with an error, the first goes on. SIGTERM ends it within 5 s."""
    fedra = world.start_fedra()
    refused = fedra.cli("run")
    assert refused.code != 0 and refused.stderr, refused
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    assert fedra.stop() == 0
    fedra.start()
    job.finish(world.worker1)


@scenario("worker-lost")
def worker_lost(world: World) -> None:
    """Contact lost for longer than workerLostTimeout: the job runs elsewhere; what is left behind is removed."""
    world.start_fedra({"workerLostTimeout": "3s"}, links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.cut(world.worker1)
    job.wait_running_on(world.worker2)
    assert job.remote_job(world.worker1) is not None, "nobody could have removed it"
    world.link(world.worker1).restore()
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("brief-loss")
def contact_lost_briefly(world: World) -> None:
    """Contact lost for less than workerLostTimeout: nothing moves (I-JOB-7)."""
    world.start_fedra({"workerLostTimeout": "60s"}, links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    before = job.remote_job(world.worker1)
    world.cut(world.worker1)
    world.wait_worker_state(world.worker1, "Unreachable")
    world.link(world.worker1).restore()
    world.wait_worker_state(world.worker1, "Connected")
    assert job.cluster_name() == world.worker1
    _assert_same(before, job.remote_job(world.worker1), "the remote job")
    job.finish(world.worker1)


@scenario("lost-clock-survives-restart")
def outage_across_a_restart(world: World) -> None:
    """One outage, one deadline: a restart of fedra in the middle does not start the clock anew (I-JOB-8)."""
    timeout, restart_after, slack = 10.0, 7.0, 5.0
    fedra = world.start_fedra({"workerLostTimeout": f"{timeout:.0f}s"}, links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.cut(world.worker1)
    started = time.monotonic()
    always(
        "no clone elsewhere before the deadline",
        lambda: job.clones() == [world.worker1],
        restart_after,
    )
    fedra.restart()
    # fedra's share ends here; when Kueue queues the job again is up to Kueue.
    # The whole way to worker2 can pass between two looks, so "not Ready" alone would be missed.
    world.eventually(
        "taken back from worker1",
        lambda: job.check_state() != "Ready" or job.cluster_name() != world.worker1,
    )
    elapsed = time.monotonic() - started
    world.note(f"taken back after {elapsed:.1f} s")
    assert timeout - 1 < elapsed < timeout + slack, f"taken back after {elapsed:.1f} s"
    job.wait_running_on(world.worker2)
    world.link(world.worker1).restore()
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("hanging-worker")
def worker_never_answers(world: World) -> None:
    """A worker that accepts connections and never answers delays no job that does not need it."""
    world.add_template("manager")
    world.add_template(world.worker2)
    world.start_fedra(links=[world.worker1])
    world.link(world.worker1).silence()
    for index in range(5):
        job = world.submit(f"train-{index}", template=TEMPLATE)
        world.eventually("quota", lambda: objects.is_true(job.workload(), "QuotaReserved"))
        started = time.monotonic()
        job.wait_clone(world.worker2)
        assert time.monotonic() - started < 5.0  # far less than any time-out of a call
    world.wait_worker_state(world.worker1, "Unreachable")


@scenario("start-with-dead-worker")
def starts_without_a_worker(world: World) -> None:
    """fedra starts and works while a worker is away, and uses it when it appears."""
    world.close_queue(world.worker2)
    world.start_fedra(IMPATIENT, links=[world.worker1], cut=[world.worker1])
    job = world.submit("train")
    job.wait_clone(world.worker2)
    job.wait_message("1 of 2 workers eligible")
    assert world.reasons(job)[world.worker1] == ["ClusterUnreachable"]
    world.manager.delete("Job", world.ns, job.name)
    job.wait_gone_from(world.worker2)
    world.link(world.worker1).restore()
    later = world.submit("later")
    later.wait_running_on(world.worker1)
    later.finish(world.worker1)
