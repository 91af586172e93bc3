"""Random histories of elastic jobs."""

from __future__ import annotations

import contextlib
import random
import time

from scenarios import objects
from scenarios.cases.elastic_jobs import clones_of, end_job, living, scale_job, start_elastic
from scenarios.chance import seeded
from scenarios.federated_job import PREBUILT_ANNOTATION, FederatedJob
from scenarios.fleet import MANAGER
from scenarios.modes import COPYING
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.world import World


@scenario("elastic-job-at-random", fleets=("sim",), modes=COPYING)
def at_random(world: World) -> None:
    """Whatever comes to an elastic Job while it grows and shrinks, it ends up in one place, as large as it is to be, and ends."""
    draw = seeded(world)
    fedra = world.start_fedra()
    for round_ in range(4):
        job = start_elastic(world, pods=draw.randint(1, 4), anywhere=True)
        for _ in range(draw.randint(4, 12)):
            _disturb(world, draw)
            if draw.random() < 0.1:
                fedra.restart()
            time.sleep(draw.choice((0, 0.05, 0.3, 1)))
        pods = draw.randint(1, 6)
        scale_job(world, pods)
        for worker in world.workers:
            world.set_quota(worker, Quota())
        world.manager.apply(objects.cluster_queue(world.ns, Quota(), world.check))
        world.eventually(f"round {round_}: {pods} pods", lambda: _has_size(world, job, pods), 60)
        end_job(world)
        world.manager.delete("Job", world.ns, "train")
        world.eventually("the job is gone", lambda: not living(world, MANAGER))
        world.eventually("with its Job", lambda: job.manager_job() is None)


def _disturb(world: World, draw: random.Random) -> None:
    worker = draw.choice(world.workers[:2])
    what = draw.choice(("scale", "scale", "scale", "worker", "worker", "manager", "evict"))
    if what == "scale":
        scale_job(world, draw.randint(1, 6))
    elif what == "worker":
        world.set_quota(worker, Quota(cpu=str(draw.randint(1, 8))))
    elif what == "manager":
        quota = Quota(cpu=str(draw.randint(1, 8)))
        world.manager.apply(objects.cluster_queue(world.ns, quota, world.check))
    else:
        for clone in clones_of(world, worker, admitted=True):
            with contextlib.suppress(RuntimeError):  # it has no quota any more
                world.fleet.evict(worker, world.ns, clone["metadata"]["name"])


def _has_size(world: World, job: FederatedJob, pods: int) -> bool:
    """So many pods run on the worker that has it, by one Workload, which is as large on both."""
    where = [worker for worker in world.workers if job.remote_job(worker)]
    here = living(world, MANAGER)
    if len(where) != 1 or len(here) != 1:
        return False
    there, copy = living(world, where[0]), job.remote_job(where[0])
    if copy is None:
        return False
    counts = [each["spec"]["podSets"][0]["count"] for each in here + there]
    return (
        copy.get("status", {}).get("active") == pods
        and counts == [pods, pods]
        and there[0]["metadata"]["name"] == here[0]["metadata"]["name"]
        and objects.is_true(here[0], "Admitted")
        and copy["metadata"]["annotations"][PREBUILT_ANNOTATION] == here[0]["metadata"]["name"]
    )
