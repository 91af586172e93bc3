"""Chance that can be repeated."""

from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]


class Dice:
    """The randomness of one case. `wild`, between 0 and 1: how often odd things happen in it."""

    def __init__(self, seed: str):
        self.random = random.Random(seed)
        self.wild = self.pick(0.1, 0.3, 0.6, 1.0)

    def odd(self, probability: float) -> bool:
        return self.chance(probability * self.wild)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def below(self, end: int) -> int:
        return self.random.randrange(end)

    def some(self, items: list[Any], most: int | None = None) -> list[Any]:
        """At least one of them."""
        most = len(items) if most is None else min(most, len(items))
        return self.random.sample(items, k=self.random.randint(1, most))
