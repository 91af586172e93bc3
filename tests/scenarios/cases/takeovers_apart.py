"""Leaders that are parted from the manager, on which they agree who leads."""

from __future__ import annotations

from scenarios.fleet import MANAGER
from scenarios.registry import scenario
from scenarios.replicas import (
    LOST_LEASE,
    SHORT,
    assert_made_once,
    end_with,
    leads,
    one_runs_one_waits,
    two_replicas,
    uid_of,
    uid_when_placed,
)
from scenarios.world import World

_BURST = 6
_ENDED = SHORT.deadline + 10  # seconds until a leader that cannot renew has ended


@scenario("takeover-manager-cut")
def leader_is_cut_off(world: World) -> None:
    """The leader's network to the manager is cut in a burst, then the next one's falls silent: it ends by itself, the other goes on."""
    leader, standby = two_replicas(world, own_links=[MANAGER])
    links = {leader: world.link(MANAGER), standby: world.link(f"second/{MANAGER}")}
    uids: dict[str, str] = {}
    for part in ("cut", "silence"):
        jobs = [world.submit(f"{part}-{index}") for index in range(_BURST)]
        world.eventually("one job is placed", lambda: any(job.remote_jobs() for job in jobs))
        link = links[leader]
        link.cut() if part == "cut" else link.silence()
        jobs.append(world.submit(f"{part}-late"))
        uids |= {job.name: uid_when_placed(world, job) for job in jobs}
        assert leads(world, standby), "the standby does not lead"
        leader.wait_crashed(_ENDED)
        assert leader.process is not None and leader.process.exit_code() == LOST_LEASE
        link.restore()
        leader.start()
        assert_made_once(world, uids)
        leader, standby = standby, leader
    for name in uids:
        job = world.job(name)
        job.finish(world.eventually(f"{job.key} runs", job.remote_jobs)[0])
    standby.stop()
    end_with(world, leader)


@scenario("takeover-manager-stopped")
def manager_is_away(world: World) -> None:
    """The manager's API server is down for longer than a leader may go without it: once it is back the standby leads, and what ran runs on."""
    first, second = two_replicas(world)
    running, waiting = one_runs_one_waits(world)
    uid = uid_of(world, "running")
    world.stop_api_server(MANAGER)
    first.wait_crashed(_ENDED)
    assert first.process is not None and first.process.exit_code() == LOST_LEASE
    for worker in world.workers:
        world.add_template(worker)
    world.start_api_server(MANAGER)
    limit = world.fleet.patience + world.fleet.recovery
    world.eventually("the standby leads", lambda: leads(world, second), limit)
    first.start()
    late = world.submit("late")
    for job in (waiting, late):
        world.eventually(f"{job.key} is placed", job.remote_jobs, limit)
    assert uid_of(world, "running") == uid, "the job was made again"
    for job in (running, waiting, late):
        job.finish(job.remote_jobs()[0])
    first.stop()
    end_with(world, second)
