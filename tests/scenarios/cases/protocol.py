"""What Kueue does with an admission check of ours, shown step by step without fedra.

This is the ground that fedra stands on: when one of these fails, either a new Kueue behaves differently or the
simulation is wrong.
"""

from __future__ import annotations

import copy

from scenarios import objects
from scenarios.federated_job import (
    PREBUILT_ANNOTATION,
    FederatedJob,
)
from scenarios.kube_client import ApiError
from scenarios.modes import ORIGIN, ORIGIN_LABEL
from scenarios.objects import present
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import TEMPLATE, World

_FIELD_MANAGER = "protocol-test"


@scenario("protocol-walk")
def protocol_walk(world: World) -> None:
    """A job goes from submission to its end by the protocol of docs/architecture.md, with no fedra anywhere: a test of the fleet."""
    world.add_template_everywhere()
    _activate_check(world)
    job = world.submit("train", template=TEMPLATE)
    _expect_pending(world, job)
    _nominate(world, job, world.worker1)
    _create_clone(world, job)
    world.eventually(
        "clone admitted", lambda: objects.is_true(job.clone(world.worker1), "Admitted")
    )
    _create_remote_job(world, job)
    world.eventually(
        "remote job runs",
        lambda: _status(job.remote_job(world.worker1)).get("active") == 1,
    )
    _admit(world, job)
    world.eventually("admitted on the manager", lambda: objects.is_true(job.workload(), "Admitted"))
    world.eventually("manager's job resumed", lambda: not _spec(job.manager_job())["suspend"])
    assert not world.manager.list(
        "Pod", world.ns
    ), "managedBy must keep the manager from starting pods"
    _end_and_mirror(world, job)


def _activate_check(world: World) -> None:
    condition = {
        "type": "Active",
        "status": "True",
        "reason": "Active",
        "message": "walking through the protocol",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    check = objects.admission_check(world.check)
    check.pop("spec")
    world.manager.apply_status({**check, "status": {"conditions": [condition]}}, _FIELD_MANAGER)
    world.wait_check_active()


def _expect_pending(world: World, job: FederatedJob) -> None:
    world.eventually("quota reserved", lambda: objects.is_true(job.workload(), "QuotaReserved"))
    world.eventually("our check is Pending", lambda: job.check_state() == "Pending")
    assert not objects.is_true(job.workload(), "Admitted")


def _nominate(world: World, job: FederatedJob, worker: str) -> None:
    _patch_status(world, job, {"nominatedClusterNames": [worker]})


def _create_clone(world: World, job: FederatedJob) -> None:
    workload = present(job.workload())
    metadata = {
        "name": workload["metadata"]["name"],
        "namespace": world.ns,
        "labels": {ORIGIN_LABEL: ORIGIN},
    }
    clone = {
        "apiVersion": workload["apiVersion"],
        "kind": "Workload",
        "metadata": metadata,
        "spec": workload["spec"],
    }
    world.admin(world.worker1).create(clone)


def _create_remote_job(world: World, job: FederatedJob) -> None:
    remote = copy.deepcopy(present(job.manager_job()))
    name = present(job.workload())["metadata"]["name"]
    remote["metadata"] = {
        "name": job.name,
        "namespace": world.ns,
        "labels": {**remote["metadata"]["labels"], ORIGIN_LABEL: ORIGIN},
        "annotations": {PREBUILT_ANNOTATION: name},
    }
    remote.pop("status")
    for field in ("managedBy", "selector"):
        remote["spec"].pop(field, None)
    remote["spec"]["template"].pop(
        "metadata", None
    )  # the controller-uid labels of the manager's job
    world.admin(world.worker1).create(remote)


def _admit(world: World, job: FederatedJob) -> None:
    _patch_status(world, job, {"clusterName": world.worker1, "nominatedClusterNames": None})
    workload = present(job.workload())
    entry = {
        "name": world.check,
        "state": "Ready",
        "message": "admitted by hand",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    metadata = {"name": workload["metadata"]["name"], "namespace": world.ns}
    world.manager.apply_status(
        {
            "apiVersion": workload["apiVersion"],
            "kind": "Workload",
            "metadata": metadata,
            "status": {"admissionChecks": [entry]},
        },
        _FIELD_MANAGER,
    )


def _end_and_mirror(world: World, job: FederatedJob) -> None:
    def ended() -> bool:
        world.fleet.end_pods(world.worker1, world.ns, job.name, "Succeeded")
        return objects.is_true(job.remote_job(world.worker1), "Complete")

    world.eventually("remote job complete", ended)
    status = _status(job.remote_job(world.worker1))
    world.manager.patch("Job", world.ns, job.name, {"status": status}, "status")
    world.eventually("workload finished", lambda: objects.is_true(job.workload(), "Finished"))
    finished = present(objects.condition(job.workload(), "Finished"))
    assert finished["reason"] == "Succeeded", finished
    name = present(job.workload())["metadata"]["name"]
    worker = world.admin(world.worker1)
    worker.delete("Job", world.ns, job.name)
    try:
        worker.patch("Workload", world.ns, name, {"metadata": {"finalizers": None}})
    except ApiError as error:
        if (
            error.status != 404
        ):  # Kueue there may have let go of it already, and it went with its job
            raise
    worker.delete("Workload", world.ns, name)


def _patch_status(world: World, job: FederatedJob, status: Object) -> None:
    name = present(job.workload())["metadata"]["name"]
    world.manager.patch("Workload", world.ns, name, {"status": status}, "status")


def _status(obj: Object | None) -> Object:
    return present(obj).get("status", {})


def _spec(obj: Object | None) -> Object:
    return present(obj)["spec"]
