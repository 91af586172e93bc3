"""What changes on the workers all the time, whatever fedra does."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from scenarios import objects, setup
from scenarios.resources import Object
from scenarios.soak.jobs import FLEETING
from scenarios.world import World

_LONGEST_CUT = 20.0  # seconds; far less than workerLostTimeout, so that no job moves
_NODE = "extra"


class Churn:
    """For one thread at a time. Every event is of one worker."""

    def __init__(self, world: World, links: Sequence[str], chance: random.Random):
        """`links`: workers whose network may be cut."""
        self._world, self._links, self._random = world, links, chance
        self._there: dict[tuple[str, str, str], Object] = {}  # worker, kind, name
        self._away: dict[str, float] = {}  # worker -> until when
        self.events = 0

    def blow(self) -> None:
        self.events += 1
        now = time.monotonic()
        for worker in [each for each, until in self._away.items() if until <= now]:
            self._restore(worker)
        if self._random.random() < 0.05 and len(self._away) < len(self._links) / 2:
            worker = self._random.choice(self._links)
            self._world.cut(worker)
            self._away[worker] = now + self._random.uniform(1, _LONGEST_CUT)
        else:
            self._toggle(self._random.choice(self._world.workers), self._some_object())

    def calm_down(self) -> None:
        """The workers are as they were before, and those that some jobs wait for have all that they need."""
        for worker in list(self._away):
            self._restore(worker)
        for (worker, _, _), obj in list(self._there.items()):
            self._toggle(worker, obj)
        for worker in self._world.workers:
            self._world.admin(worker).apply(self._template(FLEETING))

    def _restore(self, worker: str) -> None:
        self._world.restore(worker)
        del self._away[worker]

    def _toggle(self, worker: str, obj: Object) -> None:
        client, kind, metadata = self._world.admin(worker), obj["kind"], obj["metadata"]
        key = (worker, kind, metadata["name"])
        if self._there.pop(key, None) is not None:
            client.delete(kind, metadata.get("namespace"), metadata["name"])
        else:
            client.create(obj)
            self._there[key] = obj

    def _some_object(self) -> Object:
        # Nothing fits on the node, and so no pod is lost with it.
        node = objects.node(_NODE)
        for amounts in node["status"].values():
            amounts.update(cpu="0", pods="0")
        (devices,) = objects.resource_slices(_NODE, 8)
        idle = objects.claim(self._world.ns, "idle", setup.GPU_CLASS)
        return self._random.choice(
            [node, devices, idle, self._template("unused"), self._template(FLEETING)]
        )

    def _template(self, name: str) -> Object:
        return objects.claim_template(self._world.ns, name, setup.GPU_CLASS)
