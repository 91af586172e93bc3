"""StatefulSets: on the manager their pods stay gated, and their status is their own controller's."""

from __future__ import annotations

from scenarios import objects
from scenarios.cases.kinds import lose_worker_and_evict, start_with_pod_rights, wait_rejected
from scenarios.federated_job import PREBUILT_ANNOTATION
from scenarios.job_kinds import STATEFUL_SET
from scenarios.modes import COPYING
from scenarios.registry import scenario
from scenarios.world import QUEUE, TEMPLATE, World

_ORIGIN_UID = "kueue.x-k8s.io/multikueue-origin-uid"


@scenario("statefulset-runs", other_kinds=True, modes=COPYING)
def runs(world: World) -> None:
    """A StatefulSet is dispatched by its devices' template, runs on the worker alone, and goes with the user's."""
    world.add_template_for(world.worker2)
    fedra = start_with_pod_rights(world, STATEFUL_SET)
    planned = fedra.checked(STATEFUL_SET.make(world.ns, "planned", QUEUE, TEMPLATE))
    reasons = {worker: verdict.reasons for worker, verdict in planned.items()}
    assert reasons == {world.worker1: ["TemplateMissing"], world.worker2: []}, planned
    job = world.submit_kind(STATEFUL_SET, "serve", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    assert "stays Pending" in job.check_message()
    assert not objects.is_true(job.workload(), "Admitted")
    here = objects.present(job.manager_job())
    assert here.get("status", {}).get("readyReplicas", 0) == 0, here
    remote = objects.present(job.remote_job(world.worker2))
    annotations = remote["metadata"]["annotations"]
    assert annotations[_ORIGIN_UID] == here["metadata"]["uid"], annotations
    workload = objects.present(job.workload())["metadata"]["name"]
    assert annotations[PREBUILT_ANNOTATION] == workload, annotations
    assert "StatefulSet" in fedra.cli("status", "jobs", "-o", "wide").stdout
    world.eventually(
        "status tells of its replicas there",
        lambda: "2 of 2 replicas ready" in fedra.cli("status", "jobs", "-o", "wide").stdout,
    )
    world.manager.delete("StatefulSet", world.ns, "serve")
    world.eventually("nothing is left on the workers", job.nowhere)


@scenario("statefulset-moved", other_kinds=True, modes=COPYING)
def moved(world: World) -> None:
    """A StatefulSet moves when its worker is lost, is evicted here and dispatched again, and goes with the user's."""
    start_with_pod_rights(world, STATEFUL_SET, workerLostTimeout="3s")
    job = world.submit_kind(STATEFUL_SET, "serve")
    lose_worker_and_evict(world, job)
    world.manager.delete("StatefulSet", world.ns, "serve")
    world.eventually("nothing is left on the workers", job.nowhere)


@scenario("statefulset-evicted", other_kinds=True, modes=COPYING)
def evicted(world: World) -> None:
    """A StatefulSet that is preempted on its worker runs on the other one."""
    world.set_quota(world.worker1, objects.Quota(cpu="2"))
    start_with_pod_rights(world, STATEFUL_SET)
    job = world.submit_kind(STATEFUL_SET, "serve")
    job.wait_running_on(world.worker1)
    world.preempt_on(world.worker1, job)
    job.wait_running_on(world.worker2)
    job.wait_gone_from(world.worker1)


@scenario("statefulset-without-pods", other_kinds=True, modes=COPYING)
def without_pods(world: World) -> None:
    """Without kueue.pods a StatefulSet is rejected, as any kind that fedra does not run."""
    world.start_fedra()
    job = world.submit_kind(STATEFUL_SET, "serve")
    wait_rejected(world, job)
