"""Something that is done again and again beside the rest, on a thread of its own."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable


class Repeated:
    """Lifetime: that of a `with`, from its first call on. What it raises ends it, and `check` passes it on."""

    def __init__(self, what: str, call: Callable[[], object], period: float):
        """`period`: seconds from the end of a call to the next one."""
        self._what, self._call, self._period = what, call, period
        self._ends = threading.Event()
        self._failed = ""
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Repeated:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def check(self) -> None:
        assert not self._failed, f"{self._what}: {self._failed}"

    def _run(self) -> None:
        try:
            while not self._ends.wait(self._period):
                self._call()
        except Exception:
            self._failed = traceback.format_exc()
