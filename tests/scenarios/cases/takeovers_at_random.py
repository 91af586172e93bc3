"""Leaders that come and go under load, in each way that a lead can end."""

from __future__ import annotations

import datetime
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from scenarios import setup
from scenarios.chance import seeded
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.job_stream import JobStream
from scenarios.link import Link
from scenarios.registry import scenario
from scenarios.replicas import (
    LOST_LEASE,
    SHIPPED,
    SHORT,
    assert_made_once,
    end_with,
    holder,
    lease_of,
    leads,
    seconds_without,
    two_replicas,
    uid_of,
)
from scenarios.waiting import SLOWNESS
from scenarios.world import World

# `make takeovers TAKEOVERS=1000 LEASE=shipped`, and `make takeovers-real`, for more than a test has time for.
_ASKED = os.environ.get("FEDRA_TAKEOVERS", "")
_ROUNDS = int(_ASKED or 6)
_LEASE = {"short": SHORT, "shipped": SHIPPED}[os.environ.get("FEDRA_LEASE", "short")]
_STOPPED = 30.0 if _LEASE is SHIPPED else 0.0  # seconds that a leader is stopped, at least
_PERIOD = {"sim": 0.5 * SLOWNESS, "real": 1.0}  # seconds between two jobs
_FINISHERS = 8  # jobs that end at the same time


class _End:
    """One way to lose the lead: `begin` it, and `follow` when jobs are sent again. The plainest is kill -9."""

    name = "kill -9"
    exit_code = -signal.SIGKILL
    stops_manager = False

    def __init__(
        self, world: World, leader: Fedra, standby: Fedra, link: Link, chance: random.Random
    ):
        """`link`: between the leader and the manager."""
        self.world, self.leader, self.standby, self.link = world, leader, standby, link
        self.chance = chance

    def begin(self) -> None:
        self.leader.kill()

    def follow(self) -> None:
        """Takes back what was done, and looks how the process that led has ended."""
        self._wait_ended()
        self._wait_led(self.standby)

    def _wait_led(self, *replicas: Fedra) -> None:
        self.world.eventually(
            "one of them leads",
            lambda: any(leads(self.world, fedra) for fedra in replicas),
            3 * _LEASE.duration,
        )

    def _wait_ended(self) -> None:
        self.leader.wait_crashed(_LEASE.deadline + 10)
        assert self.leader.process is not None
        ended = self.leader.process.exit_code()
        assert ended == self.exit_code, f"after {self.name} it ended with {ended}"


class _Sigterm(_End):
    name = "SIGTERM"
    exit_code = 0

    def begin(self) -> None:
        self.leader.signal(signal.SIGTERM)


class _Sigstop(_End):
    """It wakes while another one leads, and changes nothing."""

    name = "SIGSTOP"
    exit_code = LOST_LEASE

    def begin(self) -> None:
        self._since = time.monotonic()
        self.leader.signal(signal.SIGSTOP)

    def follow(self) -> None:
        time.sleep(max(0.0, self._since + _STOPPED - time.monotonic()))  # it must sleep so long
        self.leader.signal(signal.SIGCONT)
        super().follow()


class _Cut(_End):
    name = "the network to the manager cut"
    exit_code = LOST_LEASE

    def begin(self) -> None:
        self.link.cut()

    def follow(self) -> None:
        super().follow()
        self.link.restore()


class _Silent(_Cut):
    """Packets are lost, and no connection is."""

    name = "the network to the manager silent"

    def begin(self) -> None:
        self.link.silence()


class _ApiServerStopped(_End):
    """For longer than a leader may go on without it."""

    name = "the manager's API server stopped"
    exit_code = LOST_LEASE
    stops_manager = True

    def begin(self) -> None:
        self.world.stop_api_server(MANAGER)
        self._wait_ended()
        self.world.start_api_server(MANAGER)


class _ClockOff(_End):
    """The last word of a leader whose clock was an hour behind, or ahead."""

    name = "kill -9, its clock an hour off"

    def begin(self) -> None:
        super().begin()
        now = datetime.datetime.now(datetime.timezone.utc)
        said = now + datetime.timedelta(hours=self.chance.choice((-1, 1)))
        renewed = {"spec": {"renewTime": said.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}}
        self.world.manager.patch("Lease", setup.FEDRA_NAMESPACE, setup.LEASE, renewed)


