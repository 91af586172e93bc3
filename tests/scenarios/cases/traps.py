"""Traps of the protocol that a first dispatcher fell into, one scenario each (`deactivation` is in jobs.py, `crash-in-admission` in faults.py)."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from scenarios import objects
from scenarios.modes import COPYING
from scenarios.objects import present
from scenarios.registry import scenario
from scenarios.waiting import always, assert_quick
from scenarios.world import World


@scenario("mirrored-activity")
def activity_is_cleared(world: World) -> None:
    """Pods mirrored as active block the eviction on the manager; they must be cleared at once."""
    world.start_fedra()
    job = world.submit("train", pods=2)
    job.wait_running_on(world.worker1)
    world.eventually(
        "two active pods mirrored",
        lambda: present(job.manager_job())["status"].get("active") == 2,
    )
    started = time.monotonic()
    world.drain(world.worker1)
    job.wait_clone(world.worker2)
    elapsed = time.monotonic() - started
    world.note(f"evicted to next clone {elapsed:.1f} s")
    assert_quick("to be requeued", elapsed, 8)  # with activity left over: not within 12 s
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("stale-write")
def winner_is_never_erased(world: World) -> None:
    """Other writers change the Workload all the time; no write of ours may erase the winner."""
    world.start_fedra()
    job = world.submit("train")
    workload = world.eventually("workload", job.workload)
    stop = threading.Event()

    def disturb() -> int:
        """Returns how often; fails when the winner is gone under a check that is Ready."""
        count = 0
        while not stop.is_set():
            count += 1
            annotations = {"metadata": {"annotations": {"example.com/disturbed": str(count)}}}
            now = world.manager.patch(
                "Workload", world.ns, workload["metadata"]["name"], annotations
            )
            status = now.get("status", {})
            states = {entry["state"] for entry in status.get("admissionChecks", [])}
            assert "Ready" not in states or "clusterName" in status, objects.canonical(status)
        return count

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(disturb)
        try:
            job.wait_running_on(world.worker1)
            always("the winner stays", lambda: job.cluster_name() == world.worker1, 1)
        finally:
            stop.set()
    writes = writer.result()
    world.note(f"{writes} writes of others")
    assert writes > 0
    job.finish(world.worker1)


@scenario("orphaned-clone")
def own_deletion_is_no_result(world: World) -> None:
    """The remote job is deleted under the clone; the worker's Kueue then finishes the clone. No result."""
    world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    before = present(job.remote_job(world.worker1))
    world.admin(world.worker1).delete("Job", world.ns, job.name)

    def runs_anew() -> bool:
        assert not objects.is_true(
            job.workload(), "Finished"
        ), "the clone's end was taken for the job's"
        found = [job.remote_job(worker) for worker in world.workers]
        return any(each and each["metadata"]["uid"] != before["metadata"]["uid"] for each in found)

    world.eventually("runs again", runs_anew)
    worker = job.remote_jobs()[0]
    job.wait_running_on(worker)
    job.finish(worker)


@scenario("copy-out-of-sync", modes=COPYING)
def changed_copy_is_no_result(world: World) -> None:
    """The worker's Kueue finishes the clone as OutOfSync: no result of the job, which runs elsewhere."""
    world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    clone = present(job.clone(world.worker1))
    out_of_sync = {
        "type": "Finished",
        "status": "True",
        "reason": "OutOfSync",
        "message": "The prebuilt workload is out of sync with its user job",
        "lastTransitionTime": objects.LONG_AGO,
    }
    conditions = [*clone["status"]["conditions"], out_of_sync]
    worker1, name = world.admin(world.worker1), clone["metadata"]["name"]
    worker1.patch("Workload", world.ns, name, {"status": {"conditions": conditions}}, "status")

    def on_the_other() -> bool:
        assert not objects.is_true(job.workload(), "Finished"), "it was taken for the job's end"
        return job.remote_job(world.worker2) is not None

    world.eventually("it is sent anew", on_the_other)
    job.wait_running_on(world.worker2)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("api-server-restart")
def api_server_comes_back(world: World) -> None:
    """After an API server's return its own Kueue needs a minute; fedra's share, the clone, does not."""
    world.close_queue(world.worker2)
    world.start_fedra()
    world.stop_api_server(world.worker1)
    world.wait_worker_state(world.worker1, "Unreachable")
    world.start_api_server(world.worker1)
    started = time.monotonic()
    world.wait_worker_state(world.worker1, "Connected")
    world.note(f"connected again after {time.monotonic() - started:.1f} s")
    started = time.monotonic()
    job = world.submit("train")
    job.wait_clone(world.worker1)
    elapsed = time.monotonic() - started
    world.note(f"clone after {elapsed:.1f} s")
    assert_quick("the clone", elapsed, 5)
    world.eventually(
        "admitted",
        lambda: objects.is_true(job.clone(world.worker1), "Admitted"),
        world.fleet.recovery,
    )
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)
