#!/usr/bin/python3
"""What the comparisons (tests/real/agreement) read from a pod's condition PodScheduled."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agreement.batch import decide  # noqa: E402
from real.agreement.dice import Json  # noqa: E402
from real.agreement.job_seen import JobPod  # noqa: E402

_TIMED_OUT = "0/2 nodes are available: 1 timed out trying to allocate devices, 1 cannot allocate"


def _pod(status: str, reason: str = "", message: str = "", node: str = "") -> Json:
    condition = {"type": "PodScheduled", "status": status, "reason": reason, "message": message}
    others = [{"type": "Ready", "status": "False"}]
    return {"spec": {"nodeName": node}, "status": {"conditions": [*others, condition]}}


class ScheduledTest(unittest.TestCase):
    def _decided(self, pod: Json | None) -> Any:
        seen: Any = SimpleNamespace(outcome="undecided", node="", message="", timed_out=False)
        self.assertTrue(decide(seen, pod))
        return seen

    def test_what_became_of_a_pod(self) -> None:
        for pod, outcome, timed_out in (
            (None, "evicted", False),
            (_pod("True", node="node-1"), "fit", False),
            (_pod("False", "Unschedulable", "0/2 nodes are available"), "nofit", False),
            (_pod("False", "SchedulerError", "selector fails"), "error", False),
            # Up to 1.35: that node alone is left out, so that the others do not fit.
            (_pod("False", "Unschedulable", _TIMED_OUT), "nofit", True),
            # Since 1.36 it ends the attempt.
            (_pod("False", "SchedulerError", f"node n: {_TIMED_OUT}"), "gave-up", False),
        ):
            seen = self._decided(pod)
            self.assertEqual((seen.outcome, seen.timed_out), (outcome, timed_out), pod)

    def test_a_job_is_left_out_only_where_nothing_is_known_of_other_nodes(self) -> None:
        for reason, gave_up in (("Unschedulable", False), ("SchedulerError", True)):
            pod = _pod("False", reason, _TIMED_OUT)
            self.assertEqual(JobPod(0, pod, pod).gave_up, gave_up, reason)


if __name__ == "__main__":
    unittest.main()
