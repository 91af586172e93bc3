"""One fleet of W workers and N workloads on simulated clusters: what fedra costs there, at rest, after a crash, under churn."""

from __future__ import annotations

import dataclasses
import os
import statistics
import threading
import time
from pathlib import Path

from scenarios.bench import bad_workers, stock, waits
from scenarios.bench.churn import Churn, Rates
from scenarios.bench.limit import CutOff, Limit, wait_connected, wait_quiet, wait_ready
from scenarios.bench.scale import idle_share
from scenarios.bench.size_row import Row
from scenarios.bench.stock import Shape
from scenarios.counters import NOTHING, quantile
from scenarios.fedra_process import Fedra
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet

_VERDICTS = "fedra_verification_duration_seconds"
# Of the time that is left when the workers are furnished: the rest is for what is measured then.
_LOAD_SHARE = 0.6
# Of what is left then, for the wait until everything has been looked at; what is measured next is measured all the same.
_REST_SHARE = 0.33
_PACE = 10  # jobs a second, where their latency is measured
_WARM_UP = 5.0  # seconds of churn before it is measured: each worker's connection is made


@dataclasses.dataclass(frozen=True)
class Plan:
    """The same for all sizes of a run."""

    limit: float = 3600.0  # seconds for each size
    shape: Shape = Shape(nodes=100, devices=8, demands=20)
    waiting_share: int = 10  # per cent of the workloads
    running_share: int = 10  # the same; never more than half of the devices
    waits_for_devices: bool = True  # and not for a template
    devices_verified_later: bool = False  # only from the restart on
    churn: Rates = dataclasses.field(default_factory=dict)
    churn_seconds: float = 60.0
    idle_seconds: float = 30.0
    samples: int = 50  # template -> clone
    queues: int = 4  # that compete
    queue_jobs: int = 50  # of each of them
    slow_share: int = 0  # per cent of the workers, from the restart on
    dead_share: int = 0  # the same
    paced: int = 100  # jobs that are submitted ten a second then


