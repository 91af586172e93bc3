"""Which jobs a benchmark submits, each with a claim, and how they end."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from scenarios.bench.submit import submit_each
from scenarios.job_kinds import END_OF_RUN, JOB_SET, RAY_JOB, JobKind
from scenarios.resources import Object
from scenarios.world import TEMPLATE, World


@dataclasses.dataclass(frozen=True)
class Load:
    """Jobs of one kind."""

    kind: str
    submit: Callable[[World, str], object]
    end: Callable[[World], None]  # what of them runs on the workers
    cpu: int = 1  # that one asks for, or more

    def world(self, system: str) -> str:
        """How the world, and so the namespace, is called in which a system gets them."""
        return f"{system}-{self.kind.lower()}"

    def submit_all(self, world: World, jobs: int) -> dict[str, float]:
        """So many; returns when each was submitted (time.monotonic)."""
        names = [f"train-{index}" for index in range(jobs)]
        return submit_each(names, lambda name: self.submit(world, name))


def _end_pods(world: World) -> None:
    for worker in world.workers:
        world.fleet.end_pods(worker, world.ns)


def end_jobs(world: World, kind: JobKind) -> None:
    """Ends each job on the workers that has not been ended yet, as its operator would."""
    for worker in world.workers:
        for job in world.admin(worker).list(kind.kind, world.ns):
            if not _is_to_end(job):
                world.fleet.end_job(worker, kind, world.ns, job["metadata"]["name"], "Succeeded")


def _load_of(kind: JobKind, cpu: int) -> Load:
    """Their operators are played (real/scripted_operator.py): there are no pods."""
    return Load(
        kind.kind,
        lambda world, name: world.submit_kind(kind, name, TEMPLATE),
        lambda world: end_jobs(world, kind),
        cpu,
    )


def _is_to_end(job: Object) -> bool:
    wanted: Object = END_OF_RUN["metadata"]["annotations"]
    return bool(wanted.items() <= job["metadata"].get("annotations", {}).items())


JOBS = Load("Job", lambda world, name: world.submit(name, template=TEMPLATE), _end_pods)

# What they ask for: 4 pods; a head, two workers and, of half a CPU, what submits the job.
OTHER_LOADS = (_load_of(JOB_SET, cpu=4), _load_of(RAY_JOB, cpu=4))
