"""Which of the jobs that wait for the same devices leaves first: order, gangs, priorities, restarts."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.rows.parts import (
    by_template,
    device,
    device_class,
    exactly,
    node,
    pool,
    template,
)
from scenarios.rows.row import Row
from scenarios.rows.submission import job_of
from scenarios.waiting import always
from scenarios.world import QUEUE, World

_CLASS = "card.example.com"

# With its DRA support on, Kueue charges classes that it has a mapping for and no others.
_OFF = (False,)


def _stage(world: World, worker: str, cards: int) -> None:
    """One node with that many cards, and the template one-card, which wants one of them."""
    world.supply.clear(worker)
    devices = [device(f"card-{index}") for index in range(cards)]
    for each in (
        node("n1"),
        device_class(_CLASS),
        template("one-card", exactly("card", _CLASS)),
        *(pool(_CLASS, "n1", devices) if cards else []),
    ):
        world.supply.put(worker, each)


def _start(
    world: World, order: str, backfill: Object | None = None, links: Sequence[str] = ()
) -> Fedra:
    dispatch: Object = {"order": order}
    if backfill:
        dispatch["backfill"] = backfill
    settings = {"verification": {"devices": "Enforce"}, "dispatch": dispatch}
    return world.start_fedra(settings, links=links)


def _submit(
    world: World,
    name: str,
    pods: int = 1,
    priority: str | None = None,
    queue: str = QUEUE,
) -> FederatedJob:
    row = Row(name, "", "", [], pods=pods, pod=by_template(card="one-card"))
    manifest = job_of(row, world.ns, name)
    manifest["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = queue
    if priority is not None:
        manifest["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = priority
    world.manager.create(manifest)
    job = world.job(name)
    world.eventually(
        f"{name} has its quota",
        lambda: objects.is_true(job.workload(), "QuotaReserved"),
    )
    return job


def _dispatched(world: World, jobs: Sequence[FederatedJob]) -> list[FederatedJob]:
    return [job for job in jobs if job.cluster_name() is not None]


def _wait_dispatched(world: World, jobs: Sequence[FederatedJob]) -> None:
    names = [job.name for job in jobs]
    world.eventually(f"{names} leave", lambda: len(_dispatched(world, jobs)) == len(jobs))


def _end_one_by_one(world: World, jobs: Sequence[FederatedJob]) -> list[str]:
    """Ends whatever runs, until all of them have run; their names in the order in which they left."""
    left: list[FederatedJob] = []
    while len(left) < len(jobs):
        waiting = [job for job in jobs if job not in left]
        new = world.eventually("the next one leaves", lambda: _dispatched(world, waiting))
        assert len(new) == 1, [job.name for job in new]
        left.append(new[0])
        worker = objects.present(new[0].workload())["status"]["clusterName"]
        new[0].wait_running_on(worker)
        new[0].finish(worker)
    return [job.name for job in left]


@scenario("first-come", kueue_dra=_OFF)
def equal_jobs_leave_in_their_order(world: World) -> None:
    """One card, sixteen equal jobs: they leave in the order of their submission, a restart in the middle or not."""
    _stage(world, world.worker1, 1)
    _stage(world, world.worker2, 0)
    fedra = _start(world, "Backfill")
    jobs = [_submit(world, f"f{index:02}") for index in range(16)]
    before = _end_one_by_one(world, jobs[:8])
    fedra.restart()
    after = _end_one_by_one(world, jobs[8:])
    assert before + after == [job.name for job in jobs], before + after


@scenario("first-come-cut", kueue_dra=_OFF)
def a_worker_that_returns_changes_no_order(world: World) -> None:
    """One card; its worker is out of reach while one job ends and another one comes: the order stays."""
    _stage(world, world.worker1, 1)
    _stage(world, world.worker2, 0)
    _start(world, "Backfill", links=[world.worker1])
    jobs = [_submit(world, f"f{index:02}") for index in range(8)]
    before = _end_one_by_one(world, jobs[:3])
    fourth = jobs[3]
    fourth.wait_running_on(world.worker1)
    world.cut(world.worker1)
    world.fleet.end_pods(world.worker1, world.ns, fourth.name, "Succeeded")
    jobs.append(_submit(world, "f08"))
    always("nobody leaves", lambda: not _dispatched(world, jobs[4:]), 1)
    world.restore(world.worker1)
    fourth.finish(world.worker1)
    after = _end_one_by_one(world, jobs[4:])
    names = [job.name for job in jobs]
    assert [*before, fourth.name, *after] == names, [*before, fourth.name, *after]


@scenario("first-come-template", kueue_dra=_OFF)
def a_template_that_comes_last_changes_no_order(world: World) -> None:
    """One card, eight jobs whose template is missing everywhere: when it comes they leave in their order."""
    _stage(world, world.worker1, 1)
    _stage(world, world.worker2, 0)
    for worker in world.workers:
        world.supply.take(worker, "ResourceClaimTemplate", "one-card")
    _start(world, "Backfill")
    jobs = [_submit(world, f"f{index:02}") for index in range(8)]
    for job in jobs:
        job.wait_message("no worker eligible", "one-card")
    for worker in reversed(world.workers):
        world.supply.put(worker, template("one-card", exactly("card", _CLASS)))
    left = _end_one_by_one(world, jobs)
    assert left == [job.name for job in jobs], left


def _one_card_and_a_high_priority(world: World) -> str:
    """The fleet has one card, on worker1; the name of a priority class above all others."""
    urgent = f"{world.ns}-urgent"
    for cluster in (MANAGER, *world.workers):
        world.admin(cluster).apply(objects.priority_class(urgent, 1000))
    _stage(world, world.worker1, 1)
    _stage(world, world.worker2, 0)
    return urgent


@scenario("priority-first", kueue_dra=_OFF)
def a_higher_priority_overtakes(world: World) -> None:
    """The card is in use; a job of higher priority comes last and is the next to leave."""
    urgent = _one_card_and_a_high_priority(world)
    _start(world, "Strict")
    first = _submit(world, "a-first")
    first.wait_running_on(world.worker1)
    jobs = [
        _submit(world, "b-low"),
        _submit(world, "c-low"),
        _submit(world, "d-high", 1, urgent),
    ]
    for job in jobs:
        job.wait_message("waits for a worker")
    first.finish(world.worker1)
    assert _end_one_by_one(world, jobs) == ["d-high", "b-low", "c-low"]


@scenario("crash-after-nomination", kueue_dra=_OFF)
def a_nomination_holds_its_device_over_a_crash(world: World) -> None:
    """kill -9 between nomination and clone, the store lost: a job of higher priority does not get the card."""
    urgent = _one_card_and_a_high_priority(world)
    fedra = world.start_fedra({"verification": {"devices": "Enforce"}}, crash_at="after-nomination")
    first = _submit(world, "a-first")
    fedra.wait_crashed(world.fleet.patience)
    # It is made beside the nomination: what may be there already is taken away, as if it were still to come.
    made = first.clone(world.worker1)
    if made is not None:
        world.admin(world.worker1).delete("Workload", world.ns, made["metadata"]["name"])
    second = _submit(world, "b-high", 1, urgent)
    fedra.delete_store()
    fedra.start()
    first.wait_running_on(world.worker1)
    second.wait_message("waits for a worker")
    assert world.dispatched_to(world.worker1) == 1, "the card was given twice"
    first.finish(world.worker1)
    second.wait_running_on(world.worker1)
    second.finish(world.worker1)


def _gang_first_in_line(
    world: World, order: str, *, elsewhere: int = 1, **backfill: object
) -> tuple[list[FederatedJob], FederatedJob, list[FederatedJob]]:
    """Four cards on worker1 and some on worker2, all in use; a gang of four waits, and thirty small jobs behind it."""
    _stage(world, world.worker1, 4)
    _stage(world, world.worker2, elsewhere)
    _start(world, order, backfill)
    cards = 4 + elsewhere
    holders = [_submit(world, f"a-holder-{index}") for index in range(cards)]
    world.eventually("all cards are in use", lambda: len(_dispatched(world, holders)) == cards)
    for job in holders:
        job.wait_running_on(objects.present(job.workload())["status"]["clusterName"])
    gang = _submit(world, "b-gang", pods=4)
    gang.wait_message("waiting in line for devices")
    small = [_submit(world, f"c-small-{index:02}") for index in range(30)]
    small[-1].wait_message("waiting in line for devices")
    return holders, gang, small


def _end_on(world: World, jobs: Sequence[FederatedJob], worker: str) -> None:
    for job in jobs:
        if objects.present(job.workload())["status"]["clusterName"] == worker:
            job.finish(worker)


def _wait_line(
    world: World,
    job: FederatedJob,
    places: dict[str, int],
    kept: str | None = None,
    passes: int = 0,
) -> None:
    """Waits until `fedra why` shows the job at these places, passed so often."""

    def look() -> bool:
        assert world.fedra is not None
        line = world.fedra.line(job.key)
        if line is None:
            return False
        found = {each["worker"]: each["place"] for each in line["places"]}
        return found == places and line.get("keptWorker") == kept and line["passes"] == passes

    world.eventually(f"{job.name} stands at {places}", look)


def _gang_leaves_first(
    world: World,
    holders: Sequence[FederatedJob],
    gang: FederatedJob,
    small: Sequence[FederatedJob],
) -> list[FederatedJob]:
    """One card becomes free and stays free until the gang has left; the holders that had not ended before."""
    first = [job for job in holders if job.cluster_name() == world.worker1][0]
    first.finish(world.worker1)
    always("the free card stays free", lambda: not _dispatched(world, small), 2)
    left = [job for job in holders if job is not first]
    _end_on(world, left, world.worker1)
    gang.wait_running_on(world.worker1)
    assert not _dispatched(world, small), "a small one passed the gang"
    gang.finish(world.worker1)
    return left


def _next(world: World) -> Object:
    """A small job that was not submitted yet."""
    row = Row("next", "", "", [], pods=1, pod=by_template(card="one-card"))
    return job_of(row, world.ns, "next")


def _wait_line_noted(world: World, length: int) -> None:
    """Where all cards are in use `check` says how many wait for them."""
    said = f"in line for devices there: {length} jobs, first"

    def look() -> bool:
        assert world.fedra is not None
        workers = world.fedra.check(_next(world)).json()["items"][0]["workers"]
        notes = {each["name"]: each.get("notes", []) for each in workers}
        return any(note["message"].startswith(said) for note in notes[world.worker1])

    world.eventually(f"check says that {length} jobs are in line", look)


def _assert_told(world: World, gang: FederatedJob, behind: FederatedJob) -> None:
    """`why` says who is first and by which order; `check` knows it before a job is submitted."""
    fedra = world.fedra
    assert fedra is not None
    line = objects.present(fedra.line(behind.key))
    first = {each["worker"]: each.get("first", {}).get("name") for each in line["places"]}
    assert line["order"] == "Backfill" and first[world.worker1] == gang.name, line
    verdict = fedra.checked(_next(world))[world.worker1]
    assert verdict.outcome == "No" and verdict.reasons == ["InLine"], verdict
    assert gang.key in verdict.messages[0], verdict


@scenario("gang-strict", kueue_dra=_OFF)
def nobody_passes_a_gang(world: World) -> None:
    """order Strict: behind a gang that could use every card, thirty small jobs wait until it has left."""
    holders, gang, small = _gang_first_in_line(world, "Strict")
    left = _gang_leaves_first(world, holders, gang, small)
    _end_on(world, left, world.worker2)
    world.eventually("the small ones follow", lambda: len(_dispatched(world, small)) >= 5)


@scenario("gang-backfill", kueue_dra=_OFF)
def a_worker_is_kept_for_a_gang(world: World) -> None:
    """order Backfill: the gang's worker is kept for it; where it could never run, small jobs go on."""
    holders, gang, small = _gang_first_in_line(world, "Backfill")
    _wait_line(world, gang, {world.worker1: 1}, kept=world.worker1)
    _wait_line(world, small[1], {world.worker1: 3, world.worker2: 2})
    _wait_line_noted(world, 1 + len(small))
    elsewhere = [job for job in holders if job.cluster_name() == world.worker2]
    # The gang can only ever run on worker1; the one card of worker2 is of no use to it.
    for job in elsewhere:
        job.finish(world.worker2)
    passed = world.eventually("a small one runs on worker2", lambda: _dispatched(world, small))
    assert [job.name for job in passed] == ["c-small-00"], [job.name for job in passed]
    mine = [job for job in holders if job not in elsewhere]
    mine[0].finish(world.worker1)
    always("worker1 is kept for the gang", lambda: len(_dispatched(world, small)) == 1, 2)
    _assert_told(world, gang, small[1])
    for job in mine[1:]:
        job.finish(world.worker1)
    gang.wait_running_on(world.worker1)
    assert len(_dispatched(world, small)) == 1, "a second one passed the gang"
    gang.finish(world.worker1)


