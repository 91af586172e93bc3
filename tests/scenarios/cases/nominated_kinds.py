"""Mode dispatcher with other kinds of jobs, which Kueue's MultiKueue copies and mirrors: fedra says where to.

The simulated MultiKueue knows batch/v1 Jobs only. The kinds that MultiKueue has no adapter for (JAXJob, SparkApplication,
external ones that Kueue's configuration does not name) are not here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from scenarios import objects
from scenarios.cases.leader_worker_sets import assert_gated
from scenarios.cases.pods import deployment_of_two
from scenarios.federated_job import FederatedJob
from scenarios.fleet import MANAGER
from scenarios.job_kinds import JOB_KINDS, LEADER_WORKER_SET, POD, STATEFUL_SET, JobKind
from scenarios.modes import DISPATCHER
from scenarios.pod_group import PodGroup
from scenarios.registry import Body, scenario
from scenarios.resources import Object
from scenarios.world import TEMPLATE, World

_KINDS = (
    POD,
    STATEFUL_SET,
    *(kind for kind in JOB_KINDS if kind.kind not in ("JAXJob", "SparkApplication")),
)


def _of_real_clusters(name: str, operator_of: str | None = None) -> Callable[[Body], Body]:
    return scenario(
        name, fleets=("real",), other_kinds=True, operator_of=operator_of, modes=(DISPATCHER,)
    )


def _register(kind: JobKind) -> None:
    def run(world: World) -> None:
        _is_nominated(world, kind)

    run.__doc__ = (
        f"{kind.kind}: only the worker that can run it is nominated; MultiKueue runs it there."
    )
    _of_real_clusters(f"{kind.label}-nominated")(run)


def without_ttl(kind: JobKind) -> JobKind:
    """Kueue copies the TTL, too, so that the job may be gone from its worker before its end has been mirrored."""

    def spec(pod: Object) -> Object:
        made = kind.spec(pod)
        for part in (made, made.get("runPolicy", {})):
            part.pop("ttlSecondsAfterFinished", None)
        return made

    return dataclasses.replace(kind, spec=spec)


for _kind in _KINDS:
    _register(without_ttl(_kind))


def _is_nominated(world: World, kind: JobKind) -> None:
    world.add_template_for(world.worker2)
    if not kind.shows_pods:
        world.use_workers(world.worker2)
    fedra = world.start_fedra()
    job = world.submit_kind(kind, "train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    if kind.shows_pods:
        assert world.reasons(job)[world.worker1] == ["TemplateMissing"]
    assert world.dispatched_to(world.worker1) == 0, "it was nominated there"
    assert "Placed" in fedra.history(job.key)
    if kind.ends:
        job.finish(world.worker2)
    else:
        _delete(world, job)


def _delete(world: World, job: FederatedJob) -> None:
    world.manager.delete(job.kind, world.ns, job.name)
    world.eventually("nothing is left on the workers", job.nowhere)


@_of_real_clusters("pod-group-nominated")
def group(world: World) -> None:
    """A group of pods goes whole to the worker that is nominated, and ends when all have succeeded."""
    world.add_template_for(world.worker2)
    world.start_fedra()
    pods = PodGroup(world, "train", 2, template=TEMPLATE)
    pods.wait_running_on(world.worker2)
    assert world.dispatched_to(world.worker1) == 0, "it was nominated there"
    pods.finish(world.worker2)


@_of_real_clusters("deployment-nominated")
def deployment(world: World) -> None:
    """A Deployment: each of its pods is nominated, also of more and fewer replicas; MultiKueue runs them, and they go with it."""
    world.add_template_for(world.worker2)
    world.start_fedra()
    world.submit_pods_of(deployment_of_two(world.ns, TEMPLATE))

    def running() -> int:
        pods = world.admin(world.worker2).list("Pod", world.ns, "app=serve")
        return sum(pod["status"].get("phase") == "Running" for pod in pods)

    world.eventually("both pods run on worker2", lambda: running() == 2)
    for replicas in (3, 1):
        scale = {"spec": {"replicas": replicas}}
        world.manager.patch("Deployment", world.ns, "serve", scale)
        world.eventually(f"{replicas} run there", lambda: running() == replicas)
    assert world.dispatched_to(world.worker1) == 0, "one was nominated there"
    world.manager.delete("Deployment", world.ns, "serve")
    world.eventually("nothing is left there", lambda: not _workloads(world, world.worker2), 90)


@_of_real_clusters("leaderworkerset-nominated", operator_of="LeaderWorkerSet")
def leader_worker_set(world: World) -> None:
    """A LeaderWorkerSet: the first replica's Workload is nominated, and Kueue sends the other one to the same worker."""
    world.add_template_for(world.worker2)
    fedra = world.start_fedra()
    job = world.submit_kind(LEADER_WORKER_SET, "serve", template=TEMPLATE)

    def places() -> list[str]:
        return sorted(
            each.get("status", {}).get("clusterName", "") for each in _workloads(world, MANAGER)
        )

    world.eventually("both Workloads are on worker2", lambda: places() == [world.worker2] * 2)
    job.wait_running_on(world.worker2)
    world.eventually(
        "all replicas run there",
        lambda: objects.present(job.remote_job(world.worker2))["status"].get("readyReplicas") == 2,
    )
    assert world.dispatched_to(world.worker1) == 0, "it was nominated there"
    assert "Placed" in fedra.history(job.key)
    assert_gated(world)
    _delete(world, job)
    world.eventually("no Workload is left", lambda: not _workloads(world, world.worker2))
    world.eventually("nor on the manager", lambda: not _workloads(world, MANAGER))


def _workloads(world: World, cluster: str) -> list[Object]:
    return world.admin(cluster).list("Workload", world.ns)
