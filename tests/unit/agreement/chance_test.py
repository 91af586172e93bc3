#!/usr/bin/python3
"""What the allocator library, asked in many orders, shows of a job: tests/real/agreement/chance.py and plays.py."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agreement.chance import orders_matter  # noqa: E402
from real.agreement.dice import Json  # noqa: E402
from real.agreement.job_case import HeldClaim  # noqa: E402
from real.agreement.job_seen import JobObservation  # noqa: E402
from real.agreement.node_selection import selector_for, selects  # noqa: E402
from real.agreement.plays import Plays, play_out, reached  # noqa: E402
from unit.agreement.small_job import (  # noqa: E402
    NO,
    YES,
    TableFedra,
    allocated,
    claim_of,
    first_fit,
    slice_of,
    small_job,
    small_seen,
)

# Node n1 has a device of its own, n2 has none, and one device roams: n1's pod may take that from n2's.
_ROAMING = [slice_of("own", "gpu", node="n1"), slice_of("roaming", "nic")]
_LOCAL = [slice_of("own", "gpu", node="n1"), slice_of("other", "gpu", node="n2")]


class OrdersMatterTest(unittest.TestCase):
    def _check(self, slices: list[Json], expected: str | None, claim: str = "") -> None:
        seen = small_seen(small_job(("a", 1)), "n1", slices=slices)
        if claim:
            seen.pods[0].final["status"]["resourceClaimStatuses"][0]["resourceClaimName"] = claim
            seen.claims = [claim_of(claim)]
        found = orders_matter(seen, first_fit)
        if expected is None:
            self.assertIsNone(found)
        else:
            self.assertIn(expected, str(found))

    def test_several_devices_do(self) -> None:
        self._check(_ROAMING, None)

    def test_one_does_not(self) -> None:
        self._check(_LOCAL, "answers the same for each pod")

    def test_a_search_that_takes_too_long_is_no_answer(self) -> None:
        self._check(_ROAMING, "had no time for 2 questions", claim="slow")


class PlaysTest(unittest.TestCase):
    def _play(
        self, seen: JobObservation, fedra: TableFedra = TableFedra({}), ended: int = 0
    ) -> tuple[bool, bool]:
        plays = play_out(seen, "1.35", fedra, first_fit)
        self.assertEqual(plays.ended, ended)
        return plays.differ, plays.as_seen

    def test_the_order_decides_whether_the_second_fits(self) -> None:
        case = small_job(("a", 1), ("b", 1))
        self.assertEqual(self._play(small_seen(case, "n1", "n2", slices=_ROAMING)), (True, True))
        fedra = TableFedra(
            {"b-0-n1: pod@probe-n1 | of-a-0": NO, "b-0-n2: pod@probe-n2 | of-a-0": YES}
        )
        seen = small_seen(case, "n1", "", slices=_ROAMING)
        self.assertEqual(self._play(seen, fedra), (True, True))

    def test_no_order_lets_just_these_pods_fit(self) -> None:
        # n2's pods cannot both have fitted: only one device reaches them.
        case = small_job(("a", 1), ("b", 2))
        seen = small_seen(case, "n1", "n2", "n2", slices=_ROAMING)
        self.assertEqual(self._play(seen), (True, False))

    def test_other_devices_alone_decide_nothing(self) -> None:
        case = small_job(("a", 1), ("b", 1))
        slices = [*_ROAMING, slice_of("more", "gpu", node="n2")]
        self.assertEqual(self._play(small_seen(case, "n1", "n2", slices=slices)), (False, True))

    def test_a_play_goes_on_after_a_pod_that_no_play_has_as_it_was_seen(self) -> None:
        seen = small_seen(small_job(("a", 1), ("b", 1), ("c", 1)), "", "n1", "n2", slices=_ROAMING)
        fedra = TableFedra({"a-0-n1: pod@probe-n1": YES, "a-0-n2: pod@probe-n2": YES})
        self.assertEqual(self._play(seen, fedra), (True, False))

    def test_a_pod_without_a_node_counts_only_where_the_allocator_is_asked_about_it(self) -> None:
        # Both pods would fit on n1 only; b-0 is kept off it by something else, or not.
        seen = small_seen(small_job(("a", 1), ("b", 1)), "n1", "", slices=_ROAMING)
        seen.before["ResourceSlice"] = [slice_of("own", "gpu", "broken", node="n1")]
        n1, n2 = "b-0-n1: pod@probe-n1 | of-a-0", "b-0-n2: pod@probe-n2 | of-a-0"
        self.assertEqual(self._play(seen, TableFedra({n1: NO, n2: YES})), (False, True))
        # An error is no fit, and ends the attempt where another node would do.
        self.assertEqual(self._play(seen, TableFedra({n1: YES, n2: YES})), (False, True))
        seen.before["ResourceSlice"].append(slice_of("other", "gpu", node="n2"))
        self.assertEqual(self._play(seen, TableFedra({n1: YES, n2: YES})), (False, True))
        self.assertEqual(self._play(seen, TableFedra({n1: NO, n2: YES})), (False, False))
        seen.before["ResourceSlice"] = [slice_of("own", "gpu", "second", node="n1")]
        self.assertEqual(self._play(seen, TableFedra({n1: NO, n2: YES})), (False, True))
        self.assertEqual(self._play(seen, TableFedra({n1: YES, n2: YES})), (False, False))

    def test_a_claim_that_is_allocated_elsewhere_keeps_a_pod_out(self) -> None:
        case = small_job(("a", 1), shared="shared")
        for node, as_seen in (("n1", True), ("n2", False)):
            seen = small_seen(case, "n1", slices=[slice_of("roaming", "nic")])
            held = allocated(claim_of("shared"), node, "gpu", "runner")
            seen.before["ResourceClaim"] = [held]
            seen.claims.append(held)
            self.assertEqual(self._play(seen), (False, as_seen), node)

    def test_a_claim_that_a_play_has_allocated_is_tied_to_the_node_of_its_device(self) -> None:
        case = small_job(("a", 1), ("b", 1), shared="shared")
        seen = small_seen(case, "n1", "n2")
        seen.before["ResourceClaim"] = [claim_of("shared")]
        seen.claims.append(claim_of("shared"))
        own = [slice_of("own", "g1", "g2", node="n1"), slice_of("other", "g3", node="n2")]
        roaming = slice_of("roaming", "r1", "r2", "r3")
        seen.before["ResourceSlice"] = own
        self.assertEqual(self._play(seen), (False, False))
        seen.before["ResourceSlice"] = [roaming]
        self.assertEqual(self._play(seen), (False, True))
        seen.before["ResourceSlice"] = [*own, roaming]
        self.assertEqual(self._play(seen), (True, True))
        # What the pool was once says nothing.
        old = slice_of("roaming", "r1", "r2", "r3", node="n1")
        seen.before["ResourceSlice"] = [
            old,
            slice_of("roaming", "r1", "r2", "r3", "r4", generation=2),
        ]
        self.assertEqual(self._play(seen), (False, True))

    def test_one_that_waits_in_the_queue_is_not_asked_about(self) -> None:
        case = small_job(("a", 1), shared="going")
        case.claims = [HeldClaim(claim_of("going"), deleting=True)]
        seen = small_seen(case, "", slices=_ROAMING)
        self.assertEqual(self._play(seen), (False, True))

    def test_a_search_that_takes_too_long_ends_its_play(self) -> None:
        seen = small_seen(small_job(("a", 1)), "n1", slices=_ROAMING)
        seen.pods[0].final["status"]["resourceClaimStatuses"][0]["resourceClaimName"] = "slow"
        seen.claims = [claim_of("slow")]
        self.assertEqual(self._play(seen, ended=100), (False, False))
        self.assertIn("had no time for 100", Plays(ended=100).same())


class ReachedTest(unittest.TestCase):
    def test_fedra_is_asked_about_a_pod_that_only_other_filters_can_refuse(self) -> None:
        seen = small_seen(small_job(("a", 1)), "", slices=_LOCAL)
        fedra = TableFedra({"a-0-n1: pod@probe-n1": YES, "a-0-n2: pod@probe-n2": NO})
        self.assertEqual(reached(seen, 0, "1.35", fedra), {"n1"})
        cluster, job = fedra.questions[0]
        spec = job["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
        self.assertEqual(spec["containers"], [{"resources": {}}])
        template = spec["resourceClaims"][0]["resourceClaimTemplateName"]
        self.assertEqual(template, cluster["ResourceClaimTemplate"][0]["metadata"]["name"])
        own = {piece["spec"].get("nodeName") for piece in cluster["ResourceSlice"][len(_LOCAL) :]}
        self.assertEqual(own, {"n1", "n2"})


class NodeSelectionTest(unittest.TestCase):
    def test_what_selects_a_node(self) -> None:
        node = {"metadata": {"name": "n1", "labels": {"zone": "a", "rank": "5"}}}
        wishes: list[tuple[str, str, list[str], bool]] = [
            ("zone", "In", ["a", "b"], True), ("zone", "In", ["b"], False),
            ("zone", "NotIn", ["b"], True), ("zone", "NotIn", ["a"], False),
            ("rack", "NotIn", ["a"], True), ("rack", "In", ["a"], False),
            ("zone", "Exists", [], True), ("rack", "Exists", [], False),
            ("rack", "DoesNotExist", [], True), ("zone", "DoesNotExist", [], False),
            ("rank", "Gt", ["3"], True), ("rank", "Gt", ["5"], False),
            ("rank", "Lt", ["7"], True), ("zone", "Lt", ["7"], False), ("rack", "Gt", ["3"], False),
        ]  # fmt: skip
        for key, operator, values, expected in wishes:
            wish = {"key": key, "operator": operator, "values": values}
            selector = {"nodeSelectorTerms": [{"matchExpressions": [wish]}]}
            self.assertEqual(selects(selector, node), expected, wish)
        for name, expected in (("n1", True), ("n2", False)):
            field = {"key": "metadata.name", "operator": "In", "values": [name]}
            exists = {"key": "zone", "operator": "Exists"}
            term = {"matchFields": [field], "matchExpressions": [exists]}
            self.assertEqual(selects({"nodeSelectorTerms": [term]}, node), expected)
            self.assertTrue(
                selects({"nodeSelectorTerms": [term, {"matchExpressions": [exists]}]}, node)
            )
        self.assertTrue(selects(None, node))
        self.assertFalse(selects({"nodeSelectorTerms": [{}]}, node))

    def test_the_selector_of_an_allocation(self) -> None:
        zone = {"key": "zone", "operator": "In", "values": ["a"]}
        by_zone: Json = {
            "spec": {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}}
        }
        local, roaming = slice_of("own", "gpu", node="n1"), slice_of("roaming", "nic")
        self.assertIsNone(selector_for([roaming], "n1"))
        self.assertEqual(
            selector_for([roaming, by_zone], "n1"),
            {"nodeSelectorTerms": [{"matchExpressions": [zone]}]},
        )
        field = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
        self.assertEqual(
            selector_for([by_zone, local], "n1"), {"nodeSelectorTerms": [{"matchFields": [field]}]}
        )


if __name__ == "__main__":
    unittest.main()