@scenario("gang-restarted", kueue_dra=_OFF)
def a_restart_while_a_gang_waits(world: World) -> None:
    """kill -9 while a gang waits first in line: places, the kept worker and who leaves next are the same after it."""
    holders, gang, small = _gang_first_in_line(world, "Backfill", elsewhere=4)
    mine = [job for job in holders if job.cluster_name() == world.worker1]
    mine[0].finish(world.worker1)
    both = (world.worker1, world.worker2)
    seen = (0, 1, 14, 29)

    def wait_line() -> None:
        _wait_line(world, gang, dict.fromkeys(both, 1), kept=world.worker1)
        for index in seen:
            _wait_line(world, small[index], dict.fromkeys(both, 2 + index))

    wait_line()
    assert world.fedra is not None
    world.fedra.restart()
    always("the free card stays free", lambda: not _dispatched(world, small), 2)
    wait_line()
    elsewhere = [job for job in holders if job not in mine]
    elsewhere[0].finish(world.worker2)
    passed = world.eventually("a small one runs on worker2", lambda: _dispatched(world, small))
    assert [job.name for job in passed] == ["c-small-00"], [job.name for job in passed]
    for job in mine[1:]:
        job.finish(world.worker1)
    gang.wait_running_on(world.worker1)
    assert len(_dispatched(world, small)) == 1, "a second one passed the gang"
    gang.finish(world.worker1)


