#!/usr/bin/python3
"""What the comparison of single pods (tests/real/agreement/pod_outcome.py) calls equal, and what a difference."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agreement.dice import Json  # noqa: E402
from real.agreement.pod_outcome import TIMED_OUT, UNKNOWN, UNTRIED, difference  # noqa: E402

_BY_CHANCE = "ReleaseUnverified: kube-scheduler 1.35 takes pools in an order that is chance"
_LACKS_CPU = "NodeResources: there is no room now on 1 of 1 node"
_HELD = "NodeMismatch: 0/1 nodes can run the pod: 1 excluded because claim x is allocated elsewhere"
_DEVICE = {"claim": "claim", "request": "gpu", "driver": "d", "pool": "p", "device": "dev-0"}
_OTHER = {**_DEVICE, "device": "dev-1"}


def _seen(
    outcome: str, node: str | None = None, device: Json = _DEVICE, timed_out: bool = False
) -> Any:
    return SimpleNamespace(outcome=outcome, node=node, devices=[device], timed_out=timed_out)


def _order(outcome: str, device: Json = _DEVICE) -> Json:
    return {"outcome": outcome, "devices": [{**device, "claim": "ns/claim"}]}


def _node(outcome: str, *orders: Json, reason: str = "DevicesAllocated: x") -> Json:
    reasons = [] if outcome == "fit" else [reason]
    return {"outcome": outcome, "devices": [_DEVICE], "reasons": reasons, "orders": list(orders)}


def _ours(outcome: str, *nodes: Json, reason: str = "") -> Json:
    named = {f"node-{i}": node for i, node in enumerate(nodes)}
    return {"outcome": outcome, "nodes": named, "reasons": [reason] if reason else []}


class DifferenceTest(unittest.TestCase):
    def _check(self, seen: Any, ours: Json, expected: str | None) -> None:
        self.assertEqual(difference(seen, ours), expected)

    def test_fits(self) -> None:
        ours = _ours("fit", _node("fit", _order("fit"), _order("fit", _OTHER)), _node("nofit"))
        self._check(_seen("fit", "node-0"), ours, None)
        self._check(_seen("fit", "node-0", _OTHER), ours, None)
        third = {**_DEVICE, "device": "dev-2"}
        self._check(_seen("fit", "node-0", third), ours, "devices of no order")
        self._check(_seen("fit", "node-1"), ours, "fits on node-1 but ours nofit there")
        self._check(_seen("nofit"), ours, "nofit but ours fit")

    def test_one_order(self) -> None:
        node = _node("fit")
        del node["orders"]
        self._check(_seen("fit", "node-0"), _ours("fit", node), None)
        self._check(_seen("fit", "node-0", _OTHER), _ours("fit", node), "other devices")

    def test_an_error_that_some_order_has(self) -> None:
        both = _node("nofit", _order("nofit"), _order("error"))
        self._check(_seen("error"), _ours("nofit", both), None)
        never = _node("nofit", _order("nofit"))
        self._check(_seen("error"), _ours("nofit", never), "error but ours nofit")
        # The allocator is not asked about a node without room; but about one that only a claim keeps out.
        for reason, expected in ((_LACKS_CPU, "error but ours nofit"), (_HELD, None)):
            out = _node("nofit", _order("error"), reason=reason)
            self._check(_seen("error"), _ours("nofit", out), expected)

    def test_no_error_takes_an_order_without_one_on_every_node(self) -> None:
        both = _node("error", _order("nofit"), _order("error"))
        always = _node("error", _order("error"))
        self._check(_seen("nofit"), _ours("error", both, both), None)
        self._check(_seen("nofit"), _ours("error", both, always), "nofit but ours error")
        # That a node without room has it says nothing, and nor do no nodes.
        self._check(
            _seen("nofit"),
            _ours("error", _node("nofit", reason=_LACKS_CPU)),
            "nofit but ours error",
        )
        out = _node("nofit", _order("nofit"), reason=_LACKS_CPU)
        self._check(_seen("nofit"), _ours("error", always, out), "nofit but ours error")

    def test_where_the_order_decides_it_must_give_what_was_seen(self) -> None:
        node = _node("nofit", _order("nofit"), _order("fit"), reason=_BY_CHANCE)
        ours = _ours("nofit", node, reason=_BY_CHANCE)
        self._check(_seen("fit", "node-0"), ours, None)
        self._check(_seen("nofit"), ours, None)
        self._check(_seen("error"), ours, "error in no order")
        self._check(_seen("fit", "node-0", _OTHER), ours, "devices of no order")
        untried = _ours("nofit", _node("nofit", reason=_BY_CHANCE), reason=_BY_CHANCE)
        self._check(_seen("nofit"), untried, UNTRIED)

    def test_a_node_on_which_the_search_takes_too_long_is_one_that_does_not_fit(self) -> None:
        slow = _seen("nofit", timed_out=True)
        self._check(slow, _ours("nofit", _node("nofit", _order("nofit"))), None)
        self._check(slow, _ours("fit", _node("fit", _order("fit"))), "nofit but ours fit")
        # Unless fedra's search took too long as well; but then the scheduler's must have.
        ours = _ours("budget", _node("budget", _order("budget")))
        self._check(slow, ours, TIMED_OUT)
        self._check(_seen("nofit"), ours, "nofit but ours budget")
        self._check(_seen("fit", "node-0"), ours, "fit but ours budget")

    def test_where_fedra_does_not_know_nothing_is_compared(self) -> None:
        doubt = (
            "ReleaseUnverified: kube-scheduler 1.36 takes the shared counters of two pools for one"
        )
        for outcome in ("fit", "nofit", "error"):
            self._check(
                _seen(outcome, "node-0"), _ours("nofit", _node("fit"), reason=doubt), UNKNOWN
            )


if __name__ == "__main__":
    unittest.main()
