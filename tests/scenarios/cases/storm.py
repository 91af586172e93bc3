"""Everything at once: what users, administrators and networks do, at random, and the calm after it."""

from __future__ import annotations

import random
import time

from scenarios import objects, setup
from scenarios.chance import seeded
from scenarios.federated_job import FederatedJob
from scenarios.job_kinds import JOB_SET, RAY_JOB, STATEFUL_SET
from scenarios.kube_client import ApiError
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.rows.stage import grant_pods
from scenarios.world import IMPATIENT, TEMPLATE, World

# Beside batch/v1 Jobs. A StatefulSet never ends, and is held by its check.
_OTHER_KINDS = {kind.kind: kind for kind in (JOB_SET, RAY_JOB, STATEFUL_SET)}
_KINDS = ("Job", *_OTHER_KINDS)
_NAMES = 3  # of jobs; each kind has all of them
_EVENTS = 120
_LONGEST_PAUSE = 0.12  # seconds between two events
_OVERTAKEN = (404, 409)  # what the event was to change has gone or changed meanwhile
_LOST = "3s"


class _Storm:
    """One history. Every event asks the clusters what there is to do it to, and does nothing if there is nothing."""

    def __init__(self, world: World, chance: random.Random):
        self._world = world
        self._random = chance
        self._away: set[str] = set()
        self._returning: set[str] = set()

    def settings(self) -> Object:
        """Any way of working; all of them with little patience."""
        choice = self._random.choice
        policies: list[Object] = [
            {"policy": "race"},
            {"candidates": 1},
            {"candidates": 2},
        ]
        return {
            "workerLostTimeout": _LOST,
            "dispatch": {**choice(policies), **IMPATIENT["dispatch"]},
            "verification": {
                "devices": choice(["Off", "Enforce"]),
                "templates": {"sync": choice(["Never", "IfMissing", "Reconcile"])},
            },
            **STATEFUL_SET.settings,
        }

    def begin(self) -> None:
        """A job of each kind, all of one name."""
        for kind in _KINDS:
            self._submit_one(kind, "train-0")

    def blow(self) -> None:
        events = {
            self._submit: 6,
            self._end_pods: 4,
            self._kill_fedra: 2,
            self._lose_store: 1,
            self._delete_job: 2,
            self._suspend: 2,
            self._resume: 4,
            self._preempt: 2,
            self._open_queue: 4,
            self._cut: 2,
            self._silence: 1,
            self._restore: 4,
            self._remove_template: 2,
            self._add_template: 4,
            self._delete_copy_of_job: 1,
            self._delete_copy_of_workload: 1,
        }
        chosen = self._random.choices(list(events), list(events.values()), k=_EVENTS)
        for event in chosen:
            try:
                event()
            except ApiError as error:
                if error.status not in _OVERTAKEN:
                    raise
            self._heed_returned()
            time.sleep(self._random.uniform(0, _LONGEST_PAUSE))  # the random moment itself

    def calm_down(self) -> None:
        for worker in sorted(self._away):
            self._come_back(worker)
        for worker in self._world.workers:
            self._world.set_quota(worker, Quota())
        for cluster in self._world.fleet.clusters:
            self._ensure_template(cluster)
        for job in self.jobs():
            self._set_active(job, True)
        if not self.jobs():
            self.begin()
        self._world.eventually("all workers are back", self._all_are_back)

    def jobs(self) -> list[FederatedJob]:
        return [
            self._world.job(each["metadata"]["name"], kind=_OTHER_KINDS.get(kind))
            for kind in _KINDS
            for each in self._world.manager.list(kind, self._world.ns)
        ]

    def _some_job(self) -> FederatedJob | None:
        jobs = self.jobs()
        return self._random.choice(jobs) if jobs else None

    def _some_kind(self) -> str:
        return self._random.choice(_KINDS)

    def _some_worker(self) -> str:
        return self._random.choice(self._world.workers)

    def _some_copy(self, kind: str) -> tuple[str, Object] | None:
        worker = self._some_worker()
        found = self._world.admin(worker).list(kind, self._world.ns)
        return (worker, self._random.choice(found)) if found else None

    # --- What users do.

    def _submit(self) -> None:
        kind = self._some_kind()
        name = f"train-{self._random.randrange(_NAMES)}"
        if self._world.manager.find(kind, self._world.ns, name) is None:
            self._submit_one(kind, name)

    def _submit_one(self, kind: str, name: str) -> None:
        if kind in _OTHER_KINDS:
            self._world.submit_kind(_OTHER_KINDS[kind], name, TEMPLATE)
        else:
            self._world.submit(name, template=TEMPLATE)

    def _delete_job(self) -> None:
        job = self._some_job()
        if job is not None:
            self._world.manager.delete(job.kind, job.ns, job.name)

    def _suspend(self) -> None:
        job = self._some_job()
        if job is not None:
            self._set_active(job, False)

    def _resume(self) -> None:
        job = self._some_job()
        if job is not None:
            self._set_active(job, True)

    def _set_active(self, job: FederatedJob, active: bool) -> None:
        workload = job.workload()
        if workload is None or objects.is_true(workload, "Finished"):
            return
        name = workload["metadata"]["name"]
        self._world.manager.patch("Workload", job.ns, name, {"spec": {"active": active}})

    # --- What happens on workers.

    def _end_pods(self) -> None:
        kind = self._some_kind()
        copy = self._some_copy(kind)
        if copy is not None:
            worker, job = copy
            phase = self._random.choice(["Succeeded", "Succeeded", "Succeeded", "Failed"])
            _end_on(self._world, worker, kind, job["metadata"]["name"], phase)

    def _preempt(self) -> None:
        copy = self._some_copy("Workload")
        if copy is not None and objects.is_true(copy[1], "Admitted"):
            worker, clone = copy
            try:
                self._world.fleet.preempt(worker, self._world.ns, clone["metadata"]["name"])
            except RuntimeError as error:
                if "has no quota" not in str(error):  # it has ended since it was looked at
                    raise

    def _open_queue(self) -> None:
        self._world.set_quota(self._some_worker(), Quota())

    def _remove_template(self) -> None:
        client = self._world.admin(self._random.choice(self._world.fleet.clusters))
        client.delete("ResourceClaimTemplate", self._world.ns, TEMPLATE)

    def _add_template(self) -> None:
        self._ensure_template(self._random.choice(self._world.fleet.clusters))

    def _ensure_template(self, cluster: str) -> None:
        try:
            self._world.admin(cluster).create(
                objects.claim_template(self._world.ns, TEMPLATE, setup.GPU_CLASS, 1)
            )
        except ApiError as error:
            if error.reason != "AlreadyExists":  # fedra copies it, too
                raise

    def _delete_copy_of_job(self) -> None:
        self._delete_copy(self._some_kind())

    def _delete_copy_of_workload(self) -> None:
        self._delete_copy("Workload")

    def _delete_copy(self, kind: str) -> None:
        copy = self._some_copy(kind)
        if copy is not None:
            worker, obj = copy
            self._world.admin(worker).delete(kind, self._world.ns, obj["metadata"]["name"])

    # --- What happens to networks and to fedra.

    def _cut(self) -> None:
        worker = self._some_worker()
        self._world.cut(worker)
        self._away.add(worker)
        self._returning.discard(worker)

    def _silence(self) -> None:
        worker = self._some_worker()
        self._world.unwatch(worker)
        self._world.link(worker).silence()
        self._away.add(worker)
        self._returning.discard(worker)

    def _restore(self) -> None:
        worker = self._some_worker()
        if worker in self._away:
            self._come_back(worker)

    def _come_back(self, worker: str) -> None:
        self._away.remove(worker)
        self._returning.add(worker)
        self._world.link(worker).restore()

    def _all_are_back(self) -> bool:
        self._heed_returned()
        return not self._returning

    def _heed_returned(self) -> None:
        """fedra answers for a worker again when it has found it: until then the worker may be given up as lost."""
        assert self._world.fedra is not None
        if not self._returning:
            return
        states = self._world.fedra.worker_states()
        for worker in sorted(self._returning - self._away):
            if states[worker] == "Connected":
                self._returning.remove(worker)
                self._world.watch_again(worker)

    def _kill_fedra(self) -> None:
        assert self._world.fedra is not None
        self._world.fedra.restart()

    def _lose_store(self) -> None:
        assert self._world.fedra is not None
        self._world.fedra.kill()
        self._world.fedra.delete_store()
        self._world.fedra.start()


