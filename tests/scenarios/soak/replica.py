"""One of the replicas, over all of its processes."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time

from scenarios.fedra_process import Fedra
from scenarios.replicas import identity, leads
from scenarios.soak.samples import STANDBY, Sample
from scenarios.soak.store import rows
from scenarios.waiting import eventually
from scenarios.world import World

_WARM = 180.0  # seconds until it could lead, after its start, on a busy machine
_STARTING = 10.0  # seconds in which its memory says nothing yet


class Replica:
    """Processes begin and end on the main thread; `sample` is for any."""

    def __init__(self, name: str, fedra: Fedra, role: str):
        """`fedra` has been started."""
        self.name, self.fedra = name, fedra
        self._lock = threading.Lock()
        self._life = 0
        self._role, self._started = role, time.monotonic()
        self._in_role = self._started
        self._awake = True

    def leads(self, world: World) -> bool:
        return leads(world, self.fedra)

    def take_role(self, role: str) -> None:
        with self._lock:
            self._role, self._in_role = role, time.monotonic()

    def signal(self, number: int) -> None:
        """No samples are taken of it until `start`."""
        with self._lock:
            self._awake = False
            self.fedra.signal(number)

    def start(self) -> None:
        """Another process, which stands by."""
        with self._lock:
            self.fedra.start(ready=False)
            self._life += 1
            self._role, self._started = STANDBY, time.monotonic()
            self._in_role = self._started
            self._awake = True

    def wait_warm(self) -> None:
        """It could lead."""

        def is_warm() -> bool:
            assert self.runs(), f"{self.name} has ended"
            return self.fedra.page("/readyz").strip() == "ok" and identity(self.fedra) != ""

        eventually(f"{self.name} is warm", is_warm, _WARM)

    def runs(self) -> bool:
        return self.fedra.process is not None and self.fedra.process.running()

    def told(self) -> str:
        """Its role and memory, for a person."""
        if time.monotonic() - self._started < _STARTING:
            return f"{self._role} just started"
        return f"{self._role} {self.fedra.resident_bytes() / 1e6:.0f} MB"

    def log_bytes(self) -> int:
        """Of SQLite's write-ahead log."""
        log = self.fedra.store.with_name(self.fedra.store.name + "-wal")
        return log.stat().st_size if log.exists() else 0

    def sample(self, at: float, phase: str) -> Sample | None:
        """None: its process has been told to end."""
        with self._lock:
            if not self._awake:
                return None
            now = time.monotonic()
            counted: dict[str, int] = {}
            with contextlib.suppress(sqlite3.OperationalError):  # it is being opened
                counted = rows(self.fedra.store)
            return Sample(
                at=at,
                phase=phase,
                replica=self.name,
                life=self._life,
                role=self._role,
                age=now - self._started,
                in_role=now - self._in_role,
                resident=self.fedra.resident_bytes(),
                descriptors=self.fedra.open_descriptors(),
                threads=self.fedra.threads(),
                log=self.log_bytes(),
                rows=counted,
            )
