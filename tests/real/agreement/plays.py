"""Plays a job again and again by the release's own allocator library, each pod on the node that the scheduler chose.

Which pods fit then is by the order of the pools alone: nodes are given, and fedra's word is not asked about devices.
"""

from __future__ import annotations

import copy
import dataclasses
import random
from collections.abc import Iterable

from real.agreement.chance import Library, is_allocated, name_of, question, unallocated
from real.agreement.dice import Json
from real.agreement.fedra_check import Fedra
from real.agreement.job_seen import JobObservation, JobPod, names_of_claims
from real.agreement.node_selection import selector_for, selects
from real.agreement.placed import alone_on, until

_PLAYS = 100
_PROBE = "agreement-probe"


@dataclasses.dataclass
class Plays:
    """What became of all of them."""

    differ: bool = False  # some pod fits in one play and not in another
    as_seen: bool = False  # in one play just those pods fit that were bound
    ended: int = 0  # questions that took the library too long, and end their plays

    def same(self) -> str:
        return f"in every order of the pools the library lets the same pods fit{self._ended()}"

    def never(self) -> str:
        return f"in no order of the pools that was played the library lets just these pods fit{self._ended()}"

    def _ended(self) -> str:
        return f", but had no time for {self.ended} questions" if self.ended else ""


@dataclasses.dataclass
class _Play:
    claims: dict[str, Json]
    as_seen: bool = True


def play_out(seen: JobObservation, release: str, fedra: Fedra, library: Library) -> Plays:
    """A pod that was not bound is asked about on every node on which the scheduler asks the allocator, and takes nothing.
    One that stays in the queue is not asked about."""
    dice = random.Random(seen.case.number)
    start = {name_of(claim): claim for claim in until(seen, 0)["ResourceClaim"]}
    plays = [_Play(dict(start)) for _ in range(_PLAYS)]
    result = Plays()
    for i, pod in enumerate(seen.pods):
        if not plays:
            break
        if seen.case.waits_in_queue(pod.pod_set):
            continue
        names = {pod.node} if pod.node else reached(seen, i, release, fedra)
        nodes = [node for node in seen.before["Node"] if name_of(node) in names]
        answers = _ask(seen, pod, nodes, plays, library, dice)
        result.ended += sum(None in each for each in answers)
        known = [
            (play, each) for play, each in zip(plays, answers, strict=True) if None not in each
        ]
        fits = [_fits([a["outcome"] for a in each if a]) for _, each in known]
        result.differ |= len(set(fits)) > 1
        for (play, each), fit in zip(known, fits):
            play.as_seen &= fit == bool(pod.node)
            if pod.node and fit and each[0]:
                _take(seen, play, pod, each[0])
        plays = [play for play, _ in known if play.as_seen or not result.differ]
    result.as_seen = any(play.as_seen for play in plays)
    return result


def reached(seen: JobObservation, number: int, release: str, fedra: Fedra) -> set[str]:
    """The nodes on which the scheduler asks its allocator about a pod that is not bound: all other filters, which come
    before that of the claims (apis/config/v1/default_plugins.go:66 and framework/runtime/framework.go:909 of v1.34.4), let
    it pass. fedra is asked about a pod that needs one device instead, of which each node has one.
    """
    pod, cluster = seen.pods[number], until(seen, number)
    spec = copy.deepcopy(seen.case.pod_sets[pod.pod_set].spec)
    for container in spec["containers"]:
        container.get("resources", {}).pop("claims", None)
    spec["resourceClaims"] = [{"name": "probe", "resourceClaimTemplateName": _PROBE}]
    names = [name_of(node) for node in cluster["Node"]]
    world = {**cluster}
    for thing in _probes(names, seen.namespace):
        world[thing["kind"]] = [*world.get(thing["kind"], []), thing]
    questions = [(world, alone_on(seen, pod, spec, name)) for name in names]
    answers = fedra.ask(release, questions)
    return {name for name, answer in zip(names, answers, strict=True) if answer.verdict == "Yes"}


