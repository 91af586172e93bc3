"""Clusters of several releases of Kubernetes, and of Kueue."""

from __future__ import annotations

from scenarios.cases.devices import DEVICES, stage, submit
from scenarios.cases.faults import remote_uid
from scenarios.fleet import MANAGER
from scenarios.real_fleet import RealFleet
from scenarios.registry import scenario
from scenarios.resources import KUEUE
from scenarios.rows.parts import taken
from scenarios.sim_fleet import SimFleet
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


# The real fleet has no Kueue as old as that.
@scenario("kueue-too-old", fleets=("sim",))
def kueue_is_too_old(world: World) -> None:
    """A Kueue that serves no v1beta2, on a worker or on the manager: log and status say at the start which one is needed."""
    assert isinstance(world.fleet, SimFleet)
    needed = "workloads.kueue.x-k8s.io in v1beta2: install Kueue 0.15 or newer there"
    world.fleet.forget_api(world.worker2, KUEUE)
    fedra = world.start_fedra(watchdog=False)
    world.eventually(
        "status says so of the worker", lambda: needed in fedra.worker_notes()[world.worker2]
    )
    assert fedra.logged(needed) == 1
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    verdict = fedra.verdicts(job.key)[world.worker2]
    assert verdict.reasons == ["ApiMissing"], verdict
    job.finish(world.worker1)
    world.fleet.end_faults(world.worker2)
    world.eventually("the worker has got one", lambda: not fedra.cluster_trouble(world.worker2))

    fedra.stop()
    told = fedra.logged(needed)
    world.fleet.forget_api(MANAGER, KUEUE)
    fedra.start(ready=False)
    world.eventually(
        "status says so of the manager", lambda: needed in fedra.cluster_trouble(MANAGER)
    )
    world.eventually("so does the log", lambda: fedra.logged(needed) == told + 1)
    world.fleet.end_faults(MANAGER)
    fedra.wait_ready()
