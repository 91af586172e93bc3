"""A share of a fleet's workers that are slow, or dead: they accept connections, and say nothing."""

from __future__ import annotations

import dataclasses

from scenarios.sim_fleet import SimFleet

_SLOW_MS = 1000  # before each answer


@dataclasses.dataclass(frozen=True)
class Parts:
    """Of all workers, in their order: the good ones, of which there is one at least, come first."""

    good: tuple[str, ...]
    slow: tuple[str, ...]
    dead: tuple[str, ...]

    @property
    def reachable(self) -> int:
        return len(self.good) + len(self.slow)


def part(workers: tuple[str, ...], slow_share: int, dead_share: int) -> Parts:
    """Shares in per cent, rounded up: of few workers one, where any are wanted."""
    slow, dead = (-(-len(workers) * share // 100) for share in (slow_share, dead_share))
    good = len(workers) - slow - dead
    if good < 1:
        raise ValueError("none of the workers is left that is neither slow nor dead")
    return Parts(workers[:good], workers[good : good + slow], workers[good + slow :])


def spoil(fleet: SimFleet, parts: Parts) -> None:
    for worker in parts.slow:
        fleet.slow_down(worker, _SLOW_MS)
    for worker in parts.dead:
        fleet.hang(worker)