class _LeaseDeleted(_End):
    """Its holder makes it again, and leads on."""

    name = "the Lease deleted"

    def begin(self) -> None:
        self._old = str(lease_of(self.world)["metadata"]["uid"])
        self.world.manager.delete("Lease", setup.FEDRA_NAMESPACE, setup.LEASE)

    def follow(self) -> None:
        self.world.eventually("the Lease is made again", self._is_new)
        self._wait_led(self.leader, self.standby)
        assert leads(self.world, self.leader), "its holder does not lead on"
        assert self.leader.process is not None and self.leader.process.running()

    def _is_new(self) -> bool:
        return str(lease_of(self.world)["metadata"]["uid"]) != self._old


class _BothKilled(_End):
    """And started again at once: either may lead."""

    name = "both killed and started at once"

    def begin(self) -> None:
        both = (self.leader, self.standby)
        for fedra in both:
            fedra.kill()
        for fedra in both:
            fedra.start(ready=False)

    def follow(self) -> None:
        both = (self.leader, self.standby)
        for fedra in both:
            fedra.wait_ready()
        self._wait_led(*both)


_ENDS: tuple[type[_End], ...] = (
    _End,
    _Sigterm,
    _Sigstop,
    _Cut,
    _Silent,
    _ApiServerStopped,
    _ClockOff,
    _LeaseDeleted,
    _BothKilled,
)


# What is at stake is between two fedras; real clusters need a minute for each take-over.
@scenario("takeover-at-random", on_request=("real",))
def leaders_come_and_go(world: World) -> None:
    """Leaders are killed, ended, stopped, cut off at random moments of a stream of jobs: each job is made once, and ends."""
    chance = seeded(world)
    leader, standby = two_replicas(world, own_links=[MANAGER], times=_LEASE)
    links = {leader: world.link(MANAGER), standby: world.link(f"second/{MANAGER}")}
    without: dict[str, list[float]] = {}
    made = taken_over = 0
    for index, kind in zip(range(_ROUNDS), _shuffled(chance)):
        end = kind(world, leader, standby, links[leader], chance)
        led = holder(world)
        seconds, jobs = _play(end, chance.uniform(0, 0.5), f"train-{index}")
        without.setdefault(end.name, []).append(seconds)
        taken_over += holder(world) != led  # not after each kind of end
        for fedra in (leader, standby):
            assert fedra.process is not None
            if not fedra.process.running():
                fedra.start()
        if leads(world, standby):
            leader, standby = standby, leader
        assert leads(world, leader), "none leads"
        _finish(jobs)
        made += len(jobs)
        dispatched = sum(world.dispatched_to(worker) for worker in world.workers)
        assert dispatched == made, f"{dispatched} clones of {made} jobs after {end.name}"
        if _ASKED:
            told = f"{index + 1} of {_ROUNDS}: {seconds:.1f} s without dispatch after {end.name}"
            print(told, file=sys.stderr, flush=True)  # standard output is the lane's
    standby.stop()
    world.note(f"{made} jobs were made once each, through {taken_over} take-overs")
    for name, some in sorted(without.items()):
        world.note(seconds_without(f"after {name}", some))
    world.note(seconds_without("after any", [each for some in without.values() for each in some]))
    end_with(world, leader)


def _shuffled(chance: random.Random) -> Iterator[type[_End]]:
    """Without end, and each as often as the others."""
    while True:
        yield from chance.sample(_ENDS, len(_ENDS))


def _play(end: _End, moment: float, prefix: str) -> tuple[float, list[FederatedJob]]:
    """For how long no job was sent, and all jobs that were submitted meanwhile; each is placed.

    A leader that ends in order may still have sent the first of them.
    """
    world = end.world
    limit = max(world.fleet.patience, 15 + 3 * _LEASE.duration)
    if end.stops_manager:
        limit += world.fleet.recovery
    with JobStream(world, _PERIOD[world.fleet.kind], prefix) as stream:
        world.eventually("jobs are submitted", lambda: stream.jobs)
        time.sleep(moment)  # any moment will do
        begun = time.monotonic()
        end.begin()
        late = stream.submit(f"{prefix}-late")
        world.eventually(f"a job is sent after {end.name}", late.clones, limit)
        seconds = time.monotonic() - begun
        before = {job.name: uid_of(world, job.name) for job in stream.placed()}
        end.follow()
    jobs = [*stream.jobs, late]
    for job in jobs:
        world.eventually(f"{job.key} is placed", job.remote_jobs, limit)
    assert_made_once(world, before)
    return seconds, jobs


def _finish(jobs: list[FederatedJob]) -> None:
    def finish(job: FederatedJob) -> None:
        (worker,) = job.remote_jobs()
        job.finish(worker)

    with ThreadPoolExecutor(_FINISHERS) as pool:
        list(pool.map(finish, jobs))