@scenario("gang-passed", kueue_dra=_OFF)
def a_gang_is_passed_so_often(world: World) -> None:
    """order Backfill: two small jobs pass the gang on the worker that it does not keep, and no third one."""
    holders, gang, small = _gang_first_in_line(world, "Backfill", elsewhere=4, maxPasses=2)
    _wait_line(world, gang, {world.worker1: 1, world.worker2: 1}, kept=world.worker1)
    elsewhere = [job for job in holders if job.cluster_name() == world.worker2]
    for index, job in enumerate(elsewhere[:2]):
        job.finish(world.worker2)
        small[index].wait_running_on(world.worker2)
    _wait_line(world, gang, {world.worker1: 1, world.worker2: 1}, kept=world.worker1, passes=2)
    assert world.fedra is not None
    assert objects.present(world.fedra.line(gang.key))["boundReached"]
    elsewhere[2].finish(world.worker2)
    always("the third card stays free", lambda: len(_dispatched(world, small)) == 2, 2)
    _end_on(world, [job for job in holders if job not in elsewhere], world.worker1)
    gang.wait_running_on(world.worker1)
    small[2].wait_running_on(world.worker2)
    gang.finish(world.worker1)


@scenario("gang-waited", kueue_dra=_OFF)
def a_gang_is_passed_so_long(world: World) -> None:
    """order Backfill: nobody passes a gang that has waited for maxWait, on any worker."""
    holders, gang, small = _gang_first_in_line(world, "Backfill", elsewhere=4, maxWait="1s")
    _wait_line(world, gang, {world.worker1: 1, world.worker2: 1}, kept=world.worker1)
    always("the gang waits for a second", gang.nowhere, 1.5)
    elsewhere = [job for job in holders if job.cluster_name() == world.worker2]
    elsewhere[0].finish(world.worker2)
    always("the card stays free", lambda: not _dispatched(world, small), 2)
    for job in elsewhere[1:]:
        job.finish(world.worker2)
    # Four cards are free there before they are on the worker that was kept.
    gang.wait_running_on(world.worker2)
    gang.finish(world.worker2)


