"""The course of a soak: take-overs under load, a calm without any, and what is left when all is done."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from scenarios import setup
from scenarios.fleet import MANAGER
from scenarios.invariants import assert_no_residue, ours_on
from scenarios.job_stream import JobStream
from scenarios.modes import ORIGIN
from scenarios.observer import Arrivals
from scenarios.replicas import LOST_LEASE, SHIPPED, seconds_without, two_replicas
from scenarios.sim_fleet import SimFleet
from scenarios.soak.churn import Churn
from scenarios.soak.jobs import Jobs
from scenarios.soak.repeated import Repeated
from scenarios.soak.replica import Replica
from scenarios.soak.samples import (
    CALM,
    DRAINED,
    KILLS,
    LEADER,
    STANDBY,
    SUCCESSOR,
    Marks,
    Recording,
)
from scenarios.soak.store import age, beyond_retention, left, rows
from scenarios.waiting import Timeout, eventually
from scenarios.world import World

_RETENTION = 3600.0  # seconds; the shortest that may be configured
# Seconds between two of each.
_SAMPLES, _MARKS, _REAP, _CHURN = 5.0, 30.0, 2.0, 0.5
_SHORTEST_CALM = 90.0  # seconds
_LINKED = 10  # of so many workers the network to one may be cut
_DRAINED_FOR = 20.0  # seconds of samples at the end
_TOLD = 60.0  # seconds between two lines about the progress
_SETTLED = 90.0  # seconds until a leader has written all down
_PATIENCE = 300.0  # for what all workers take part in
_TRIMMED = 600.0  # history is looked at once a minute
_ENDS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: 0, signal.SIGSTOP: LOST_LEASE}
_NAMES = {signal.SIGKILL: "kill -9", signal.SIGTERM: "SIGTERM", signal.SIGSTOP: "SIGSTOP"}


@dataclasses.dataclass(frozen=True)
class Plan:
    minutes: float  # in which leaders are ended
    period: float  # seconds between two ends
    workers: int
    rate: float  # jobs per second
    seed: int

    @property
    def calm(self) -> float:
        """Seconds after that, in which none is ended."""
        return max(_SHORTEST_CALM, self.minutes * 60 / 4)

    @property
    def between_samples(self) -> float:
        """Seconds; a process that lives shortly has some, too."""
        return min(_SAMPLES, self.period / 12)


class Course:
    """One soak on a fleet and in a world that are open. Main thread only, which starts the processes."""

    def __init__(self, plan: Plan, world: World, recording: Recording):
        self._plan, self._world, self._recording = plan, world, recording
        linked = list(world.workers[: max(2, plan.workers // _LINKED)])
        self._replicas = _start(world, linked)  # the leader first
        self._jobs = Jobs(world, random.Random(f"{plan.seed} jobs"))
        self._churn = Churn(world, linked, random.Random(f"{plan.seed} churn"))
        self._copies = Arrivals(world.fleet, world.workers, "Job", world.ns)
        self._chance = random.Random(f"{plan.seed} ends")
        self._checks: list[Callable[[], None]] = []
        self._phase = KILLS
        self._begun = time.monotonic()
        self._told = self._begun
        self.without: dict[str, list[float]] = {}  # seconds without dispatch, by the end

    def run(self) -> list[str]:
        """Everything but the samples that is wrong."""
        with contextlib.ExitStack() as beside:
            self._repeat(beside, "jobs are deleted", self._jobs.reap, _REAP)
            self._repeat(beside, "samples are taken", self._sample, self._plan.between_samples)
            self._repeat(beside, "objects of ours are counted", self._count_marks, _MARKS)
            with contextlib.ExitStack() as load:
                self._repeat(load, "workers change", self._churn.blow, _CHURN)
                period = 1 / self._plan.rate
                stream = JobStream(self._world, period, make=self._jobs.make)
                self._checks.append(load.enter_context(stream).check)
                self._end_leaders()
                self._phase = CALM
                self._pass_until(time.monotonic() + self._plan.calm)
            self._tell("the load has ended")
            self._churn.calm_down()
            found = self._drain()
            self._phase = DRAINED
            self._pass_until(time.monotonic() + _DRAINED_FOR)
            self._count_marks()
        found += self._jobs.findings(self._copies)
        self._copies.close()
        return [*found, *self._rows_left(), *self._rows_that_stay()]

    def _repeat(
        self, stack: contextlib.ExitStack, what: str, call: Callable[[], None], period: float
    ) -> None:
        self._checks.append(stack.enter_context(Repeated(what, call, period)).check)

    # --- Leaders come and go.

    def _end_leaders(self) -> None:
        count = int(self._plan.minutes * 60 / self._plan.period)
        ends: list[signal.Signals] = []
        for index in range(count):
            self._pass_until(self._begun + (index + 1) * self._plan.period)
            ends = ends or self._chance.sample(list(_ENDS), len(_ENDS))
            self._end_leader(ends.pop(), f"probe-{index}")

    def _end_leader(self, end: signal.Signals, probe: str) -> None:
        leader, standby = self._replicas
        standby.wait_warm()
        begun = time.monotonic()
        standby.take_role(SUCCESSOR)
        leader.signal(end)
        self._jobs.submit_plain(probe)
        limit = 30 + 3 * SHIPPED.duration
        eventually("a job is sent", lambda: self._copies.has_seen(probe), limit)
        seconds = time.monotonic() - begun
        eventually("the standby leads", lambda: standby.leads(self._world), limit)
        standby.take_role(LEADER)
        if end == signal.SIGSTOP:
            leader.fedra.signal(signal.SIGCONT)
        leader.fedra.wait_crashed(30)
        assert leader.fedra.process is not None
        code = leader.fedra.process.exit_code()
        assert code == _ENDS[end], f"{leader.name} ended with {code} after {_NAMES[end]}"
        leader.start()
        self._replicas = (standby, leader)
        self.without.setdefault(_NAMES[end], []).append(seconds)
        self._tell(f"{seconds:.1f} s without dispatch after {_NAMES[end]}")

    # --- Meanwhile.

    def _pass_until(self, moment: float) -> None:
        """Time passes, and what runs beside is looked after."""
        while (now := time.monotonic()) < moment:
            for check in self._checks:
                check()
            for replica in self._replicas:
                assert replica.runs(), f"{replica.name} has ended: see {replica.fedra.log}"
            if now - self._told > _TOLD:
                self._tell(self._phase)
            time.sleep(min(1.0, moment - now))

    def _tell(self, what: str) -> None:
        self._told = time.monotonic()
        submitted, ended, deleted = self._jobs.counts()
        memory = ", ".join(f"{each.name} {each.told()}" for each in self._replicas)
        jobs = f"{submitted} jobs, {ended} ended, {deleted} deleted early"
        print(f"{self._at():6.0f} s  {what}; {jobs}; {memory}", flush=True)

    def _at(self) -> float:
        return time.monotonic() - self._begun

    def _sample(self) -> None:
        for replica in self._replicas:
            sample = replica.sample(self._at(), self._phase)
            if sample is not None:
                self._recording.write(sample)

    def _count_marks(self) -> None:
        fleet = self._world.fleet
        counted = {each: len(ours_on(fleet, each, None, ["Job"], ORIGIN)) for each in fleet.workers}
        some = {worker: count for worker, count in counted.items() if count}
        self._recording.write(Marks(self._at(), self._phase, some))

    # --- When all is done.

    def _drain(self) -> list[str]:
        """Every job ends, and nothing of ours is left anywhere. What is left in the end is reported."""
        world, manager = self._world, self._world.manager
        steps: list[Callable[[], object]] = [
            lambda: eventually("all jobs have ended", self._is_done, _PATIENCE),
            lambda: eventually(
                "no job is left", lambda: not manager.list("Job", world.ns), _PATIENCE
            ),
            lambda: assert_no_residue(world.fleet, world.ns, ["Job"], ORIGIN),
            lambda: eventually(
                "no record is left", lambda: not manager.list("PlacementRecord"), 60
            ),
            lambda: eventually("no outage is noted", self._no_outages, 60),
        ]
        found = []
        for step in steps:
            try:
                step()
            except AssertionError as error:
                found.append(str(error))
        return found

    def _is_done(self) -> bool:
        waiting = self._jobs.open()
        if waiting:
            raise LookupError(f"{len(waiting)} have not ended: {waiting[:10]}")
        return True

    def _no_outages(self) -> bool:
        found = self._world.manager.find("ConfigMap", setup.FEDRA_NAMESPACE, setup.OUTAGES)
        return not (found or {}).get("data")

    def _rows_left(self) -> list[str]:
        """About jobs that live, of which there is none, after each replica has led once."""
        found = []
        for replica in self._replicas:
            eventually(f"{replica.name} leads", lambda: replica.leads(self._world), _PATIENCE)
            store = replica.fedra.store
            try:
                eventually("no row is left", lambda: not left(rows(store)), _SETTLED)
            except Timeout:
                found.append(f"rows left with {replica.name}: {left(rows(store))}")
            replica.fedra.stop()
        return found

    def _rows_that_stay(self) -> list[str]:
        """History that is older than all that is kept; both have ended."""
        for replica in self._replicas:
            age(replica.fedra.store, _RETENTION + _TOLD)
            replica.start()
        found = []
        for replica in self._replicas:
            store = replica.fedra.store
            try:
                eventually("history is gone", lambda: not beyond_retention(rows(store)), _TRIMMED)
            except Timeout:
                found.append(f"{replica.name} keeps for ever: {beyond_retention(rows(store))}")
        for replica in self._replicas:
            replica.fedra.stop()
        return found


def _start(world: World, linked: list[str]) -> tuple[Replica, Replica]:
    settings = {
        "logging": {"level": "info"},
        "store": {"historyRetention": f"{_RETENTION:.0f}s"},
        "verification": {"devices": "Enforce", "templates": {"sync": "IfMissing"}},
    }
    for worker in world.workers:
        world.fleet.grant(worker, "worker-rbac-template-sync.yaml")
    first, second = two_replicas(world, settings, linked, times=SHIPPED, watchdog=False)
    replicas = (Replica("first", first, LEADER), Replica("second", second, STANDBY))
    for each in replicas:
        each.wait_warm()
    return replicas
