"""Several replicas of fedra on one manager: one leads, another one takes over."""

from __future__ import annotations

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


@scenario("takeover")
def leader_dies(world: World) -> None:
    """kill -9 of the leader while a job waits: the standby sends it within 20 s, and what ran runs on, once."""
    first, second = _two_replicas(world)
    running = world.submit("running")
    running.wait_running_on(world.worker1)
    uid = _uid(world, "running")
    waiting = world.submit("waiting", template=TEMPLATE)
    waiting.wait_message(TEMPLATE)
    first.kill()
    world.add_template_everywhere()
    begin = time.monotonic()
    world.eventually("the waiting job leaves", waiting.remote_jobs, 20)
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
    world.eventually("the standby leads", lambda: _holder(world) == _identity(second), 2.5)
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.note(f"{time.monotonic() - begin:.1f} s from the end to a running job")
    first.start()
    assert _holder(world) == _identity(second)
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
    for job in jobs:
        world.eventually(f"{job.key} is placed", job.remote_jobs, 30)
    assert _holder(world) == _identity(second)
    before = {job.key: _uid(world, job.name) for job in jobs}
    first.signal(signal.SIGCONT)
    first.wait_crashed(5)
    assert first.process is not None and first.process.exit_code() == _LOST_LEASE
    first.start()
    assert {job.key: _uid(world, job.name) for job in jobs} == before, "a job was made again"
    for job in jobs:
        job.finish(world.eventually(f"{job.key} runs", job.remote_jobs)[0])
    first.stop()
    _end(world, second)


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


def _uid(world: World, name: str) -> str:
    """Of the copy on the one worker that has it."""
    found = [world.admin(worker).find("Job", world.ns, name) for worker in world.workers]
    (job,) = [each for each in found if each is not None]
    return str(job["metadata"]["uid"])


def _end(world: World, last: Fedra) -> None:
    """The last replica cleans up, as `World.close` expects it of the one that it knows."""
    world.fedra = last
