"""The list of scenarios. A scenario is a function of a World with a docstring; it fails by raising."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable

from scenarios.modes import ADMISSION_CHECK
from scenarios.world import World

Body = Callable[[World], None]


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str  # conformance ID or a few words with hyphens; also the namespace of its objects
    body: Body
    fleets: tuple[str, ...]  # kinds of fleet that it runs on
    kueue_dra: tuple[bool, ...]  # with Kueue's DRA support on, off, or both
    other_kinds: bool = False  # needs the CRDs of other kinds than batch/v1 Job
    off_by_default: bool = False  # needs DeviceTaintRules or PodGroups as 1.36 has them
    workers_since: str | None = (
        None  # the oldest Kubernetes ("1.36") that keeps the fields it is about
    )
    kueue_since: str | None = None  # the oldest Kueue on workers ("0.19") with which it works
    on_request: tuple[str, ...] = ()  # kinds of fleet on which --only alone plays it
    upgrades: bool = False  # gives worker1 the next release of Kubernetes
    needs_previous: bool = False  # a program of the version before
    operator_of: str | None = None  # the kind whose real operator it needs on real clusters
    modes: tuple[str, ...] = (ADMISSION_CHECK,)  # in which it is played
    other_modes_on: tuple[str, ...] = ("sim", "real")  # kinds of fleet that play the other modes
    sets_up: str | None = (
        None  # the mode that it brings about by itself, in a world of admissionCheck
    )

    @property
    def namespace(self) -> str:
        return self.name.lower()

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.body) or "").partition("\n")[0]

    def runs_on(self, fleet: str, kueue_dra: bool, mode: str) -> bool:
        if mode != ADMISSION_CHECK and fleet not in self.other_modes_on:
            return False
        return fleet in self.fleets and kueue_dra in self.kueue_dra and mode in self.modes

    def shows(self, mode: str) -> bool:
        """Whether it says anything of fedra in this mode."""
        return mode == self.sets_up or (self.sets_up is None and mode in self.modes)


SCENARIOS: list[Scenario] = []


def scenario(
    name: str,
    *,
    fleets: tuple[str, ...] = ("sim", "real"),
    kueue_dra: tuple[bool, ...] = (True, False),
    other_kinds: bool = False,
    off_by_default: bool = False,
    workers_since: str | None = None,
    kueue_since: str | None = None,
    on_request: tuple[str, ...] = (),
    upgrades: bool = False,
    needs_previous: bool = False,
    operator_of: str | None = None,
    modes: tuple[str, ...] = (ADMISSION_CHECK,),
    other_modes_on: tuple[str, ...] = ("sim", "real"),
    sets_up: str | None = None,
) -> Callable[[Body], Body]:
    """Adds the function to the list. State a reason beside every restriction.

    `other_kinds`: real clusters play it only when asked for it, because their start is slower then.
    `off_by_default`: only where manager and worker1 are of the release that the scenarios are written for.
    `workers_since`: only where no worker is older: before it the gate of the fields that it is about is off by default.
    `kueue_since`: only where no worker has an older one, whose mistakes it would meet.
    `on_request`: kinds of fleet that play it only when `run.py --only` names it.
    `upgrades`: only on a fleet of several releases, whose programs take long to build.
    `needs_previous`: only where fedra_process.previous_binary() is a program.
    `operator_of`: on real clusters nobody plays the operator of this kind.
    `modes`: those beside admissionCheck are played when `run.py --mode` asks for them, on the fleets of `other_modes_on`.
    `sets_up`: for what several modes are part of, or fleets that begin in another one.
    """

    def register(body: Body) -> Body:
        SCENARIOS.append(
            Scenario(
                name,
                body,
                fleets,
                kueue_dra,
                other_kinds,
                off_by_default,
                workers_since,
                kueue_since,
                on_request,
                upgrades,
                needs_previous,
                operator_of,
                modes,
                other_modes_on,
                sets_up,
            )
        )
        return body

    return register
