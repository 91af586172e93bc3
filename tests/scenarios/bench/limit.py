"""The time that one measurement may take, and waiting within it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from scenarios.fedra_process import Fedra
from scenarios.waiting import T, Timeout, eventually

_QUIET_LOOKS = 3  # in a row, a second apart


class CutOff(Exception):
    """The time is over; the message says what was waited for."""


class Limit:
    """Begins when it is made, or has begun at `begun` (time.monotonic)."""

    def __init__(self, seconds: float, begun: float | None = None):
        self._begun, self._seconds = time.monotonic() if begun is None else begun, seconds

    def spent(self) -> float:
        return time.monotonic() - self._begun

    def left(self) -> float:
        """Seconds; 0 when it is over."""
        return max(0.0, self._seconds - self.spent())

    def part(self, share: float) -> Limit:
        """Ends when this share of what is left is over."""
        return Limit(self.spent() + self.left() * share, self._begun)

    def check(self, what: str) -> None:
        if self.left() == 0:
            raise CutOff(what)

    def wait(self, what: str, look: Callable[[], T | None]) -> T:
        """Returns the first truthy result of `look`; raises CutOff when there is none in time."""
        self.check(what)
        try:
            return eventually(what, look, self.left())
        except Timeout as error:
            raise CutOff(str(error)) from None

    def say(self, text: str) -> None:
        """A line of progress, to standard error: standard output has tables alone."""
        print(f"[{self.spent():6.0f} s] {text}", file=sys.stderr, flush=True)


def wait_ready(fedra: Fedra, limit: Limit) -> None:
    limit.wait("fedra is ready", lambda: _alive(fedra).page("/readyz").strip() == "ok")


def connected(fedra: Fedra) -> int:
    """How many workers are connected and listed. Of the health page: the metrics cost the daemon more."""
    return _alive(fedra).page("/readyz?verbose").count("[+]worker/")


def wait_connected(fedra: Fedra, workers: int, limit: Limit) -> None:
    limit.wait("all workers are connected", lambda: connected(fedra) == workers)


def wait_quiet(fedra: Fedra, limit: Limit) -> None:
    """Until no Workload waits to be looked at, and none is looked at."""
    in_row = 0

    def look() -> bool:
        nonlocal in_row
        counters = _alive(fedra).counters()
        busy = counters.total("fedra_queue_depth") + counters.total("fedra_reconcile_threads_busy")
        in_row = 0 if busy else in_row + 1
        if in_row < _QUIET_LOOKS:
            time.sleep(1)
        return in_row >= _QUIET_LOOKS

    limit.wait("fedra has looked at everything", look)


def _alive(fedra: Fedra) -> Fedra:
    """A daemon that is gone is not waited for."""
    assert fedra.is_running(), f"fedra has ended:\n{fedra.report()}"
    return fedra
