"""Mode multikueue: fedra takes over what MultiKueue has placed of other kinds of jobs, and ends it."""

from __future__ import annotations

from real import multikueue
from scenarios import objects
from scenarios.cases.nominated_kinds import without_ttl
from scenarios.federated_job import FederatedJob
from scenarios.fleet import MANAGER
from scenarios.job_kinds import APP_WRAPPER, JOB_SET, RAY_JOB, TRAIN_JOB, JobKind
from scenarios.modes import MODES, MULTIKUEUE
from scenarios.multikueue_installation import (
    administrators,
    check_name,
    installation,
    nominate,
    wait_queue,
)
from scenarios.registry import scenario
from scenarios.world import QUEUE, World

# One of each family that MultiKueue knows, too.
_KINDS = tuple(without_ttl(kind) for kind in (JOB_SET, RAY_JOB, TRAIN_JOB, APP_WRAPPER))


# The simulated MultiKueue knows batch/v1 Jobs only.
@scenario("multikueue-takes-over-kinds", fleets=("real",), other_kinds=True, sets_up=MULTIKUEUE)
def takes_over(world: World) -> None:
    """Jobs of several kinds that MultiKueue has placed run on as they are under fedra, and are finished and cleaned up by it."""
    with installation(world):
        multikueue.connect_workers(world.manager, administrators(world))
        wait_queue(world)
        jobs = [_submit(world, kind) for kind in _KINDS]
        for job in jobs:
            nominate(world, job, world.worker1)
        for job in jobs:
            job.wait_running_on(world.worker1)
        before = [_uid(job, world.worker1) for job in jobs]
        world.fleet.set_multikueue(False)
        for rights in ("manager-rbac-discovery.yaml", "manager-rbac-multikueue.yaml"):
            world.fleet.grant(MANAGER, rights)
        world.start_fedra(MODES[MULTIKUEUE].settings, check_active=False)
        wait_queue(world)
        for worker in world.workers:
            world.wait_worker_state(worker, "Connected")
        for job, uid in zip(jobs, before):
            job.wait_running_on(world.worker1)
            assert _uid(job, world.worker1) == uid, f"the {job.kind} was made again"
            job.finish(world.worker1)


def _submit(world: World, kind: JobKind) -> FederatedJob:
    name = kind.label
    for needed in kind.needed(world.ns):
        for cluster in world.fleet.clusters:
            world.admin(cluster).apply(needed)
    world.submit_object(kind, kind.make(world.ns, name, QUEUE))
    return FederatedJob(
        world.fleet, world.ns, name, check_name(world), kind, origin=multikueue.ORIGIN
    )


def _uid(job: FederatedJob, worker: str) -> str:
    return str(objects.present(job.remote_job(worker))["metadata"]["uid"])
