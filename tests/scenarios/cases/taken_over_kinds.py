"""Mode multikueue with other kinds of jobs: what MultiKueue or fedra has placed the other one goes on with, and ends."""

from __future__ import annotations

from real import multikueue
from scenarios.cases.nominated_kinds import without_ttl
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.job_kinds import (
    APP_WRAPPER,
    JOB_SET,
    POD,
    RAY_JOB,
    STATEFUL_SET,
    TRAIN_JOB,
    JobKind,
)
from scenarios.modes import MODES, MULTIKUEUE
from scenarios.multikueue_installation import (
    administrators,
    check_name,
    connect,
    installation,
    nominate,
    wait_queue,
)
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.rows.stage import grant_pods
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
        before = [job.remote_uid(world.worker1) for job in jobs]
        world.fleet.set_multikueue(False)
        _start(world)
        for job, uid in zip(jobs, before):
            job.wait_running_on(world.worker1)
            assert job.remote_uid(world.worker1) == uid, f"the {job.kind} was made again"
            job.finish(world.worker1)


# What is made of pods MultiKueue can take over, and fedra cannot.
@scenario("multikueue-gives-back-kinds", fleets=("real",), other_kinds=True, sets_up=MULTIKUEUE)
def gives_back(world: World) -> None:
    """Jobs of several kinds, a pod and a StatefulSet, that fedra has placed run on under MultiKueue, which ends them and cleans up."""
    with installation(world):
        world.fleet.set_multikueue(False)
        connect(world, administrators(world))
        fedra = _start(world, kueue={"mode": "multikueue", "pods": True})
        jobs = [_submit(world, kind) for kind in (*_KINDS, POD, STATEFUL_SET)]
        workers = []
        for job in jobs:
            world.eventually(f"the {job.kind} has a worker", job.cluster_name)
            workers.append(job.cluster_name() or "")
            job.wait_running_on(workers[-1])
        before = [job.remote_uid(worker) for job, worker in zip(jobs, workers)]
        fedra.stop()
        world.fleet.set_multikueue(True)
        wait_queue(world)
        for job, worker, uid in zip(jobs, workers, before):
            world.eventually(
                f"the {job.kind}'s check is Ready", lambda: job.check_state() == "Ready"
            )
            assert job.remote_uid(worker) == uid, f"the {job.kind} was made again"
            if job.kind == "StatefulSet":
                world.manager.delete(job.kind, world.ns, job.name)
                job.wait_gone_from(worker)
            else:
                job.finish(worker)


def _start(world: World, **settings: Object) -> Fedra:
    grant_pods(world)
    for rights in ("manager-rbac-discovery.yaml", "manager-rbac-multikueue.yaml"):
        world.fleet.grant(MANAGER, rights)
    fedra = world.start_fedra({**MODES[MULTIKUEUE].settings, **settings}, check_active=False)
    wait_queue(world)
    for worker in world.workers:
        world.wait_worker_state(worker, "Connected")
    return fedra


def _submit(world: World, kind: JobKind) -> FederatedJob:
    name = kind.label
    for needed in kind.needed(world.ns):
        for cluster in world.fleet.clusters:
            world.admin(cluster).apply(needed)
    world.submit_object(kind, kind.make(world.ns, name, QUEUE))
    return FederatedJob(
        world.fleet, world.ns, name, check_name(world), kind, origin=multikueue.ORIGIN
    )
