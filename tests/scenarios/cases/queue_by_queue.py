"""Mode admissionCheck beside MultiKueue: one queue after the other goes to fedra, and back."""

from __future__ import annotations

from real import multikueue
from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.multikueue_installation import (
    administrators,
    check_name,
    installation,
    nominate,
    submit,
    wait_queue,
)
from scenarios.registry import scenario
from scenarios.world import World


@scenario("queue-moved-and-back")
def moved_and_back(world: World) -> None:
    """A ClusterQueue is held until its jobs have ended, and gets fedra's check for MultiKueue's; the same way back. Jobs that wait meanwhile go with it."""
    with installation(world):
        multikueue.connect_workers(world.manager, administrators(world))
        world.start_fedra(check_active=False)
        wait_queue(world)
        first = submit(world, "first")
        nominate(world, first, world.worker1)
        first.wait_running_on(world.worker1)
        _hold(world, first)
        second = world.submit("second")
        first.finish(world.worker1)
        assert not _has_quota(second), "the queue is held"
        _release_with(world, world.check)
        second.wait_running_on(world.worker1)

        _hold(world, second)
        third = submit(world, "third")
        second.finish(world.worker1)
        assert not _has_quota(third), "the queue is held"
        _release_with(world, check_name(world))
        nominate(world, third, world.worker2)
        third.wait_running_on(world.worker2)
        third.finish(world.worker2)


# These two are the commands of docs/kueue-setup.md.
def _hold(world: World, running: FederatedJob) -> None:
    """Nothing more is let in; what runs goes on."""
    world.manager.patch("ClusterQueue", None, world.ns, {"spec": {"stopPolicy": "Hold"}})
    world.eventually("the queue is held", lambda: not _is_active(world))
    assert objects.is_true(running.workload(), "Admitted")


def _release_with(world: World, check: str) -> None:
    checks = {"admissionChecks": [{"name": check}]}
    spec = {"admissionChecksStrategy": checks, "stopPolicy": "None"}
    world.manager.patch("ClusterQueue", None, world.ns, {"spec": spec})


def _is_active(world: World) -> bool:
    return objects.is_true(world.manager.get("ClusterQueue", None, world.ns), "Active")


def _has_quota(job: FederatedJob) -> bool:
    return objects.is_true(job.workload(), "QuotaReserved")
