"""Workers come and go while fedra runs."""

from __future__ import annotations

from scenarios import objects
from scenarios.cases.membership import administrator_kubeconfig
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.registry import scenario
from scenarios.waiting import always
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
    fedra, first = _first_on_worker1(world)
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


@scenario("worker-cordoned")
def cordoned_worker_gets_no_jobs(world: World) -> None:
    """fedra cordon: what runs there stays, new jobs go elsewhere or wait; drain: what runs there moves; uncordon: all is as before."""
    fedra, first = _first_on_worker1(world)
    _cordon(world, fedra, "cordon", world.worker1, "--reason", "new disks")
    _wait_state(world, fedra, world.worker1, "Connected,Cordoned")
    second = world.submit("second", template=TEMPLATE)
    second.wait_running_on(world.worker2)
    assert fedra.verdicts(second.key)[world.worker1].reasons == ["WorkerCordoned"]
    assert "it is cordoned: new disks" in fedra.cli("why", second.key).stdout
    assert first.cluster_name() == world.worker1 and first.check_state() == "Ready"

    _cordon(world, fedra, "drain", world.worker1)
    first.wait_running_on(world.worker2)
    first.wait_gone_from(world.worker1)
    _cordon(world, fedra, "cordon", world.worker2)
    _wait_state(world, fedra, world.worker2, "Connected,Cordoned")
    third = world.submit("third", template=TEMPLATE)
    third.wait_message("it is drained")
    # A fedra that starts again knows it still.
    fedra.kill()
    fedra.start()
    third.wait_message("it is cordoned")
    assert first.cluster_name() == world.worker2
    _cordon(world, fedra, "uncordon", world.worker1)
    third.wait_running_on(world.worker1)
    _wait_state(world, fedra, world.worker1, "Connected")
    world.use_workers(world.worker1, world.worker2)
    administrator = ("--kubeconfig", administrator_kubeconfig(world, fedra))
    mistyped = f"{world.worker1}x"
    wrong = fedra.bare("cordon", mistyped, "--check", world.check, *administrator)
    assert wrong.code == 1 and f"did you mean {world.worker1}?" in wrong.stderr, wrong
    unknown = fedra.bare("cordon", "Not A Name")
    assert unknown.code == 1 and "a worker's name has" in unknown.stderr, unknown
    for job in (first, second, third):
        job.finish(job.cluster_name() or "nowhere")


@scenario("move")
def running_job_is_moved(world: World) -> None:
    """fedra move: once, to any other worker, or to a named one as soon as that can take it; why says what is in the way."""
    fedra, job = _first_on_worker1(world)
    _move(world, fedra, job)
    job.wait_running_on(world.worker2)
    job.wait_gone_from(world.worker1)
    events = fedra.cli("history", job.key, "-o", "json").json()["jobs"][0]["events"]
    asked = [each["message"] for each in events if each["reason"] == "Requeued"]
    assert "it is moved to another worker, as asked" in asked, events
    fedra.restart()
    always("it is moved once", lambda: job.cluster_name() == world.worker2, 2)
    _cordon(world, fedra, "cordon", world.worker1)
    _wait_state(world, fedra, world.worker1, "Connected,Cordoned")
    _move(world, fedra, job, "--to", world.worker1)
    told = f"asked to move to {world.worker1}, which cannot "

    def note() -> str:
        return str(fedra.cli("why", job.key, "-o", "json").json()["jobs"][0]["note"])

    world.eventually("why says so", lambda: told in note())

    def requests() -> int:
        document = fedra.cli("history", job.key, "-o", "json").json()
        return sum(each["reason"] == "MoveRequested" for each in document["jobs"][0]["events"])

    world.eventually("history says so", lambda: requests() == 1)
    assert job.cluster_name() == world.worker2 and job.check_state() == "Ready"
    _cordon(world, fedra, "uncordon", world.worker1)
    job.wait_running_on(world.worker1)
    job.wait_gone_from(world.worker2)
    annotations = objects.present(job.clone(world.worker1))["metadata"]["annotations"]
    assert not [name for name in annotations if name.startswith("move.fedra.dev/")], annotations
    there = _move(world, fedra, job, "--to", world.worker1)
    assert "nothing to do" in there, there
    job.finish(world.worker1)


@scenario("worker-taken-out")
def worker_is_emptied_before_it_is_removed(world: World) -> None:
    """As docs/operations.md says: its queue is held, its job ends there, and a restart without it queues no job again."""
    fedra, first = _first_on_worker1(world)
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


def _first_on_worker1(world: World) -> tuple[Fedra, FederatedJob]:
    """A fedra that prefers the first worker, where a job runs."""
    world.add_template_everywhere()
    fedra = world.start_fedra()
    world.use_workers(world.worker1, world.worker2)
    job = world.submit("first", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    return fedra, job


def _move(world: World, fedra: Fedra, job: FederatedJob, *arguments: str) -> str:
    """As the manager's administrator; what is said."""
    kubeconfig = ("--kubeconfig", administrator_kubeconfig(world, fedra))
    done = fedra.bare("move", job.key, *arguments, *kubeconfig)
    assert done.code == 0 and job.key in done.stderr, done
    return done.stderr


def _cordon(world: World, fedra: Fedra, command: str, *arguments: str) -> None:
    """As the manager's administrator, on this scenario's AdmissionCheck."""
    kubeconfig = ("--kubeconfig", administrator_kubeconfig(world, fedra))
    done = fedra.bare(command, *arguments, "--check", world.check, *kubeconfig)
    assert done.code == 0 and arguments[0] in done.stderr, done


def _wait_state(world: World, fedra: Fedra, worker: str, state: str) -> None:
    """Waits for this STATE in the table of workers."""

    def is_shown() -> bool:
        rows = fedra.cli("status", "workers", "--no-headers").stdout.splitlines()
        return any(row.split()[:2] == [worker, state] for row in rows)

    world.eventually(f"{worker} is {state}", is_shown)
