"""Templates that differ, and templates that fedra copies (verification.templates.sync)."""

from __future__ import annotations

from typing import Any

from scenarios import objects, setup
from scenarios.fedra_process import CHECK_PLACEABLE, Fedra
from scenarios.federated_job import MANAGER_UID_ANNOTATION
from scenarios.fleet import MANAGER
from scenarios.job_kinds import APP_WRAPPER
from scenarios.kube_client import ApiError, KubeClient
from scenarios.objects import present
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.waiting import always
from scenarios.world import IMPATIENT, QUEUE, TEMPLATE, World

RARE_CLASS = setup.RARE_CLASSES[0]
_ORIGIN, _SOURCE = "fedra.dev/origin", "fedra.dev/template-uid"
_FIELD_MANAGER = "fedra-template-sync"
_RIGHTS = "worker-rbac-template-sync.yaml"
_READ, _COPY = {"list", "watch"}, {"create", "patch", "delete"}
# A worker that refused a copy is asked again after ten seconds.
_ASKED_AGAIN = 30.0
_COUNT = "spec.spec.devices.requests[0].exactly.count"


def _settings(sync: str, drift: str = "Warn", devices: str = "Off") -> Object:
    return {
        "verification": {
            "devices": devices,
            "templates": {"sync": sync, "drift": drift},
        }
    }


def _start(world: World, *settings: str) -> Fedra:
    """fedra may copy, and has what it needs for that on every worker."""
    for worker in world.workers:
        _allow_copies(world, worker)
    return world.start_fedra(_settings(*settings))


def _allow_copies(world: World, worker: str) -> None:
    """An API server hears of new roles a moment later."""
    world.fleet.grant(worker, _RIGHTS)
    client = KubeClient(world.fleet.fedra_access(worker))
    world.eventually(
        f"rights on {worker}",
        lambda: _rights(client, "resourceclaimtemplates") >= _COPY,
    )


def _rights(client: KubeClient, resource: str) -> set[str]:
    """What may be done with these objects of resource.k8s.io."""
    verbs = _READ | _COPY | {"get", "update", "deletecollection"}
    return {verb for verb in verbs if client.may(verb, "resource.k8s.io", resource)}


def _template(world: World, cluster: str) -> Object | None:
    return world.admin(cluster).find("ResourceClaimTemplate", world.ns, TEMPLATE)


def _count(template: Object | None) -> int | None:
    if template is None:
        return None
    return template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"]


def _assert_is_copy(world: World, worker: str) -> None:
    copy = present(_template(world, worker))
    original = present(_template(world, MANAGER))
    assert copy["metadata"]["labels"] == {_ORIGIN: "fedra"}, copy
    kube_system = world.manager.get("Namespace", None, "kube-system")["metadata"]
    assert copy["metadata"]["annotations"] == {
        _SOURCE: original["metadata"]["uid"],
        MANAGER_UID_ANNOTATION: kube_system["uid"],
    }, copy
    assert copy["spec"] == original["spec"], copy
    # The simulation does not show managedFields.
    for entry in copy["metadata"].get("managedFields", []):
        assert (entry["manager"], entry["operation"]) == (
            _FIELD_MANAGER,
            "Apply",
        ), entry


def _wait_no_template(world: World, worker: str) -> None:
    world.eventually(f"no template on {worker}", lambda: _template(world, worker) is None)


def _replace_original(world: World, count: int) -> None:
    """The spec of a template cannot be changed: its owner deletes it and creates another."""
    world.manager.delete("ResourceClaimTemplate", world.ns, TEMPLATE)
    world.add_template(MANAGER, count=count)


def _rows(world: World, *options: str) -> list[tuple[str, str]]:
    """What `fedra templates diff` would do with our template: (worker, action)."""
    assert world.fedra is not None
    output = world.fedra.cli("templates", "diff", "-o", "json", *options)
    assert output.code == 0, output
    rows: list[dict[str, Any]] = output.json()["items"]
    assert all(row["name"] == TEMPLATE for row in rows if row["namespace"] == world.ns), rows
    return [(row["worker"], row["action"]) for row in rows if row["namespace"] == world.ns]


@scenario("drift-fields")
def drift_names_the_fields(world: World) -> None:
    """A template that differs: why and check name the field and both values."""
    world.add_template(MANAGER, count=1)
    world.add_template(world.worker1, count=2)
    fedra = world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    words = f"{_COUNT}: 2 there, 1 on the manager"
    why = fedra.cli("why", job.key)
    assert "TemplateDrift" in why.stdout and words in why.stdout, why
    check = fedra.check(objects.job(world.ns, "planned", QUEUE, template=TEMPLATE))
    assert check.code == CHECK_PLACEABLE and words in check.stdout, check
    job.finish(world.worker1)


