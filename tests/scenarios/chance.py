"""Random histories that can be played again."""

from __future__ import annotations

import os
import random

from scenarios.world import World


def seeded(world: World) -> random.Random:
    """What a scenario draws from. The result shows its seed, good or bad; FEDRA_STORM_SEED sets it."""
    seed = int(os.environ.get("FEDRA_STORM_SEED", random.randrange(1_000_000)))
    world.note(f"FEDRA_STORM_SEED={seed}")
    return random.Random(seed)
