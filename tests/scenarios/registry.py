"""The list of scenarios. A scenario is a function of a World with a docstring; it fails by raising."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable

from scenarios.world import World

Body = Callable[[World], None]


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str  # conformance ID or a few words with hyphens; also the namespace of its objects
    body: Body
    fleets: tuple[str, ...]  # kinds of fleet that it runs on
    kueue_dra: tuple[bool, ...]  # with Kueue's DRA support on, off, or both

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.body) or "").partition("\n")[0]

    def runs_on(self, fleet: str, kueue_dra: bool) -> bool:
        return fleet in self.fleets and kueue_dra in self.kueue_dra


SCENARIOS: list[Scenario] = []


def scenario(
    name: str,
    *,
    fleets: tuple[str, ...] = ("sim", "real"),
    kueue_dra: tuple[bool, ...] = (True, False),
) -> Callable[[Body], Body]:
    """Adds the function to the list. State a reason beside every restriction."""

    def register(body: Body) -> Body:
        SCENARIOS.append(Scenario(name, body, fleets, kueue_dra))
        return body

    return register
