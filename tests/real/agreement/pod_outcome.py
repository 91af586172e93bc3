"""Whether fedra's verdict on a pod, its node and its devices are what the scheduler made of it.

Up to 1.35 the scheduler looks at pools and slices in an order that is chance. There the devices must be those of some
order; and where fedra says that the order decides (Unknown), some order must give what was seen. So it must where one says
that no node fits and the other that the attempt ends with an error: fedra's No is both.
"""

from __future__ import annotations

import json

from real.agreement.batch import Observation
from real.agreement.dice import Json

_CHANCE = "ReleaseUnverified"
_OF_ORDER = "an order that is chance"
_ELSEWHERE = "is allocated elsewhere"
# Other filters refuse the node, and the allocator is not asked. But of one that only a claim keeps out it is.
_NODE_IS_OUT = ("NodeResources:", "NodesTooSmall:", "ResourceMissing:", "NodeMismatch: 0/")
# More orders of a node than this are not tried (tests/support/pod_case.h), and its devices not compared.
UNTRIED = "more than 5040 orders"
# Of a mistake of that release: docs/releases.md has them.
UNKNOWN = "fedra says Unknown, ReleaseUnverified"
# With more time the scheduler may have found a node that fits.
TIMED_OUT = "both gave up on some node, and no other fits"
# Neither do both agree nor do they differ.
UNDECIDABLE = (UNTRIED, UNKNOWN, TIMED_OUT)


def difference(seen: Observation, ours: Json) -> str | None:
    """None when both agree, else a few words for the kind of difference."""
    if _is_by_chance(ours):
        return _of_chance(seen, ours["nodes"])
    if any(reason.startswith(_CHANCE) for reason in ours.get("reasons", [])[:1]):
        return UNKNOWN
    if seen.outcome != ours["outcome"]:
        if seen.timed_out and ours["outcome"] == "budget":
            return TIMED_OUT
        both_no = {seen.outcome, ours["outcome"]} == {"error", "nofit"}
        if both_no and _is_no_of_some_order(seen.outcome, ours["nodes"]):
            return None
        return f'{seen.outcome} but ours {ours["outcome"]}'
    if seen.outcome != "fit":
        return None
    node = ours["nodes"].get(seen.node, {"outcome": "unknown node"})
    if node["outcome"] != "fit" and not _is_by_chance(node):
        return f'fits on {seen.node} but ours {node["outcome"]} there'
    if "orders" in node:
        return _of_orders(seen, node["orders"])
    return None if _sorted(seen.devices) == _sorted(node["devices"]) else "other devices"


def _of_chance(seen: Observation, nodes: Json) -> str | None:
    orders = [node["orders"] for node in nodes.values() if _is_candidate(node)]
    if seen.outcome == "fit":
        node = nodes.get(seen.node)
        if node is None or not _is_candidate(node):
            return f"fits on {seen.node} but not ours in any order"
        return _of_orders(seen, node["orders"])
    if not all(orders):
        return UNTRIED
    found = _is_no_of_some_order(seen.outcome, nodes)
    return None if found else f"{seen.outcome} in no order"


def _is_no_of_some_order(outcome: str, nodes: Json) -> bool:
    """An error on one node ends the attempt; that no node fits takes all of them."""
    outcomes = [_outcomes(node) for node in nodes.values() if _is_candidate(node)]
    if outcome == "error":
        return any("error" in each for each in outcomes)
    return bool(outcomes) and all("nofit" in each for each in outcomes)


def _outcomes(node: Json) -> set[str]:
    """In some order. Where a claim of the pod is allocated elsewhere, its devices are looked for all the same."""
    found = {order["outcome"] for order in node.get("orders", [])}
    if any(_ELSEWHERE in reason for reason in node["reasons"]):
        return {"nofit" if outcome == "fit" else outcome for outcome in found}
    return found


def _of_orders(seen: Observation, orders: list[Json]) -> str | None:
    if not orders:
        return UNTRIED
    wanted = _sorted(seen.devices)
    fits = (_sorted(_named(order["devices"])) for order in orders if order["outcome"] == "fit")
    return None if wanted in fits else "devices of no order"


def _is_by_chance(answer: Json) -> bool:
    return any(
        reason.startswith(_CHANCE) and _OF_ORDER in reason for reason in answer.get("reasons", [])
    )


def _is_candidate(node: Json) -> bool:
    """Whether the scheduler's allocator looks at it."""
    if node["outcome"] in ("fit", "error", "budget") or _is_by_chance(node):
        return True
    return not any(
        reason.startswith(_NODE_IS_OUT) and _ELSEWHERE not in reason for reason in node["reasons"]
    )


def _named(devices: list[Json]) -> list[Json]:
    """Claims as pods call them, without namespace."""
    return [{**device, "claim": device["claim"].rpartition("/")[2]} for device in devices]


def _sorted(devices: list[Json]) -> list[str]:
    return sorted(json.dumps(device, sort_keys=True) for device in devices)
