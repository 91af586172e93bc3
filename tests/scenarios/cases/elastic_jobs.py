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


# Before, pods that have ended keep others out, and the first of a job's Workloads must stay, for by its name Kueue finds the
# others: podsToUngate and Reconcile of pkg/controller/elasticjobs/elastic_job_ungater.go, v0.18.3.
_SINCE = "0.19"


def start_elastic(world: World, pods: int, anywhere: bool = False) -> FederatedJob:
    """A Job with so many pods at once, of more that are to come, which runs on the first worker, or anywhere."""
    made = objects.job(world.ns, "train", QUEUE, pods=pods)
    made["metadata"]["annotations"] = {_ELASTIC: "true"}
    made["spec"]["completions"] = 20
    world.manager.create(made)
    job = world.job("train")
    if anywhere:
        job.wait_running_anywhere()
    else:
        job.wait_running_on(world.worker1)
    return job


def scale_job(world: World, pods: int) -> None:
    world.manager.patch("Job", world.ns, "train", {"spec": {"parallelism": pods}})


def living(world: World, cluster: str) -> list[Object]:
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
        here, there = living(world, MANAGER), living(world, world.worker1)
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


@scenario("elastic-job-scaled", modes=COPYING, kueue_since=_SINCE)
def scaled(world: World) -> None:
    """An elastic Job grows, grows again and shrinks on its worker, where it runs on, and ends as any job."""
    world.start_fedra()
    job = start_elastic(world, pods=2)
    copy = _uid(job, world.worker1)
    for pods in (3, 6, 1):
        scale_job(world, pods)
        _wait_size(world, job, pods)
        assert _uid(job, world.worker1) == copy, "the job was made anew"
    world.eventually(
        "no clone of an earlier Workload is left",
        lambda: len(world.admin(world.worker1).list("Workload", world.ns)) == 1,
    )
    end_job(world)


def end_job(world: World) -> None:
    """Its pods end, and with them all of its Workloads; nothing stays on the workers."""

    def has_ended() -> bool:
        for worker in world.workers:
            if world.admin(worker).find("Job", world.ns, "train"):
                world.fleet.end_pods(worker, world.ns, "train", "Succeeded")
        return not living(world, MANAGER)

    world.eventually("it has ended", has_ended)
    world.eventually("nothing is left on the workers", lambda: _is_clean(world))


def _is_clean(world: World) -> bool:
    """Whether the workers have no Jobs and Workloads, ended ones neither; else raises with what they have."""
    left = [
        f"{kind} {each['metadata']['name']} on {worker}: {each.get('status')}"
        for worker in world.workers
        for kind in ("Job", "Workload")
        for each in world.admin(worker).list(kind, world.ns)
    ]
    if left:
        raise LookupError("; ".join(left))
    return True


@scenario("elastic-job-shrinks", modes=COPYING, kueue_since=_SINCE)
def shrinks(world: World) -> None:
    """An elastic Job that has never grown shrinks: its first Workload and the copy stay."""
    world.start_fedra()
    job = start_elastic(world, pods=4)
    copy = _uid(job, world.worker1)
    scale_job(world, 2)
    _wait_size(world, job, 2)
    assert _uid(job, world.worker1) == copy
    end_job(world)


@scenario("elastic-job-named-by-label", fleets=("sim",), modes=COPYING)
def named_by_label(world: World) -> None:
    """On workers whose Kueue reads no annotation that names a Workload (0.17) a Job is adopted all the same, grows and shrinks."""
    assert isinstance(world.fleet, SimFleet)
    for worker in world.workers:
        world.fleet.steer_kueue(worker, identifierAnnotations=False)
    world.start_fedra()
    job = start_elastic(world, pods=2)
    for pods in (3, 1):
        scale_job(world, pods)
        _wait_size(world, job, pods)
    end_job(world)


def clones_of(world: World, worker: str, admitted: bool) -> list[Object]:
    return [
        each
        for each in living(world, worker)
        if objects.is_true(each, "Admitted") is admitted and not objects.is_true(each, "Evicted")
    ]


def _wait_for_growth(world: World, waiting: int = 1) -> None:
    """The job runs on the first worker, and so many Workloads of it wait there to replace the one by which it does."""
    world.eventually(
        "its new Workload waits on the worker",
        lambda: len(clones_of(world, world.worker1, admitted=True)) == 1
        and len(clones_of(world, world.worker1, admitted=False)) == waiting,
    )


