"""One call of the allocator as a case: one node, claims in order (the judge-lines protocol).

Up to 1.35 the scheduler has no order of its own for slices and pools. The case lists its slices by driver,
pool and name, which is the order that fedra takes then. Four of five cases have only what the API server of
the release keeps, the others what it may hold from a time when a feature gate was on.
"""

from __future__ import annotations

from real.agreement.alpha_fields import with_alpha
from real.agreement.claims import ClaimGenerator
from real.agreement.dice import Dice, Json
from real.agreement.kept_fields import GATED, kept, without_lists
from real.agreement.names import Names
from real.agreement.slices import SliceGenerator


def allocator_case(seed: int, number: int, release: str = "1.36", alpha: bool = False) -> Json:
    case = _case(seed, number, release)
    if alpha:
        return with_alpha(case, Dice(f"{seed}/{number}/alpha"))
    if release == "1.37":
        return without_lists(case)
    if release not in GATED:
        return case
    if number % 5:
        case = kept(case, release)
    case["slices"].sort(key=_place)
    return case


def _place(piece: Json) -> tuple[str, ...]:
    spec = piece["spec"]
    return spec["driver"], spec["pool"]["name"], piece["metadata"]["name"]


def _case(seed: int, number: int, release: str) -> Json:
    dice = Dice(f"{seed}/{number}")
    names = Names.make("", 2)
    claims = ClaimGenerator(dice, names, stored=False)
    slices = SliceGenerator(dice, names, stored=False).slices()
    return {
        "name": f"case-{number}",
        "k8s": release,
        "node": _node(dice, names.nodes[0]),
        "classes": claims.classes(),
        "slices": slices,
        "allocatedClaims": [
            {
                "metadata": {"namespace": "other", "name": f"used-{i}"},
                "spec": {},
                "status": {"allocation": {"devices": {"results": [result]}}},
            }
            for i, result in enumerate(claims.allocated(slices))
        ],
        "claims": [_claim(claims, i) for i in range(dice.pick(1, 1, 1, 2, 2, 3))],
    }


def _node(dice: Dice, name: str) -> Json:
    labels = {"kubernetes.io/hostname": name}
    if dice.chance(0.8):
        labels["zone"] = dice.pick("a", "b")
    if dice.chance(0.5):
        labels["rank"] = dice.pick("5", "x")
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}


def _claim(claims: ClaimGenerator, number: int) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"namespace": "ml", "name": f"claim-{number}", "uid": f"uid-{number}"},
        "spec": claims.spec(),
    }
