"""Whether the order of the pools, which is that of a Go map up to 1.35, can have decided what became of a job.

fedra's word is not asked: the release's own allocator library is, again and again.
"""

from __future__ import annotations

import json
import random

from real.agreement import allocators
from real.agreement.dice import Json
from real.agreement.job_seen import JobObservation, JobPod, names_of_claims
from real.agreement.placed import until

# The library takes pools in the order of a Go map, and slices as the scheduler's cache hands them out: here shuffled.
# An answer that one of the 24 orders of four pools gives is missed once in 5,000 questions.
_LIMIT, _OFTEN, _SHUFFLES = ("-limit", "1s"), ("-repeat", "20"), 10
_PLAYS = 100


def orders_matter(seen: JobObservation, release: str) -> bool:
    """Whether the library has several answers for one of the pods, in the cluster that it met."""
    dice = random.Random(seen.case.number)
    questions = []
    for i, pod in enumerate(seen.pods):
        cluster = until(seen, i)
        claims = {claim["metadata"]["name"]: claim for claim in cluster["ResourceClaim"]}
        asked = _unallocated(seen, pod, claims)
        for _ in range(_SHUFFLES):
            questions += _questions(seen, list(claims.values()), asked, seen.before["Node"], dice)
    program = str(allocators.build(release))
    found: dict[tuple[str, str], set[allocators.Answer]] = {}
    for question, answer in zip(
        questions, allocators.ask([program, *_LIMIT, *_OFTEN], questions), strict=True
    ):
        of_pod = json.dumps(question["claims"])
        found.setdefault((of_pod, _name(question["node"])), set()).update(
            allocators.answers(answer)
        )
    return any(len(answers) > 1 for answers in found.values())


def outcomes_differ(seen: JobObservation, release: str) -> bool:
    """Whether the order alone decides which pods fit: the job is played again and again, each pod on the node that the
    scheduler chose, with the devices that the library has chosen for those before it. A pod that was not bound is asked
    about on every node, and takes nothing.
    """
    program = str(allocators.build(release))
    dice = random.Random(seen.case.number)
    start = {claim["metadata"]["name"]: claim for claim in until(seen, 0)["ResourceClaim"]}
    plays = [dict(start) for _ in range(_PLAYS)]
    for pod in seen.pods:
        nodes = [node for node in seen.before["Node"] if pod.node in (None, _name(node))]
        asked = [_unallocated(seen, pod, claims) for claims in plays]
        questions = [
            question
            for claims, each in zip(plays, asked)
            for question in _questions(seen, list(claims.values()), each, nodes, dice)
        ]
        answers = allocators.ask([program, *_LIMIT], questions)
        outcomes = {
            tuple(answer["outcome"] for answer in answers[i : i + len(nodes)])
            for i in range(0, len(answers), len(nodes))
        }
        # A search that took too long says nothing of the order.
        if len([outcome for outcome in outcomes if "budget" not in outcome]) > 1:
            return True
        if pod.node:
            for claims, each, answer in zip(plays, asked, answers):
                claims.update((_name(claim), _allocated(claim, answer)) for claim in each)
    return False


def _questions(
    seen: JobObservation,
    claims: list[Json],
    asked: list[Json],
    nodes: list[Json],
    dice: random.Random,
) -> list[Json]:
    """One for each node, with the slices in some order; `claims`: all that there are."""
    if not asked:
        return []
    question = {
        "name": seen.case.name,
        "classes": seen.before["DeviceClass"],
        "allocatedClaims": [claim for claim in claims if _is_allocated(claim)],
        "claims": asked,
    }
    slices = seen.before["ResourceSlice"]
    return [
        {**question, "slices": dice.sample(slices, len(slices)), "node": node} for node in nodes
    ]


def _unallocated(seen: JobObservation, pod: JobPod, claims: dict[str, Json]) -> list[Json]:
    """Of the pod's claims; `claims`: those that there were when it came, which need not have its own."""
    made = {_name(claim): claim for claim in seen.claims}
    names = [name for name, _ in names_of_claims(pod.final)]
    found = [claims.get(name) or made.get(name) for name in names]
    return [
        {key: value for key, value in claim.items() if key != "status"}
        for name, claim in zip(names, found)
        if claim is not None and not _is_allocated(claims.get(name, {}))
    ]


def _allocated(claim: Json, answer: Json) -> Json:
    """With the devices that the library has chosen for it."""
    full_name = f'{claim["metadata"]["namespace"]}/{_name(claim)}'
    requests = claim["spec"]["devices"]["requests"]
    admin = {r["name"] for r in requests if r.get("exactly", {}).get("adminAccess")}
    results = [
        {key: result[key] for key in ("request", "driver", "pool", "device")}
        | {"adminAccess": result["request"] in admin}
        for result in answer.get("results") or []
        if result["claim"] == full_name
    ]
    return {**claim, "status": {"allocation": {"devices": {"results": results}}}}


def _name(thing: Json) -> str:
    return str(thing["metadata"]["name"])


def _is_allocated(claim: Json) -> bool:
    return "allocation" in claim.get("status", {})
