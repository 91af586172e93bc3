"""The manager's etcd is restored from a backup: what happened since then has not happened, but on the workers."""

from __future__ import annotations

from scenarios import objects
from scenarios.cases.faults import remote_uid
from scenarios.fleet import MANAGER
from scenarios.real_fleet import RealFleet
from scenarios.registry import scenario
from scenarios.world import TEMPLATE, World


def _restored(world: World, stopped: bool) -> None:
    assert isinstance(world.fleet, RealFleet)
    world.add_template(MANAGER)
    fedra = world.start_fedra()
    before, waiting = world.submit("before"), world.submit("waiting", template=TEMPLATE)
    before.wait_running_on(world.worker1)
    waiting.wait_message(TEMPLATE)
    world.fleet.back_up_manager()

    world.add_template(world.worker2)
    waiting.wait_running_on(world.worker2)
    after = world.submit("after")
    after.wait_running_on(world.eventually("it is dispatched", after.cluster_name))
    ran = {job.name: remote_uid(job) for job in (before, waiting)}
    if stopped:
        fedra.stop()
    world.fleet.restore_manager()
    assert after.manager_job() is None
    reservation = objects.condition(waiting.workload(), "QuotaReserved")
    assert reservation is not None and waiting.cluster_name() is None, "the backup is too young"
    if stopped:
        fedra.start()

    world.eventually("nobody's job is removed", after.nowhere)
    before.wait_running_on(world.worker1)
    waiting.wait_running_on(world.worker2)
    assert {job.name: remote_uid(job) for job in (before, waiting)} == ran, "made again"
    before.finish(world.worker1)
    waiting.finish(world.worker2)


# The simulation has no etcd.
@scenario("etcd-restored", fleets=("real",))
def restored(world: World) -> None:
    """The manager's etcd is restored while no fedra runs: what runs goes on, once, and what was lost is removed."""
    _restored(world, stopped=True)


@scenario("etcd-restored-while-running", fleets=("real",))
def restored_while_running(world: World) -> None:
    """The same while fedra runs, whose watches are of revisions that are yet to come."""
    _restored(world, stopped=False)
