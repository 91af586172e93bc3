"""Waiting for conditions. Nothing in the scenarios sleeps for a fixed time and hopes.

Every limit is that of an optimised program; FEDRA_TEST_SLOWNESS stretches all of them at once. `make asan` and
`make tsan` set it to what their sanitizers cost. How long something must not happen is not stretched.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_INTERVAL = 0.05  # seconds between two looks; cheap against an API server on loopback

SLOWNESS = float(os.environ.get("FEDRA_TEST_SLOWNESS", "1"))


class Timeout(AssertionError):
    """A condition did not come true (or did not stay true) in time."""


def eventually(what: str, look: Callable[[], T | None], timeout: float) -> T:
    """Returns the first truthy result of `look`. Errors from a server count as "not yet"."""
    timeout *= SLOWNESS
    deadline = time.monotonic() + timeout
    last: Any = None
    while True:
        try:
            result = look()
            if result:
                return result
            last = result
        except (OSError, LookupError, RuntimeError) as error:
            last = repr(error)
        if time.monotonic() >= deadline:
            raise Timeout(f"not within {timeout:.0f} s: {what} (last seen: {last!r})")
        time.sleep(_INTERVAL)


def assert_quick(what: str, seconds: float, limit: float) -> None:
    """For what must not wait for a timer: the limit is far below the timer's period."""
    assert seconds < limit * SLOWNESS, f"{what} took {seconds:.1f} s"


def always(what: str, look: Callable[[], object], seconds: float) -> None:
    """Fails as soon as `look` is falsy; used to show that something does NOT happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not look():
            raise Timeout(f"did not stay true for {seconds:.0f} s: {what}")
        time.sleep(_INTERVAL)
