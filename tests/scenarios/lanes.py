"""Scenarios side by side, in lanes: processes with a fleet of their own each.

A scenario may stop an API server or take every node away, so two of them never share a fleet. Most of a
scenario is waiting for controllers, so more lanes than cores are of use. A lane reads names of scenarios from
its standard input and answers each with one line of JSON; its first line says that its fleet is up.
"""

from __future__ import annotations

import dataclasses
import json
import queue
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scenarios.fleet import Fleet
from scenarios.modes import Mode
from scenarios.registry import Scenario
from scenarios.trial import Result, play
from scenarios.waiting import SLOWNESS

_READY = "ready"
_GRACE = 60.0  # seconds for a fleet to end


class LaneEnded(RuntimeError):
    """A lane has ended although nobody told it to; why is on its standard error, which is ours."""


class Lane:
    """The other end of a process. Start it from the main thread, whose end it does not survive."""

    def __init__(self, command: Sequence[str]):
        self._child = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C reaches only us
        )

    def wait_ready(self) -> None:
        assert self._read() == _READY

    def play(self, name: str) -> Result:
        assert self._child.stdin is not None
        self._child.stdin.write(name + "\n")
        self._child.stdin.flush()
        return Result(**json.loads(self._read()))

    def terminate(self) -> None:
        """In the middle of a scenario, too: whoever waits in `play` gets LaneEnded."""
        self._child.terminate()

    def stop(self) -> bool:
        """Returns whether its fleet has ended as it should."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        try:
            return self._child.wait(_GRACE * SLOWNESS) == 0
        except subprocess.TimeoutExpired:
            self._child.kill()
            return False

    def _read(self) -> str:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise LaneEnded(f"a lane ended with {self._child.wait()}")
        return line.rstrip("\n")


def serve(
    scenarios: Sequence[Scenario], fleet: Fleet, binary: Path, folder: Path, mode: Mode
) -> None:
    """The life of a lane's process, with a fleet that is up."""
    by_name = {each.name: each for each in scenarios}
    print(_READY, flush=True)
    for number, line in enumerate(sys.stdin):
        name = line.strip()
        result = play(by_name[name], fleet, binary, folder / f"{number}-{name}", mode)
        print(json.dumps(dataclasses.asdict(result)), flush=True)


def play_all(
    lanes: Sequence[Lane], names: Sequence[str], report: Callable[[Result], None]
) -> list[Result]:
    """Each lane takes the next name as soon as it is free. `report` is called from several threads."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for name in names:
        waiting.put(name)

    def drive(lane: Lane) -> list[Result]:
        results: list[Result] = []
        while True:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                return results
            results.append(lane.play(name))
            report(results[-1])

    with ThreadPoolExecutor(len(lanes)) as pool:
        try:
            return [result for results in pool.map(drive, lanes) for result in results]
        except BaseException:
            for lane in lanes:
                lane.terminate()
            raise