@scenario("sync-if-missing")
def missing_template_is_copied(world: World) -> None:
    """sync: IfMissing: the worker that gets the job gets the template, and loses it when the job is done."""
    world.add_template(MANAGER, count=2)
    _start(world, "IfMissing", "Require", "Enforce")
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    _assert_is_copy(world, world.worker1)
    assert _template(world, world.worker2) is None, "only the worker with the job needs it"
    job.finish(world.worker1)
    _wait_no_template(world, world.worker1)
    assert _template(world, MANAGER) is not None


@scenario("sync-appwrapper", other_kinds=True)
def template_of_a_wrapped_job_is_copied(world: World) -> None:
    """sync: an AppWrapper's template, which its Workload does not show, comes with it, stays while it runs, and goes."""
    world.add_template(MANAGER)
    _start(world, "Reconcile", "Require", "Enforce")
    job = world.submit_kind(APP_WRAPPER, "train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    _assert_is_copy(world, world.worker1)
    assert _rows(world) == [], "it is in use there, and nowhere else"
    job.finish(world.worker1)
    _wait_no_template(world, world.worker1)


@scenario("sync-burst")
def one_copy_for_many(world: World) -> None:
    """Many jobs at once that need the same template: it is copied once, and stays until the last has ended."""
    world.add_template(MANAGER)
    # Otherwise some of a burst go to the other worker.
    world.admin(world.worker2).delete("LocalQueue", world.ns, QUEUE)
    _start(world, "IfMissing")
    jobs = [world.submit(f"train-{index}", template=TEMPLATE) for index in range(8)]
    for job in jobs:
        job.wait_running_on(world.worker1)
    uid = present(_template(world, world.worker1))["metadata"]["uid"]
    for job in jobs[:-1]:
        job.finish(world.worker1)
    always("the copy stays", lambda: _uid(world, world.worker1) == uid, 1)
    jobs[-1].finish(world.worker1)
    _wait_no_template(world, world.worker1)


def _uid(world: World, cluster: str) -> str | None:
    template = _template(world, cluster)
    return template["metadata"]["uid"] if template else None


@scenario("sync-foreign")
def foreign_template_is_not_touched(world: World) -> None:
    """sync: Reconcile leaves alone what it has not made: not changed, not replaced, not removed."""
    world.add_template(MANAGER, count=1)
    world.add_template(world.worker1, count=2)
    before = _template(world, world.worker1)
    _start(world, "Reconcile")
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    assert world.reasons(job)[world.worker1] == ["TemplateDrift"]
    job.finish(world.worker1)
    always("foreign template", lambda: _template(world, world.worker1) == before, 1)


@scenario("sync-class-missing")
def no_copy_without_its_class(world: World) -> None:
    """A worker without the template's DeviceClass gets no copy; the job goes where the class is."""
    world.add_class(world.worker2, RARE_CLASS)
    world.add_template(MANAGER, class_name=RARE_CLASS)
    _start(world, "IfMissing")
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    assert "DeviceClassMissing" in world.reasons(job)[world.worker1]
    assert _template(world, world.worker1) is None
    _assert_is_copy(world, world.worker2)
    job.finish(world.worker2)


@scenario("sync-forbidden")
def copying_is_forbidden(world: World) -> None:
    """Without the right to copy: Forbidden with the file that grants it, another worker; with it, no restart."""
    world.add_template(MANAGER)
    _allow_copies(world, world.worker2)
    world.fleet.withhold(world.worker1, _RIGHTS)
    fedra = world.start_fedra({**_settings("IfMissing"), **IMPATIENT}, ignore_quota=True)
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["Forbidden"]
    assert "worker-rbac-template-sync.yaml" in fedra.cli("why", job.key).stdout
    world.close_queue(world.worker2)
    _allow_copies(world, world.worker1)
    later = world.submit("later", template=TEMPLATE)
    world.eventually(
        "copied after all", lambda: later.cluster_name() == world.worker1, _ASKED_AGAIN
    )
    refusals = fedra.log.read_text().count("template copy refused")
    assert refusals == 1, f"{refusals} refusals"
    later.finish(world.worker1)
    job.finish(world.worker2)


@scenario("sync-reconcile")
def copies_follow(world: World) -> None:
    """sync: Reconcile: a changed template replaces the copies, but none under a job that uses it."""
    world.add_template(MANAGER, count=1)
    _start(world, "Reconcile", "Require")
    first = world.submit("first", template=TEMPLATE)
    first.wait_running_on(world.worker1)
    _replace_original(world, count=2)
    second = world.submit("second", template=TEMPLATE)
    second.wait_running_on(world.worker2)
    assert _count(_template(world, world.worker2)) == 2
    assert world.reasons(second)[world.worker1] == ["TemplateDrift"]
    assert _rows(world) == [(world.worker1, "wait")]
    always("in use", lambda: _count(_template(world, world.worker1)) == 1, 1)
    first.finish(world.worker1)
    world.eventually("replaced", lambda: _count(_template(world, world.worker1)) == 2)
    _assert_is_copy(world, world.worker1)
    second.finish(world.worker2)
    for worker in world.workers:
        _wait_no_template(world, worker)


@scenario("sync-worker-removed")
def copies_leave_a_removed_worker(world: World) -> None:
    """A removed worker keeps its copy as long as its job runs; the worker is let go when that is gone, too."""
    world.add_template(MANAGER)
    fedra = _start(world, "Reconcile")
    first = world.submit("first", template=TEMPLATE)
    first.wait_running_on(world.worker1)
    uid = _uid(world, world.worker1)
    fedra.remove_worker(world.worker1)
    world.eventually("removed", lambda: "removed" in fedra.worker_notes()[world.worker1])
    second = world.submit("second", template=TEMPLATE)
    second.wait_running_on(world.worker2)
    assert _uid(world, world.worker1) == uid
    first.finish(world.worker1)
    _wait_no_template(world, world.worker1)
    world.eventually("released", lambda: world.worker1 not in fedra.worker_states())
    _assert_is_copy(world, world.worker2)
    second.finish(world.worker2)


@scenario("sync-original-gone")
def original_disappears(world: World) -> None:
    """The manager's template is deleted while a job runs: the copy stays for its pods, and goes with the job."""
    world.add_template(MANAGER)
    _start(world, "Reconcile")
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    uid = _uid(world, world.worker1)
    world.manager.delete("ResourceClaimTemplate", world.ns, TEMPLATE)
    always("the copy stays", lambda: _uid(world, world.worker1) == uid, 1)
    job.finish(world.worker1)
    _wait_no_template(world, world.worker1)


@scenario("sync-copy-lost")
def copy_is_made_again(world: World) -> None:
    """Somebody deletes the copy under a job: it is made again without a timer."""
    world.add_template(MANAGER)
    _start(world, "IfMissing")
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    uid = _uid(world, world.worker1)
    world.admin(world.worker1).delete("ResourceClaimTemplate", world.ns, TEMPLATE)
    world.eventually("made again", lambda: _uid(world, world.worker1) not in (None, uid))
    _assert_is_copy(world, world.worker1)
    job.finish(world.worker1)
    _wait_no_template(world, world.worker1)


@scenario("sync-restart")
def removal_after_a_restart(world: World) -> None:
    """The job ends while fedra is away: the copy is removed when it is back."""
    world.add_template(MANAGER)
    _start(world, "IfMissing")
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    assert world.fedra is not None
    world.fedra.kill()
    world.manager.delete("Job", world.ns, job.name)
    world.eventually("the workload is gone", lambda: job.workload() is None)
    world.fedra.start()
    world.eventually("nothing left", job.nowhere)
    _wait_no_template(world, world.worker1)


@scenario("sync-dry-run")
def dry_run(world: World) -> None:
    """fedra templates diff shows what each mode would do, and does nothing."""
    world.add_template(MANAGER)
    fedra = world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_message("no worker eligible")
    assert _rows(world) == []
    everywhere = [(worker, "create") for worker in world.workers]
    assert _rows(world, "--mode", "IfMissing") == everywhere
    table = fedra.cli("templates", "diff", "--mode", "Reconcile")
    assert f"{world.ns}/{TEMPLATE}" in table.stdout, table
    assert fedra.cli("templates", "diff", "-o", "json").json()["asOf"]
    assert all(_template(world, worker) is None for worker in world.workers), "nothing is written"
    assert fedra.cli("sync", "--dry-run", "--mode", "Reconcile") == table, "its older name"
    # Only the workers that the check allows.
    world.use_workers(world.worker2)
    world.eventually(
        "worker2 only",
        lambda: _rows(world, "--mode", "IfMissing") == [(world.worker2, "create")],
    )


# The simulation has no roles; there is nothing of ours to verify.
@scenario("sync-least-privilege", fleets=("real",))
def rights_to_copy_are_minimal(world: World) -> None:
    """deploy/worker-rbac-template-sync.yaml grants three verbs on templates; without it there is none of them."""
    worker = KubeClient(world.fleet.fedra_access(world.worker1))
    manager = KubeClient(world.fleet.fedra_access(MANAGER))
    for client in (worker, manager):
        assert _rights(client, "resourceclaimtemplates") == _READ
    _allow_copies(world, world.worker1)
    assert _rights(worker, "resourceclaimtemplates") == _READ | _COPY
    for resource in ("resourceclaims", "deviceclasses"):
        assert _rights(worker, resource) == _READ


# That an apply with this version creates and never takes over is what copies rely on (copy_document.h).
@scenario("sync-create-only")
def apply_that_must_create(world: World) -> None:
    """Server-side apply with resourceVersion 1 creates an object, and answers 409 when there is one."""
    template = objects.claim_template(world.ns, TEMPLATE, setup.GPU_CLASS)
    template["metadata"]["resourceVersion"] = "1"
    world.admin(world.worker1).apply(template)
    try:
        world.admin(world.worker1).apply(template)
    except ApiError as error:
        assert error.status == 409, error
    else:
        raise AssertionError("an existing template was taken over")
