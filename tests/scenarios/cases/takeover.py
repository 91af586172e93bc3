"""Several replicas of fedra on one manager: one leads, another one takes over."""

from __future__ import annotations

import datetime
import signal
import time

import jsonschema

from scenarios import objects, setup
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra, default_binary, previous_binary
from scenarios.fleet import MANAGER
from scenarios.job_stream import JobStream
from scenarios.registry import scenario
from scenarios.replicas import (
    LOST_LEASE,
    SHORT,
    assert_made_once,
    end_with,
    holder,
    identity,
    lease_of,
    leads,
    one_runs_one_waits,
    two_replicas,
    uid_of,
    uid_when_placed,
)
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import SLOWNESS, always
from scenarios.world import TEMPLATE, World

_DURATION = SHORT.duration
_UNKNOWN = 4  # exit code of a command that could not find out
# Twice as long as a take-over, and more.
_LOST = 4 * _DURATION
_BURST = 12
_STARTS = 3
_JOBS_A_ROUND = 4
# Resources of a worker that a fedra only reads, and these tests do not list.
_SUPPLY = (
    "resourceslices",
    "nodes",
    "resourceclaims",
    "deviceclasses",
    "namespaces",
    "clusterqueues",
)
_PLACED, _PERIOD = 4, 0.1 * SLOWNESS


@scenario("takeover")
def leader_dies(world: World) -> None:
    """kill -9 of the leader while a job waits: the standby sends it within 20 s, and what ran runs on, once."""
    first, second = two_replicas(world)
    running, waiting = one_runs_one_waits(world)
    uid = uid_of(world, "running")
    lists = _lists_of_supply(world)
    first.kill()
    for worker in world.workers:
        world.add_template(worker)
    begin = time.monotonic()
    world.eventually("the waiting job leaves", waiting.remote_jobs, 20)
    world.note(f"{time.monotonic() - begin:.1f} s from kill -9 to the dispatch")
    assert holder(world) == identity(second)
    assert uid_of(world, "running") == uid, "the job was made again"
    assert _lists_of_supply(world) == lists, "what no fedra writes was listed again"
    for job in (running, waiting):
        job.finish(world.eventually(f"{job.key} runs", job.remote_jobs)[0])
    end_with(world, second)


# Quotas for objects are not part of the real test clusters.
@scenario("takeover-after-a-refusal", fleets=("sim",))
def refusal_is_inherited(world: World) -> None:
    """A worker has refused a job when the leader is killed: the next leader knows, and sends it to another one first."""
    assert isinstance(world.fleet, SimFleet)
    first, second = two_replicas(world)
    plain = world.submit("plain")
    plain.wait_running_on(world.worker1)
    for cluster in (MANAGER, world.worker1):
        world.add_template(cluster)
    world.fleet.refuse_jobs(world.worker1)
    job = world.submit("train", template=TEMPLATE)
    job.wait_message("worker1 refused the job")
    world.eventually("its copy is taken back", lambda: not job.clones())
    first.kill()
    sent = world.dispatched_to(world.worker1)
    record = _record(world, job)
    attempt = int(record["status"]["attempt"])
    (failure,) = record["status"]["failures"]
    assert failure["worker"] == world.worker1 and failure["refused"], record
    world.fleet.end_faults(world.worker1)
    world.add_template(world.worker2)
    world.eventually("the standby leads", lambda: leads(world, second), 15)
    job.wait_running_on(world.worker2)
    assert world.dispatched_to(world.worker1) == sent, "it was asked first"
    # The attempts are counted on.
    world.eventually(
        "the new attempt is recorded", lambda: _record(world, job)["status"]["attempt"] > attempt
    )
    (only,) = world.manager.list("PlacementRecord", world.ns)
    assert only["metadata"]["name"] == record["metadata"]["name"], "a job that ran had one written"
    plain.finish(world.worker1)
    job.finish(world.worker2)
    world.manager.delete("Job", world.ns, job.name)
    world.eventually("it goes with its job", lambda: not _records(world))
    end_with(world, second)


