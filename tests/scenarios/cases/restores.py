"""The manager's etcd is restored from a backup: what happened since then has not happened, but on the workers."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios import objects
from scenarios.cases.faults import remote_uid
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.real_fleet import RealFleet
from scenarios.registry import scenario
from scenarios.replicas import LOST_LEASE, end_with, leads, two_replicas
from scenarios.world import TEMPLATE, World


def _restored(world: World, stopped: bool, *fedras: Fedra) -> None:
    """`fedras`: the only one, or replicas, the leader first."""
    assert isinstance(world.fleet, RealFleet)
    world.add_template(MANAGER)
    before, waiting = world.submit("before"), world.submit("waiting", template=TEMPLATE)
    before.wait_running_on(world.worker1)
    waiting.wait_message(TEMPLATE)
    world.fleet.back_up_manager()
    _revive(world, fedras)

    world.add_template(world.worker2)
    waiting.wait_running_on(world.worker2)
    after = world.submit("after")
    after.wait_running_on(world.eventually("it is dispatched", after.cluster_name))
    ran = {job.name: remote_uid(job) for job in (before, waiting)}
    if stopped:
        for fedra in fedras:
            fedra.stop()
    world.fleet.restore_manager()
    assert after.manager_job() is None
    if stopped:  # else it may have been dispatched again by now
        reservation = objects.condition(waiting.workload(), "QuotaReserved")
        assert reservation is not None and waiting.cluster_name() is None, "the backup is too young"
        for fedra in fedras:
            fedra.start()
    _revive(world, fedras)

    world.eventually("nobody's job is removed", after.nowhere)
    before.wait_running_on(world.worker1)
    waiting.wait_running_on(world.worker2)
    assert {job.name: remote_uid(job) for job in (before, waiting)} == ran, "made again"
    before.finish(world.worker1)
    waiting.finish(world.worker2)


def _revive(world: World, replicas: Sequence[Fedra]) -> None:
    """As a unit would: a leader may have lost the manager for so long that it has ended. Then one leads."""
    if len(replicas) == 1:
        return

    def one_leads() -> bool:
        for fedra in replicas:
            assert fedra.process is not None
            if not fedra.process.running():
                assert fedra.process.exit_code() == LOST_LEASE, fedra.process.exit_code()
                fedra.start()
        return any(leads(world, fedra) for fedra in replicas)

    world.eventually("one of them leads", one_leads)


# The simulation has no etcd.
@scenario("etcd-restored", fleets=("real",))
def restored(world: World) -> None:
    """The manager's etcd is restored while no fedra runs: what runs goes on, once, and what was lost is removed."""
    _restored(world, True, world.start_fedra())


@scenario("etcd-restored-while-running", fleets=("real",))
def restored_while_running(world: World) -> None:
    """The same while fedra runs, whose watches are of revisions that are yet to come."""
    _restored(world, False, world.start_fedra())


@scenario("etcd-restored-replicas", fleets=("real",))
def restored_with_replicas(world: World) -> None:
    """The same while two replicas run, whose Lease is that of the backup: one leads on."""
    first, second = two_replicas(world)
    _restored(world, False, first, second)
    _revive(world, (first, second))
    standby, leader = (first, second) if leads(world, second) else (second, first)
    standby.stop()
    end_with(world, leader)
