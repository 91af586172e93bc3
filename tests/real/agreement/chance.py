"""Whether the order of the pools, which is that of a Go map up to 1.35, can have decided what became of a job.

fedra's word is not asked: the release's own allocator library is, again and again.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

from real.agreement import allocators
from real.agreement.dice import Json
from real.agreement.job_seen import JobObservation, JobPod, names_of_claims
from real.agreement.placed import until

# One answer for each question, a claim's allocator and a node. "budget": it took longer than this, and says nothing.
Library = Callable[[list[Json]], list[Json]]
_LIMIT = "1s"

# The library takes pools in the order of a Go map, and slices as the scheduler's cache hands them out: here shuffled.
# An answer that one of the 24 orders of four pools gives is missed once in 5,000 questions.
_ROUNDS, _OFTEN = 10, 20


def library_of(release: str) -> Library:
    program = str(allocators.build(release))
    return lambda questions: allocators.ask([program, "-limit", _LIMIT], questions)


def orders_matter(seen: JobObservation, library: Library) -> str | None:
    """None: the library has several answers for one of the pods on one of the nodes, in the cluster that it met. Else
    why that is not known."""
    dice = random.Random(seen.case.number)
    places = list(_places(seen))
    ended = 0
    for _ in range(_ROUNDS):
        asked = [place for place in places for _ in range(_OFTEN)]
        answers = library([place.question(seen, dice) for place in asked])
        for place, answer in zip(asked, answers, strict=True):
            place.note(answer)
        if any(len(place.answers) > 1 for place in places):
            return None
        ended += sum(place.ended for place in places)
        places = [place for place in places if not place.ended]
    if ended:
        return f"whether the order decides is not known: the library had no time for {ended} questions about its pods"
    return "in every order of the pools the library answers the same for each pod"


@dataclasses.dataclass
class _Place:
    """One pod on one node, asked about again and again."""

    claims: list[Json]
    asked: list[Json]
    node: Json
    answers: set[allocators.Answer] = dataclasses.field(default_factory=set)
    ended: bool = False

    def question(self, seen: JobObservation, dice: random.Random) -> Json:
        return question(seen, self.claims, self.asked, self.node, dice)

    def note(self, answer: Json) -> None:
        if answer["outcome"] == "budget":
            self.ended = True
        else:
            self.answers.add(allocators.answer(answer))


def _places(seen: JobObservation) -> list[_Place]:
    result = []
    for i, pod in enumerate(seen.pods):
        claims = {name_of(claim): claim for claim in until(seen, i)["ResourceClaim"]}
        if asked := unallocated(seen, pod, claims):
            held = list(claims.values())
            result += [_Place(held, asked, node) for node in seen.before["Node"]]
    return result


def question(
    seen: JobObservation, claims: list[Json], asked: list[Json], node: Json, dice: random.Random
) -> Json:
    """For the library, with the slices in some order; `claims`: all that there are."""
    slices = seen.before["ResourceSlice"]
    return {
        "name": seen.case.name,
        "classes": seen.before["DeviceClass"],
        "allocatedClaims": [claim for claim in claims if is_allocated(claim)],
        "claims": asked,
        "slices": dice.sample(slices, len(slices)),
        "node": node,
    }


def unallocated(seen: JobObservation, pod: JobPod, claims: dict[str, Json]) -> list[Json]:
    """Of the pod's claims; `claims`: those that there were when it came, which need not have its own."""
    made = {name_of(claim): claim for claim in seen.claims}
    names = [name for name, _ in names_of_claims(pod.final)]
    found = [claims.get(name) or made.get(name) for name in names]
    return [
        {key: value for key, value in claim.items() if key != "status"}
        for name, claim in zip(names, found)
        if claim is not None and not is_allocated(claims.get(name, {}))
    ]


def name_of(thing: Json) -> str:
    return str(thing["metadata"]["name"])


def is_allocated(claim: Json) -> bool:
    return "allocation" in claim.get("status", {})
