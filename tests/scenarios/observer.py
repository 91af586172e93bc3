"""When objects appeared: watches in threads of their own, one per cluster."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection

from scenarios.fleet import Fleet


class Arrivals:
    """The moment (time.monotonic) at which the first object of each name was seen on any of the clusters."""

    def __init__(self, fleet: Fleet, clusters: Collection[str], kind: str, ns: str):
        self._first: dict[str, float] = {}
        self._changed = threading.Condition()
        self._seen: dict[str, set[str]] = {cluster: set() for cluster in clusters}
        self._watches = {cluster: fleet.admin(cluster).watch(kind, ns) for cluster in clusters}
        self._threads = [
            threading.Thread(target=self._follow, args=(cluster,), daemon=True)
            for cluster in self._watches
        ]
        for thread in self._threads:
            thread.start()

    def wait_count(self, count: int, timeout: float) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._first) >= count, timeout):
                raise AssertionError(f"only {len(self._first)} of {count} within {timeout:.0f} s")

    def wait_name(self, name: str, timeout: float) -> float:
        with self._changed:
            if not self._changed.wait_for(lambda: name in self._first, timeout):
                raise AssertionError(f"{name} did not appear within {timeout:.0f} s")
            return self._first[name]

    def times(self) -> dict[str, float]:
        with self._changed:
            return dict(self._first)

    def per_cluster(self) -> dict[str, int]:
        """How many names were seen on each cluster."""
        with self._changed:
            return {cluster: len(names) for cluster, names in self._seen.items()}

    def close(self) -> None:
        for watch in self._watches.values():
            watch.close()
        for thread in self._threads:
            thread.join()

    def _follow(self, cluster: str) -> None:
        for event, obj in self._watches[cluster]:
            if event != "ADDED":
                continue
            now = time.monotonic()
            with self._changed:
                self._first.setdefault(obj["metadata"]["name"], now)
                self._seen[cluster].add(obj["metadata"]["name"])
                self._changed.notify_all()
