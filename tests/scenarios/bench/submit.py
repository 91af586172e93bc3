"""Many jobs at once, as several users would submit them."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from scenarios.world import TEMPLATE, World

_SUBMITTERS = 8  # parallel users


def submit_all(world: World, jobs: int) -> dict[str, float]:
    """Creates the jobs from several threads; returns when each was submitted."""
    submitted: dict[str, float] = {}

    def submit(index: int) -> None:
        name = f"train-{index}"
        submitted[name] = time.monotonic()
        world.submit(name, template=TEMPLATE)

    with ThreadPoolExecutor(_SUBMITTERS) as pool:
        list(pool.map(submit, range(jobs)))
    return submitted