# Real clusters would need minutes until a job moves, and say no more.
@scenario("takeover-in-an-outage", fleets=("sim",))
def outage_is_inherited(world: World) -> None:
    """A worker is lost, and half its time later the leader: the job moves when it would have, not later."""
    first, second = two_replicas(world, {"workerLostTimeout": f"{_LOST}s"}, links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.cut(world.worker1)
    lost = time.monotonic()
    world.eventually("the outage is noted", lambda: world.worker1 in _outages(world), _LOST / 2)
    first.kill()
    world.eventually("the standby leads", lambda: leads(world, second), 15)
    world.eventually("the job moves", lambda: job.remote_job(world.worker2), 2 * _LOST)
    moved = time.monotonic() - lost
    world.note(f"moved {moved:.1f} s after the outage began, of {_LOST} s")
    assert _LOST - 2 < moved < _LOST + _DURATION, f"moved after {moved:.1f} s"
    world.restore(world.worker1)
    world.eventually("the old copy goes", lambda: job.remote_job(world.worker1) is None)
    world.eventually("the end of the outage is noted", lambda: not _outages(world))
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)
    end_with(world, second)


# Real clusters would say no more.
@scenario("takeover-with-a-copy-out-of-reach", fleets=("sim",))
def copy_out_of_reach(world: World) -> None:
    """A worker is cut off, its job is deleted, the leader is killed: the next one removes the copy when the worker is back."""
    first, second = two_replicas(world, links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.cut(world.worker1)
    for fedra in (first, second):
        world.eventually(
            "the worker is out of reach",
            lambda: fedra.worker_states()[world.worker1] == "Unreachable",
        )
    world.manager.delete("Job", world.ns, job.name)
    world.eventually("its Workload is gone", lambda: not world.manager.list("Workload", world.ns))
    first.kill()
    world.eventually("the standby leads", lambda: leads(world, second), 15)
    # Whatever time it takes to settle, a job that is submitted later is dispatched.
    world.submit("later").wait_running_on(world.worker2)
    world.restore(world.worker1)
    world.eventually("the copy is removed", lambda: job.remote_job(world.worker1) is None)
    world.eventually("its Workload, too", lambda: not world.admin(world.worker1).list("Workload"))
    job = world.job("later")
    job.finish(world.worker2)
    end_with(world, second)


@scenario("takeover-at-sigterm")
def leader_ends(world: World) -> None:
    """SIGTERM gives the Lease back: another replica leads at once, and the one that comes back stands by."""
    first, second = two_replicas(world)
    first.stop()
    begin = time.monotonic()
    world.eventually("the standby leads", lambda: holder(world) == identity(second), 2.5)
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.note(f"{time.monotonic() - begin:.1f} s from the end to a running job")
    first.start()
    assert holder(world) == identity(second)
    for fedra, role in ((first, "Standby"), (second, "Leader")):
        assert f"\nfedra_leader {int(role == 'Leader')}\n" in fedra.page("/metrics")
        wanted = (role, identity(second), 1)
        world.eventually("status says who leads", lambda: _told(fedra) == wanted, 2)
    job.finish(world.worker1)
    first.stop()
    end_with(world, second)


@scenario("standby-answers")
def standby_answers(world: World) -> None:
    """What a standby says of jobs is as of when it led last, by whom, and who leads; wait concludes nothing there."""
    first, second = two_replicas(world)
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    who = f"(replica {identity(second)}), which has never led; the leader is {identity(first)}"
    never = f"no job is known to this standby {who}"
    world.eventually("the standby's words", lambda: never in second.cli("status").stdout, 5)
    assert "asOf" not in second.cli("status", "jobs", "-o", "json").json()
    jobs = second.cli("status", "jobs", "--state", "Running", "-o", "name")
    assert never in jobs.stderr and jobs.code == 4, jobs
    assert first.cli("status", "jobs").code == 0
    workers = second.cli("status", "workers", "-o", "json").json()["workers"]
    assert workers and not any("jobs" in worker for worker in workers), workers
    refused = second.cli("why", job.key)
    assert refused.code == 1 and never in refused.stderr, refused
    first.stop()
    world.eventually("the second one leads", lambda: leads(world, second))
    first.start()
    job.finish(world.worker1)
    last = ("wait", job.key, "--for", "finished", "--timeout", "20s")
    assert second.cli(*last).code == 0
    line = f"by a standby (replica {identity(first)}); the leader is {identity(second)}"
    world.eventually("it knows who leads", lambda: line in first.cli("status").stdout, 5)
    # It led while the job ran, and has not seen the end.
    questions = (
        ("status",),
        ("status", "jobs"),
        ("status", job.key),
        ("why", job.key),
        ("history", job.key),
        ("status", "jobs", "--group-by", "state"),
    )
    for question in questions:
        begin, *_ = first.cli(*question).stdout.splitlines()
        assert begin.startswith("REPLICA  jobs are as of ") and line in begin, begin
        document = first.cli(*question, "-o", "json").json()
        replica = document["daemon"]["replica"]
        assert replica["role"] == "Standby" and replica["identity"] == identity(first), replica
        assert replica["leader"] == identity(second), replica
        assert document["asOf"] == replica["jobsAsOf"] <= document["daemon"]["startedAt"], document
    only_rows = first.cli("status", "jobs", "--no-headers")
    assert "Running" in only_rows.stdout and line in only_rows.stderr, only_rows
    waited = first.cli(*last[:-1], "1s")
    assert waited.code == _UNKNOWN and f"the leader, {identity(second)}" in waited.stderr, waited
    first.stop()
    end_with(world, second)


@scenario("rolling-restart")
def rolling_restart(world: World) -> None:
    """Under load the standby is started anew, then the leader: each job is made once, none is lost, all end."""
    _replace_each(world, *two_replicas(world))


@scenario("rolling-upgrade", needs_previous=True)
def rolling_upgrade(world: World) -> None:
    """`rolling-restart` from the version before: each job is made once, none is lost, all end."""
    leader, standby = two_replicas(world)
    program = previous_binary()
    assert program is not None
    for fedra in (standby, leader):
        fedra.stop()
        fedra.delete_store()  # its schema may be too new
        fedra.use(program)
    for fedra in (leader, standby):
        fedra.start()
    world.eventually("the first one leads", lambda: leads(world, leader))
    world.note(f"from {leader.cli('--version').stdout.strip()}")
    _replace_each(world, leader, standby)


def _replace_each(world: World, leader: Fedra, standby: Fedra) -> None:
    """By the program under test; the leader goes by SIGTERM."""
    with JobStream(world, _PERIOD) as load:
        world.eventually("some are placed", lambda: len(load.placed()) >= _PLACED)
        standby.stop()
        standby.use(default_binary())
        standby.start()
        assert leads(world, leader), "no replica took over"
        before = {job.name: uid_of(world, job.name) for job in load.placed()}
        begin = time.monotonic()
        leader.stop()
        late = load.next()
        world.eventually("a job is sent", late.clones, 10)
        without = time.monotonic() - begin
        assert leads(world, standby)
        leader.use(default_binary())
        leader.start()
        assert_made_once(world, before)
        last = load.next()
    uids = {job.name: uid_when_placed(world, job) for job in load.jobs[-_PLACED:]}
    world.eventually("the last one is sent", last.clones, 30)
    assert_made_once(world, uids)
    for job in load.jobs:
        job.finish(world.eventually(f"{job.key} runs", job.remote_jobs, 30)[0])
    dispatched = sum(world.dispatched_to(worker) for worker in world.workers)
    assert dispatched == len(load.jobs), f"{dispatched} clones of {len(load.jobs)} jobs"
    assert leads(world, standby), "once is enough"
    world.note(f"{dispatched} jobs were made once each")
    world.note(f"{without:.1f} s from SIGTERM to the next dispatch")
    leader.stop()
    end_with(world, standby)


@scenario("replicas-configured-differently")
def configured_differently(world: World) -> None:
    """A standby whose configuration is not the leader's says in which sections: log, status, readyz, metric; until it is."""
    first, second = two_replicas(world)
    # Their stores and addresses are not the same, and need not be.
    world.eventually("the leader tells", lambda: "dispatch=" in _told_configuration(world))
    always("nothing differs", lambda: _difference(second) == "", 2)
    second.stop()
    second.change_settings({"dispatch": {"order": "Strict"}, "logging": {"level": "info"}})
    second.start()
    world.eventually("it differs", lambda: _difference(second) == "dispatch", 5)
    assert "the leader's in dispatch: give both the same" in second.cli("status").stdout
    assert "same-configuration not the leader's in dispatch" in second.page("/readyz?verbose")
    assert "\nfedra_config_mismatch 0\n" in first.page("/metrics")
    # What is applied at once: by the leader first.
    for fedra, wanted in ((first, "dispatch, workers"), (second, "dispatch")):
        fedra.change_worker(world.worker1, {"capabilities": ["example.com/x"]})
        world.eventually(f"it differs in {wanted}", lambda: _difference(second) == wanted, 10)
    assert second.logged("the configuration is not the leader's") == 3, second.log.read_text()
    # The one that leads now tells its own.
    first.stop()
    world.eventually("the second one leads", lambda: leads(world, second))
    first.start()
    world.eventually("it differs from the new leader", lambda: _difference(first) == "dispatch", 5)
    assert _difference(second) == ""
    first.stop()
    end_with(world, second)


@scenario("takeover-of-a-stopped-leader")
def leader_is_stopped(world: World) -> None:
    """SIGSTOP of the leader in a burst: the standby goes on; the old leader ends when it wakes, and changes nothing."""
    first, second = two_replicas(world)
    jobs = [world.submit(f"train-{index}") for index in range(_BURST)]
    world.eventually("one job is placed", lambda: any(job.remote_jobs() for job in jobs))
    first.signal(signal.SIGSTOP)
    jobs.append(world.submit("late"))  # the others may all have been placed by now
    for job in jobs:
        world.eventually(f"{job.key} is placed", job.remote_jobs, 30)
    assert holder(world) == identity(second)
    before = {job.key: uid_of(world, job.name) for job in jobs}
    first.signal(signal.SIGCONT)
    first.wait_crashed(5)
    assert first.process is not None and first.process.exit_code() == LOST_LEASE
    first.start()
    assert {job.key: uid_of(world, job.name) for job in jobs} == before, "a job was made again"
    for job in jobs:
        job.finish(world.eventually(f"{job.key} runs", job.remote_jobs)[0])
    first.stop()
    end_with(world, second)


@scenario("takeover-lease-deleted")
def lease_deleted(world: World) -> None:
    """Somebody deletes the Lease in a burst: its holder makes it again and leads on, and no job is made twice."""
    first, second = two_replicas(world)
    jobs = [world.submit(f"train-{index}") for index in range(_BURST)]
    old = str(lease_of(world)["metadata"]["uid"])
    world.manager.delete("Lease", setup.FEDRA_NAMESPACE, setup.LEASE)
    world.eventually("the Lease is made again", lambda: lease_of(world)["metadata"]["uid"] != old)
    assert holder(world) == identity(first)
    uids = {job.name: uid_when_placed(world, job) for job in jobs}
    # As long as the standby would have to wait for one that nobody renews.
    always("the first one leads", lambda: holder(world) == identity(first), _DURATION + 1)
    assert first.process is not None and first.process.running()
    assert_made_once(world, uids)
    for job in jobs:
        job.finish(job.remote_jobs()[0])
    second.stop()
    end_with(world, first)


@scenario("takeover-clocks-jump")
def clocks_jump(world: World) -> None:
    """The last word of a leader whose clock was an hour behind, then ahead: the standby waits as long as ever."""
    leader, standby = two_replicas(world)
    running = world.submit("running")
    running.wait_running_on(world.worker1)
    uid = uid_of(world, "running")
    for hours in (-1, 1):
        leader.kill()
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
        renewed = {"spec": {"renewTime": moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}}
        world.manager.patch("Lease", setup.FEDRA_NAMESPACE, setup.LEASE, renewed)
        begin = time.monotonic()
        world.eventually("the standby leads", lambda: leads(world, standby), 15)
        waited = time.monotonic() - begin
        assert waited > _DURATION - 0.5, f"the Lease was taken after {waited:.1f} s"
        job = world.submit(f"later-{'ahead' if hours > 0 else 'behind'}")
        job.wait_running_on(world.worker1)
        job.finish(world.worker1)
        leader.start()
        leader, standby = standby, leader
    assert uid_of(world, "running") == uid, "the job was made again"
    running.finish(world.worker1)
    standby.stop()
    end_with(world, leader)


@scenario("takeover-both-start-at-once")
def both_start_at_once(world: World) -> None:
    """Two replicas that start at the same moment, again and again: one leads, the other stands by, jobs are made once."""
    first, second = two_replicas(world, together=True)
    uids: dict[str, str] = {}
    for index in range(_STARTS):
        jobs = [world.submit(f"train-{index}-{each}") for each in range(_JOBS_A_ROUND)]
        for fedra in (first, second):
            fedra.kill()
        for fedra in (first, second):
            fedra.start(ready=False)
        world.eventually("one of them leads", lambda: leads(world, first) or leads(world, second))
        for fedra in (first, second):
            fedra.wait_ready()
        for job in jobs:
            uids[job.name] = uid_when_placed(world, job)
        assert_made_once(world, uids)
        for job in jobs:
            job.finish(job.remote_jobs()[0])
            del uids[job.name]
    leader, standby = (first, second) if leads(world, first) else (second, first)
    told = f"{leader.page('/metrics')}{standby.page('/metrics')}"
    assert told.count("\nfedra_leader 1\n") == told.count("\nfedra_leader 0\n") == 1
    standby.stop()
    end_with(world, leader)


@scenario("second-fedra-refused")
def second_is_refused(world: World) -> None:
    """Two fedras without highAvailability: the second one refuses to start, and says why; the first one's successor does not."""
    world.manager.apply(objects.namespace(setup.FEDRA_NAMESPACE))
    first = world.start_fedra()
    second = world.start_replica("second", ready=False)
    second.wait_crashed(15)
    assert second.process is not None and second.process.exit_code() == 1
    assert second.logged("another fedra serves this manager") == 1, second.log.read_text()
    first.kill()
    waited = second.logged("waits for a sign of life")
    second.start(ready=False)
    world.eventually(
        "the second one waits", lambda: second.logged("waits for a sign of life") > waited
    )
    begin = time.monotonic()
    second.stop()
    world.note(f"a start that waits ends {time.monotonic() - begin:.1f} s after SIGTERM")
    begin = time.monotonic()
    first.start()
    world.note(f"ready {time.monotonic() - begin:.1f} s after kill -9")
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)
    # A leader beside it would be noticed as well: it has the same Lease.
    first.stop()
    second.change_settings(SHORT.settings)
    second.start()
    world.eventually("the second one leads", lambda: leads(world, second))
    first.start(ready=False)
    first.wait_crashed(15)
    end_with(world, second)


