"""Watches of several clusters, each followed by a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from scenarios.kube_client import KubeClient, Watch
from scenarios.resources import Object


class Followers:
    """Calls back with each object that is there, comes or changes, of one watch one after the other, until `close`."""

    def __init__(
        self,
        client_of: Callable[[str], KubeClient],
        ns: str,
        follow: Sequence[tuple[str, str, Callable[[Object], None]]],
    ):
        """`follow`: cluster, kind, and whom to call. All watches are open before the first call."""
        self._failure: Exception | None = None
        self._watches = [
            (client_of(cluster).watch(kind, ns, whole=True), each) for cluster, kind, each in follow
        ]
        self._threads = [
            threading.Thread(target=self._follow, args=each, daemon=True) for each in self._watches
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """No call comes after it."""
        for watch, _ in self._watches:
            watch.close()
        for thread in self._threads:
            thread.join()

    def check(self) -> None:
        """Raises what a watch or a call has failed with."""
        if self._failure is not None:
            raise self._failure

    def _follow(self, watch: Watch, on_object: Callable[[Object], None]) -> None:
        try:
            for event, obj in watch:
                if event != "DELETED":
                    on_object(obj)
        except Exception as error:
            self._failure = error
