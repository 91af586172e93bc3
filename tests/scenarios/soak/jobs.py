"""The jobs of a soak: what is submitted, how long each runs, and what has become of it."""

from __future__ import annotations

import random
import threading
import time

from scenarios import objects, setup
from scenarios.observer import Arrivals
from scenarios.resources import Object
from scenarios.world import QUEUE, TEMPLATE, World

QUEUES = (QUEUE, "batch", "urgent")
# A template that the manager alone has, which is copied, and one that it has not, and that comes and goes on workers.
COPIED, FLEETING = "copied", "fleeting"

# The simulated job controller obeys these annotations.
_RUN_FOR, _RESULT = "sim.fedra.dev/run-for", "sim.fedra.dev/result"
_TEMPLATES = {None: 3, TEMPLATE: 5, COPIED: 1, FLEETING: 1}  # with their weights
_LONGEST = 20  # seconds that a job runs; the simulation takes whole ones
_FAILING, _DELETED_EARLY = 0.05, 0.1  # shares of the jobs


class Jobs:
    """`make` is for one thread, `reap` for another; the rest for any."""

    def __init__(self, world: World, chance: random.Random):
        self._world, self._random = world, chance
        self._lock = threading.Lock()
        self._submitted: set[str] = set()
        self._ended: set[str] = set()  # and then deleted
        self._deleted: set[str] = set()  # before its end was seen
        self._due: dict[str, float] = {}  # when a job is deleted, whatever it does then

    @staticmethod
    def prepare(world: World) -> None:
        for queue in QUEUES[1:]:
            world.add_queue(queue)
        world.add_template_everywhere()
        world.manager.apply(objects.claim_template(world.ns, COPIED, setup.GPU_CLASS))

    def make(self, name: str) -> Object:
        template = self._random.choices(list(_TEMPLATES), list(_TEMPLATES.values()))[0]
        queue = self._random.choice(QUEUES)
        job = objects.job(self._world.ns, name, queue, template=template)
        job["metadata"]["annotations"] = {_RUN_FOR: f"{self._random.randint(1, _LONGEST)}s"}
        if self._random.random() < _FAILING:
            job["metadata"]["annotations"][_RESULT] = "failure"
        with self._lock:
            self._submitted.add(name)
            if self._random.random() < _DELETED_EARLY:
                self._due[name] = time.monotonic() + self._random.uniform(0, _LONGEST)
        return job

    def submit_plain(self, name: str) -> None:
        """One that waits for nothing but a leader."""
        job = objects.job(self._world.ns, name, QUEUE)
        job["metadata"]["annotations"] = {_RUN_FOR: "1s"}
        with self._lock:
            self._submitted.add(name)
        self._world.manager.create(job)

    def reap(self) -> None:
        """Deletes what has ended, and what is not to live longer."""
        now = time.monotonic()
        for job in self._world.manager.list("Job", self._world.ns):
            name = job["metadata"]["name"]
            ended = objects.is_true(job, "Complete") or objects.is_true(job, "Failed")
            with self._lock:
                gone = self._deleted if self._due.get(name, now + 1) <= now else None
                gone = self._ended if ended else gone
            if gone is not None and name not in self._deleted:
                self._world.manager.delete("Job", self._world.ns, name)
                with self._lock:
                    gone.add(name)

    def counts(self) -> tuple[int, int, int]:
        """Jobs that were submitted, have ended, were deleted before."""
        with self._lock:
            return len(self._submitted), len(self._ended), len(self._deleted)

    def open(self) -> list[str]:
        """Those that are not deleted; of them every one must be on the manager."""
        with self._lock:
            return sorted(self._submitted - self._ended - self._deleted)

    def findings(self, copies: Arrivals) -> list[str]:
        """What is wrong when all is done. `copies`: of Jobs on the workers."""
        seen = copies.copies()
        with self._lock:
            ended, deleted, submitted = set(self._ended), set(self._deleted), set(self._submitted)
        found = [f"{name} was lost" for name in sorted(submitted - ended - deleted)]
        for name in sorted(ended | deleted):
            made = seen.get(name, set())
            if len(made) > 1 or (name in ended and not made):
                found.append(f"{name} was made {len(made)} times: {sorted(made)}")
        return found
