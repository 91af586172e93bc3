"""Clusters of several releases of Kubernetes."""

from __future__ import annotations

from scenarios.cases.devices import DEVICES, stage, submit
from scenarios.cases.faults import remote_uid
from scenarios.real_fleet import RealFleet
from scenarios.registry import scenario
from scenarios.rows.parts import taken
from scenarios.world import World


# The simulation is of one release, and charging devices is not what this is about.
@scenario("worker-upgraded", fleets=("real",), kueue_dra=(False,), upgrades=True)
def a_worker_gets_the_next_release(world: World) -> None:
    """A worker's control plane gets the next release: its job runs on, who waits for it leaves when a card is free."""
    assert isinstance(world.fleet, RealFleet)
    stage(world, world.worker1, 2, taken("card.example.com", "n1", "card-0"))
    stage(world, world.worker2, 0)
    fedra = world.start_fedra(DEVICES)
    running = submit(world, "running")
    running.wait_running_on(world.worker1)
    uid = remote_uid(running)
    waiting = submit(world, "waiting")
    waiting.wait_message("waiting in line for devices")
    before = fedra.kubernetes_versions()[world.worker1]

    world.unwatch(world.worker1)
    world.fleet.upgrade(world.worker1)

    world.eventually(
        "the new release is seen",
        lambda: fedra.kubernetes_versions()[world.worker1] != before,
    )
    world.wait_worker_state(world.worker1, "Connected")
    world.watch_again(world.worker1)
    world.note(f"{before} to {fedra.kubernetes_versions()[world.worker1]}")
    assert remote_uid(running) == uid, "the running job was made again"
    assert world.reasons(waiting)[world.worker1] == ["DevicesAllocated"]
    world.supply.take(world.worker1, "ResourceClaim", "somebody-else")
    waiting.wait_running_on(world.worker1)
    for job in (running, waiting):
        job.finish(world.worker1)