def _lists_of_supply(world: World) -> dict[str, dict[str, int]]:
    """By worker, how often what no fedra writes there has been listed; real servers do not tell."""
    if not isinstance(world.fleet, SimFleet):
        return {}
    served = {worker: world.fleet.lists_served(worker) for worker in world.workers}
    return {
        worker: {resource: lists.get(resource, 0) for resource in _SUPPLY}
        for worker, lists in served.items()
    }


def _records(world: World) -> list[Object]:
    """Each as deploy/placement-records.yaml says that they are."""
    (definition,) = setup.deploy_manifests("placement-records.yaml")
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    records = world.manager.list("PlacementRecord", world.ns)
    for record in records:
        jsonschema.validate(record, schema)
    return records


def _record(world: World, job: FederatedJob) -> Object:
    """Of the job's Workload, which owns it."""
    workload = objects.present(job.workload())["metadata"]
    (record,) = [each for each in _records(world) if each["metadata"]["name"] == workload["name"]]
    (owner,) = record["metadata"]["ownerReferences"]
    assert owner["uid"] == workload["uid"], record
    return record


def _outages(world: World) -> dict[str, str]:
    """Since when the leader has noted workers as lost, for the next one."""
    found = world.manager.find("ConfigMap", setup.FEDRA_NAMESPACE, setup.OUTAGES)
    return dict((found or {}).get("data") or {})


def _told_configuration(world: World) -> str:
    annotations = lease_of(world)["metadata"].get("annotations", {})
    return str(annotations.get("fedra.dev/config-hash", ""))


def _difference(fedra: Fedra) -> str:
    """Sections that are not the leader's, as status and the metric agree; "?": they do not yet."""
    replica = fedra.cli("status", "-o", "json").json()["daemon"]["replica"]
    sections = str(replica.get("configDiffers", ""))
    metric = f"\nfedra_config_mismatch {int(bool(sections))}\n" in fedra.page("/metrics")
    return sections if metric else "?"


def _told(fedra: Fedra) -> tuple[str, str, int]:
    """Role, leader and take-overs, as `fedra status` has them."""
    replica = fedra.cli("status", "-o", "json").json()["daemon"]["replica"]
    return replica["role"], replica["leader"], replica["takeovers"]
