"""Several replicas of fedra on one manager, and what their scenarios ask about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from scenarios import objects, setup
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.resources import Object
from scenarios.waiting import SLOWNESS
from scenarios.world import TEMPLATE, World

LOST_LEASE = 4  # exit code of one that led and does not any more


@dataclasses.dataclass(frozen=True)
class LeaseTimes:
    """In seconds, as `highAvailability` has them."""

    duration: int
    deadline: int
    retry: float

    @property
    def settings(self) -> Object:
        return {
            "highAvailability": {
                "enabled": True,
                "leaseDuration": f"{self.duration}s",
                "renewDeadline": f"{self.deadline}s",
                "retryPeriod": f"{round(self.retry * 1000)}ms",
            }
        }


# What a configuration has that names none.
SHIPPED = LeaseTimes(duration=15, deadline=10, retry=2)
# Shorter than usual, and longer than a busy API server is known to take for an answer.
_SHORTEST = max(5, round(3 * SLOWNESS))
SHORT = LeaseTimes(duration=_SHORTEST, deadline=_SHORTEST - 1, retry=0.5)


def two_replicas(
    world: World,
    settings: Mapping[str, Any] | None = None,
    links: Collection[str] = (),
    own_links: Collection[str] = (),
    together: bool = False,
    times: LeaseTimes = SHORT,
    watchdog: bool = True,
) -> tuple[Fedra, Fedra]:
    """One that leads, and one that stands by and is warm. `together`: or the other way round.

    `links`: as of World.start_fedra, of both. `own_links`: clusters to which each has one of its own.
    """
    world.manager.apply(objects.namespace(setup.FEDRA_NAMESPACE))
    world.fleet.grant(MANAGER, "manager-rbac-replicas.yaml")
    first = world.start_fedra(
        {**times.settings, **(settings or {})}, links=[*links, *own_links], watchdog=watchdog
    )
    if not together:
        world.eventually("the first one leads", lambda: leads(world, first))
    second = world.start_replica("second", own_links=own_links)
    return first, second


def one_runs_one_waits(world: World) -> tuple[FederatedJob, FederatedJob]:
    """The second one waits for a template that no worker has."""
    world.add_template(MANAGER)  # where Kueue counts devices it needs it to give quota
    running = world.submit("running")
    running.wait_running_on(world.worker1)
    waiting = world.submit("waiting", template=TEMPLATE)
    waiting.wait_message(TEMPLATE)
    return running, waiting


def lease_of(world: World) -> Object:
    return world.manager.get("Lease", setup.FEDRA_NAMESPACE, setup.LEASE)


def holder(world: World) -> str:
    return str(lease_of(world)["spec"].get("holderIdentity", ""))


def leads(world: World, fedra: Fedra) -> bool:
    return holder(world) == identity(fedra) != ""


def identity(fedra: Fedra) -> str:
    """Of the process that was started last; empty: it has not said yet."""
    return fedra.last_logged("identity")


def uid_of(world: World, name: str) -> str:
    """Of the copy on the one worker that has it."""
    found = [world.admin(worker).find("Job", world.ns, name) for worker in world.workers]
    (job,) = [each for each in found if each is not None]
    return str(job["metadata"]["uid"])


def uid_when_placed(world: World, job: FederatedJob, timeout: float = 30) -> str:
    world.eventually(f"{job.key} is placed", job.remote_jobs, timeout)
    return uid_of(world, job.name)


def assert_made_once(world: World, uids: Mapping[str, str]) -> None:
    """`uids`: of copies, as they were before something happened."""
    assert {name: uid_of(world, name) for name in uids} == uids, "a job was made again"


def seconds_without(what: str, seconds: Sequence[float]) -> str:
    """For how long nothing was dispatched, for a person. Fewer than a hundred have no p99."""
    ranked = sorted(seconds)
    p50, p99 = (ranked[min(len(ranked) - 1, len(ranked) * part // 100)] for part in (50, 99))
    most = "p99" if len(ranked) >= 100 else "the longest"
    return f"{len(ranked)} x without dispatch {what}: p50 {p50:.1f} s, {most} {p99:.1f} s"


def end_with(world: World, last: Fedra) -> None:
    """The last replica cleans up, as `World.close` expects it of the one that it knows."""
    world.fedra = last
