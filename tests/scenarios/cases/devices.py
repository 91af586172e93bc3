"""Devices that come and go: what waits leaves at once, what is in flight is not given twice, what is unknown is said."""

from __future__ import annotations

import time
from collections.abc import Sequence

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Verdict
from scenarios.fleet import MANAGER
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.rows.parts import (
    allocated,
    by_name,
    by_template,
    claim,
    device,
    device_class,
    exactly,
    held,
    node,
    pool,
    taint_rule,
    taken,
    template,
)
from scenarios.rows.row import Row
from scenarios.rows.submission import job_of
from scenarios.waiting import assert_quick
from scenarios.world import World

_CLASS = "card.example.com"  # also its driver; no worker has it from the beginning
DEVICES: Object = {"verification": {"devices": "Enforce"}}

# From the change to the clone: far below any period after which fedra might look by itself.
_WITHOUT_A_TIMER = 2.0

# With its DRA support on, Kueue charges classes that it has a mapping for and no others.
_OFF = (False,)


def _cards(count: int, node_name: str = "n1") -> list[Object]:
    return pool(_CLASS, node_name, [device(f"card-{index}") for index in range(count)])


def stage(world: World, worker: str, cards: int, *more: Object) -> None:
    """One node with that many cards, the class, and the template one-card, which wants one of them."""
    world.supply.clear(worker)
    for each in (
        node("n1"),
        device_class(_CLASS),
        template("one-card", exactly("card", _CLASS)),
        *(_cards(cards) if cards else []),
        *more,
    ):
        world.supply.put(worker, each)


def submit(world: World, name: str, pod: Object | None = None, pods: int = 1) -> FederatedJob:
    row = Row(name, "", "", [], pods=pods, pod=pod or by_template(card="one-card"))
    world.manager.create(job_of(row, world.ns, name))
    return world.job(name)


def _assert_leaves_at_once(world: World, job: FederatedJob, worker: str, since: float) -> None:
    world.eventually(f"clone on {worker}", lambda: job.clone(worker))
    elapsed = time.monotonic() - since
    world.note(f"left after {elapsed * 1000:.0f} ms")
    assert_quick("the clone", elapsed, _WITHOUT_A_TIMER)


@scenario("burst", kueue_dra=_OFF)
def more_jobs_at_once_than_a_worker_has_devices(world: World) -> None:
    """Six jobs at once, three cards on each of two workers: three and three, and no pod waits."""
    for worker in world.workers:
        stage(world, worker, 3)
    world.start_fedra(DEVICES)
    jobs = [submit(world, f"train-{index}") for index in range(6)]
    placed = {worker: 0 for worker in world.workers}
    for job in jobs:
        placed[world.eventually(f"{job.key} is placed", job.cluster_name)] += 1
    assert placed == {worker: 3 for worker in world.workers}, placed
    world.eventually("all pods run", lambda: _running_pods(world) == 6)
    for job in jobs:
        job.finish(job.remote_jobs()[0])


def _running_pods(world: World) -> int:
    return sum(
        pod["status"].get("phase") == "Running"
        for worker in world.workers
        for pod in world.admin(worker).list("Pod", world.ns)
    )


@scenario("device-freed", kueue_dra=_OFF)
def waiting_job_leaves_when_a_device_is_freed(world: World) -> None:
    """All cards in use: the job waits and fedra says who holds them; one is freed: it leaves without any timer."""
    stage(world, world.worker1, 1, taken(_CLASS, "n1", "card-0", by="a-neighbour"))
    stage(world, world.worker2, 1, taken(_CLASS, "n1", "card-0"))
    world.start_fedra(DEVICES)
    job = submit(world, "train")
    job.wait_message("waiting in line for devices")
    verdict = world.verdicts(job)[world.worker1]
    assert verdict.reasons == ["DevicesAllocated"], verdict
    assert f"{world.ns}/a-neighbour" in verdict.messages[0], verdict
    started = time.monotonic()
    world.supply.take(world.worker2, "ResourceClaim", "somebody-else")
    _assert_leaves_at_once(world, job, world.worker2, started)
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("next-in-line", kueue_dra=_OFF)
def the_end_of_one_job_lets_the_next_go(world: World) -> None:
    """One card in the whole fleet, two jobs: the second waits, and leaves when the first one ends."""
    stage(world, world.worker1, 1)
    stage(world, world.worker2, 0)
    fedra = world.start_fedra(DEVICES)
    first = submit(world, "first")
    first.wait_running_on(world.worker1)
    second = submit(world, "second")
    second.wait_message("waits for a worker")
    assert world.reasons(second) == {
        world.worker1: ["DevicesAllocated"],
        world.worker2: ["DriverMissing"],
    }
    held = f"1 device: 1 allocated (job {world.ns}/first)"
    world.eventually(
        "the job that holds the card is named",
        lambda: any(held in m for m in world.verdicts(second)[world.worker1].messages),
    )
    metrics = fedra.page("/metrics")
    driver = f'cluster="{world.worker1}",driver="{_CLASS}"'
    assert f'fedra_devices{{{driver},state="allocated"}} 1' in metrics, metrics
    assert f'fedra_devices{{{driver},state="free"}} 0' in metrics, metrics
    assert f'fedra_placement_wait_seconds_count{{cluster="{world.worker1}"}} 1' in metrics, metrics
    assert "fedra_blocked_workloads{reason=" in metrics, metrics
    second.stays_nowhere(1)
    first.finish(world.worker1)
    second.wait_running_on(world.worker1)
    second.finish(world.worker1)


