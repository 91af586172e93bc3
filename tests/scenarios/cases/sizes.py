"""Jobs that are larger, or smaller, than most: as many parts and pods as Kueue takes, none, and a status without end."""

from __future__ import annotations

import copy
from typing import Any

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.job_kinds import JOB_SET, RAY_JOB
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import QUEUE, TEMPLATE, World

_MOST_POD_SETS = 18  # spec.podSets of Kueue's CRD, 0.19
_MANY_PODS = 10_000
_MEGABYTE = 1_000_000
_MOST_MIRRORED = 512 * 1024  # docs/kinds.md


def _job_set_of(world: World, name: str, parts: int, template: str | None = None) -> Object:
    """Of so many parts, each of one pod."""
    made = JOB_SET.make(world.ns, name, QUEUE, template)
    part: Object = {**made["spec"]["replicatedJobs"][0], "replicas": 1}
    part["template"]["spec"] |= {"parallelism": 1, "completions": 1}
    made["spec"]["replicatedJobs"] = [
        {**copy.deepcopy(part), "name": f"part-{index}"} for index in range(parts)
    ]
    return made


def _pod_sets(workload: Object | None) -> int:
    return len(objects.present(workload)["spec"]["podSets"])


@scenario("jobset-of-18-parts", other_kinds=True)
def most_parts(world: World) -> None:
    """A JobSet with as many pod sets as a Workload may have is judged as one gang, runs with all of them, and ends."""
    world.add_template_for(world.worker2)
    world.start_fedra()
    job = world.submit_object(JOB_SET, _job_set_of(world, "train", _MOST_POD_SETS, TEMPLATE))
    job.wait_running_on(world.worker2)
    assert world.reasons(job) == {world.worker1: ["TemplateMissing"], world.worker2: []}
    assert _pod_sets(job.workload()) == _pod_sets(job.clone(world.worker2)) == _MOST_POD_SETS
    job.finish(world.worker2)


@scenario("jobset-of-20-parts", other_kinds=True)
def too_many_parts(world: World) -> None:
    """A JobSet with more pod sets than a Workload may have is warned of; Kueue makes none of it, and it holds nobody up."""
    fedra = world.start_fedra()
    made = _job_set_of(world, "large", _MOST_POD_SETS + 2)
    report: Any = fedra.check(made).json()
    messages = [each["message"] for each in report["findings"]]
    assert any(f"Kueue 0.19 takes {_MOST_POD_SETS}" in each for each in messages), messages
    large = world.submit_object(JOB_SET, made)
    small = world.submit_object(JOB_SET, _job_set_of(world, "small", 1))
    worker = world.eventually("it is sent", small.cluster_name)
    small.wait_running_on(worker)
    assert large.workload() is None
    large.stays_nowhere()
    small.finish(worker)


@scenario("job-without-pods")
def no_pods(world: World) -> None:
    """A Job of parallelism 0 has a worker as any other, where it waits for more, and goes with its user's."""
    world.start_fedra()
    made = objects.job(world.ns, "train", QUEUE)
    made["spec"]["parallelism"] = 0
    world.manager.create(made)
    job = world.job("train")
    worker = world.eventually("it has a worker", job.cluster_name)
    world.eventually("its check is Ready", lambda: job.check_state() == "Ready")
    copied = world.eventually("the job is there", lambda: job.remote_job(worker))
    assert copied["spec"]["parallelism"] == 0, copied
    assert objects.present(job.clone(worker))["spec"]["podSets"][0]["count"] == 0
    assert objects.condition(job.workload(), "Finished") is None
    world.manager.delete("Job", world.ns, "train")
    world.eventually("nothing is left on the workers", job.nowhere)


# On real workers the Job controller would make all of the pods, for minutes; a simulated one makes none without nodes.
@scenario("job-of-10000-pods", fleets=("sim",))
def many_pods(world: World) -> None:
    """A Job of 10,000 pods is dispatched as one of a single pod, runs, and ends."""
    for each in world.workers:
        world.supply.clear(each)
    world.start_fedra()
    job = world.submit("train", pods=_MANY_PODS, cpu="1m")
    worker = world.eventually("it has a worker", job.cluster_name)
    job.wait_running_on(worker)
    assert objects.present(job.manager_job())["status"]["active"] == _MANY_PODS
    job.finish(worker)


@scenario("job-of-10000-devices")
def many_devices(world: World) -> None:
    """A Job of 10,000 pods with a device each: no worker has so many, every worker says so, and others are dispatched."""
    world.manager.apply(objects.cluster_queue(world.ns, Quota(devices="20000"), world.check))
    world.add_template_everywhere()
    world.start_fedra({"verification": {"devices": "Enforce"}})
    large = world.submit("large", template=TEMPLATE, pods=_MANY_PODS, cpu="1m")
    large.wait_message("no worker eligible")
    reasons = world.reasons(large)
    assert set(reasons) == set(world.workers) and all(reasons.values()), reasons
    small = world.submit("small", template=TEMPLATE)
    worker = world.eventually("it is sent", small.cluster_name)
    small.wait_running_on(worker)
    large.stays_nowhere()
    small.finish(worker)


# A real operator writes its status anew, and with it all that is written here.
@scenario("rayjob-status-of-1-mb", fleets=("sim",), other_kinds=True)
def large_status(world: World) -> None:
    """RayJob: of a status of 1 MB the manager gets what says how the job is getting on, and its end."""
    world.start_fedra()
    job = world.submit_kind(RAY_JOB, "train")
    job.wait_running_on(world.worker1)
    assert "rayClusterStatus" in _status(job)
    text = {"status": {"message": "x" * _MEGABYTE}}
    world.admin(world.worker1).patch("RayJob", world.ns, "train", text, "status")
    world.eventually("the rest is left out", lambda: "rayClusterStatus" not in _status(job))
    mirrored = objects.canonical(_status(job))
    assert "message" not in _status(job) and len(mirrored) < _MOST_MIRRORED, mirrored[:1000]
    assert _status(job)["jobDeploymentStatus"] == "Running", mirrored[:1000]
    job.finish(world.worker1)
    finished = objects.condition(job.workload(), "Finished")
    assert finished is not None and finished["reason"] == "Succeeded", finished
    assert _status(job)["jobStatus"] == "SUCCEEDED"


def _status(job: FederatedJob) -> Object:
    """As the manager shows it."""
    status: Object = objects.present(job.manager_job()).get("status", {})
    return status
