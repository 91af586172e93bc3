"""Crashes and lost workers."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from datetime import datetime, timezone

from scenarios import objects
from scenarios.cases.membership import administrator_kubeconfig
from scenarios.chance import seeded
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.job_kinds import JAX_JOB
from scenarios.modes import COPYING
from scenarios.objects import QUEUE_LABEL, Quota, present
from scenarios.registry import scenario
from scenarios.resources import KUEUE, Object
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import always, assert_quick
from scenarios.world import IMPATIENT, TEMPLATE, World


_RFC_3339 = "%Y-%m-%dT%H:%M:%SZ"
_YEAR_MS = 365 * 24 * 3600 * 1000


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


@scenario("nomination-refused", fleets=("sim",))  # no real API server refuses one
def nomination_refused(world: World) -> None:
    """The copy is made while its nomination is under way. That is refused: the copy is removed, and made once it is not."""
    assert isinstance(world.fleet, SimFleet)
    world.add_template_everywhere()
    fedra = world.start_fedra()
    world.fleet.refuse_statuses(MANAGER)
    job = world.submit("train", template=TEMPLATE)
    world.eventually("a copy is made", lambda: fedra.counters().total("fedra_dispatch_total") > 0)
    job.wait_gone_from(world.worker1)
    job.stays_nowhere(1.0)
    assert fedra.counters().total("fedra_dispatch_total") == 1, "it is made again and again"
    world.fleet.end_faults(MANAGER)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("crash-before-nomination", fleets=("sim",))  # as above
def crash_before_nomination(world: World) -> None:
    """kill -9 when the copy is made and no nomination names it: the job runs after a restart."""
    fedra, job = _copy_without_nomination(world)
    fedra.start()
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("crash-before-nomination-deleted", fleets=("sim",))  # as above
def crash_before_nomination_deleted(world: World) -> None:
    """The same, and the job is deleted before the restart: nothing of it is left on the worker."""
    fedra, job = _copy_without_nomination(world)
    world.manager.delete("Job", world.ns, "train")
    fedra.start()
    job.wait_gone_from(world.worker1)


def _copy_without_nomination(world: World) -> tuple[Fedra, FederatedJob]:
    """fedra, which has died behind it, and the job. The manager takes writes again."""
    assert isinstance(world.fleet, SimFleet)
    world.add_template_everywhere()
    fedra = world.start_fedra(crash_at="copy-made")
    world.fleet.refuse_statuses(MANAGER)
    job = world.submit("train", template=TEMPLATE)
    fedra.wait_crashed(world.fleet.patience)
    world.fleet.end_faults(MANAGER)
    workload = job.workload()
    assert workload is not None and "nominatedClusterNames" not in workload.get("status", {})
    assert job.clones() == [world.worker1]
    return fedra, job


@scenario("crash-in-admission")
def crash_after_cluster_name(world: World) -> None:
    """A crash right after clusterName was written is not an eviction; the fresh placement is kept."""
    _crash(world, "after-cluster-name")


@scenario("crash-after-job")
def crash_after_job(world: World) -> None:
    """kill -9 right after the remote job was created."""
    _crash(world, "after-create-job")


@scenario("crash-in-adoption", other_kinds=True)
def crash_in_adoption(world: World) -> None:
    """kill -9 when the clone of a JAXJob has got its owner, and the job has no queue yet: it gets one."""
    fedra = world.start_fedra(crash_at="after-give-owner")
    job = world.submit_kind(JAX_JOB, "train")
    fedra.wait_crashed(world.fleet.patience)
    clone, remote = job.clone(world.worker1), job.remote_job(world.worker1)
    assert QUEUE_LABEL not in present(remote)["metadata"]["labels"], remote
    fedra.start()
    job.wait_running_on(world.worker1)
    _assert_same(clone, job.clone(world.worker1), "the clone")
    _assert_same(remote, job.remote_job(world.worker1), "the remote job")
    job.finish(world.worker1)


@scenario("ended-unrecorded")
def job_ends_before_it_is_recorded(world: World) -> None:
    """kill -9 right after the remote job was created, which then ends: its result counts, and it is not run again."""
    fedra = world.start_fedra(crash_at="after-create-job")
    job = world.submit("train")
    fedra.wait_crashed(world.fleet.patience)
    _end_on(world, job, world.worker1)
    there = present(job.remote_job(world.worker1))["status"]
    fedra.start()
    world.eventually("the result is on the manager", lambda: _complete(job.manager_job()))
    world.eventually("nothing is left on the workers", job.nowhere)
    told = present(job.manager_job())["status"]
    for field in ("startTime", "completionTime"):
        assert told[field] == there[field], f"another run: {told} instead of {there}"
    assert not world.dispatched_to(world.worker2), "it was sent out again"


def _complete(job: Object | None) -> bool:
    return objects.is_true(job, "Complete")


def _end_on(world: World, job: FederatedJob, worker: str) -> None:
    """The job's pods end there, whoever watches."""

    def ended() -> bool:
        world.fleet.end_pods(worker, world.ns, job.name, "Succeeded")
        # A fedra that runs may have copied the end and removed the job before anybody looks.
        return _complete(job.remote_job(worker)) or _complete(job.manager_job())

    world.eventually("the job is complete", ended)