def _probes(nodes: list[str], namespace: str) -> Iterable[Json]:
    ask = {"deviceClassName": _PROBE, "allocationMode": "ExactCount", "count": 1}
    request = {"name": "r", "exactly": ask}
    selector = {"cel": {"expression": f'device.driver == "{_PROBE}.dev"'}}
    version = "resource.k8s.io/v1"
    yield _thing(version, "DeviceClass", _PROBE, {"selectors": [selector]})
    yield _thing(
        version,
        "ResourceClaimTemplate",
        _PROBE,
        {"spec": {"devices": {"requests": [request]}}},
        namespace,
    )
    for node in nodes:
        pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": f"{_PROBE}.dev", "pool": pool, "nodeName": node}
        yield _thing(
            version, "ResourceSlice", f"{_PROBE}-{node}", {**spec, "devices": [{"name": "d"}]}
        )


def _thing(version: str, kind: str, name: str, spec: Json, namespace: str = "") -> Json:
    metadata = {"name": name, "uid": name, "resourceVersion": "1"}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def _ask(
    seen: JobObservation,
    pod: JobPod,
    nodes: list[Json],
    plays: list[_Play],
    library: Library,
    dice: random.Random,
) -> list[list[Json | None]]:
    """By play and node; None: the library had no time. Without claims to allocate it is not asked."""
    asked = [unallocated(seen, pod, play.claims) for play in plays]
    questions = [
        question(seen, list(play.claims.values()), each, node, dice)
        for play, each in zip(plays, asked)
        if each
        for node in nodes
    ]
    answers = iter(library(questions) if questions else [])
    result: list[list[Json | None]] = []
    for play, each in zip(plays, asked):
        of_play: list[Json | None] = []
        for node in nodes:
            answer = next(answers) if each else {"outcome": "fit"}
            if answer["outcome"] == "fit" and not _usable(pod, play, node):
                answer = {"outcome": "nofit"}
            of_play.append(None if answer["outcome"] == "budget" else answer)
        result.append(of_play)
    return result


def _fits(outcomes: list[str]) -> bool:
    """An error on one node ends the pod's attempt, wherever it would fit."""
    return "fit" in outcomes and "error" not in outcomes


def _usable(pod: JobPod, play: _Play, node: Json) -> bool:
    """Whether the pod's allocated claims can be used on the node; the allocator is asked about the others all the same."""
    claims = [play.claims.get(name, {}) for name, _ in names_of_claims(pod.final)]
    allocations = [claim["status"]["allocation"] for claim in claims if is_allocated(claim)]
    return all(selects(each.get("nodeSelector"), node) for each in allocations)


def _take(seen: JobObservation, play: _Play, pod: JobPod, answer: Json) -> None:
    """The pod's claims get the devices that the library has chosen on its node."""
    for claim in unallocated(seen, pod, play.claims):
        play.claims[name_of(claim)] = _allocated(seen, claim, answer, str(pod.node))


def _allocated(seen: JobObservation, claim: Json, answer: Json, node: str) -> Json:
    full_name = f'{claim["metadata"]["namespace"]}/{name_of(claim)}'
    requests = claim["spec"]["devices"]["requests"]
    admin = {r["name"] for r in requests if r.get("exactly", {}).get("adminAccess")}
    mine = [each for each in answer.get("results") or [] if each["claim"] == full_name]
    results = [
        {key: result[key] for key in ("request", "driver", "pool", "device")}
        | {"adminAccess": result["request"] in admin}
        for result in mine
    ]
    allocation: Json = {"devices": {"results": results}}
    selector = selector_for(_slices_with(seen, mine), node)
    if selector is not None:
        allocation["nodeSelector"] = selector
    return {**claim, "status": {"allocation": allocation}}


def _slices_with(seen: JobObservation, results: list[Json]) -> Iterable[Json]:
    chosen = {(each["driver"], each["pool"], each["device"]) for each in results}
    newest: dict[tuple[str, str], int] = {}
    for piece in seen.before["ResourceSlice"]:
        pool = _pool_of(piece)
        newest[pool] = max(newest.get(pool, 0), piece["spec"]["pool"]["generation"])
    for piece in seen.before["ResourceSlice"]:
        pool, spec = _pool_of(piece), piece["spec"]
        devices = {(*pool, device["name"]) for device in spec.get("devices") or []}
        if spec["pool"]["generation"] == newest[pool] and not chosen.isdisjoint(devices):
            yield piece


def _pool_of(piece: Json) -> tuple[str, str]:
    return piece["spec"]["driver"], piece["spec"]["pool"]["name"]