def _end_on(world: World, worker: str, kind: str, name: str, phase: str = "Succeeded") -> None:
    """Lets the copy end there, where it is one of those that end."""
    if kind == "Job":
        world.fleet.end_pods(worker, world.ns, name, phase)
    elif _OTHER_KINDS[kind].ends:
        world.fleet.end_job(worker, _OTHER_KINDS[kind], world.ns, name, phase)


# The steps of a real Kueue take seconds each: the storm would be a breeze there.
@scenario("storm", fleets=("sim",), other_kinds=True)
def storm(world: World) -> None:
    """Random jobs of several kinds, crashes, cuts, evictions and deletions; then calm: each job runs on one worker at a time, and ends."""
    chance = seeded(world)
    world.add_template_everywhere()
    grant_pods(world)
    history = _Storm(world, chance)
    world.start_fedra(history.settings(), links=world.workers)
    history.begin()
    history.blow()
    history.calm_down()
    jobs = history.jobs()
    for job in jobs:
        world.eventually(f"{job.kind} {job.key} runs or has ended", lambda: _runs_or_ended(job))
    for job in jobs:
        _end(world, job)
    for job in jobs:
        world.eventually(f"nothing of {job.kind} {job.key} is left", job.nowhere)
    kinds = {job.kind for job in jobs}
    world.note(f"{len(jobs)} jobs of {len(kinds)} kinds")


def _end(world: World, job: FederatedJob) -> None:
    """As its pods end, or its user deletes what serves."""
    if job.kind in _OTHER_KINDS and not _OTHER_KINDS[job.kind].ends:
        world.manager.delete(job.kind, world.ns, job.name)
        return
    for worker in world.workers:
        _end_on(world, worker, job.kind, job.name)
    world.eventually(f"{job.kind} {job.key} has ended", lambda: _ended(job))


def _runs_or_ended(job: FederatedJob) -> bool:
    """Whether one worker has the job by every account, or its end is known."""
    name = job.cluster_name()
    return _ended(job) or (
        name is not None
        and job.check_state() == _state_of_check(job.kind)
        and job.remote_jobs() == [name] == job.clones()
    )


def _state_of_check(kind: str) -> str:
    """While a worker has the job."""
    return "Pending" if kind in _OTHER_KINDS and _OTHER_KINDS[kind].holds_check else "Ready"


def _ended(job: FederatedJob) -> bool:
    """As the manager shows it, in the job itself where that is a condition."""
    if job.kind != "Job":
        return objects.is_true(job.workload(), "Finished")
    ended = job.manager_job()
    return objects.is_true(ended, "Complete") or objects.is_true(ended, "Failed")