@scenario("elastic-job-waits-to-grow", modes=COPYING, kueue_since=_SINCE)
def waits_to_grow(world: World) -> None:
    """An elastic Job for whose growth there is no room, on the manager first and then on its worker, runs on as it was."""
    world.manager.apply(objects.cluster_queue(world.ns, Quota(cpu="2"), world.check))
    world.set_quota(world.worker1, Quota(cpu="2"))
    fedra = world.start_fedra()
    job = start_elastic(world, pods=2)
    copy = _uid(job, world.worker1)
    scale_job(world, 4)
    world.eventually("it waits on the manager", lambda: len(living(world, MANAGER)) == 2)
    assert len(living(world, world.worker1)) == 1
    world.manager.apply(objects.cluster_queue(world.ns, Quota(), world.check))
    _wait_for_growth(world)
    world.eventually(
        "people can see why",
        lambda: "grows when that admits it" in fedra.cli("status", "jobs", "-o", "json").stdout,
    )
    assert objects.present(job.remote_job(world.worker1))["spec"]["parallelism"] == 2
    fedra.restart()
    assert _uid(job, world.worker1) == copy
    # For fewer pods there is room there: its Workload, which waits, becomes smaller.
    world.set_quota(world.worker1, Quota(cpu="3"))
    scale_job(world, 3)
    _wait_size(world, job, 3)
    assert _uid(job, world.worker1) == copy
    world.manager.delete("Job", world.ns, "train")
    world.eventually("nothing is left", lambda: not living(world, world.worker1))


@scenario("elastic-job-ends-waiting-to-grow", modes=COPYING, kueue_since=_SINCE)
def ends_waiting(world: World) -> None:
    """An elastic Job ends while its growth waits for quota on the manager: all of its Workloads end."""
    world.manager.apply(objects.cluster_queue(world.ns, Quota(cpu="2"), world.check))
    world.start_fedra()
    start_elastic(world, pods=2)
    scale_job(world, 3)
    world.eventually("it waits on the manager", lambda: len(living(world, MANAGER)) == 2)
    end_job(world)


@scenario("elastic-job-grows-twice", modes=COPYING, kueue_since=_SINCE)
def grows_twice(world: World) -> None:
    """An elastic Job grows, and again before its worker had room: it needs no more there than its size in the end."""
    world.use_workers(world.worker1)
    world.set_quota(world.worker1, Quota(cpu="4"))
    world.start_fedra()
    job = start_elastic(world, pods=2)
    copy = _uid(job, world.worker1)
    other = world.submit("other", pods=2)
    other.wait_running_on(world.worker1)
    for pods in (3, 4):
        scale_job(world, pods)

        def waits(pods: int = pods) -> bool:
            clones = clones_of(world, world.worker1, admitted=False)
            return [each["spec"]["podSets"][0]["count"] for each in clones] == [pods]

        world.eventually(f"a Workload of {pods} pods waits, and no other", waits)
    other.finish(world.worker1)
    world.eventually("the other one is gone", other.nowhere)
    _wait_size(world, job, 4)
    assert _uid(job, world.worker1) == copy
    end_job(world)


@scenario("elastic-job-evicted-waiting-to-grow", modes=COPYING, kueue_since=_SINCE)
def evicted_waiting(world: World) -> None:
    """A worker evicts an elastic Job whose growth waits there: it runs on another worker, as large as it is to be."""
    world.set_quota(world.worker1, Quota(cpu="2"))
    world.start_fedra()
    job = start_elastic(world, pods=2)
    scale_job(world, 3)
    _wait_for_growth(world)
    running = clones_of(world, world.worker1, admitted=True)[0]["metadata"]["name"]
    world.fleet.preempt(world.worker1, world.ns, running)

    def runs_elsewhere() -> bool:
        copy = job.remote_job(world.worker2)
        return copy is not None and copy.get("status", {}).get("active") == 3

    world.eventually("it runs on the other worker", runs_elsewhere)
    world.eventually("nothing of it is on the first", lambda: not job.remote_job(world.worker1))
    world.manager.delete("Job", world.ns, "train")
    world.eventually("nothing of it is left on the workers", job.nowhere)


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
        world.eventually("one Workload has it", lambda: len(living(world, world.worker1)) == 1)
        assert copy()["metadata"]["uid"] == before["metadata"]["uid"]
    before["spec"]["workerGroupSpecs"][0]["replicas"] = 1
    assert copy()["spec"] == before["spec"]
    world.manager.delete("RayCluster", world.ns, "train")
    world.eventually("nothing is left on the workers", job.nowhere)
