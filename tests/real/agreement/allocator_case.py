"""One call of the allocator as a case: one node, claims in order (the judge-lines protocol)."""

from __future__ import annotations

from real.agreement.claims import ClaimGenerator
from real.agreement.dice import Dice, Json
from real.agreement.names import Names
from real.agreement.slices import SliceGenerator


def allocator_case(seed: int, number: int) -> Json:
    dice = Dice(f"{seed}/{number}")
    names = Names.make("", 2)
    claims = ClaimGenerator(dice, names, stored=False)
    slices = SliceGenerator(dice, names, stored=False).slices()
    return {
        "name": f"case-{number}",
        "k8s": "1.36",
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
