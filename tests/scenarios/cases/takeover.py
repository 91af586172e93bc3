"""Several replicas of fedra on one manager: one leads, another one takes over."""

from __future__ import annotations

import os
import random
import signal
import time

from scenarios import objects, setup
from scenarios.fedra_process import Fedra
from scenarios.registry import scenario
from scenarios.waiting import SLOWNESS
from scenarios.world import TEMPLATE, World

# Shorter than usual, as long as what a busy machine can need allows.
_DURATION = max(3, round(3 * SLOWNESS))
_REPLICAS = {
    "enabled": True,
    "leaseDuration": f"{_DURATION}s",
    "renewDeadline": f"{_DURATION - 1}s",
    "retryPeriod": "500ms",
}
_LOST_LEASE = 4  # exit code of one that led and does not any more
_BURST = 12
_ROUNDS, _JOBS_A_ROUND = 6, 5


@scenario("takeover")
def leader_dies(world: World) -> None:
    """kill -9 of the leader while a job waits: the standby sends it within 20 s, and what ran runs on, once."""
    world.add_template("manager")  # where Kueue counts devices it needs it to give quota
    first, second = _two_replicas(world)
    running = world.submit("running")
    running.wait_running_on(world.worker1)
    uid = _uid(world, "running")
    waiting = world.submit("waiting", template=TEMPLATE)
    waiting.wait_message(TEMPLATE)
    first.kill()
    for worker in world.workers:
        world.add_template(worker)
    begin = time.monotonic()
    world.eventually("the waiting job leaves", waiting.remote_jobs, 20 * SLOWNESS)
    world.note(f"{time.monotonic() - begin:.1f} s from kill -9 to the dispatch")
    assert _holder(world) == _identity(second)
    assert _uid(world, "running") == uid, "the job was made again"
    for job in (running, waiting):
        job.finish(world.eventually(f"{job.key} runs", job.remote_jobs)[0])
    _end(world, second)


@scenario("takeover-at-sigterm")
def leader_ends(world: World) -> None:
    """SIGTERM gives the Lease back: another replica leads at once, and the one that comes back stands by."""
    first, second = _two_replicas(world)
    first.stop()
    begin = time.monotonic()
    world.eventually(
        "the standby leads", lambda: _holder(world) == _identity(second), 2.5 * SLOWNESS
    )
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.note(f"{time.monotonic() - begin:.1f} s from the end to a running job")
    first.start()
    assert _holder(world) == _identity(second)
    for fedra, leads in ((first, 0), (second, 1)):
        assert f"\nfedra_leader {leads}\n" in fedra.page("/metrics")
        wanted = ("Leader" if leads else "Standby", _identity(second), 1)
        world.eventually("status says who leads", lambda: _told(fedra) == wanted, 2 * SLOWNESS)
    job.finish(world.worker1)
    first.stop()
    _end(world, second)


@scenario("takeover-of-a-stopped-leader")
def leader_is_stopped(world: World) -> None:
    """SIGSTOP of the leader in a burst: the standby goes on; the old leader ends when it wakes, and changes nothing."""
    first, second = _two_replicas(world)
    jobs = [world.submit(f"train-{index}") for index in range(_BURST)]
    world.eventually("one job is placed", lambda: any(job.remote_jobs() for job in jobs))
    first.signal(signal.SIGSTOP)
    jobs.append(world.submit("late"))  # the others may all have been placed by now
    for job in jobs:
        world.eventually(f"{job.key} is placed", job.remote_jobs, 30 * SLOWNESS)
    assert _holder(world) == _identity(second)
    before = {job.key: _uid(world, job.name) for job in jobs}
    first.signal(signal.SIGCONT)
    first.wait_crashed(5 * SLOWNESS)
    assert first.process is not None and first.process.exit_code() == _LOST_LEASE
    first.start()
    assert {job.key: _uid(world, job.name) for job in jobs} == before, "a job was made again"
    for job in jobs:
        job.finish(world.eventually(f"{job.key} runs", job.remote_jobs)[0])
    first.stop()
    _end(world, second)


# Real clusters would need minutes, and say no more: what is at stake is between two fedras.
@scenario("takeover-at-random", fleets=("sim",))
def leaders_come_and_go(world: World) -> None:
    """Leaders are killed, ended and stopped at random moments of a stream of jobs: each job is made once, and ends."""
    seed = int(os.environ.get("FEDRA_STORM_SEED", random.randrange(100_000)))
    world.note(f"FEDRA_STORM_SEED={seed}")
    chance = random.Random(seed)
    leader, standby = _two_replicas(world)
    uids: dict[str, str] = {}
    for index in range(_ROUNDS):
        jobs = [world.submit(f"train-{index}-{each}") for each in range(_JOBS_A_ROUND)]
        time.sleep(chance.uniform(0, 0.5))  # any moment will do
        end = chance.choice([_kill, _terminate, _stop_for_a_while])
        end(world, leader, standby)
        leader.start()
        leader, standby = standby, leader
        for job in jobs:
            world.eventually(
                f"{job.key} is placed after {end.__name__}", job.remote_jobs, 30 * SLOWNESS
            )
            uids[job.name] = _uid(world, job.name)
    assert {name: _uid(world, name) for name in uids} == uids, "a job was made again"
    dispatched = sum(world.dispatched_to(worker) for worker in world.workers)
    assert dispatched == len(uids), f"{dispatched} clones of {len(uids)} jobs"
    for name in uids:
        job = world.job(name)
        job.finish(world.eventually(f"{job.key} runs", job.remote_jobs)[0])
    standby.stop()
    _end(world, leader)


def _kill(world: World, leader: Fedra, standby: Fedra) -> None:
    leader.kill()
    world.eventually("the standby leads", lambda: _holder(world) == _identity(standby), 15)


def _terminate(world: World, leader: Fedra, standby: Fedra) -> None:
    leader.stop()
    world.eventually("the standby leads", lambda: _holder(world) == _identity(standby), 15)


def _stop_for_a_while(world: World, leader: Fedra, standby: Fedra) -> None:
    leader.signal(signal.SIGSTOP)
    world.eventually("the standby leads", lambda: _holder(world) == _identity(standby), 15)
    leader.signal(signal.SIGCONT)
    leader.wait_crashed(5)


def _two_replicas(world: World) -> tuple[Fedra, Fedra]:
    """One that leads, and one that stands by and is warm."""
    world.manager.apply(objects.namespace(setup.FEDRA_NAMESPACE))
    first = world.start_fedra({"highAvailability": _REPLICAS})
    world.eventually("the first one leads", lambda: _holder(world) == _identity(first))
    second = world.start_replica("second")
    return first, second


def _holder(world: World) -> str:
    lease = world.manager.get("Lease", setup.FEDRA_NAMESPACE, setup.LEASE)
    return str(lease["spec"].get("holderIdentity", ""))


def _identity(fedra: Fedra) -> str:
    """Of the process that was started last."""
    return fedra.last_logged("identity")


def _told(fedra: Fedra) -> tuple[str, str, int]:
    """Role, leader and take-overs, as `fedra status` has them."""
    replica = fedra.cli("status", "-o", "json").json()["daemon"]["replica"]
    return replica["role"], replica["leader"], replica["takeovers"]


def _uid(world: World, name: str) -> str:
    """Of the copy on the one worker that has it."""
    found = [world.admin(worker).find("Job", world.ns, name) for worker in world.workers]
    (job,) = [each for each in found if each is not None]
    return str(job["metadata"]["uid"])


def _end(world: World, last: Fedra) -> None:
    """The last replica cleans up, as `World.close` expects it of the one that it knows."""
    world.fedra = last
