"""The files in deploy/examples, applied as docs/kueue-setup.md says."""

from __future__ import annotations

from scenarios import setup
from scenarios.fleet import MANAGER
from scenarios.registry import scenario
from scenarios.world import World

_NS, _CLUSTER_QUEUE, _CHECK = "ml", "ml", "fedra"


# The example job does not name managedBy. With Kueue's DRA support on, its quota would have to cover devices.
@scenario("deploy-examples", fleets=("real",), kueue_dra=(False,))
def examples_work_as_documented(world: World) -> None:
    """The manifests of deploy/ and deploy/examples, applied unchanged, run the example job to its end."""
    for cluster in world.fleet.clusters:
        _apply(
            world,
            cluster,
            "examples/manager.yaml" if cluster == MANAGER else "examples/worker.yaml",
        )
    try:
        world.start_fedra()
        _apply(world, MANAGER, "examples/job.yaml")
        job = world.job("sweep", ns=_NS, check=_CHECK)
        job.wait_running_on(world.worker1)
        job.finish(world.worker1)
    finally:
        for cluster in world.fleet.clusters:
            world.admin(cluster).delete("Namespace", None, _NS)
            world.admin(cluster).delete("ClusterQueue", None, _CLUSTER_QUEUE)
        world.manager.delete("AdmissionCheck", None, _CHECK)


def _apply(world: World, cluster: str, file: str) -> None:
    for document in setup.deploy_manifests(file):
        world.admin(cluster).apply(document)
