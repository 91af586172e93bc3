"""Elastic jobs (Kueue's ElasticJobsViaWorkloadSlices): they grow and shrink on their worker, and run on meanwhile."""

from __future__ import annotations

from scenarios import objects
from scenarios.federated_job import PREBUILT_ANNOTATION, FederatedJob
from scenarios.fleet import MANAGER
from scenarios.job_kinds import JOB_KINDS
from scenarios.modes import COPYING
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet
from scenarios.world import QUEUE, World

_ELASTIC = "kueue.x-k8s.io/elastic-job"
_RAY_CLUSTER = next(kind for kind in JOB_KINDS if kind.kind == "RayCluster")


def _start_elastic(world: World, pods: int) -> FederatedJob:
    """A Job with so many pods at once, of more that are to come, which runs on the first worker."""
    made = objects.job(world.ns, "train", QUEUE, pods=pods)
    made["metadata"]["annotations"] = {_ELASTIC: "true"}
    made["spec"]["completions"] = 20
    world.manager.create(made)
    job = world.job("train")
    job.wait_running_on(world.worker1)
    return job


def _scale(world: World, pods: int) -> None:
    world.manager.patch("Job", world.ns, "train", {"spec": {"parallelism": pods}})


def _living(world: World, cluster: str) -> list[Object]:
    """The Workloads that have not ended."""
    workloads = world.admin(cluster).list("Workload", world.ns)
    return [each for each in workloads if not objects.is_true(each, "Finished")]


def _uid(job: FederatedJob, worker: str) -> str:
    uid: str = objects.present(job.remote_job(worker))["metadata"]["uid"]
    return uid


def _wait_size(world: World, job: FederatedJob, pods: int) -> None:
    """So many pods run on the first worker, the manager shows them, and one Workload has the job on both."""

    def shows(obj: Object | None) -> bool:
        return obj is not None and obj.get("status", {}).get("active") == pods

    def is_its() -> bool:
        here, there = _living(world, MANAGER), _living(world, world.worker1)
        names = {each["metadata"]["name"] for each in here + there}
        copy = objects.present(job.remote_job(world.worker1))
        annotations = copy["metadata"]["annotations"]
        return (
            len(here) == len(there) == 1
            and names == {annotations[PREBUILT_ANNOTATION]}
            and here[0]["spec"]["podSets"] == there[0]["spec"]["podSets"]
            and objects.is_true(here[0], "Admitted")
        )

    world.eventually(f"{pods} pods run", lambda: shows(job.remote_job(world.worker1)))
    world.eventually(f"{pods} pods are mirrored", lambda: shows(job.manager_job()))
    world.eventually("one Workload has it", is_its)
    assert not job.remote_job(world.worker2)


@scenario("elastic-job-scaled", modes=COPYING)
def scaled(world: World) -> None:
    """An elastic Job grows, grows again and shrinks on its worker, where it runs on, and ends as any job."""
    world.start_fedra()
    job = _start_elastic(world, pods=2)
    copy = _uid(job, world.worker1)
    for pods in (3, 6, 1):
        _scale(world, pods)
        _wait_size(world, job, pods)
        assert _uid(job, world.worker1) == copy, "the job was made anew"
    world.eventually(
        "no clone of an earlier Workload is left",
        lambda: len(world.admin(world.worker1).list("Workload", world.ns)) == 1,
    )
    _end(world)


def _end(world: World) -> None:
    """Its pods end, and with them all of its Workloads; nothing stays on the workers."""

    def has_ended() -> bool:
        world.fleet.end_pods(world.worker1, world.ns, "train", "Succeeded")
        return not _living(world, MANAGER)

    world.eventually("it has ended", has_ended)
    world.eventually("nothing is left on the workers", lambda: not _left(world))


def _left(world: World) -> list[Object]:
    """What the workers have of jobs and Workloads, ended ones, too."""
    return [
        each
        for worker in world.workers
        for kind in ("Job", "Workload")
        for each in world.admin(worker).list(kind, world.ns)
    ]


