"""Clusters that accept connections and never answer."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from scenarios import objects, setup
from scenarios.fleet import MANAGER
from scenarios.registry import scenario
from scenarios.waiting import assert_quick
from scenarios.world import TEMPLATE, World

_THREADS = 64  # that reconcile, see manager/reconcile/federation.h
_MORE_THAN_THREADS = 100


@scenario("hanging-worker")
def worker_never_answers(world: World) -> None:
    """A worker that accepts connections and never answers delays no job that does not need it."""
    for cluster in (MANAGER, world.worker1):
        world.add_template(cluster)
    for cluster in (MANAGER, world.worker2):
        world.admin(cluster).apply(objects.claim_template(world.ns, "other", setup.GPU_CLASS))
    world.start_fedra(links=[world.worker1])
    world.use_workers(world.worker2)
    with ThreadPoolExecutor(8) as pool:
        names = [f"needs-{world.worker1}-{index}" for index in range(_MORE_THAN_THREADS)]
        waiting = list(pool.map(lambda name: world.submit(name, template=TEMPLATE), names))
    world.eventually("all wait", lambda: _blocked(world) == len(waiting))
    world.link(world.worker1).silence()
    world.use_workers(world.worker1, world.worker2)
    # Whatever can wait for an answer does.
    world.eventually("sent", lambda: _nominated(world, world.worker1) >= _THREADS)
    for index in range(3):
        job = world.submit(f"train-{index}", template="other")
        world.eventually("quota", lambda: objects.is_true(job.workload(), "QuotaReserved"))
        started = time.monotonic()
        job.wait_clone(world.worker2)
        # Far less than any time-out of a call.
        assert_quick("the clone", time.monotonic() - started, 5)
    world.wait_worker_state(world.worker1, "Unreachable")
    world.link(world.worker1).restore()
    world.wait_worker_state(world.worker1, "Connected")


def _blocked(world: World) -> int:
    return sum(
        "no worker eligible" in state.get("message", "")
        for workload in world.manager.list("Workload", world.ns)
        for state in workload.get("status", {}).get("admissionChecks", [])
    )


def _nominated(world: World, worker: str) -> int:
    return sum(
        worker in workload.get("status", {}).get("nominatedClusterNames", [])
        for workload in world.manager.list("Workload", world.ns)
    )


@scenario("stop-while-hanging")
def stops_whoever_is_silent(world: World) -> None:
    """SIGTERM ends fedra within 5 s although calls to the manager and to a worker are never answered."""
    world.add_template_everywhere()
    fedra = world.start_fedra(links=["manager", world.worker1])
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    world.link(world.worker1).silence()
    later = [world.submit(f"later-{index}", template=TEMPLATE) for index in range(5)]
    for each in later:
        world.eventually("quota", lambda: objects.is_true(each.workload(), "QuotaReserved"))
    world.link("manager").silence()
    fedra.stop()
    for link in ("manager", world.worker1):
        world.link(link).restore()
    fedra.start()
    job.finish(world.worker1)
    for each in later:
        each.finish(world.eventually("placed", each.cluster_name))
