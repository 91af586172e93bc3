#!/usr/bin/python3
"""The mistakes that tests/real/agree_jobs.py --plant lets fedra make."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agreement.dice import Json  # noqa: E402
from real.agreement.fedra_check import Answer  # noqa: E402
from real.agreement.job_seen import Objects  # noqa: E402
from real.agreement.planted import MISTAKES, Planted  # noqa: E402
from unit.agreement.small_job import NO, YES, claim_of, slice_of  # noqa: E402


class _Counts:
    """Yes where it sees so many devices, and else No."""

    def __init__(self, enough: int):
        self._enough = enough

    def ask(self, release: str, questions: list[tuple[Objects, Json]]) -> list[Answer]:
        return [YES if _devices(cluster) >= self._enough else NO for cluster, _ in questions]


def _devices(cluster: Objects) -> int:
    return sum(len(piece["spec"]["devices"] or []) for piece in cluster["ResourceSlice"])


class PlantedTest(unittest.TestCase):
    def setUp(self) -> None:
        empty = slice_of("none")
        empty["spec"]["devices"] = None
        spec = {"taints": [{"key": "x"}], "unschedulable": True, "podCIDR": "y"}
        self.cluster: Objects = {
            "Node": [{"metadata": {"name": "n1"}, "spec": spec}, {"metadata": {}, "spec": {}}],
            "ResourceSlice": [slice_of("own", "a", "b", node="n1"), slice_of("more", "c"), empty],
            "ResourceClaim": [claim_of("j1-used-0"), claim_of("j1-shared-0"), claim_of("of-a-0")],
        }

    def test_each_sees_another_cluster(self) -> None:
        self.assertEqual(_devices(MISTAKES["device"](self.cluster)), 1)
        claims = MISTAKES["use"](self.cluster)["ResourceClaim"]
        self.assertEqual([c["metadata"]["name"] for c in claims], ["j1-shared-0", "of-a-0"])
        nodes = MISTAKES["taints"](self.cluster)["Node"]
        self.assertEqual([node["spec"] for node in nodes], [{"podCIDR": "y"}, {}])
        self.assertEqual(_devices(self.cluster), 3)

    def test_only_some_answers_change(self) -> None:
        for enough, changes in ((3, True), (2, True), (1, False), (4, False)):
            planted = Planted(_Counts(enough), "device")
            self.assertEqual(planted.changes("1.36", (self.cluster, {})), changes, enough)


if __name__ == "__main__":
    unittest.main()
