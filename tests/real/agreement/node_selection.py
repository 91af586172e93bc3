"""Node selectors, as the scheduler evaluates them and as the allocator library makes one for what it has allocated."""

from __future__ import annotations

from collections.abc import Iterable

from real.agreement.dice import Json


def selects(selector: Json | None, node: Json) -> bool:
    """None: every node."""
    if selector is None:
        return True
    return any(_matches(term, node) for term in selector["nodeSelectorTerms"])


def selector_for(slices: Iterable[Json], node: str) -> Json | None:
    """Of a claim with devices of these slices, allocated for this node; None: it can be used on every node.

    createNodeSelector in allocator_experimental.go:1526 of v0.34.4. Node selections of single devices and bindsToNode are
    not looked at: the API servers of 1.34 and 1.35 keep neither (kept_fields.py).
    """
    term: dict[str, list[Json]] = {}
    for piece in slices:
        spec = piece["spec"]
        if "nodeName" in spec:
            field = {"key": "metadata.name", "operator": "In", "values": [node]}
            return {"nodeSelectorTerms": [{"matchFields": [field]}]}
        for theirs in spec.get("nodeSelector", {}).get("nodeSelectorTerms", []):
            for kind in ("matchFields", "matchExpressions"):
                term.setdefault(kind, []).extend(theirs.get(kind, []))
    term = {kind: wishes for kind, wishes in term.items() if wishes}
    return {"nodeSelectorTerms": [term]} if term else None


def _matches(term: Json, node: Json) -> bool:
    """An empty one matches nothing (component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go)."""
    metadata = node["metadata"]
    wishes = [(wish, metadata.get("labels", {})) for wish in term.get("matchExpressions", [])]
    wishes += [(wish, {"metadata.name": metadata["name"]}) for wish in term.get("matchFields", [])]
    return bool(wishes) and all(_holds(wish, values) for wish, values in wishes)


def _holds(wish: Json, values: dict[str, str]) -> bool:
    key, wanted = wish["key"], wish.get("values", [])
    match wish["operator"]:
        case "Exists":
            return key in values
        case "DoesNotExist":
            return key not in values
        case "NotIn":
            return values.get(key) not in wanted
        case "In":
            return values.get(key) in wanted
    try:
        mine, bound = int(values[key]), int(wanted[0])
    except (KeyError, ValueError):
        return False
    return mine > bound if wish["operator"] == "Gt" else mine < bound
