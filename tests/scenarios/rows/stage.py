"""Plays a row: sets the workers up, lets fedra choose, and compares what it says with what the schedulers do.

Every verdict is held against reality: where fedra says Yes, all pods must start (those of the job itself on the
worker that it goes to, of an equal job without fedra on the other); where it says No, they must not.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping

from scenarios import objects
from scenarios.fedra_process import Verdict
from scenarios.objects import Quota
from scenarios.resources import Object
from scenarios.rows.preflight import assert_preflight
from scenarios.rows.row import Case, Row, State
from scenarios.waiting import Timeout, eventually
from scenarios.world import QUEUE, World

_PROBE = "probe"  # the job that is not fedra's
# A pod that waits for a claim that does not exist gets no condition at all (Kubernetes 1.36): nothing to wait for.
_SILENCE = 1.5


def play(world: World, row: Row) -> None:
    for number, case in enumerate(row.cases, 1):
        if world.fedra is not None:
            world.fedra.stop()
        states = dict(zip(world.workers, (case.worker1, case.worker2)))
        for worker, state in states.items():
            _furnish(world, worker, row, state)
        _cover_resources(world, row)
        _start_fedra(world, row, states)
        goes_to = world.worker1 if case.goes_to == "worker1" else world.worker2
        _play_case(world, row, states, goes_to, f"job-{number}")
        world.supply.strip()


def _play_case(world: World, row: Row, states: dict[str, State], goes_to: str, name: str) -> None:
    assert world.fedra is not None
    wanted = job_of(row, world.ns, name)
    _assert_verdicts("check", world.fedra.checked(wanted), states)
    assert_preflight(world.fedra, states, wanted)
    world.manager.create(wanted)
    job = world.job(name)
    job.wait_running_on(goes_to)
    world.eventually(f"all pods of {name} run", lambda: _running(world, goes_to, name) == row.pods)
    _assert_verdicts("why", world.verdicts(job), states)
    if states[goes_to].allocates:
        _assert_allocated(world, goes_to, states[goes_to])
    for worker, state in states.items():
        if worker != goes_to:
            _probe(world, worker, row, state)
    job.finish(goes_to)


def _assert_verdicts(command: str, verdicts: dict[str, Verdict], states: dict[str, State]) -> None:
    for worker, state in states.items():
        verdict = verdicts[worker]
        reasons = tuple(dict.fromkeys(verdict.reasons))  # one per request; each code once
        said = (verdict.outcome, reasons, tuple(verdict.alternatives))
        expected = (state.verdict, state.reasons, state.alternatives)
        assert said == expected, f"{worker} ({state.what}): {command} says {verdict}"
        for text in state.says:
            told = any(text in message for message in verdict.messages)
            assert told, f"{worker} ({state.what}): {command} does not say {text!r}: {verdict}"


def _probe(world: World, worker: str, row: Row, state: State) -> None:
    """An equal job that neither fedra nor Kueue has anything to do with."""
    client = world.admin(worker)
    client.create(job_of(row, world.ns, _PROBE, federated=False))
    what = f"pods of {worker} ({state.what})"
    if state.fits:
        world.eventually(f"all {what} run", lambda: _running(world, worker, _PROBE) == row.pods)
    else:
        _assert_some_wait(world, worker, row, what)
    client.delete("Job", world.ns, _PROBE)
    world.eventually(f"{what} are gone", lambda: not _pods(world, worker, _PROBE))


def _assert_some_wait(world: World, worker: str, row: Row, what: str) -> None:
    def decided() -> bool:
        conditions = [
            objects.condition(each, "PodScheduled") for each in _pods(world, worker, _PROBE)
        ]
        return len(conditions) == row.pods and None not in conditions

    world.eventually(f"all {what} exist", lambda: len(_pods(world, worker, _PROBE)) == row.pods)
    try:
        eventually(f"{what} are decided on", decided, _SILENCE)
    except Timeout:
        pass  # nobody will say more of them
    assert _running(world, worker, _PROBE) < row.pods, f"all {what} run"


def _running(world: World, worker: str, job: str) -> int:
    world.supply.attach(worker)
    return sum(pod["status"].get("phase") == "Running" for pod in _pods(world, worker, job))


def _pods(world: World, worker: str, job: str) -> list[Object]:
    return world.admin(worker).list("Pod", world.ns, f"batch.kubernetes.io/job-name={job}")


def _assert_allocated(world: World, worker: str, state: State) -> None:
    """The claims in use hold what the row says, request by request."""
    found = sorted(
        result["request"]
        for claim in world.admin(worker).list("ResourceClaim", world.ns)
        if claim.get("status", {}).get("reservedFor")
        for result in claim["status"]["allocation"]["devices"]["results"]
    )
    assert found == sorted(state.allocates), f"{worker}: allocated {found}"


# --- The stage.


def _start_fedra(world: World, row: Row, states: dict[str, State]) -> None:
    workers = {
        worker: {"capabilities": list(state.capabilities)} for worker, state in states.items()
    }
    if world.fedra is None:
        verification = {"devices": "Enforce", **row.verification}
        world.start_fedra({"verification": verification}, workers=workers)
        return
    for worker, settings in workers.items():
        world.fedra.change_worker(worker, settings)
    world.fedra.start()


def _furnish(world: World, worker: str, row: Row, state: State) -> None:
    """Exactly the nodes and devices of the state, in place of the usual ones."""
    world.supply.clear(worker)
    _label_namespace(world, worker, state.namespace_labels)
    for each in flat(row.everywhere, state.objects):
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


def _cover_resources(world: World, row: Row) -> None:
    """Kueue admits nothing that asks for a resource that its queue does not cover."""
    if not row.resources:
        return
    quota = Quota(extended=tuple(row.resources))
    world.manager.apply(objects.cluster_queue(world.ns, quota, world.check))
    for worker in world.workers:
        world.set_quota(worker, quota)


def job_of(row: Row, namespace: str, name: str, federated: bool = True) -> Object:
    job = objects.job(namespace, name, QUEUE, pods=row.pods)
    spec = job["spec"]["template"]["spec"] | copy.deepcopy(row.pod)
    container = spec["containers"][0]
    if row.resources:
        container["resources"]["limits"] = dict(row.resources)
    if "containers" not in row.pod and "resourceClaims" in spec:
        container["resources"]["claims"] = [
            {"name": each["name"]} for each in spec["resourceClaims"]
        ]
    job["spec"]["template"]["spec"] = spec
    if row.annotations:
        job["spec"]["template"].setdefault("metadata", {})["annotations"] = dict(row.annotations)
    if not federated:
        del job["metadata"]["labels"], job["spec"]["managedBy"]
        job["spec"]["suspend"] = False
    return job
