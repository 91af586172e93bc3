"""Plays a row: sets the workers up, lets fedra choose, and compares what it says with what the schedulers do.

Every verdict is held against reality: where fedra says Yes, all pods must start (those of the job itself on the
worker that it goes to, equal pods without fedra on the other); where it says No, they must not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scenarios import objects
from scenarios.fedra_process import Verdict
from scenarios.fleet import MANAGER
from scenarios.job_kinds import POD
from scenarios.objects import Quota
from scenarios.resources import Object
from scenarios.rows import compute_domain
from scenarios.rows.preflight import assert_preflight
from scenarios.rows.row import Case, Row, State
from scenarios.rows.submission import (
    Submission,
    extended_resources,
    first_job,
    manifests,
    pods_of,
    queued,
    unmanaged,
)
from scenarios.setup import GPU_CLASS
from scenarios.waiting import Timeout, eventually
from scenarios.world import World

_PROBE = "probe"  # the pods that are not fedra's
# A pod that waits for a claim that does not exist gets no condition at all (Kubernetes 1.36): nothing to wait for.
_SILENCE = 1.5


def play(world: World, row: Row) -> None:
    for number, case in enumerate(row.cases, 1):
        if world.fedra is not None:
            world.fedra.stop()
        states = dict(zip(world.workers, (case.worker1, case.worker2)))
        documents = manifests(row, world.ns, f"job-{number}")
        for worker, state in states.items():
            furnish(world, worker, row, state)
        for each in row.on_manager:
            world.supply.put(MANAGER, each)
        cover_resources(world, [*documents, *(each for each, _ in case.also)])
        _start_fedra(world, row, states)
        _play_case(world, row, case, documents)
        world.supply.strip()


def runs_pods(row: Row) -> bool:
    """Whether its jobs are pods, for which fedra needs more rights."""
    return any(each["kind"] in ("Pod", "Deployment") for each in row.workload)


def of_other_kinds(row: Row) -> bool:
    return any(each["kind"] != "Job" for each in row.workload)


def _play_case(world: World, row: Row, case: Case, documents: Sequence[Object]) -> None:
    assert world.fedra is not None
    states = dict(zip(world.workers, (case.worker1, case.worker2)))
    asked = first_job(documents)
    _assert_verdicts("check", world.fedra.checked(*asked), states)
    assert_preflight(world.fedra, states, asked)
    submission = Submission(world, documents)
    running = _pods_by_worker(world, case, submission.pods)
    for worker in running:
        _wait_pods(world, worker, submission, running[worker])
    submission.wait_running()
    _assert_stored_verdict(world, submission, states)
    _assert_as_allocated(world, states, running)
    _assert_services(world, row, pods_of(asked[0])[0], running)
    also = [_also(world, case, running, *each) for each in case.also]
    for worker, state in states.items():
        if worker not in running:
            _probe(world, worker, unmanaged(asked, world.ns, _PROBE), state)
    for end in (*also, submission):
        end.end(next(iter(running)))


def _pods_by_worker(world: World, case: Case, pods: int) -> dict[str, int]:
    """Where how many must run."""
    if case.goes_to:
        return {world.worker1 if case.goes_to == "worker1" else world.worker2: pods}
    return dict(zip(world.workers, case.spread))


def _wait_pods(world: World, worker: str, submission: Submission, pods: int) -> None:
    submission.play_operator(worker)
    world.eventually(f"{pods} pods run on {worker}", lambda: _running(world, worker) == pods)


def _also(
    world: World, case: Case, running: dict[str, int], published: Object, where: str
) -> Submission:
    """More of the article's objects, beside those that run."""
    worker = world.worker1 if where == "worker1" else world.worker2
    submission = Submission(world, [queued(published, world.ns)])
    running[worker] = running.get(worker, 0) + submission.pods
    _wait_pods(world, worker, submission, running[worker])
    submission.wait_running()
    return submission


def _assert_verdicts(
    command: str, verdicts: Mapping[str, Verdict], states: Mapping[str, State]
) -> None:
    for worker, state in states.items():
        verdict = verdicts[worker]
        reasons = tuple(dict.fromkeys(verdict.reasons))  # one per request; each code once
        said = (verdict.outcome, reasons, tuple(verdict.alternatives))
        expected = (state.verdict, state.reasons, state.alternatives)
        assert said == expected, f"{worker} ({state.what}): {command} says {verdict}"
        for text in state.says:
            told = any(text in message for message in verdict.messages)
            assert told, f"{worker} ({state.what}): {command} does not say {text!r}: {verdict}"


def _assert_stored_verdict(
    world: World, submission: Submission, states: Mapping[str, State]
) -> None:
    """Of several jobs each was told what the others left, in any order: `check` has answered for the first."""
    if len(submission.keys) == 1:
        _assert_verdicts("why", _stored_verdicts(world, submission.keys[0]), states)


def _stored_verdicts(world: World, key: str) -> dict[str, Verdict]:
    assert world.fedra is not None
    fedra = world.fedra
    world.eventually(f"fedra has verdicts on {key}", lambda: fedra.verdicts(key))
    return fedra.verdicts(key)


