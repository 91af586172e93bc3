"""Waiting for conditions. Nothing in the scenarios sleeps for a fixed time and hopes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_INTERVAL = 0.05  # seconds between two looks; cheap against an API server on loopback


class Timeout(AssertionError):
    """A condition did not come true (or did not stay true) in time."""


def eventually(what: str, look: Callable[[], T | None], timeout: float) -> T:
    """Returns the first truthy result of `look`. Errors from a server count as "not yet"."""
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


def always(what: str, look: Callable[[], object], seconds: float) -> None:
    """Fails as soon as `look` is falsy; used to show that something does NOT happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not look():
            raise Timeout(f"did not stay true for {seconds:.0f} s: {what}")
        time.sleep(_INTERVAL)
