"""Other AdmissionChecks beside the federation's, on the manager's queue and on a worker's."""

from __future__ import annotations

import dataclasses

from scenarios import objects
from scenarios.cases.jobs import RACE
from scenarios.federated_job import FederatedJob
from scenarios.modes import ALL, COPYING
from scenarios.objects import NO_QUOTA, Quota, present
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.waiting import always
from scenarios.world import World

_FIELD_MANAGER = "other-check"


@scenario("check-of-some-flavors", modes=ALL)
def another_check_of_other_flavors(world: World) -> None:
    """A check of flavors that a job does not get: the federation's is there, and Pending, before there is quota."""
    _add_check_of_other_flavor(world, dataclasses.replace(Quota(), cpu="0"))
    try:
        world.start_fedra()
        job = world.submit("train")
        world.eventually("the check is there", lambda: _checks(job) == {world.check: "Pending"})
        assert not objects.is_true(job.workload(), "QuotaReserved")
        assert job.nowhere()
        _set_quota(world, Quota())
        job.wait_running_on(world.worker1)
        assert _checks(job) == {world.check: "Ready"}
        job.finish(world.worker1)
    finally:
        _remove_check(world)


@scenario("check-of-some-flavors-lost", modes=COPYING)
def another_check_and_a_lost_worker(world: World) -> None:
    """The same when the worker is lost: the check is kept, back to Pending, and the worker cleaned up when it returns."""
    _add_check_of_other_flavor(world, Quota())
    world.use_workers(world.worker1)
    try:
        world.start_fedra({"workerLostTimeout": "3s"}, links=[world.worker1])
        job = world.submit("train")
        job.wait_running_on(world.worker1)
        uid = _uid(job.clone(world.worker1))
        world.cut(world.worker1)
        # With quota again before the worker is back, it would run on by the former clone.
        _set_quota(world, dataclasses.replace(Quota(), cpu="0"))
        world.eventually(
            "the quota is given back",
            lambda: not objects.is_true(job.workload(), "Admitted"),
        )
        world.eventually("Pending again", lambda: _checks(job) == {world.check: "Pending"})
        assert _uid(job.clone(world.worker1)) == uid, "nobody could have removed it"
        world.restore(world.worker1)
        world.eventually(
            "the former clone is gone",
            lambda: (clone := job.clone(world.worker1)) is None or _uid(clone) != uid,
        )
        _set_quota(world, Quota())
        job.wait_running_on(world.worker1)
        assert _uid(job.clone(world.worker1)) != uid
        job.finish(world.worker1)
    finally:
        _remove_check(world)


@scenario("check-rejected", modes=COPYING)
def check_is_rejected(world: World) -> None:
    """Somebody sets the check of a job that waits on two workers to Rejected: both copies go, and none comes."""
    for worker in world.workers:
        world.close_queue(worker)
    world.start_fedra(RACE)
    job = world.submit("train")
    for worker in world.workers:
        job.wait_clone(worker)
    workload = present(job.workload())
    entries = [{**each, "state": "Rejected"} for each in workload["status"]["admissionChecks"]]
    name = workload["metadata"]["name"]
    rejected = {"status": {"admissionChecks": entries}}
    world.manager.patch("Workload", world.ns, name, rejected, "status")
    world.eventually("the copies are gone", job.nowhere)
    job.stays_nowhere()
    assert job.cluster_name() is None


@scenario("worker-with-its-own-check", modes=COPYING)
def worker_has_a_check_of_its_own(world: World) -> None:
    """A worker's quota alone decides nothing: until its own check is Ready the job waits, and the other clone stays."""
    world.close_queue(world.worker2)
    name = f"{world.ns}-worker"
    client = world.admin(world.worker1)
    client.apply(objects.admission_check(name, controller="example.com/provisioning"))
    _activate(world, world.worker1, name)
    client.apply(objects.cluster_queue(world.ns, Quota(), name))
    try:
        world.start_fedra(RACE)
        job = world.submit("train")
        clone = job.wait_clone(world.worker1)
        job.wait_clone(world.worker2)
        world.eventually(
            "quota is reserved there",
            lambda: objects.is_true(job.clone(world.worker1), "QuotaReserved"),
        )
        always(
            "nothing is decided",
            lambda: (job.check_state(), job.clones(), job.remote_jobs())
            == ("Pending", list(world.workers), []),
            3,
        )
        entry = {"name": name, "state": "Ready", "message": "provisioned"}
        entry["lastTransitionTime"] = objects.LONG_AGO
        client.apply_status(
            {
                "apiVersion": clone["apiVersion"],
                "kind": "Workload",
                "metadata": {"name": clone["metadata"]["name"], "namespace": world.ns},
                "status": {"admissionChecks": [entry]},
            },
            _FIELD_MANAGER,
        )
        job.wait_running_on(world.worker1)
        assert job.clones() == [world.worker1]
        job.finish(world.worker1)
    finally:
        world.set_quota(world.worker1, Quota())
        client.delete("AdmissionCheck", None, name)


def _checks(job: FederatedJob) -> dict[str, str]:
    """The states of all checks of its Workload."""
    workload = job.workload() or {}
    entries = workload.get("status", {}).get("admissionChecks", [])
    return {entry["name"]: entry["state"] for entry in entries}


def _uid(obj: Object | None) -> str:
    return str(present(obj)["metadata"]["uid"])


def _other(world: World) -> str:
    """A flavor, and the check that is for jobs of this flavor only."""
    return f"{world.ns}-other"


def _add_check_of_other_flavor(world: World, quota: Quota) -> None:
    other = _other(world)
    world.manager.apply({**objects.resource_flavor(), "metadata": {"name": other}})
    world.manager.apply(objects.admission_check(other, controller="example.com/other"))
    _activate(world, "manager", other)
    _set_quota(world, quota)


def _set_quota(world: World, quota: Quota) -> None:
    """Devices are of the other flavor, everything else of the usual one; the federation's check is for both."""
    other = _other(world)
    queue = objects.cluster_queue(world.ns, quota, world.check)
    [group] = queue["spec"]["resourceGroups"]
    resources = group["flavors"][0]["resources"]
    usual = [each for each in resources if each["name"] != objects.DEVICE_QUOTA]
    devices = [each for each in resources if each["name"] == objects.DEVICE_QUOTA]
    queue["spec"]["resourceGroups"] = [_group(objects.FLAVOR, usual), _group(other, devices)]
    queue["spec"]["admissionChecksStrategy"] = {
        "admissionChecks": [
            {"name": world.check, "onFlavors": [objects.FLAVOR, other]},
            {"name": other, "onFlavors": [other]},
        ]
    }
    world.manager.apply(queue)


def _group(flavor: str, resources: list[Object]) -> Object:
    names = [each["name"] for each in resources]
    return {"coveredResources": names, "flavors": [{"name": flavor, "resources": resources}]}


def _remove_check(world: World) -> None:
    world.manager.apply(objects.cluster_queue(world.ns, NO_QUOTA, world.check))
    world.manager.delete("AdmissionCheck", None, _other(world))
    world.manager.delete("ResourceFlavor", None, _other(world))


def _activate(world: World, cluster: str, check: str) -> None:
    """As the check's controller would."""
    condition = {
        "type": "Active",
        "status": "True",
        "reason": "Active",
        "message": "played",
        "lastTransitionTime": objects.LONG_AGO,
    }
    identity = {
        key: value for key, value in objects.admission_check(check).items() if key != "spec"
    }
    world.admin(cluster).apply_status(
        {**identity, "status": {"conditions": [condition]}}, _FIELD_MANAGER
    )
