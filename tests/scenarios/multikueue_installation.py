"""MultiKueue as it is set up on a manager: its check on a scenario's queue, its workers, and jobs that it is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from real import multikueue
from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.kubeconfig import Access
from scenarios.modes import ORIGIN_LABEL
from scenarios.objects import Quota
from scenarios.world import QUEUE, World


@contextmanager
def installation(world: World) -> Iterator[None]:
    """A check of MultiKueue's on the queue, with all workers; all of it is gone afterwards."""
    for each in multikueue.check(check_name(world), list(world.workers)):
        world.manager.apply(each)
    world.manager.apply(objects.cluster_queue(world.ns, Quota(), check_name(world)))
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": multikueue.NAMESPACE},
    }
    world.manager.apply(namespace)
    try:
        yield
        _assert_nothing_left(world)
    finally:
        remove(world)


def remove(world: World) -> None:
    """The queue gets the world's own check again; MultiKueue's check and workers are deleted."""
    world.manager.apply(objects.cluster_queue(world.ns, Quota(), world.check))
    world.manager.delete("AdmissionCheck", None, check_name(world))
    world.manager.delete("MultiKueueConfig", None, check_name(world))
    for worker in world.workers:
        world.manager.delete("MultiKueueCluster", None, worker)
        world.manager.delete("Secret", multikueue.NAMESPACE, worker)


def connect(world: World, accesses: dict[str, Access]) -> None:
    """Creates MultiKueueClusters with these credentials. Does not wait until they are connected."""
    for worker, access in accesses.items():
        multikueue.put_kubeconfig(world.manager, worker, access.to_kubeconfig())
        world.manager.apply(multikueue.cluster(worker))


def administrators(world: World) -> dict[str, Access]:
    return {worker: world.fleet.admin_access(worker) for worker in world.workers}


def wait_queue(world: World) -> None:
    world.eventually(
        "the manager's queue is Active",
        lambda: objects.is_true(world.manager.get("ClusterQueue", None, world.ns), "Active"),
    )


def check_name(world: World) -> str:
    """Of MultiKueue's AdmissionCheck, beside the world's own."""
    return f"{world.ns}-mk"


def submit(world: World, name: str, **options: Any) -> FederatedJob:
    """A job under that check. MultiKueue, or fedra in its place, makes the copies."""
    world.manager.create(objects.job(world.ns, name, QUEUE, **options))
    return FederatedJob(world.fleet, world.ns, name, check_name(world), origin=multikueue.ORIGIN)


def nominate(world: World, job: FederatedJob, worker: str) -> None:
    """As Kueue's own dispatchers do: an apply of the whole status in Kueue's name."""

    def try_once() -> bool:
        workload = job.workload() or {}
        if not objects.is_true(workload, "QuotaReserved") or job.check_state() != "Pending":
            return False
        metadata = {name: workload["metadata"][name] for name in ("name", "namespace")}
        world.manager.apply_status(
            {
                "apiVersion": workload["apiVersion"],
                "kind": "Workload",
                "metadata": metadata,
                "status": {**workload["status"], "nominatedClusterNames": [worker]},
            },
            "kueue-admission",
        )
        return True

    world.eventually(f"{job.key} is nominated to {worker}", try_once)


def _assert_nothing_left(world: World) -> None:
    for worker in world.workers:
        for kind in ("Job", "Workload"):
            copies = f"{ORIGIN_LABEL}={multikueue.ORIGIN}"
            left = world.admin(worker).list(kind, world.ns, copies)
            assert not left, f"{worker}: {kind} {left[0]['metadata']['name']}"
