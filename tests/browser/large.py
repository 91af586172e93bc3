#!/usr/bin/python3
"""The dashboard of a large fleet: every view says what the commands say, and how long a page takes.

  large.py [--workers 200] [--jobs 10000] [--burst] [--fedra PATH] [--shots FOLDER] [--pages FOLDER]

Prints Markdown tables. The limits are those of an unloaded machine, and hold for the median; the slowest is printed, too.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser import accessibility, outages, timing, views  # noqa: E402
from browser.stage import Stage, add_past_job, browse, parse  # noqa: E402
from scenarios import objects, setup  # noqa: E402
from scenarios.bench.submit import submit_each  # noqa: E402
from scenarios.fedra_process import Fedra  # noqa: E402
from scenarios.objects import Quota  # noqa: E402
from scenarios.resources import Object  # noqa: E402
from scenarios.sim_fleet import SimFleet  # noqa: E402
from scenarios.waiting import eventually  # noqa: E402
from scenarios.world import QUEUE, TEMPLATE, World  # noqa: E402

_AWAY = 3  # workers whose API server does not answer
_PATIENCE = 900.0  # seconds until all jobs are where they will be
_UNCOPIED = "uncopied"  # a template that only the manager has
_RUN_FOR, _RESULT = "sim.fedra.dev/run-for", "sim.fedra.dev/result"


@dataclasses.dataclass(frozen=True)
class _Part:
    """Of each hundred jobs so many are of this sort."""

    name: str
    share: int
    state: str  # that they come to
    template: str = TEMPLATE
    annotations: tuple[tuple[str, str], ...] = ()


_PARTS = (
    _Part("train", 85, "Running"),
    _Part("stuck", 10, "Blocked", template=_UNCOPIED),
    _Part("done", 4, "Finished", annotations=((_RUN_FOR, "0s"),)),
    _Part("broken", 1, "Failed", annotations=((_RUN_FOR, "0s"), (_RESULT, "failure"))),
)


def main() -> int:
    parser = argparse.ArgumentParser(description="The dashboard of a large fleet.")
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=10_000, help="a multiple of 100")
    parser.add_argument(
        "--burst",
        action="store_true",
        help="devices are verified, and jobs stand in line, from the beginning; else once the jobs are placed",
    )
    arguments = parse(parser)
    if arguments.jobs % 100 or arguments.workers <= _AWAY:
        parser.error(f"--jobs is a multiple of 100, and there are more than {_AWAY} workers")
    names = tuple(f"worker-{index:03}" for index in range(arguments.workers))
    fleet = SimFleet(False, workers=names)
    with tempfile.TemporaryDirectory(prefix="fedra-browser-") as name:
        try:
            fleet.start()
            _play(fleet, arguments, Path(name))
        finally:
            fleet.stop()
    return 0


def _play(fleet: SimFleet, arguments: argparse.Namespace, folder: Path) -> None:
    world = World(fleet, "large", arguments.fedra, folder / "fedra")
    socket = folder / "s"
    begun = time.monotonic()
    world.open()
    world.manager.apply(
        objects.cluster_queue(world.ns, Quota(cpu=str(arguments.jobs)), world.check)
    )
    # A fifth more than its share: else the first workers get more pods than they have devices.
    share = Quota(cpu=str(arguments.jobs * 6 // (len(world.workers) * 5)))
    for worker in world.workers:
        world.set_quota(worker, share)
    world.add_template_everywhere()
    world.manager.apply(objects.claim_template(world.ns, _UNCOPIED, setup.GPU_CLASS))
    enforced = {"verification": {"devices": "Enforce"}}
    settings: Object = {"api": {"socket": str(socket)}, "logging": {"level": "info"}}
    settings |= enforced if arguments.burst else {}
    fedra = world.start_fedra(settings, watchdog=False, start=False)
    try:
        _start(fedra)
        world.wait_check_active()
        print(
            f"{len(world.workers)} workers: ready after {time.monotonic() - begun:.0f} s",
            flush=True,
        )
        _submit(world, arguments.jobs)
        print(f"jobs are submitted after {time.monotonic() - begun:.0f} s", flush=True)
        wanted = {part.state: part.share * arguments.jobs // 100 for part in _PARTS}
        eventually("every job is where it will be", lambda: _states(fedra) == wanted, _PATIENCE)
        if not arguments.burst:
            fedra.stop()
            fedra.change_settings(enforced)
            _start(fedra)
        eventually("devices are known", lambda: _has_devices(fedra), _PATIENCE)
        for worker in world.workers[-_AWAY:]:
            world.stop_api_server(worker)
        eventually("they are away", lambda: _away(fedra) == set(world.workers[-_AWAY:]), _PATIENCE)
        print(
            f"{arguments.jobs} jobs on {len(world.workers)} workers after {time.monotonic() - begun:.0f} s, "
            f"fedra has {fedra.resident_bytes() / 1e6:.0f} MB: {wanted}",
            flush=True,
        )
        add_past_job(world, fedra)
        with browse(arguments, socket, folder) as (browser, address):
            browser.driver.get(address)
            browser.wait("the overview is shown", lambda: browser.title() == "Overview")
            server = ("--server", f"unix:{socket}")
            stage = Stage(browser, fedra, world.ns, world.worker1, f"{world.ns}/stuck-0", server)
            _check(stage, socket, arguments.shots)
    finally:
        world.abandon()


def _check(stage: Stage, socket: Path, shots: Path | None) -> None:
    views.check_all(stage)
    stage.browser.assert_silent()
    print(f"ok: every view says what the commands say\n\n{timing.check(stage, socket)}", flush=True)
    routes = views.routes(stage)
    looked = accessibility.check_appearances(stage, routes, shots)
    print(f"\nok: axe found nothing on {looked} pages", flush=True)
    stage.browser.assert_silent()
    outages.check_offline(stage)
    print("ok: offline and back")


def _submit(world: World, jobs: int) -> None:
    parts = {
        f"{part.name}-{index}": part for part in _PARTS for index in range(part.share * jobs // 100)
    }

    def submit(name: str) -> None:
        part = parts[name]
        made = objects.job(world.ns, name, QUEUE, template=part.template)
        made["metadata"]["annotations"] = dict(part.annotations)
        world.manager.create(made)

    submit_each(parts, submit)


def _start(fedra: Fedra) -> None:
    """With so many workers it may take longer than a scenario waits."""
    fedra.start(ready=False)
    eventually("fedra is ready", lambda: fedra.page("/readyz").strip() == "ok", _PATIENCE)


def _states(fedra: Fedra) -> dict[str, int]:
    groups = fedra.cli("status", "jobs", "--all", "--group-by", "state", "-o", "json").json()
    return {group["name"]: group["jobs"] for group in groups["groups"]}


def _has_devices(fedra: Fedra) -> bool:
    workers = fedra.cli("status", "workers", "-o", "json").json()["workers"]
    return all("devices" in worker for worker in workers)


def _away(fedra: Fedra) -> set[str]:
    return {name for name, state in fedra.worker_states().items() if state != "Connected"}


if __name__ == "__main__":
    sys.exit(main())
