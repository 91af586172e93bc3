"""LeaderWorkerSets: a Workload for each replica, all on one worker, which has one copy."""

from __future__ import annotations

from scenarios import objects
from scenarios.cases.kinds import lose_worker_and_evict, start_with_pod_rights
from scenarios.federated_job import FederatedJob
from scenarios.fleet import MANAGER
from scenarios.job_kinds import LEADER_WORKER_SET
from scenarios.modes import COPYING
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import QUEUE, TEMPLATE, World


def _parts(world: World, cluster: str) -> list[Object]:
    return world.admin(cluster).list("Workload", world.ns)


def _wait_together(world: World, job: FederatedJob, worker: str, parts: int = 2) -> None:
    """All of its Workloads are on that worker, and all of its replicas run there."""

    def together() -> bool:
        places = [part.get("status", {}).get("clusterName") for part in _parts(world, MANAGER)]
        return places == [worker] * parts

    def all_run() -> bool:
        copy = job.remote_job(worker)
        return copy is not None and copy.get("status", {}).get("readyReplicas") == parts

    world.eventually(f"all Workloads are on {worker}", together)
    world.eventually(f"all replicas run on {worker}", all_run)
    world.eventually(f"{parts} clones on {worker}", lambda: len(_parts(world, worker)) == parts)


def _serve_on_worker1(world: World) -> tuple[FederatedJob, str]:
    """One that runs there, and the UID of its copy."""
    start_with_pod_rights(world, LEADER_WORKER_SET)
    job = world.submit_kind(LEADER_WORKER_SET, "serve")
    job.wait_running_on(world.worker1)
    _wait_together(world, job, world.worker1)
    return job, _copy_uid(world, job)


def _copy_uid(world: World, job: FederatedJob) -> str:
    uid: str = objects.present(job.remote_job(world.worker1))["metadata"]["uid"]
    return uid


def _scale(world: World, replicas: int) -> None:
    world.manager.patch("LeaderWorkerSet", world.ns, "serve", {"spec": {"replicas": replicas}})


@scenario("leaderworkerset-runs", other_kinds=True, operator_of="LeaderWorkerSet", modes=COPYING)
def runs(world: World) -> None:
    """A LeaderWorkerSet's replicas all go where the first one's devices are; its copy goes with the user's."""
    world.add_template_for(world.worker2)
    fedra = start_with_pod_rights(world, LEADER_WORKER_SET)
    planned = fedra.checked(LEADER_WORKER_SET.make(world.ns, "planned", QUEUE, TEMPLATE))
    reasons = {worker: verdict.reasons for worker, verdict in planned.items()}
    assert reasons == {world.worker1: ["TemplateMissing"], world.worker2: []}, planned
    job = world.submit_kind(LEADER_WORKER_SET, "serve", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    _wait_together(world, job, world.worker2)
    assert not objects.is_true(job.workload(), "Admitted")
    assert_gated(world)
    world.manager.delete("LeaderWorkerSet", world.ns, "serve")
    world.eventually("nothing is left on the workers", job.nowhere)
    world.eventually("no clone is left", lambda: not _parts(world, world.worker2))
    world.eventually("no Workload is left", lambda: not _parts(world, MANAGER))


def assert_gated(world: World) -> None:
    """The pods that its operator has made on the manager, where there is one, do not run there."""
    pods = world.manager.list("Pod", world.ns)
    assert bool(pods) == world.fleet.makes_pods("LeaderWorkerSet"), pods
    for pod in pods:
        gates = [gate["name"] for gate in pod["spec"].get("schedulingGates", [])]
        assert "kueue.x-k8s.io/admission" in gates and "nodeName" not in pod["spec"], pod


@scenario("leaderworkerset-moved", other_kinds=True, operator_of="LeaderWorkerSet", modes=COPYING)
def moved(world: World) -> None:
    """A LeaderWorkerSet moves as a whole when its worker is lost; its first replica alone is evicted and comes back."""
    start_with_pod_rights(world, LEADER_WORKER_SET, workerLostTimeout="3s")
    job = world.submit_kind(LEADER_WORKER_SET, "serve")
    lose_worker_and_evict(world, job)

    def place() -> str:
        worker: str = objects.present(job.workload()).get("status", {}).get("clusterName", "")
        return worker

    # The copy stays, for the other replica runs by it, so that it does not show when the first one is back.
    worker = world.eventually("the first replica has a worker", place)
    _wait_together(world, job, worker)
    world.manager.delete("LeaderWorkerSet", world.ns, "serve")
    world.eventually("nothing is left on the workers", job.nowhere)


@scenario("leaderworkerset-scaled", other_kinds=True, operator_of="LeaderWorkerSet", modes=COPYING)
def scaled(world: World) -> None:
    """A LeaderWorkerSet's copy follows its replicas, more and less; with none of them it goes."""
    job, copy = _serve_on_worker1(world)
    for replicas in (3, 1):
        _scale(world, replicas)
        _wait_together(world, job, world.worker1, parts=replicas)
        assert _copy_uid(world, job) == copy
    _scale(world, 0)
    world.eventually("nothing is left on the workers", job.nowhere)


def _evict_on_worker1(world: World, name: str) -> None:
    """By the worker's Kueue, which has no room for it until fedra has taken it back, and until fedra has sent it there again."""

    def clone() -> Object | None:
        return world.admin(world.worker1).find("Workload", world.ns, name)

    world.fleet.preempt(world.worker1, world.ns, name)
    world.eventually("fedra takes it back", lambda: clone() is None)
    world.set_quota(world.worker1, Quota())
    world.eventually("it has a new clone", lambda: clone() is not None)


# A real Kueue chooses by itself which of two equal replicas it evicts.
@scenario("leaderworkerset-part-evicted", fleets=("sim",), other_kinds=True, modes=COPYING)
def part_evicted(world: World) -> None:
    """A replica that its worker evicts, the first one or another, comes back there: the others never left."""
    job, copy = _serve_on_worker1(world)
    first = objects.present(job.workload())["metadata"]["name"]
    names = [part["metadata"]["name"] for part in _parts(world, MANAGER)]
    other = next(name for name in names if name != first)
    for evicted, stays in ((other, first), (first, other)):
        before = objects.present(world.admin(world.worker1).find("Workload", world.ns, stays))
        _evict_on_worker1(world, evicted)
        _wait_together(world, job, world.worker1)
        after = objects.present(world.admin(world.worker1).find("Workload", world.ns, stays))
        assert after["metadata"]["uid"] == before["metadata"]["uid"], (evicted, stays)
        assert _copy_uid(world, job) == copy
