"""Clusters whose own users have jobs and queues there, with which fedra has nothing to do."""

from __future__ import annotations

from scenarios import objects
from scenarios.fleet import MANAGER
from scenarios.modes import ALL
from scenarios.objects import Quota, present
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import QUEUE, World


@scenario("worker-has-own-jobs", modes=ALL)
def worker_is_shared(world: World) -> None:
    """A worker whose users have a job of their own: it and the federated one run there at once, and both end."""
    _share(world, world.worker1)


# The simulated Kueue writes managedBy into every job with a queue, wherever it is to run.
@scenario("manager-has-own-jobs", fleets=("real",), modes=ALL)
def manager_is_shared(world: World) -> None:
    """A manager whose users have a queue without the check: its job runs here, the federated one there, and both end."""
    world.supply.put(MANAGER, objects.node("own-node"))
    _share(world, MANAGER)


def _share(world: World, cluster: str) -> None:
    client = world.admin(cluster)
    ns = _add_queue(world, cluster)
    try:
        world.start_fedra()
        own = client.create(objects.job(ns, "own", QUEUE, managed_by=False))
        job = world.submit("train")
        job.wait_running_on(world.worker1)
        world.eventually("the own job runs", lambda: _active(client.get("Job", ns, "own")) == 1)
        others = [each for each in world.fleet.clusters if each != cluster]
        assert not any(world.admin(each).find("Job", ns, "own") for each in others)
        job.finish(world.worker1)

        def ended() -> bool:
            world.fleet.end_pods(cluster, ns, "own")
            return objects.is_true(client.get("Job", ns, "own"), "Complete")

        world.eventually("the own job has ended", ended)
        now = present(client.find("Job", ns, "own"))
        assert now["metadata"]["uid"] == own["metadata"]["uid"], "it was made again"
        assert now["metadata"]["labels"] == own["metadata"]["labels"], now
    finally:
        client.delete("Job", ns, "own")
        client.delete("ClusterQueue", None, ns)
        client.delete("Namespace", None, ns)


def _add_queue(world: World, cluster: str) -> str:
    """A namespace and a ClusterQueue of one name, without any check. Returns the name."""
    name = f"{world.ns}-own"
    client = world.admin(cluster)
    world.eventually(
        "the namespace of a former run is gone",
        lambda: not objects.is_going(client.find("Namespace", None, name)),
    )
    client.apply(objects.namespace(name))
    client.apply(objects.cluster_queue(name, Quota()))
    client.apply(objects.local_queue(name, QUEUE, name))
    world.eventually(
        "its queue is active",
        lambda: objects.is_true(client.get("LocalQueue", name, QUEUE), "Active"),
    )
    return name


def _active(job: Object) -> int:
    return int(job.get("status", {}).get("active", 0))
