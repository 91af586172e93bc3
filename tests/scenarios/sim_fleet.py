"""The fleet of simulated clusters: one child process `fedra-sim` that serves all of them over TLS."""

from __future__ import annotations

import json
import shutil
import tempfile
import urllib.request
from collections.abc import Collection
from pathlib import Path

from scenarios import setup
from scenarios.fleet import MANAGER, Fleet
from scenarios.kube_client import Access, KubeClient, Object
from scenarios.process import Process
from scenarios.waiting import eventually

_BUILT = Path(__file__).parents[2] / "build/release/tests/sim/fedra-sim"


class SimFleet(Fleet):
    kind = "sim"
    patience = 10.0
    recovery = 10.0

    def __init__(
        self,
        kueue_dra: bool,
        workers: tuple[str, ...] = ("worker1", "worker2"),
        binary: Path = _BUILT,
    ):
        self.kueue_dra = kueue_dra
        self.workers = workers
        self.folder = Path(tempfile.mkdtemp(prefix="fedra-sim-"))
        self._binary = binary
        self._process: Process | None = None

    def start(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
        shutil.rmtree(self.folder)