@scenario("elastic-job-shrinks", modes=COPYING)
def shrinks(world: World) -> None:
    """An elastic Job that has never grown shrinks: its first Workload and the copy stay."""
    world.start_fedra()
    job = _start_elastic(world, pods=4)
    copy = _uid(job, world.worker1)
    _scale(world, 2)
    _wait_size(world, job, 2)
    assert _uid(job, world.worker1) == copy
    _end(world)


@scenario("elastic-job-named-by-label", fleets=("sim",), modes=COPYING)
def named_by_label(world: World) -> None:
    """On workers whose Kueue reads no annotation that names a Workload (0.17) a Job is adopted all the same, grows and shrinks."""
    assert isinstance(world.fleet, SimFleet)
    for worker in world.workers:
        world.fleet.steer_kueue(worker, identifierAnnotations=False)
    world.start_fedra()
    job = _start_elastic(world, pods=2)
    for pods in (3, 1):
        _scale(world, pods)
        _wait_size(world, job, pods)
    _end(world)


@scenario("elastic-job-waits-to-grow", modes=COPYING)
def waits_to_grow(world: World) -> None:
    """An elastic Job for whose growth there is no room, on the manager first and then on its worker, runs on as it was."""
    world.set_quota(world.worker1, Quota(cpu="2"))
    fedra = world.start_fedra()
    job = _start_elastic(world, pods=2)
    copy = _uid(job, world.worker1)
    _scale(world, 3)

    def waits_there() -> bool:
        clones = _living(world, world.worker1)
        return len(clones) == 2 and sum(objects.is_true(each, "Admitted") for each in clones) == 1

    world.eventually("its new Workload waits on the worker", waits_there)
    world.eventually(
        "people can see why",
        lambda: "grows when that admits it" in fedra.cli("status", "jobs", "-o", "json").stdout,
    )
    assert objects.present(job.remote_job(world.worker1))["spec"]["parallelism"] == 2
    fedra.restart()
    assert _uid(job, world.worker1) == copy
    world.set_quota(world.worker1, Quota())
    _wait_size(world, job, 3)
    assert _uid(job, world.worker1) == copy
    world.manager.delete("Job", world.ns, "train")
    world.eventually("nothing is left", lambda: not _living(world, world.worker1))


@scenario("elastic-raycluster-scaled", other_kinds=True, modes=COPYING)
def ray_cluster_scaled(world: World) -> None:
    """An elastic RayCluster's worker groups follow: 2, 3, 1, and nothing else of its copy changes."""
    world.start_fedra()
    made = _RAY_CLUSTER.make(world.ns, "train", QUEUE)
    made["metadata"]["annotations"][_ELASTIC] = "true"
    job = world.submit_object(_RAY_CLUSTER, made)
    job.wait_running_on(world.worker1)

    def copy() -> Object:
        return objects.present(job.remote_job(world.worker1))

    def replicas_there() -> int:
        replicas: int = copy()["spec"]["workerGroupSpecs"][0]["replicas"]
        return replicas

    before = copy()
    for replicas in (3, 1):
        groups = objects.present(job.manager_job())["spec"]["workerGroupSpecs"]
        groups[0]["replicas"] = replicas
        world.manager.patch("RayCluster", world.ns, "train", {"spec": {"workerGroupSpecs": groups}})
        wanted = replicas
        world.eventually(f"{wanted} replicas there", lambda: replicas_there() == wanted)
        world.eventually("one Workload has it", lambda: len(_living(world, world.worker1)) == 1)
        assert copy()["metadata"]["uid"] == before["metadata"]["uid"]
    before["spec"]["workerGroupSpecs"][0]["replicas"] = 1
    assert copy()["spec"] == before["spec"]
    world.manager.delete("RayCluster", world.ns, "train")
    world.eventually("nothing is left on the workers", job.nowhere)
