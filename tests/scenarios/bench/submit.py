"""Many jobs at once, as several users would submit them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

_SUBMITTERS = 8  # parallel users


def submit_each(names: Iterable[str], submit: Callable[[str], object]) -> dict[str, float]:
    """Calls `submit` for each name from several threads; returns when each was submitted (time.monotonic)."""
    submitted: dict[str, float] = {}

    def call(name: str) -> None:
        submitted[name] = time.monotonic()
        submit(name)

    with ThreadPoolExecutor(_SUBMITTERS) as pool:
        list(pool.map(call, names))
    return submitted