@scenario("line-moves-quietly", kueue_dra=_OFF)
def a_line_that_moves_rewrites_nothing(world: World) -> None:
    """A card becomes free and is taken again: those that go on waiting are written to not once."""
    _stage(world, world.worker1, 1)
    _stage(world, world.worker2, 0)
    _start(world, "Backfill")
    first = _submit(world, "a-first")
    first.wait_running_on(world.worker1)
    jobs = [_submit(world, f"b-{index:02}") for index in range(12)]
    for job in jobs:
        job.wait_message("waiting in line for devices")
    waiting = jobs[3:]

    def versions() -> list[str]:
        return [objects.present(job.workload())["metadata"]["resourceVersion"] for job in waiting]

    before = versions()
    first.finish(world.worker1)
    for job in jobs[:2]:
        job.wait_running_on(world.worker1)
        job.finish(world.worker1)
    jobs[2].wait_running_on(world.worker1)
    assert versions() == before, "a check was written although nothing has changed for its job"


@scenario("gang-best-effort", kueue_dra=_OFF)
def what_fits_goes(world: World) -> None:
    """order BestEffort: a free card goes to the next job that it is enough for; the gang runs after the stream."""
    holders, gang, small = _gang_first_in_line(world, "BestEffort")
    mine = [job for job in holders if job.cluster_name() == world.worker1]
    for index, job in enumerate(mine):
        job.finish(world.worker1)
        _wait_dispatched(world, small[: index + 1])
    # One of four goes on running, so that what becomes free is never enough for the gang.
    running, behind = small[:4], small[4:]
    while behind:
        new, behind = behind[:3], behind[3:]
        for job in running[: len(new)]:
            job.wait_running_on(world.worker1)
            job.finish(world.worker1)
        _wait_dispatched(world, new)
        running = running[len(new) :] + new
        assert gang.nowhere(), "the gang was dispatched while a card was in use"
    for job in running:
        job.wait_running_on(world.worker1)
        job.finish(world.worker1)
    gang.wait_running_on(world.worker1)
    gang.finish(world.worker1)


