"""Mode multikueue: jobs whose place in a topology the manager's Kueue leaves to the worker's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scenarios import objects
from scenarios.fleet import MANAGER
from scenarios.modes import MULTIKUEUE
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.world import QUEUE, World

_HOST = "kubernetes.io/hostname"

# How a job asks, by the end of the scenario's name; None: its queue has no flavor without a topology.
_WAYS = {"": "required", "-preferred": "preferred", "-implied": None}


def _register(suffix: str, how: str | None) -> None:
    # The simulated Kueue does not look at nodes.
    @scenario(f"multikueue-topology{suffix}", fleets=("sim",), modes=(MULTIKUEUE,))
    def run(world: World) -> None:
        _is_placed(world, how)

    run.__doc__ = (
        f"A job with a topology ({how or 'implied by its queue'}): it goes to the worker with room, whose Kueue gives it "
        "its place; with that the manager's admits it."
    )


for _suffix, _how in _WAYS.items():
    _register(_suffix, _how)


def _is_placed(world: World, how: str | None) -> None:
    made = objects.job(world.ns, "train", QUEUE, cpu="1500m")
    if how is not None:
        made["spec"]["template"]["metadata"] = {
            "annotations": {f"kueue.x-k8s.io/podset-{how}-topology": _HOST}
        }
    with _topology_of_hosts(world, {world.worker1: Quota(cpu="1"), world.worker2: Quota(cpu="2")}):
        world.start_fedra()
        world.manager.create(made)
        job = world.job("train")
        job.wait_running_on(world.worker2)
        world.eventually(
            "Kueue has admitted it", lambda: objects.is_true(job.workload(), "Admitted")
        )
        here = objects.present(job.workload())["status"]["admission"]["podSetAssignments"]
        there = objects.present(job.clone(world.worker2))["status"]["admission"]
        assert [each.get("delayedTopologyRequest") for each in here] == ["Ready"], here
        assert there["podSetAssignments"][0]["topologyAssignment"]["levels"] == [_HOST], there
        assert world.dispatched_to(world.worker1) == 0, "it was dispatched where it has no room"
        job.finish(world.worker2)


@contextmanager
def _topology_of_hosts(world: World, quotas: dict[str, Quota]) -> Iterator[None]:
    """Everywhere the queue's only flavor has a Topology, of the one node that workers have."""
    for cluster in world.fleet.clusters:
        client = world.admin(cluster)
        client.apply(objects.topology(world.ns, _HOST))
        client.apply(objects.resource_flavor(world.ns, topology_of={_HOST: "node-1"}))
        _set_queue(world, cluster, quotas.get(cluster, Quota()), flavor=world.ns)
    try:
        yield
    finally:
        for cluster in world.fleet.clusters:
            _set_queue(world, cluster, Quota(), flavor=objects.FLAVOR)
            world.admin(cluster).delete("ResourceFlavor", None, world.ns)
            world.admin(cluster).delete("Topology", None, world.ns)


def _set_queue(world: World, cluster: str, quota: Quota, flavor: str) -> None:
    check = world.check if cluster == MANAGER else None
    world.admin(cluster).apply(objects.cluster_queue(world.ns, quota, check, flavor=flavor))
