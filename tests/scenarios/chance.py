"""Random histories that can be played again."""

from __future__ import annotations

import os
import random

from scenarios.world import World


def seeded(world: World) -> random.Random:
    """What a scenario draws from. Its seed is told beside the result, good or bad; FEDRA_STORM_SEED gives it."""
    seed = int(os.environ.get("FEDRA_STORM_SEED", random.randrange(1_000_000)))
    world.note(f"FEDRA_STORM_SEED={seed}")
    return random.Random(seed)