class Size:
    """Lifetime: `measure`, once. What was measured is in `row`, however it ended. Main thread only."""

    def __init__(self, workers: int, workloads: int, plan: Plan, binary: Path, folder: Path):
        self.row = Row(workers, workloads, load_before=os.getloadavg()[0])
        self._plan, self._binary, self._folder = plan, binary, folder
        names = tuple(f"worker-{index:03}" for index in range(workers))
        self._fleet = SimFleet(kueue_dra=False, workers=names)
        self._parts = bad_workers.part(names, plan.slow_share, plan.dead_share)
        self.row.slow, self.row.dead = len(self._parts.slow), len(self._parts.dead)
        self._fedra: Fedra | None = None

    def measure(self) -> None:
        limit = Limit(self._plan.limit)
        try:
            self._measure_all(limit)
        except CutOff as over:
            self.row.cut_off = str(over)
        except (AssertionError, OSError, RuntimeError) as error:
            self.row.failed = f"{type(error).__name__}: {error}"
        finally:
            self._end()
            self.row.spent = limit.spent()

    def _measure_all(self, limit: Limit) -> None:
        row = self.row
        limit.say(f"{row.workers} workers, {row.workloads} workloads")
        self._fleet.start_furnished()
        stock.furnish(self._fleet, self._plan.shape, limit)
        fedra = self._first_start(limit)
        self._load(fedra, limit)
        self._rest(fedra, limit)
        self.row.paced_p50, self.row.paced_p99 = self._paced("quick-", limit)
        waits.open_queues(self._fleet, self._plan.queues, limit)
        bad_workers.spoil(self._fleet, self._parts)
        self._restart(fedra, limit)
        if self._parts.slow or self._parts.dead:
            self.row.paced_bad_p50, self.row.paced_bad_p99 = self._paced("among-bad-", limit)
        self._churn(fedra, limit)
        self._people(fedra, limit)

    def _first_start(self, limit: Limit) -> Fedra:
        accesses = {cluster: self._fleet.fedra_access(cluster) for cluster in self._fleet.clusters}
        devices = "Off" if self._plan.devices_verified_later else "Enforce"
        settings: Object = {"logging": {"level": "warn"}, "verification": {"devices": devices}}
        fedra = self._fedra = Fedra(self._binary, self._folder, accesses, settings)
        begun = time.monotonic()
        fedra.start(ready=False)
        wait_ready(fedra, limit)
        wait_connected(fedra, self.row.workers, limit)
        self.row.connected_first = time.monotonic() - begun
        limit.say(f"all workers are connected {self.row.connected_first:.1f} s after the start")
        limit.wait("the check is Active", lambda: stock.check_is_active(self._fleet))
        return fedra

    def _load(self, fedra: Fedra, limit: Limit) -> None:
        row, plan = self.row, self._plan
        most_running = plan.shape.all_devices * row.workers // 2
        jobs = stock.jobs_of(row.workloads, plan.waiting_share, plan.running_share, most_running)
        row.wanted = jobs.moving
        loading = limit.part(_LOAD_SHARE)
        stock.add_waiting(self._fleet, jobs.waiting, plan.shape, plan.waits_for_devices, loading)
        row.waiting = jobs.waiting
        limit.say(f"{jobs.waiting} jobs wait")
        before, used = fedra.counters(), self._cpu(fedra)
        served = self._fleet.requests_served()
        done = stock.add_moving(self._fleet, jobs, loading)
        row.finished = min(done.jobs, jobs.finished)
        row.running = done.jobs - row.finished
        row.dispatch_rate, row.dispatch_rates = done.rate, done.rates
        if done.jobs:
            row.per_job = fedra.counters().since(before, done.jobs)
            row.per_job["served"] = (self._fleet.requests_served() - served) / done.jobs
            spent = [now - was for now, was in zip(self._cpu(fedra), used, strict=True)]
            row.cpu_per_job, row.simulation_cpu_per_job = (each / done.jobs for each in spent)

    def _rest(self, fedra: Fedra, limit: Limit) -> None:
        row = self.row
        if row.running + row.finished == row.wanted and self._rests(fedra, "after the load", limit):
            row.idle_cpu = idle_share(fedra, self._plan.idle_seconds)
            limit.say(f"at rest: {row.idle_cpu * 100:.1f} % of a core")
        row.memory, row.memory_peak = fedra.resident_bytes(), fedra.peak_bytes()
        row.metrics_page = len(fedra.page("/metrics"))
        row.simulation_memory = self._fleet.resident_bytes()

    def _restart(self, fedra: Fedra, limit: Limit) -> None:
        """How long after its start fedra dispatches a job that was submitted while it did not run."""
        row = self.row
        fedra.kill()
        if self._plan.devices_verified_later:
            fedra.change_settings({"verification": {"devices": "Enforce"}})
        result: Object = {}

        def submit() -> None:
            seconds = int(limit.left())
            load = self._fleet.load
            result.update(load(jobs=1, prefix="next-", runFor="forever", timeoutSeconds=seconds))

        submitter = threading.Thread(target=submit, daemon=True)
        served = self._fleet.requests_served()
        begun = time.monotonic()
        submitter.start()
        fedra.start(ready=False)
        wait_ready(fedra, limit)
        row.ready = time.monotonic() - begun
        wait_connected(fedra, self._parts.reachable, limit)
        row.connected = time.monotonic() - begun
        submitter.join()
        if result.get("dispatched") != 1:
            raise CutOff("the first dispatch after a restart")
        row.first_dispatch = result["dispatchSeconds"]
        limit.say(f"after kill -9: ready {row.ready:.1f} s, dispatches {row.first_dispatch:.1f} s")
        if self._rests(fedra, "after the restart", limit):
            row.looked = time.monotonic() - begun
        row.restart_cpu = fedra.cpu_seconds()
        row.per_workload = fedra.counters().since(NOTHING, row.workloads)
        row.served_per_worker = (self._fleet.requests_served() - served) / row.workers
        row.memory_restarted = fedra.resident_bytes()
        row.descriptors, row.threads = fedra.open_descriptors(), fedra.threads()

    def _paced(self, prefix: str, limit: Limit) -> tuple[float, float]:
        """Seconds until a job is on a worker, p50 and p99, when few come at a time."""
        jobs = self._plan.paced
        result = self._fleet.load(
            jobs=jobs, prefix=prefix, runFor="0s", rate=_PACE, timeoutSeconds=int(limit.left())
        )
        if result["dispatched"] < jobs:
            raise CutOff(f"{jobs} jobs, {_PACE} a second")
        latency = result["latencyMs"]
        limit.say(f"{jobs} jobs, {_PACE} a second: p99 {latency['p99']:.0f} ms")
        return latency["p50"] / 1e3, latency["p99"] / 1e3

    def _churn(self, fedra: Fedra, limit: Limit) -> None:
        row = self.row
        if not any(self._plan.churn.values()):
            return
        # A shorter time would be another number.
        if limit.left() < _WARM_UP + self._plan.churn_seconds:
            raise CutOff("churn")
        churn = Churn(self._fleet, self._parts.good, self._plan.shape, self._plan.churn)
        try:
            time.sleep(_WARM_UP)
            churn.measure()
            before, used = fedra.counters(), self._cpu(fedra)
            time.sleep(self._plan.churn_seconds)  # what is measured
            now, after, reached = self._cpu(fedra), fedra.counters(), churn.measure()
        finally:
            churn.stop()
        shares = [(end - begin) / reached.seconds for end, begin in zip(now, used, strict=True)]
        row.churn_cpu, row.churn_simulation_cpu = shares
        row.churn_driver_cpu = reached.cpu / reached.seconds
        row.churn_rates = reached.rates()
        row.per_write = after.since(before, max(reached.total, 1))
        row.verdict_p50 = quantile([before], [after], _VERDICTS, 0.5)
        row.verdict_p99 = quantile([before], [after], _VERDICTS, 0.99)
        limit.say(f"under churn: {row.churn_cpu * 100:.1f} % of a core")
        self._rests(fedra, "after the churn", limit)

    def _people(self, fedra: Fedra, limit: Limit) -> None:
        row, plan = self.row, self._plan
        row.commands = waits.command_seconds(fedra, limit)
        limit.say("commands are measured")
        seconds = waits.template_to_clone(self._fleet, fedra, plan.samples, limit)
        quantiles = statistics.quantiles(seconds, n=100)
        row.clone_p50, row.clone_p99 = quantiles[49], quantiles[98]
        limit.say("templates are measured")
        fair = waits.fairness(self._fleet, fedra, plan.queues, plan.queue_jobs, limit)
        row.fair_slowest, row.fair_fastest = fair.slowest, fair.fastest

    def _rests(self, fedra: Fedra, when: str, limit: Limit) -> bool:
        """Waits until everything has been looked at; False: not in time, which is noted."""
        try:
            wait_quiet(fedra, limit.part(_REST_SHARE))
            return True
        except CutOff:
            self.row.restless.append(when)
            limit.say(f"there is still something to look at {when}")
            return False

    def _cpu(self, fedra: Fedra) -> tuple[float, float]:
        """Seconds, of fedra and of the simulation."""
        return fedra.cpu_seconds(), self._fleet.cpu_seconds()

    def _end(self) -> None:
        """Reports what has failed, and keeps what was measured before."""
        if self._fedra is not None and self._fedra.process is not None:
            self._fedra.kill()
        try:
            self._fleet.stop()
        except AssertionError as error:
            self.row.failed = self.row.failed or str(error)