@scenario("shares-by-weight", kueue_dra=_OFF)
def queues_share_by_weight(world: World) -> None:
    """One card, two queues with weights 3 and 1: of each four jobs that leave, three are of the first."""
    _stage(world, world.worker1, 1)
    _stage(world, world.worker2, 0)
    other = world.add_queue("other")
    _start(world, "Backfill")
    # Before there are weights: what it takes is no part of its queue's share.
    holder = _submit(world, "a-holder")
    holder.wait_running_on(world.worker1)
    for queue, weight in ((world.ns, "3"), (other, "1")):
        patch = {"spec": {"fairSharing": {"weight": weight}}}
        world.manager.patch("ClusterQueue", None, queue, patch)
    jobs = [_submit(world, f"light-{index}", queue="other") for index in range(4)]
    jobs += [_submit(world, f"heavy-{index}") for index in range(8)]
    jobs[-1].wait_message("waits for a worker")
    holder.finish(world.worker1)
    left = _end_one_by_one(world, jobs)
    for names in (left[:4], left[4:8]):
        assert sum(name.startswith("heavy") for name in names) == 3, left
    for kind in ("light", "heavy"):
        assert [name for name in left if name.startswith(kind)] == sorted(
            name for name in left if name.startswith(kind)
        ), left


@scenario("shares-of-local-queues", kueue_dra=_OFF)
def local_queues_share_their_cluster_queue(world: World) -> None:
    """One card, two LocalQueues of one ClusterQueue with weights 3 and 1; deleted jobs take no turns."""
    _stage(world, world.worker1, 1)
    _stage(world, world.worker2, 0)
    for cluster in (MANAGER, *world.workers):
        world.admin(cluster).apply(objects.local_queue(world.ns, "other", world.ns))
    _start(world, "Backfill")
    holder = _submit(world, "a-holder")
    holder.wait_running_on(world.worker1)
    scope = {"spec": {"admissionScope": {"admissionMode": "UsageBasedAdmissionFairSharing"}}}
    world.manager.patch("ClusterQueue", None, world.ns, scope)
    for queue, weight in ((QUEUE, "3"), ("other", "1")):
        patch = {"spec": {"fairSharing": {"weight": weight}}}
        world.manager.patch("LocalQueue", world.ns, queue, patch)
    gone = [_submit(world, f"heavy-gone-{index}") for index in range(6)]
    jobs = [_submit(world, f"light-{index}", queue="other") for index in range(4)]
    jobs += [_submit(world, f"heavy-{index}") for index in range(8)]
    jobs[-1].wait_message("waits for a worker")
    for job in gone:
        world.manager.delete("Job", world.ns, job.name)
    world.eventually("they are gone", lambda: all(job.workload() is None for job in gone))
    holder.finish(world.worker1)
    left = _end_one_by_one(world, jobs)
    for names in (left[:4], left[4:8]):
        assert sum(name.startswith("heavy") for name in names) == 3, left


@scenario("order-of-a-queue", kueue_dra=_OFF)
def a_queue_has_an_order_of_its_own(world: World) -> None:
    """dispatch.order is BestEffort; the annotation Strict on the ClusterQueue keeps small jobs behind its gang."""
    patch = {"metadata": {"annotations": {"fedra.dev/order": "Strict"}}}
    world.manager.patch("ClusterQueue", None, world.ns, patch)
    holders, gang, small = _gang_first_in_line(world, "BestEffort")
    _gang_leaves_first(world, holders, gang, small)
