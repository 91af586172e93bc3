"""Many jobs at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from scenarios import objects, setup
from scenarios.registry import scenario
from scenarios.waiting import SLOWNESS
from scenarios.world import TEMPLATE, World

_JOBS = 200
# 52 MB in all; a server takes annotations of up to 256 KiB for each object.
_TEMPLATES, _ANNOTATION = 400, "x" * 130_000
_MEMORY = 200e6  # bytes


@scenario("burst-200")
def burst(world: World) -> None:
    """200 jobs with claims at once over two workers: each runs once, all results come back, nothing is left."""
    world.add_template_everywhere()
    world.start_fedra()
    started = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        jobs = list(
            pool.map(
                lambda index: world.submit(f"train-{index}", template=TEMPLATE),
                range(_JOBS),
            )
        )
    world.eventually(
        "all remote jobs",
        lambda: len(_remote_jobs(world)) == _JOBS,
        world.fleet.patience * 3,
    )
    elapsed = time.monotonic() - started
    placed = {worker: _count_jobs(world, worker) for worker in world.workers}
    world.note(f"{_JOBS / elapsed:.1f} jobs/s, placed {placed}")
    assert all(placed.values()), "both workers must be used"

    def all_finished() -> bool:
        for worker in world.workers:
            world.fleet.end_pods(worker, world.ns)
        return all(objects.is_true(job, "Complete") for job in world.manager.list("Job", world.ns))

    world.eventually("all jobs complete on the manager", all_finished, world.fleet.patience * 3)
    assert len(world.manager.list("Job", world.ns)) == len(jobs)


# On real clusters etcd would refuse to hold it beside the rest.
@scenario("list-of-50-mb", fleets=("sim",))
def a_huge_list(world: World) -> None:
    """A worker whose list of templates has 50 MB: fedra reads it, uses the worker, and does not swell."""
    template = objects.claim_template(world.ns, TEMPLATE, setup.GPU_CLASS)
    template["metadata"]["annotations"] = {"example.com/notes": _ANNOTATION}
    client = world.admin(world.worker1)
    for index in range(_TEMPLATES):
        template["metadata"]["name"] = TEMPLATE if index == 0 else f"{TEMPLATE}-{index}"
        client.create(template)
    fedra = world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    memory = fedra.resident_bytes()
    world.note(f"{memory / 1e6:.0f} MB resident")
    assert SLOWNESS > 1 or memory < _MEMORY, f"{memory / 1e6:.0f} MB"  # a sanitizer has its own
    job.finish(world.worker1)


def _remote_jobs(world: World) -> set[str]:
    return {
        job["metadata"]["name"]
        for worker in world.workers
        for job in world.admin(worker).list("Job", world.ns)
    }


def _count_jobs(world: World, worker: str) -> int:
    return len(world.admin(worker).list("Job", world.ns))