@scenario("kill-at-random")
def killed_again_and_again(world: World) -> None:
    """kill -9 at random moments while ten jobs are on their way: each runs once and finishes."""
    chance = seeded(world)
    world.add_template_everywhere()
    fedra = world.start_fedra()
    jobs = [world.submit(f"train-{index}", template=TEMPLATE) for index in range(10)]
    for _ in range(8):
        time.sleep(chance.uniform(0.05, 0.6))  # the random moment itself, not a wait for something
        fedra.restart()
    for job in jobs:
        world.eventually(f"{job.name} runs", job.remote_jobs)
    uids = {job.name: remote_uid(job) for job in jobs}
    fedra.restart()
    for job in jobs:
        assert remote_uid(job) == uids[job.name], f"{job.name} was made again"
        job.finish(job.remote_jobs()[0])


def remote_uid(job: FederatedJob) -> str:
    worker = job.remote_jobs()[0]
    return str(present(job.remote_job(worker))["metadata"]["uid"])


@scenario("finished-while-down")
def job_ends_while_fedra_is_down(world: World) -> None:
    """A job that ends while fedra is dead: the result reaches the manager after the restart."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    fedra.kill()
    status = json.loads(fedra.cli("status", "-o", "json").stdout)
    assert status["daemon"]["running"] is False, status["daemon"]

    _end_on(world, job, world.worker1)
    fedra.start()
    job.finish(world.worker1)
    assert _complete(job.manager_job())


# A real API server cannot be made to forget an API for a second.
@scenario("api-404", fleets=("sim",))
def api_is_not_found(world: World) -> None:
    """An API server that answers 404 for whole APIs for a moment, manager or worker: no job is stopped or moved."""
    assert isinstance(world.fleet, SimFleet)
    fedra = world.start_fedra()
    jobs = [world.submit(f"train-{index}") for index in range(20)]
    for job in jobs:
        world.eventually(f"{job.name} runs", job.remote_jobs)
    uids = {job.name: remote_uid(job) for job in jobs}
    for cluster in (MANAGER, world.worker1):
        world.unwatch(cluster)
        world.fleet.forget_api(cluster, KUEUE)
        world.eventually("noticed", lambda: fedra.cluster_trouble(cluster))
        always(
            "nothing is moved",
            lambda: all(len(job.remote_jobs()) == 1 for job in jobs),
            1,
        )
        world.fleet.end_faults(cluster)
        world.watch_again(cluster)
        world.eventually("back", lambda: not fedra.cluster_trouble(cluster))
    for job in jobs:
        assert remote_uid(job) == uids[job.name], f"{job.name} was made again"
        job.finish(job.remote_jobs()[0])


# Kueue with DRA support has its own opinion of a template that is nowhere.
@scenario("back-with-the-same-answer", kueue_dra=(False,))
def reconnected_worker_is_waited_for(world: World) -> None:
    """A worker that comes back and still cannot run a job is not sent it: its lists are waited for."""
    fedra = world.start_fedra()
    job = world.submit("impossible", template=TEMPLATE)
    world.eventually("blocked", lambda: fedra.verdicts(job.key))
    for _ in range(3):
        world.stop_api_server(world.worker1)
        world.wait_worker_state(world.worker1, "Unreachable")
        world.start_api_server(world.worker1)
        world.wait_worker_state(world.worker1, "Connected")
    told = fedra.history(job.key)
    assert set(told) == {"PlacementRejected"}, told
    assert 1 <= fedra.logged("workloads are judged without the worker") <= 3
    if isinstance(world.fleet, SimFleet):  # a real API server has more to say while it starts
        assert len(told) == 1, "that a worker comes and goes is no news of a job that is blocked"


# Quotas for objects are not part of the real test clusters.
@scenario("job-refused", fleets=("sim",))
def workers_refuse_the_job(world: World) -> None:
    """Workers that admit the clone and refuse the job are asked less and less often; when one takes it, it runs."""
    assert isinstance(world.fleet, SimFleet)
    for worker in world.workers:
        world.fleet.refuse_jobs(worker)
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_message("no worker eligible", "worker1 refused the job", "worker2 refused the job")
    always("a pause", lambda: fedra.history(job.key).count("DispatchFailed") == 2, 3)
    world.fleet.end_faults(world.worker1)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


# Quotas for objects are not part of the real test clusters.
@scenario("retry", fleets=("sim",))
def failures_are_forgotten(world: World) -> None:
    """fedra retry: a worker that has refused a job again and again is asked at once, before its pause is over."""
    assert isinstance(world.fleet, SimFleet)
    world.use_workers(world.worker1)
    world.fleet.refuse_jobs(world.worker1)
    fedra = world.start_fedra()
    job = world.submit("train")
    world.eventually(
        "a second refusal, and a longer pause",
        lambda: fedra.history(job.key).count("DispatchFailed") >= 2,
    )
    paused_until = world.eventually(
        "why has the pause", lambda: _paused_until(fedra, job, world.worker1)
    )
    world.fleet.end_faults(world.worker1)
    asked = fedra.bare("retry", job.key, "--kubeconfig", administrator_kubeconfig(world, fedra))
    assert asked.code == 0 and job.key in asked.stderr, asked
    world.eventually("it is there", lambda: job.remote_job(world.worker1))
    now = datetime.now(timezone.utc)
    assert now < paused_until, "it was tried at the end of the pause only"
    job.wait_running_on(world.worker1)
    running = fedra.bare("retry", job.key, "--kubeconfig", administrator_kubeconfig(world, fedra))
    assert running.code == 0 and "nothing to do" in running.stderr, running
    clone = present(job.clone(world.worker1))
    assert "retry.fedra.dev/at" not in clone["metadata"]["annotations"], clone
    job.finish(world.worker1)


def _paused_until(fedra: Fedra, job: FederatedJob, worker: str) -> datetime | None:
    """Until when the worker is left alone, as `fedra why` says; None: it is not."""
    workers = fedra.cli("why", job.key, "-o", "json").json()["jobs"][0]["workers"]
    reasons = [each for row in workers if row["name"] == worker for each in row["reasons"]]
    times = [each["facts"]["pausedUntil"] for each in reasons if "pausedUntil" in each["facts"]]
    return datetime.fromisoformat(times[0]) if times else None


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
    always(
        "the job stays where it is",
        lambda: job.remote_job(world.worker1) is not None,
        2,
    )
    _assert_same(before, job.remote_job(world.worker1), "the remote job")
    job.finish(world.worker1)


@scenario("second-daemon")
def second_daemon_is_refused(world: World) -> None:
    """Two daemons on one store: the second ends and names the file, the first goes on."""
    fedra = world.start_fedra()
    refused = fedra.cli("run")
    assert refused.code == 1 and str(fedra.store) in refused.stderr, refused
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("worker-lost", modes=COPYING)
def worker_lost(world: World) -> None:
    """Contact lost for longer than workerLostTimeout: the job runs elsewhere; what is left behind is removed."""
    fedra = world.start_fedra({"workerLostTimeout": "3s"}, links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.cut(world.worker1)
    job.wait_running_on(world.worker2)
    assert job.remote_job(world.worker1) is not None, "nobody could have removed it"
    assert fedra.left_behind()[world.worker1] == 1
    world.restore(world.worker1)
    job.wait_gone_from(world.worker1)
    world.eventually("the history has it", lambda: "StoppedOnWorker" in fedra.history(job.key))
    job.finish(world.worker2)


@scenario("outage-after-the-end")
def outage_after_the_end(world: World) -> None:
    """A worker is lost whose job has ended, and whose copies are removed: none is told to be left there."""
    fedra = world.start_fedra(links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)
    job.wait_gone_from(world.worker1)
    world.cut(world.worker1)
    world.wait_worker_state(world.worker1, "Unreachable")
    always("nothing is left there", lambda: fedra.left_behind()[world.worker1] == 0, 2)
    world.restore(world.worker1)


@scenario("loser-unreachable", modes=COPYING)
def loser_is_away(world: World) -> None:
    """A worker with a clone is away when another one wins, and when the job ends there: it is cleaned up on its return."""
    for worker in world.workers:
        world.close_queue(worker)
    world.start_fedra({"dispatch": {"policy": "race"}}, links=[world.worker1])
    job = world.submit("train")
    for worker in world.workers:
        job.wait_clone(worker)
    world.cut(world.worker1)
    world.wait_worker_state(world.worker1, "Unreachable")
    world.set_quota(world.worker2, Quota())
    job.wait_running_on(world.worker2)
    _end_on(world, job, world.worker2)
    world.eventually("it has ended", lambda: objects.is_true(job.workload(), "Finished"))
    job.wait_gone_from(world.worker2)
    assert job.clone(world.worker1) is not None, "nobody could have removed it"
    world.restore(world.worker1)
    job.wait_gone_from(world.worker1)


# A real Kueue's conversion webhook cannot be broken for a moment.
@scenario("worker-unlistable", fleets=("sim",))
def worker_cannot_be_listed(world: World) -> None:
    """A worker that answers but cannot list its Workloads is lost after the same time; its job runs elsewhere."""
    assert isinstance(world.fleet, SimFleet)
    world.start_fedra({"workerLostTimeout": "3s"})
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.unwatch(world.worker1)
    world.fleet.break_workloads(world.worker1)
    job.wait_running_on(world.worker2)
    assert job.remote_job(world.worker1) is not None, "nobody could have removed it"
    world.fleet.end_faults(world.worker1)
    world.watch_again(world.worker1)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("brief-loss", modes=COPYING)
def contact_lost_briefly(world: World) -> None:
    """Contact lost for less than workerLostTimeout: nothing moves."""
    world.start_fedra({"workerLostTimeout": "60s"}, links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    before = job.remote_job(world.worker1)
    world.cut(world.worker1)
    world.wait_worker_state(world.worker1, "Unreachable")
    world.restore(world.worker1)
    world.wait_worker_state(world.worker1, "Connected")
    assert job.cluster_name() == world.worker1
    _assert_same(before, job.remote_job(world.worker1), "the remote job")
    job.finish(world.worker1)


@scenario("started-again-unseen")
def restarted_during_an_outage(world: World) -> None:
    """During a brief loss the worker preempts the job and starts it again: it stays, and its result is taken over."""
    world.set_quota(world.worker1, Quota(cpu="4"))
    world.start_fedra({"workerLostTimeout": "600s"}, links=[world.worker1])
    job = world.submit("train", cpu="4")
    job.wait_running_on(world.worker1)
    first = _start(job.remote_job(world.worker1))
    world.cut(world.worker1)
    world.preempt_on(world.worker1, job)
    world.eventually("stopped", lambda: not _runs(job.remote_job(world.worker1)))
    # A start is known to the second, and this one must be another one.
    world.eventually("a later second", lambda: time.strftime(_RFC_3339, time.gmtime()) > first)
    world.set_quota(world.worker1, Quota())
    world.eventually("started again", lambda: _runs(job.remote_job(world.worker1)))
    assert _start(job.remote_job(world.worker1)) != first
    _end_on(world, job, world.worker1)
    world.restore(world.worker1)
    job.finish(world.worker1)
    assert _start(job.manager_job()) == first, "an API server takes no other start"


def _start(job: Object | None) -> str:
    return str(present(job)["status"]["startTime"])


def _runs(job: Object | None) -> bool:
    return present(job).get("status", {}).get("active", 0) > 0


@scenario("lost-clock-survives-restart", modes=COPYING)
def outage_across_a_restart(world: World) -> None:
    """One outage, one deadline: a restart of fedra in the middle does not start the clock anew."""
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
    assert elapsed > timeout - 1, f"taken back after {elapsed:.1f} s"
    assert_quick("to be taken back", elapsed - timeout, slack)
    job.wait_running_on(world.worker2)
    world.restore(world.worker1)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("clock-jumped")
def the_clock_is_set_back(world: World) -> None:
    """The clock was a year ahead when a worker was lost, and is right again: its jobs do not wait for a year."""
    fedra = world.start_fedra({"workerLostTimeout": "3s"}, links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.cut(world.worker1)
    world.wait_worker_state(world.worker1, "Unreachable")
    fedra.kill()
    with contextlib.closing(sqlite3.connect(fedra.store)) as store, store:
        ahead = "UPDATE clusters SET lost_since = lost_since + ? WHERE name = ? AND lost_since > 0"
        assert store.execute(ahead, (_YEAR_MS, world.worker1)).rowcount == 1
    fedra.start()
    job.wait_running_on(world.worker2)
    world.restore(world.worker1)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("start-with-dead-worker")
def starts_without_a_worker(world: World) -> None:
    """fedra starts and works while a worker is away, and uses it when it appears."""
    world.close_queue(world.worker2)
    world.start_fedra(IMPATIENT, links=[world.worker1], cut=[world.worker1])
    job = world.submit("train")
    job.wait_clone(world.worker2)
    job.wait_event("Dispatched", "1 of 2 workers eligible")
    assert world.reasons(job)[world.worker1] == ["ClusterUnreachable"]
    world.manager.delete("Job", world.ns, job.name)
    job.wait_gone_from(world.worker2)
    world.restore(world.worker1)
    later = world.submit("later")
    later.wait_running_on(world.worker1)
    later.finish(world.worker1)
