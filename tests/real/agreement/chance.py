"""Whether the order of the pools, which is that of a Go map up to 1.35, can have decided what became of a job.

fedra's word is not asked: the release's own allocator library is, again and again, about each pod on each node, in the
cluster that the pod met.
"""

from __future__ import annotations

from real.agreement import allocators
from real.agreement.dice import Json
from real.agreement.job_seen import JobObservation, JobPod, names_of_claims
from real.agreement.placed import until

# An answer that one of the 24 orders of four pools gives is missed once in 5,000 questions.
_LIBRARY = ("-limit", "1s", "-repeat", "200")


def orders_matter(seen: JobObservation, release: str) -> bool:
    """Whether the library has several answers for one of the pods."""
    questions = [q for i in range(len(seen.pods)) for q in _questions(seen, i)]
    program = str(allocators.build(release))
    return any(
        len(allocators.answers(answer)) > 1
        for answer in allocators.ask([program, *_LIBRARY], questions)
    )


def _questions(seen: JobObservation, number: int) -> list[Json]:
    """One for each node."""
    cluster = until(seen, number)
    claims = {claim["metadata"]["name"]: claim for claim in cluster["ResourceClaim"]}
    asked = {
        "classes": cluster["DeviceClass"],
        "slices": cluster["ResourceSlice"],
        "allocatedClaims": [claim for claim in claims.values() if _is_allocated(claim)],
        "claims": _to_allocate(seen, seen.pods[number], claims),
    }
    if not asked["claims"]:
        return []
    name = seen.pods[number].name
    return [{"name": name, "node": node, **asked} for node in cluster["Node"]]


def _to_allocate(seen: JobObservation, pod: JobPod, before: dict[str, Json]) -> list[Json]:
    """`before`: the claims that there were, without the pod's own."""
    made = {claim["metadata"]["name"]: claim for claim in seen.claims}
    names = [name for name, _ in names_of_claims(pod.final)]
    claims = [before.get(name) or made.get(name) for name in names]
    return [
        {key: value for key, value in claim.items() if key != "status"}
        for name, claim in zip(names, claims)
        if claim is not None and not _is_allocated(before.get(name, {}))
    ]


def _is_allocated(claim: Json) -> bool:
    return "allocation" in claim.get("status", {})