def _probe(world: World, worker: str, pods: Sequence[Object], state: State) -> None:
    """Equal pods that neither fedra nor Kueue has anything to do with."""
    client = world.admin(worker)
    for each in pods:
        client.create(each)
    what = f"pods of {worker} ({state.what})"
    if state.fits:
        world.eventually(f"all {what} run", lambda: _running(world, worker) == len(pods))
    else:
        _assert_some_wait(world, worker, len(pods), what)
    for each in pods:
        client.delete("Pod", world.ns, each["metadata"]["name"])
    world.eventually(f"{what} are gone", lambda: not client.list("Pod", world.ns))


def _assert_some_wait(world: World, worker: str, pods: int, what: str) -> None:
    def decided() -> bool:
        found = world.admin(worker).list("Pod", world.ns)
        return None not in [objects.condition(each, "PodScheduled") for each in found]

    try:
        eventually(f"{what} are decided on", decided, _SILENCE)
    except Timeout:
        pass  # nobody will say more of them
    assert _running(world, worker) < pods, f"all {what} run"


def _running(world: World, worker: str) -> int:
    """Of the row's namespace, where nobody else has pods."""
    world.supply.attach(worker)
    pods = world.admin(worker).list("Pod", world.ns)
    return sum(pod.get("status", {}).get("phase") == "Running" for pod in pods)


def _assert_as_allocated(
    world: World, states: Mapping[str, State], running: Mapping[str, int]
) -> None:
    """The claims in use hold what the row says, request by request."""
    for worker in running:
        expected = sorted(states[worker].allocates)
        found = sorted(
            result["request"]
            for claim in world.admin(worker).list("ResourceClaim", world.ns)
            if claim.get("status", {}).get("reservedFor")
            for result in claim["status"]["allocation"]["devices"]["results"]
        )
        assert not expected or found == expected, f"{worker}: allocated {found}"


def _assert_services(world: World, row: Row, pod: Object, running: Mapping[str, int]) -> None:
    """The article's Services are where the pods are, and select them: the copies have the pods' labels.

    One that is for what the article applies later is not yet asked about; one that is for nothing is a mistake of the row.
    """
    later = [each for case in row.cases for document, _ in case.also for each in pods_of(document)]
    for each in flat(row.everywhere):
        if each["kind"] != "Service":
            continue
        chosen = each["spec"]["selector"]
        of_later = any(chosen.items() <= _labels(one).items() for one in later)
        if of_later and not chosen.items() <= _labels(pod).items():
            continue
        name = each["metadata"]["name"]
        assert chosen.items() <= _labels(pod).items(), f"Service {name} selects no pod of the row"
        selector = ",".join(f"{key}={value}" for key, value in chosen.items())
        for worker, count in running.items():
            selected = world.admin(worker).list("Pod", world.ns, selector)
            assert len(selected) == count, f"{worker}: {selector} selects {len(selected)}"


def _labels(pod: Object) -> Object:
    labels: Object = pod["metadata"].get("labels", {})
    return labels


# --- The stage.


def _start_fedra(world: World, row: Row, states: Mapping[str, State]) -> None:
    workers = {
        worker: {"capabilities": list(state.capabilities)} for worker, state in states.items()
    }
    if world.fedra is None:
        settings: dict[str, Any] = {"verification": {"devices": "Enforce", **row.verification}}
        if runs_pods(row):
            grant_pods(world)
            settings |= POD.settings
        world.start_fedra(settings, workers=workers)
        return
    for worker, entry in workers.items():
        world.fedra.change_worker(worker, entry)
    world.fedra.start()


def grant_pods(world: World) -> None:
    """The rights that docs/kinds.md asks for where pods are jobs."""
    world.fleet.grant(MANAGER, "manager-rbac-pods.yaml")
    for worker in world.fleet.workers:
        world.fleet.grant(worker, "worker-rbac-pods.yaml")


def furnish(world: World, worker: str, row: Row, state: State) -> None:
    """Exactly the nodes, devices and classes of the state, in place of the usual ones."""
    world.supply.clear(worker)
    world.admin(worker).delete("DeviceClass", None, GPU_CLASS)
    _label_namespace(world, worker, state.namespace_labels)
    for each in flat(row.everywhere, state.objects):
        if each["kind"] == compute_domain.KIND:
            compute_domain.create(world, worker, each)
        else:
            world.supply.put(worker, each)
    if state.unlabelled_later:
        _label_namespace(world, worker, dict.fromkeys(state.namespace_labels))


def _label_namespace(world: World, worker: str, labels: Mapping[str, str | None]) -> None:
    """Null takes a label away."""
    if labels:
        patch = {"metadata": {"labels": dict(labels)}}
        world.admin(worker).patch("Namespace", None, world.ns, patch)


def flat(*groups: object) -> Iterator[Object]:
    """The objects of a row, which may be one, several, or lists of them."""
    for group in groups:
        if isinstance(group, dict):
            yield group
        elif isinstance(group, (list, tuple)):
            yield from flat(*group)


def cover_resources(world: World, documents: Sequence[Object]) -> None:
    """Kueue admits nothing that asks for a resource that its queue does not cover."""
    extended = extended_resources(documents)
    if not extended:
        return
    quota = Quota(extended=extended)
    world.manager.apply(objects.cluster_queue(world.ns, quota, world.check))
    for worker in world.workers:
        world.set_quota(worker, quota)