@scenario("taint-rule", kueue_dra=_OFF, off_by_default=True)
def a_rule_comes_and_goes(world: World) -> None:
    """A DeviceTaintRule on the only worker with a card holds a job back; without it the job leaves at once."""
    rule = taint_rule("maintenance", _CLASS, "example.com/maintenance", device="card-0")
    stage(world, world.worker1, 1)
    stage(world, world.worker2, 0)
    world.start_fedra(DEVICES)
    first = submit(world, "first")
    first.wait_running_on(world.worker1)
    first.finish(world.worker1)
    world.supply.put(world.worker1, rule)
    job = submit(world, "train")
    world.eventually(
        "the taint is seen",
        lambda: world.reasons(job)[world.worker1] == ["DeviceTainted"],
    )
    job.stays_nowhere(1)
    started = time.monotonic()
    world.supply.take(world.worker1, "DeviceTaintRule", "maintenance")
    _assert_leaves_at_once(world, job, world.worker1, started)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("slice-removed", kueue_dra=_OFF)
def slices_come_and_go(world: World) -> None:
    """The driver withdraws its slice while a job waits for a card, and publishes it again: seen both times."""
    cards = _cards(1)
    stage(world, world.worker1, 1, taken(_CLASS, "n1", "card-0"))
    stage(world, world.worker2, 0)
    world.start_fedra(DEVICES)
    job = submit(world, "train")
    _eventually_refused(world, job, "DevicesAllocated")
    world.supply.take(world.worker1, "ResourceSlice", cards[0]["metadata"]["name"])
    _eventually_refused(world, job, "DriverMissing")
    world.supply.take(world.worker1, "ResourceClaim", "somebody-else")
    job.stays_nowhere(1)
    started = time.monotonic()
    world.supply.put(world.worker1, cards[0])
    _assert_leaves_at_once(world, job, world.worker1, started)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


def _eventually_refused(world: World, job: FederatedJob, reason: str) -> None:
    world.eventually(
        f"{world.worker1} is refused for {reason}",
        lambda: world.reasons(job)[world.worker1] == [reason],
    )


@scenario("claim-pinned", kueue_dra=_OFF)
def users_of_one_claim_stay_together(world: World) -> None:
    """A claim of one name on two workers: the second job follows the first, although the other worker is free."""
    shared = claim("shared", exactly("card", _CLASS), users_together=True)
    for worker in world.workers:
        stage(world, worker, 2, shared)
    world.start_fedra(DEVICES)
    pod = by_name(card="shared")
    first = submit(world, "first", pod)
    first.wait_running_on(world.worker1)
    second = submit(world, "second", pod)
    second.wait_running_on(world.worker1)
    assert world.reasons(second)[world.worker2] == ["ClaimElsewhere"]
    assert not world.dispatched_to(world.worker2)
    first.finish(world.worker1)
    second.finish(world.worker1)


@scenario("claim-preferred", kueue_dra=_OFF)
def users_of_one_claim_need_not_stay_together(world: World) -> None:
    """Where users of a claim need not share it, the worker that has it allocated is preferred, and another one will do."""
    free = claim("shared", exactly("card", _CLASS))
    stage(world, world.worker1, 1, free)
    stage(
        world,
        world.worker2,
        1,
        allocated(free, "n1", held(_CLASS, "n1", "card-0", "card")),
    )
    world.start_fedra(DEVICES)
    pod = by_name(card="shared")
    first = submit(world, "first", pod)
    first.wait_running_on(world.worker2)
    world.supply.take(world.worker2, "Node", "n1")
    second = submit(world, "second", pod)
    second.wait_running_on(world.worker1)


@scenario("forbidden-slices", kueue_dra=_OFF)
def may_not_read_slices(world: World) -> None:
    """A worker that hides its slices is Unknown, not No: tried when no other has a free card."""
    stage(world, world.worker1, 1)
    stage(world, world.worker2, 1)
    access = world.fleet.restricted_access(world.worker1, without=["resourceslices"])
    world.start_fedra(DEVICES, accesses={world.worker1: access})
    first = submit(world, "first")
    first.wait_running_on(world.worker2)
    verdict = world.verdicts(first)[world.worker1]
    assert (verdict.outcome, verdict.reasons) == ("Unknown", ["Forbidden"]), verdict
    second = submit(world, "second")
    second.wait_running_on(world.worker1)
    assert world.reasons(second)[world.worker2] == ["DevicesAllocated"]
    first.finish(world.worker2)
    second.finish(world.worker1)


@scenario("drift-too-large", kueue_dra=_OFF)
def the_workers_own_template_counts(world: World) -> None:
    """A worker whose template wants more than the manager's is judged by its own, and the drift is pointed out."""
    stage(world, world.worker1, 1)
    stage(world, world.worker2, 1)
    manager_copy = objects.claim_template(world.ns, "one-card", _CLASS)
    world.manager.apply(manager_copy)
    world.supply.take(world.worker1, "ResourceClaimTemplate", "one-card")
    world.supply.put(world.worker1, template("one-card", exactly("card", _CLASS, count=2)))
    world.start_fedra(DEVICES)
    job = submit(world, "train")
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["NotEnoughDevices", "TemplateDrift"]
    job.finish(world.worker2)


@scenario("class-for-a-resource", kueue_dra=_OFF)
def an_extended_resource_gets_its_class(world: World) -> None:
    """Nobody offers example.com/card; a DeviceClass takes the name on: the job leaves at once."""
    resource = "example.com/card"
    quota = objects.Quota(extended=(resource,))
    world.manager.apply(objects.cluster_queue(world.ns, quota, world.check))
    for worker in world.workers:
        world.set_quota(worker, quota)
        stage(world, worker, 1)
    fedra = world.start_fedra(DEVICES)
    row = Row("train", "", "", [], resources={resource: "1"})
    world.manager.create(job_of(row, world.ns, "train"))
    job = world.job("train")
    job.wait_message("no worker eligible")
    assert world.reasons(job) == {worker: ["ResourceMissing"] for worker in world.workers}
    why = " ".join(fedra.cli("why", f"{world.ns}/train").stdout.split())
    assert f"no node has {resource}, and no DeviceClass has it as extendedResourceName" in why, why
    assert "waiting does not help" in why, why
    started = time.monotonic()
    named = device_class("resource.example.com", f'device.driver == "{_CLASS}"', extended=resource)
    world.supply.put(world.worker2, named)
    _assert_leaves_at_once(world, job, world.worker2, started)
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("scalable-pool", kueue_dra=_OFF)
def an_autoscaler_could_bring_it(world: World) -> None:
    """No cards now, but a pool of nodes with cards is declared: MayScale, used when no worker says Yes."""
    stage(world, world.worker1, 0)
    stage(world, world.worker2, 1)
    pools = [{"class": _CLASS, "devices": 4, "nodeLabels": {"pool": "cards"}}]
    world.start_fedra(DEVICES, workers={world.worker1: {"scalablePools": pools}})
    first = submit(world, "first")
    first.wait_running_on(world.worker2)
    assert world.verdicts(first)[world.worker1].outcome == "MayScale"
    second = submit(world, "second")
    second.wait_clone(world.worker1)
    assert world.reasons(second)[world.worker2] == ["DevicesAllocated"]
    world.eventually("the job is there", lambda: second.remote_job(world.worker1))
    # What the autoscaler does when it sees the waiting pod.
    for each in (node("n2", {"pool": "cards"}), *_cards(4, "n2")):
        world.supply.put(world.worker1, each)
    second.wait_running_on(world.worker1)
    world.eventually("both run", lambda: _running_pods(world) == 2)
    first.finish(world.worker2)
    second.finish(world.worker1)


_NEEDS: dict[str, Object] = {
    "ConfigMap settings": {"volumes": [{"name": "settings", "configMap": {"name": "settings"}}]},
    "PersistentVolumeClaim data": {
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    },
    "ServiceAccount trainer": {"serviceAccountName": "trainer"},
    "PriorityClass urgent": {"priorityClassName": "urgent"},
    "RuntimeClass isolated": {"runtimeClassName": "isolated"},
}


_SETTINGS: Object = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "settings"},
    "data": {},
}
_PRIORITY_CLASS: Object = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "urgent"},
    "value": 1000,
}
_DEPENDENCIES: Sequence[Object] = (
    _SETTINGS,
    _PRIORITY_CLASS,
    {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    },
    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "trainer"}},
    {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "isolated"},
        "handler": "isolated",
    },
)


@scenario("dependencies", kueue_dra=_OFF)
def whatever_else_the_pods_name(world: World) -> None:
    """ConfigMap, PersistentVolumeClaim, ServiceAccount, PriorityClass, RuntimeClass: each missing one is named."""
    for worker in world.workers:
        world.fleet.grant(worker, "worker-rbac-dependencies.yaml")
    # Kueue on the manager takes the job's priority from its own copy.
    world.supply.put(MANAGER, _PRIORITY_CLASS)
    for each in _DEPENDENCIES:
        world.supply.put(world.worker2, each)
    world.start_fedra({"verification": {"dependencies": "Enforce"}})
    for number, (name, pod) in enumerate(_NEEDS.items()):
        job = submit(world, f"train-{number}", pod)
        job.wait_clone(world.worker2)
        verdict = world.verdicts(job)[world.worker1]
        assert verdict.reasons == ["DependencyMissing"], verdict
        kind, _, object_name = name.partition(" ")
        assert kind in verdict.messages[0] and object_name in verdict.messages[0], verdict
        world.manager.delete("Job", world.ns, job.name)
        world.eventually(f"{job.key} is gone", job.nowhere)
    _created_later(world)


@scenario("other-scheduler", kueue_dra=_OFF)
def a_scheduler_that_no_api_shows(world: World) -> None:
    """Pods with a schedulerName of their own: silent with Off, a note with Warn, Unknown with Enforce; the devices count."""
    for worker in world.workers:
        world.fleet.grant(worker, "worker-rbac-dependencies.yaml")
    stage(world, world.worker1, 0)
    stage(world, world.worker2, 1)
    pod = by_template(card="one-card") | {"schedulerName": "volcano"}
    fedra = world.start_fedra(
        {
            "verification": {
                "devices": "Enforce",
                "dependencies": "Enforce",
                "unknown": "TryLast",
            }
        }
    )
    job = submit(world, "gang", pod)
    job.wait_clone(world.worker2)
    verdicts = world.verdicts(job)
    assert verdicts[world.worker1].outcome == "No", verdicts
    _assert_note(verdicts[world.worker2], "Unknown")
    world.manager.delete("Job", world.ns, job.name)
    world.eventually(f"{job.key} is gone", job.nowhere)
    # The command line reads the file itself.
    manifest = job_of(Row("gang", "", "", [], pod=pod), world.ns, "gang")
    for check, outcome in (("Enforce", "Unknown"), ("Warn", "Yes")):
        fedra.change_settings({"verification": {"dependencies": check}})
        _assert_note(fedra.checked(manifest)[world.worker2], outcome)
    fedra.change_settings({"verification": {"dependencies": "Off"}})
    assert fedra.checked(manifest)[world.worker2].reasons == []


def _assert_note(verdict: Verdict, outcome: str) -> None:
    assert verdict.outcome == outcome and verdict.reasons == ["SchedulerUnverified"], verdict
    assert "volcano" in verdict.messages[0] and "kube-scheduler" in verdict.messages[0], verdict


def _created_later(world: World) -> None:
    """A job that nothing but a missing ConfigMap holds back leaves for the worker where it is created."""
    world.supply.take(world.worker2, "ConfigMap", "settings")
    job = submit(world, "late", _NEEDS["ConfigMap settings"])
    job.wait_message("no worker eligible", "settings")
    started = time.monotonic()
    world.supply.put(world.worker1, _SETTINGS)
    _assert_leaves_at_once(world, job, world.worker1, started)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)
