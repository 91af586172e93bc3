"""When objects appeared: watches in threads of their own, one per cluster."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection

from scenarios.fleet import Fleet


class Arrivals:
    """The moment (time.monotonic) at which the first object of each name was seen on any of the clusters.

    Every question fails once a watch has ended before `close`: there is no answer to it any more.
    """

    def __init__(self, fleet: Fleet, clusters: Collection[str], kind: str, ns: str):
        self._first: dict[str, float] = {}
        self._changed = threading.Condition()
        self._broken: dict[str, str] = {}  # cluster -> how its watch has ended
        self._seen: dict[str, set[str]] = {cluster: set() for cluster in clusters}
        self._copies: dict[str, set[tuple[str, str]]] = {}
        self._watches = {cluster: fleet.admin(cluster).watch(kind, ns) for cluster in clusters}
        self._threads = [
            threading.Thread(target=self._follow, args=(cluster,), daemon=True)
            for cluster in self._watches
        ]
        for thread in self._threads:
            thread.start()

    def wait_count(self, count: int, timeout: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._broken or len(self._first) >= count, timeout)
            self._assert_whole()
            if len(self._first) < count:
                raise AssertionError(f"only {len(self._first)} of {count} within {timeout:.0f} s")

    def times(self) -> dict[str, float]:
        with self._changed:
            self._assert_whole()
            return dict(self._first)

    def per_cluster(self) -> dict[str, int]:
        """How many names were seen on each cluster."""
        with self._changed:
            self._assert_whole()
            return {cluster: len(names) for cluster, names in self._seen.items()}

    def copies(self) -> dict[str, set[tuple[str, str]]]:
        """Name -> (cluster, UID) of each object that ever had it."""
        with self._changed:
            self._assert_whole()
            return {name: set(copies) for name, copies in self._copies.items()}

    def has_seen(self, name: str) -> bool:
        with self._changed:
            self._assert_whole()
            return name in self._first

    def close(self) -> None:
        for watch in self._watches.values():
            watch.close()
        for thread in self._threads:
            thread.join()

    def _assert_whole(self) -> None:
        assert not self._broken, f"not watched to the end: {self._broken}"

    def _follow(self, cluster: str) -> None:
        try:
            self._note_arrivals(cluster)
        except Exception as error:
            with self._changed:
                self._broken[cluster] = repr(error)
                self._changed.notify_all()

    def _note_arrivals(self, cluster: str) -> None:
        for event, obj in self._watches[cluster]:
            if event != "ADDED":
                continue
            now = time.monotonic()
            name, uid = obj["metadata"]["name"], obj["metadata"]["uid"]
            with self._changed:
                self._first.setdefault(name, now)
                self._seen[cluster].add(name)
                self._copies.setdefault(name, set()).add((cluster, uid))
                self._changed.notify_all()
