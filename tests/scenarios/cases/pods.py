"""Pods as jobs of their own: on the manager they stay gated, and show what happens on the worker."""

from __future__ import annotations

from typing import Any

from scenarios import objects
from scenarios.cases.faults import remote_uid
from scenarios.cases.kinds import lose_worker_and_evict, start_with_pod_rights
from scenarios.federated_job import FederatedJob
from scenarios.fleet import MANAGER
from scenarios.job_kinds import POD
from scenarios.modes import COPYING
from scenarios.objects import QUEUE_LABEL
from scenarios.pod_group import PodGroup
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet
from scenarios.world import QUEUE, TEMPLATE, World

_GATE = {"name": "kueue.x-k8s.io/admission"}


def stays_here(job: FederatedJob) -> bool:
    """The manager's pod is where its user made it, and nothing has started it."""
    pod = objects.present(job.manager_job())
    return _GATE in pod["spec"].get("schedulingGates", []) and "nodeName" not in pod["spec"]


def _scheduled(pod: Object | None) -> Object | None:
    return objects.condition(pod, "PodScheduled")


@scenario("pod-runs", other_kinds=True, modes=COPYING)
def runs(world: World) -> None:
    """A bare pod is dispatched by its devices' template, mirrored, finished, and removed from the worker."""
    world.add_template_for(world.worker2)
    fedra = start_with_pod_rights(world, POD)
    job = world.submit_kind(POD, "train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    assert stays_here(job)
    assert not objects.is_true(job.workload(), "Admitted")
    assert "stays Pending" in job.check_message()
    # On real clusters: which node has it there.
    world.eventually(
        "where it is scheduled is mirrored",
        lambda: _scheduled(job.manager_job()) == _scheduled(job.remote_job(world.worker2)),
    )
    status = objects.present(job.manager_job())["status"]
    assert "podIP" not in status and "hostIP" not in status, status
    assert "Running" in fedra.cli("status", "jobs", "-o", "wide").stdout
    job.finish(world.worker2)
    finished = objects.condition(job.workload(), "Finished")
    assert finished is not None and finished["reason"] == "Succeeded", finished
    assert objects.present(job.manager_job())["status"]["phase"] == "Succeeded"


@scenario("pod-fails", other_kinds=True, modes=COPYING)
def fails(world: World) -> None:
    """A pod that fails on its worker has failed on the manager."""
    start_with_pod_rights(world, POD)
    job = world.submit_kind(POD, "train")
    job.wait_running_on(world.worker1)
    job.finish(world.worker1, "Failed")
    finished = objects.condition(job.workload(), "Finished")
    assert finished is not None and finished["reason"] == "Failed", finished
    assert objects.present(job.manager_job())["status"]["phase"] == "Failed"


@scenario("pod-moved", other_kinds=True, modes=COPYING)
def moved(world: World) -> None:
    """A pod moves when its worker is lost, is evicted here and dispatched again, and goes with the user's."""
    start_with_pod_rights(world, POD, workerLostTimeout="3s")
    job = world.submit_kind(POD, "train")
    lose_worker_and_evict(world, job)
    assert stays_here(job)
    world.manager.delete("Pod", world.ns, "train")
    world.eventually("nothing is left on the workers", job.nowhere)


@scenario("pod-evicted", other_kinds=True, modes=COPYING)
def evicted(world: World) -> None:
    """A pod that is preempted on its worker, and so deleted there, runs on the other one."""
    world.set_quota(world.worker1, objects.Quota(cpu="1"))
    start_with_pod_rights(world, POD)
    job = world.submit_kind(POD, "train")
    job.wait_running_on(world.worker1)
    world.preempt_on(world.worker1, job)
    job.wait_running_on(world.worker2)
    assert stays_here(job)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("pod-restart", other_kinds=True, modes=COPYING)
def restart(world: World) -> None:
    """A fedra that is started again knows where a pod runs, although its check is Pending."""
    fedra = start_with_pod_rights(world, POD)
    job = world.submit_kind(POD, "train")
    job.wait_running_on(world.worker1)
    uid = remote_uid(job)
    fedra.kill()
    fedra.start()
    world.wait_worker_state(world.worker1, "Connected")
    job.wait_running_on(world.worker1)
    assert remote_uid(job) == uid, "the pod was made again"
    job.finish(world.worker1)


def _all_stay_here(group: PodGroup) -> bool:
    return all(stays_here(job) for job in group.members.values())


@scenario("pod-group-runs", other_kinds=True, modes=COPYING)
def group_runs(world: World) -> None:
    """A group of pods goes to one worker whole, is mirrored pod by pod, and ends when all have succeeded."""
    world.add_template_for(world.worker2)
    fedra = start_with_pod_rights(world, POD)
    group = PodGroup(world, "train", 2, template=TEMPLATE)
    group.wait_running_on(world.worker2)
    assert _all_stay_here(group)
    job = group.members["train-0"]
    assert not objects.is_true(job.workload(), "Admitted")
    assert "stays Pending" in job.check_message()
    shown = fedra.cli("status", "jobs", "-o", "wide").stdout
    assert f"{world.ns}/train " in shown and "Pod group" in shown, shown
    group.end(world.worker2, "train-0")
    assert group.phase("train-1") == "Running"
    assert group.finished() is None
    group.finish(world.worker2)


@scenario("pod-group-replaced", other_kinds=True, modes=COPYING)
def group_replaced(world: World) -> None:
    """A pod of a group that fails is replaced on its worker, also by one that takes its name."""
    world.use_workers(world.worker1)
    start_with_pod_rights(world, POD)
    group = PodGroup(world, "train", 2)
    group.wait_running_on(world.worker1)
    group.end(world.worker1, "train-0", "Failed")
    assert group.finished() is None
    group.add("train-2").wait_running_on(world.worker1)
    # Its successor is there, so Kueue lets it go.
    first = group.uid_on(world.worker1, "train-0")
    world.manager.delete("Pod", world.ns, "train-0")
    world.eventually("it is gone", lambda: group.members["train-0"].manager_job() is None)
    group.end(world.worker1, "train-1", "Failed")
    group.add("train-0").wait_running_on(world.worker1)
    assert group.uid_on(world.worker1, "train-0") != first, "it is the copy of the pod that failed"
    assert stays_here(group.members["train-0"]) and stays_here(group.members["train-2"])
    group.finish(world.worker1)


@scenario("pod-group-moved", other_kinds=True, modes=COPYING)
def group_moved(world: World) -> None:
    """A group moves whole when its worker is lost, or it is evicted here; a copy that went comes back."""
    start_with_pod_rights(world, POD, workerLostTimeout="3s")
    group = PodGroup(world, "train", 2)
    group.wait_running_on(world.worker1)
    world.cut(world.worker1)
    group.wait_running_on(world.worker2)
    world.restore(world.worker1)
    group.wait_gone_from(world.worker1)
    first = group.uid_on(world.worker2, "train-1")
    group.take_away(world.worker2, "train-1")
    world.eventually(
        "it is there again", lambda: group.members["train-1"].remote_job(world.worker2)
    )
    group.wait_running_on(world.worker2)
    assert group.uid_on(world.worker2, "train-1") != first
    group.evict_here()
    world.eventually(
        "it was requeued", lambda: objects.condition(group.workload(), "Requeued") is not None
    )
    somewhere = world.eventually("it is dispatched again", group.members["train-0"].cluster_name)
    group.wait_running_on(somewhere)
    assert _all_stay_here(group)
    # How a user ends a group.
    world.manager.delete("Workload", world.ns, "train")
    for worker in world.workers:
        group.wait_gone_from(worker)


@scenario("pod-group-evicted", other_kinds=True, modes=COPYING)
def group_evicted(world: World) -> None:
    """A group whose pods are stopped by its worker's Kueue has not failed, and runs on the other one."""
    world.set_quota(world.worker1, objects.Quota(cpu="2"))
    start_with_pod_rights(world, POD)
    group = PodGroup(world, "train", 2)
    group.wait_running_on(world.worker1)
    world.preempt_on(world.worker1, group.members["train-0"])
    group.wait_running_on(world.worker2)
    assert _all_stay_here(group)
    assert group.finished() is None
    group.wait_gone_from(world.worker1)
    group.finish(world.worker2)


@scenario("deployment-runs", other_kinds=True, modes=COPYING)
def deployment(world: World) -> None:
    """The replicas of a Deployment run on workers, more and less of them, and the manager's Deployment is ready; check takes it, too."""
    fedra = start_with_pod_rights(world, POD)
    planned = fedra.checked(deployment_of_two(world.ns, TEMPLATE))
    assert [each.reasons for each in planned.values()] == [["TemplateMissing"]] * 2, planned
    planned = fedra.checked(deployment_of_two(world.ns))
    assert [each.reasons for each in planned.values()] == [[], []], planned
    world.manager.apply(deployment_of_two(world.ns))

    def pods() -> list[FederatedJob]:
        return [
            world.job(pod["metadata"]["name"], kind=POD)
            for pod in world.admin(MANAGER).list("Pod", world.ns, "app=serve")
            if "deletionTimestamp" not in pod["metadata"]
        ]

    world.eventually("two pods run elsewhere", lambda: _running(pods()) == 2)
    world.eventually("the Deployment is ready", lambda: _ready(world) == 2)
    assert all(stays_here(job) for job in pods())
    # One that fails there is replaced here, and the new one runs elsewhere, too.
    first = pods()[0]
    world.fleet.end_pod(first.remote_jobs()[0], world.ns, first.name, "Failed")
    world.eventually(
        "another one takes its place",
        lambda: _running([job for job in pods() if job.name != first.name]) == 2,
    )
    # The simulated controller takes none away.
    for replicas in (3,) if isinstance(world.fleet, SimFleet) else (3, 1):
        scale = {"spec": {"replicas": replicas}}
        world.manager.patch("Deployment", world.ns, "serve", scale)
        world.eventually(f"{replicas} run elsewhere", lambda: _running(pods()) == replicas)
        world.eventually("and no others", lambda: _running_there(world) == replicas)
    world.manager.delete("Deployment", world.ns, "serve")
    world.eventually("nothing is left on the workers", lambda: not _left(world), 90)


def _running(jobs: list[FederatedJob]) -> int:
    return sum(
        job.manager_job() is not None
        and objects.present(job.manager_job())["status"].get("phase") == "Running"
        and job.remote_jobs() != []
        for job in jobs
    )


def _ready(world: World) -> int:
    status: Any = world.admin(MANAGER).get("Deployment", world.ns, "serve").get("status", {})
    return int(status.get("readyReplicas", 0))


def _left(world: World) -> list[Object]:
    return [
        pod
        for worker in world.fleet.workers
        for pod in world.admin(worker).list("Pod", world.ns, "app=serve")
    ]


def _running_there(world: World) -> int:
    return sum(pod["status"].get("phase") == "Running" for pod in _left(world))


def deployment_of_two(namespace: str, template: str | None = None) -> Object:
    """A Deployment named serve with two pods, each of which is a job."""
    labels = {"app": "serve", QUEUE_LABEL: QUEUE}
    spec = POD.make(namespace, "x", QUEUE, template)["spec"]
    del spec["restartPolicy"]  # Never, which a Deployment may not say
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "serve", "namespace": namespace, "labels": {QUEUE_LABEL: QUEUE}},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "serve"}},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }
