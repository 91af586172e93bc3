"""Jobs that claim devices: what must exist on a worker before a job is sent there."""

from __future__ import annotations

import time

from scenarios import objects, setup
from scenarios.modes import ALL, COPYING
from scenarios.objects import present
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.waiting import always, assert_quick
from scenarios.world import TEMPLATE, World

RARE_CLASS, LATE_CLASS = setup.RARE_CLASSES

# From the object that was missing to the clone: far below any period after which fedra might look by itself.
_WITHOUT_A_TIMER = 2.0


@scenario("template-everywhere", modes=ALL)
def runs_with_a_template(world: World) -> None:
    """Template everywhere: the job runs on the first worker with a device of its own."""
    world.add_template_everywhere()
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    assert job.clones() == [world.worker1]
    assert world.worker1 in job.check_message()
    job.finish(world.worker1)


@scenario("template-on-manager-only", modes=COPYING)
def template_only_on_the_manager(world: World) -> None:
    """Template on the manager only: the job stays, and the check says what is missing on which worker."""
    world.add_template("manager")
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    message = job.wait_message("no worker eligible", world.worker1, world.worker2)
    assert f"ResourceClaimTemplate {world.ns}/{TEMPLATE}" in message, message
    job.stays_nowhere(3)
    assert job.cluster_name() is None


@scenario("template-per-cluster", modes=ALL)
def each_cluster_has_its_own_template(world: World) -> None:
    """Counts 1, 2, 3 on manager, worker1, worker2: the winner's own count is what is used there."""
    world.add_template("manager", count=1)
    world.add_template(world.worker1, count=2)
    world.add_template(world.worker2, count=3)
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    assert (
        "TemplateDrift" in world.reasons(job)[world.worker1]
    ), "different templates must be pointed out"
    if world.fleet.kueue_dra:
        assert _charged(job.workload()) == "1"
        assert _charged(job.clone(world.worker1)) == "2"
    _wait_allocated(world, world.worker1, 2)
    job.finish(world.worker1)


@scenario("template-created-later")
def template_appears_on_all(world: World) -> None:
    """Template on no worker: clusterName stays empty. Created everywhere: the job leaves at once."""
    world.add_template("manager")
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_message("no worker eligible")
    assert set(world.reasons(job)[world.worker1]) == {"TemplateMissing"}
    always("clusterName is empty", lambda: job.cluster_name() is None, 2)
    assert "PlacementRejected" in job.event_reasons()
    started = time.monotonic()
    for worker in world.workers:
        world.add_template(worker)
    world.eventually("clone somewhere", job.clones)
    _assert_quick(world, "template to clone", started)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("template-on-first-worker", modes=ALL)
def template_on_the_first_worker(world: World) -> None:
    """Template on worker1 only: routed there."""
    world.add_template("manager")
    world.add_template(world.worker1)
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    if world.fleet.kueue_dra:
        assert _charged(job.clone(world.worker1)) == "1"
    job.finish(world.worker1)


@scenario("two-pods-two-devices", modes=ALL)
def two_pods_two_devices(world: World) -> None:
    """Two pods: two claims, two devices, and the quota that belongs to them."""
    world.add_template_everywhere()
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE, pods=2)
    job.wait_running_on(world.worker1)
    _wait_allocated(world, world.worker1, 2)
    if world.fleet.kueue_dra:
        assert _charged(job.clone(world.worker1)) == "2"
    job.finish(world.worker1)


@scenario("template-missing-on-one")
def template_on_the_second_worker(world: World) -> None:
    """Template missing on the preferred worker: the other one gets the job, the first never sees a clone."""
    world.add_template("manager")
    world.add_template(world.worker2)
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["TemplateMissing"]
    assert not world.dispatched_to(world.worker1)
    job.finish(world.worker2)


@scenario("template-created-on-one")
def template_created_later(world: World) -> None:
    """Template created on one worker while the job waits: it leaves for that worker without any timer."""
    world.add_template("manager")
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_message("no worker eligible", "does not exist")
    started = time.monotonic()
    world.add_template(world.worker2)
    world.eventually("clone", lambda: job.clone(world.worker2))
    _assert_quick(world, "template to clone", started)
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


# With Kueue's DRA support on, the manager itself needs the template before it reserves quota.
@scenario("template-not-on-manager", kueue_dra=(False,))
def manager_needs_no_template(world: World) -> None:
    """With Kueue leaving devices alone, only the worker needs the template."""
    world.add_template(world.worker2)
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("class-missing-on-the-winner")
def device_class_missing(world: World) -> None:
    """The worker that Kueue would admit on lacks the DeviceClass (its pods would hang): the other one gets it."""
    world.add_template_everywhere(RARE_CLASS)
    world.add_class(world.worker2, RARE_CLASS)
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["DeviceClassMissing"]
    assert not world.dispatched_to(world.worker1)
    job.finish(world.worker2)


@scenario("class-created-later")
def device_class_created_later(world: World) -> None:
    """DeviceClass on no worker: blocked with its name; created: the job leaves without any timer."""
    world.add_template_everywhere(LATE_CLASS)
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE)
    job.wait_message("no worker eligible", f"DeviceClass {LATE_CLASS}")
    started = time.monotonic()
    world.add_class(world.worker2, LATE_CLASS)
    world.eventually("clone", lambda: job.clone(world.worker2))
    _assert_quick(world, "class to clone", started)
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("drift-required-equal")
def drift_refused(world: World) -> None:
    """drift: Require refuses the worker whose template differs from the manager's."""
    world.add_template("manager")
    world.add_template(world.worker1, count=2)
    world.add_template(world.worker2)
    world.start_fedra({"verification": {"templates": {"drift": "Require"}}})
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["TemplateDrift"]
    job.finish(world.worker2)


# With its DRA support on, Kueue 0.19.2 refuses named claims and firstAvailable before fedra sees the workload.
@scenario("named-claim", kueue_dra=(False,))
def named_claim(world: World) -> None:
    """A named ResourceClaim binds the job to the worker that has it; missing everywhere is said as such."""
    world.start_fedra()
    job = world.submit("train", claim="shared")
    job.wait_message("no worker eligible", f"ResourceClaim {world.ns}/shared")
    assert world.reasons(job)[world.worker1] == ["ClaimMissing"]
    world.admin(world.worker2).apply(objects.claim(world.ns, "shared", setup.GPU_CLASS))
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("first-available", kueue_dra=(False,))
def prioritized_list_and_named_claim(world: World) -> None:
    """The shape of the project's seed: a prioritized list by template plus a named claim, run to its end."""
    template = objects.prioritized_template(
        world.ns, TEMPLATE, [(RARE_CLASS, 1), (setup.GPU_CLASS, 2)]
    )
    for worker in world.workers:
        world.add_class(worker, RARE_CLASS)
        world.admin(worker).apply(template)
    world.admin(world.worker1).apply(objects.claim(world.ns, "shared", setup.GPU_CLASS))
    world.start_fedra()
    job = world.submit("train", template=TEMPLATE, claim="shared")
    job.wait_running_on(world.worker1)
    _wait_allocated(world, world.worker1, 2)
    job.finish(world.worker1)


def _charged(workload: Object | None) -> str | None:
    """What Kueue counts for devices, in the only pod set."""
    assignment: Object = present(workload)["status"]["admission"]["podSetAssignments"][0]
    return assignment["resourceUsage"].get(objects.DEVICE_QUOTA)


def _wait_allocated(world: World, worker: str, devices: int) -> None:
    """The claims of the pods that run there hold that many devices."""

    def allocated() -> int:
        claims = world.admin(worker).list("ResourceClaim", world.ns)
        allocations = [claim.get("status", {}).get("allocation") for claim in claims]
        return sum(len(each["devices"]["results"]) for each in allocations if each)

    world.eventually(f"{devices} devices allocated", lambda: allocated() == devices)


def _assert_quick(world: World, what: str, started: float) -> None:
    elapsed = time.monotonic() - started
    world.note(f"{what} {elapsed * 1000:.0f} ms")
    assert_quick(what, elapsed, _WITHOUT_A_TIMER)
