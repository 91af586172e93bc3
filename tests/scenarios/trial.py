"""One scenario, played on a fleet, and what came of it."""

from __future__ import annotations

import dataclasses
import time
import traceback
from pathlib import Path

from scenarios.fleet import Fleet
from scenarios.modes import Mode
from scenarios.registry import Scenario
from scenarios.world import World


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    passed: bool
    seconds: float
    text: str  # measured values of one that passed; why the other failed, and its values, for a person

    def __str__(self) -> str:
        head = f"{'ok' if self.passed else 'FAIL':5} {self.name:28} {self.seconds:6.1f} s"
        return f"{head}  {self.text}".rstrip() if self.passed else f"{head}\n{self.text}"


def play(each: Scenario, fleet: Fleet, binary: Path, folder: Path, mode: Mode) -> Result:
    """Never raises, whatever the scenario does. `folder` is for the files of its fedra."""
    world = World(fleet, each.namespace, binary, folder, mode)
    started = time.monotonic()
    try:
        world.open()
        each.body(world)
        world.close()
    except Exception:
        report = _report(world)
        world.abandon()
        return Result(each.name, False, time.monotonic() - started, report)
    return Result(each.name, True, time.monotonic() - started, world.notes)


def _report(world: World) -> str:
    lines = [traceback.format_exc()]
    if world.notes:
        lines.append(world.notes)
    if world.fedra is not None:
        lines.append(world.fedra.report())
    return "\n".join([*lines, *world.describe()])
