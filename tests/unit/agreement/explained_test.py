#!/usr/bin/python3
"""What explains how a job differs, and what must not: for each line one row of each (tests/real/agreement/explained.py)."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agreement import scheduler_lines as lines  # noqa: E402
from real.agreement.dice import Json  # noqa: E402
from real.agreement.explained import Explainer, Finding  # noqa: E402
from real.agreement.fedra_check import Answer  # noqa: E402
from real.agreement.job_outcome import FITS_IN_NO_ORDER, Comparison, compare  # noqa: E402
from real.agreement.job_seen import JobObservation  # noqa: E402
from unit.agreement.small_job import (  # noqa: E402
    BY_ORDER,
    NO,
    YES,
    TableFedra,
    allocated,
    claim_of,
    first_fit,
    no,
    slice_of,
    small_job,
    small_seen,
)

Table = dict[str, Answer]

_MORE, _FEWER = "more pods bound than fit", "fewer pods bound than fit"
# n1 has a device of its own, n2 has none, and one device roams.
_ROAMING = [slice_of("own", "gpu", node="n1"), slice_of("roaming", "nic")]
_LOCAL = [slice_of("own", "gpu", node="n1"), slice_of("other", "gpu", node="n2")]


class ExplainedTest(unittest.TestCase):
    """Two pod sets of one pod each. a-0 is on n1; b-0 is on n2, or nowhere."""

    def _explain(
        self, seen: JobObservation, found: Comparison, table: Table, release: str = "1.36"
    ) -> Finding:
        return Explainer(release, TableFedra(table), first_fit).explain(seen, found)

    def _check(
        self,
        seen: JobObservation,
        found: Comparison,
        table: Table,
        said: str,
        release: str = "1.36",
    ) -> None:
        """`said`: part of why it is not explained; empty: it is."""
        finding = self._explain(seen, found, table, release)
        self.assertFalse(finding.is_too_careful)
        self.assertEqual(bool(finding.lines), bool(said), finding)
        self.assertIn(said, "; ".join(finding.lines))

    def test_scores(self) -> None:
        seen = small_seen(small_job(("a", 1), ("b", 1)), "n1", "")
        found = Comparison(_FEWER, lines.SCORES)
        right: Table = {
            "a-0: pod@n1": YES,
            "b-0: pod@any | of-a-0": NO,
            "job-1: pod-0@n1 pod-1@any": no(1, 0),
            "a-0: pod@not-n1": YES,
        }
        self._check(seen, found, right, "")
        for question, answer, said in (
            ("a-0: pod@n1", NO, "a-0: n1, but fedra No"),
            ("b-0: pod@any | of-a-0", YES, "b-0: not bound"),
            ("job-1: pod-0@n1 pod-1@any", no(1, 1), "b-0: not bound, but fedra counts 1"),
            ("a-0: pod@not-n1", NO, "no pod could have gone"),
        ):
            self._check(seen, found, {**right, question: answer}, said)

    def test_scores_where_all_are_bound(self) -> None:
        seen = small_seen(small_job(("a", 1), ("b", 1)), "n1", "n2", slices=_ROAMING)
        note = "PodsDoNotFit: how many pods fit may be chance, for kube-scheduler 1.35 x"
        found = compare(seen, Answer("No", [1, 0], ["NotEnoughDevices: x", note]))
        self.assertEqual(found, Comparison(FITS_IN_NO_ORDER, lines.SCORES))
        pinned = "job-1: pod-0@n1 pod-1@n2"
        right: Table = {
            "a-0: pod@n1 | of-b-0": YES,
            "b-0: pod@n2 | of-a-0": YES,
            pinned: YES,
            "a-0: pod@not-n1": YES,
            "b-0: pod@not-n2 | of-a-0": NO,
        }
        self._check(seen, found, right, "", "1.35")
        # The order of pools excuses nothing here: of a job that some order lets fit fedra must not say No.
        unknown = Answer("Unknown", [1, 1], BY_ORDER.reasons)
        for answer, said in (
            (no(1, 0), "but fedra counts 0"),
            (no(1, 1), "where they are: No"),
            (unknown, "where they are: Unknown"),
        ):
            self._check(seen, found, {**right, pinned: answer}, said, "1.35")

    def _of_order(
        self, verdict: Answer, slices: list[Json], *nodes: str, pinned: Answer = NO, **more: Answer
    ) -> Finding:
        """The job on 1.35, when fedra's answers agree with what was seen, but for the pinned job."""
        seen = small_seen(small_job(("a", 1), ("b", 1)), *nodes, slices=slices)
        alone = more.get("alone", YES)
        table: Table = {
            "a-0: pod@n1": alone,
            "a-0: pod@n1 | of-b-0": alone,
            "b-0: pod@n2 | of-a-0": YES,
            "b-0: pod@any | of-a-0": NO,
            "b-0-n1: pod@probe-n1 | of-a-0": NO,
            "b-0-n2: pod@probe-n2 | of-a-0": YES,
            "job-1: pod-0@n1 pod-1@n2": pinned,
            "job-1: pod-0@n1 pod-1@any": pinned,
            "a-0: pod@not-n1": more.get("elsewhere", YES),
        }
        found = compare(seen, verdict)
        return self._explain(seen, found, table, "1.35")

    def test_the_order_of_pools_where_fedra_says_unknown(self) -> None:
        self.assertEqual(self._of_order(BY_ORDER, _ROAMING, "n1", "n2"), Finding([]))
        # Other devices, and the same pods: it is more careful than it must be.
        slices = [*_ROAMING, slice_of("more", "gpu", node="n2")]
        finding = self._of_order(BY_ORDER, slices, "n1", "n2")
        self.assertTrue(finding.is_too_careful and "lets the same pods fit" in finding.lines[0])
        # One answer: nothing is chance.
        finding = self._of_order(BY_ORDER, _LOCAL, "n1", "n2")
        self.assertIn("answers the same for each pod", finding.lines[0])
        self.assertFalse(finding.is_too_careful)

    def test_too_careful_is_only_what_is_certain(self) -> None:
        # The library has several answers for a-0, and none for b-0 when it begins with one device.
        slices = [
            *_ROAMING,
            slice_of("more", "gpu", node="n2"),
            slice_of("slow", "slow", node="n2"),
        ]
        finding = self._of_order(BY_ORDER, slices, "n1", "n2")
        self.assertIn("but had no time for", finding.lines[0])
        self.assertFalse(finding.is_too_careful)

    def test_an_error_by_chance(self) -> None:
        verdict = Answer("Unknown", None, ["AllocationError: x"])
        self.assertEqual(self._of_order(verdict, _LOCAL, "n1", ""), Finding([]))
        finding = self._of_order(verdict, _LOCAL, "n1", "", elsewhere=NO)
        self.assertIn("no pod could have gone", finding.lines[0])
        # Where fedra does not know a pod alone, either, the order must decide.
        self.assertEqual(self._of_order(verdict, _ROAMING, "n1", "", alone=BY_ORDER), Finding([]))
        more = [*_ROAMING, slice_of("more", "gpu", node="n2")]
        finding = self._of_order(verdict, more, "n1", "", alone=BY_ORDER)
        self.assertIn("lets the same pods fit", finding.lines[0])
        self.assertFalse(finding.is_too_careful)

    def test_a_count_and_a_pod_of_which_the_order_decides(self) -> None:
        for slices, said in ((_ROAMING, ""), (_LOCAL, "lets the same pods fit")):
            finding = self._of_order(no(1, 1), slices, "n1", "", pinned=no(1, 0), alone=BY_ORDER)
            self.assertEqual(bool(finding.lines), bool(said))
            self.assertIn(said, "; ".join(finding.lines))

    def test_the_order_of_pools_where_fedra_counts(self) -> None:
        note = "PodsDoNotFit: how many pods fit may be chance, for kube-scheduler 1.35 x"
        verdict = Answer("No", [1, 1], ["NotEnoughDevices: x", note])
        self.assertEqual(self._of_order(verdict, _ROAMING, "n1", "", pinned=verdict), Finding([]))
        # On these nodes no order lets b-0 fit: where a-0 went decides, if it could have gone elsewhere.
        alone = [slice_of("own", "gpu", node="n1")]
        self.assertEqual(self._of_order(verdict, alone, "n1", "", pinned=no(1, 0)), Finding([]))
        finding = self._of_order(verdict, alone, "n1", "", pinned=no(1, 0), elsewhere=NO)
        self.assertIn("no pod could have gone to another node", finding.lines[0])
        # What was seen comes about in no order: with a device of its own b-0 always fits.
        finding = self._of_order(verdict, _LOCAL, "n1", "", pinned=no(1, 0))
        self.assertIn("lets the same pods fit", finding.lines[0])

    def test_other_pods_must_fit_as_they_were_seen(self) -> None:
        note = "PodsDoNotFit: how many pods fit may be chance, for kube-scheduler 1.35 x"
        case = small_job(("a", 1), ("b", 2))
        seen = small_seen(case, "n1", "n2", "n2", slices=_ROAMING)
        seen.pods[2].final["spec"].pop("nodeName")
        seen.claims[2] = claim_of("of-b-1")
        found = compare(seen, Answer("No", [1, 2], ["NotEnoughDevices: x", note]))
        self.assertEqual(found.line, lines.ORDER)
        table: Table = {
            "a-0: pod@n1 | of-b-0": YES,
            "b-0: pod@n2 | of-a-0": YES,
            "b-1: pod@any | of-a-0 of-b-0": NO,
            "b-1-n1: pod@probe-n1 | of-a-0 of-b-0": YES,
            "b-1-n2: pod@probe-n2 | of-a-0 of-b-0": YES,
            "job-1: pod-0@n1 pod-1@n2 pod-2@any": no(1, 1, 0),
        }
        self._check(seen, found, table, "", "1.35")
        # With one more on n1 either a-0 takes the device that b-0 needs, or b-1 fits as well.
        seen.before["ResourceSlice"] = [slice_of("own", "gpu", "more", node="n1"), _ROAMING[1]]
        self._check(seen, found, table, "lets just these pods fit", "1.35")

    def test_the_order_excuses_a_count_only_where_fedra_says_that_it_decides(self) -> None:
        note = "PodsDoNotFit: how many pods fit may be chance, for kube-scheduler 1.35 x"
        verdict, noted = no(1, 1), Answer("No", [1, 1], ["NotEnoughDevices: x", note])
        finding = self._of_order(verdict, _ROAMING, "n1", "", pinned=noted)
        self.assertEqual(finding, Finding([]))
        for pinned in (no(1, 1), YES):
            finding = self._of_order(verdict, _ROAMING, "n1", "", pinned=pinned)
            self.assertIn("b-0: not bound, but fedra counts 1", finding.lines[0])
        finding = self._of_order(verdict, _LOCAL, "n1", "", pinned=noted)
        self.assertIn("b-0: not bound, but fedra counts 1", finding.lines[0])

    def test_releases_without_chance_have_no_order(self) -> None:
        seen = small_seen(small_job(("a", 1), ("b", 1)), "n1", "")
        self._check(seen, Comparison("x", lines.ORDER), {}, "no line of the scheduler is known")
        self._check(seen, Comparison("x"), {}, "no line of the scheduler is known")

    def _race(self) -> JobObservation:
        """b-0 has reserved a claim that can be used on n1 only, and runs on n2."""
        seen = small_seen(small_job(("a", 1), ("b", 1), shared="shared"), "n1", "n2")
        seen.before["ResourceClaim"] = [claim_of("shared")]
        seen.claims.append(allocated(claim_of("shared"), "n1", "gpu", "a-0", "b-0"))
        return seen

    def test_a_race(self) -> None:
        seen = self._race()
        found = compare(seen, no(1, 0))
        self.assertEqual(found.line, lines.RACE)
        # Without b-0, but with what its own claim holds.
        right: Table = {"a-0: pod@n1 | of-b-0 shared": YES, "job-1: pod-0@n1 | of-b-0": YES}
        self._check(seen, found, right, "")
        self._check(seen, found, {**right, "a-0: pod@n1 | of-b-0 shared": NO}, "a-0")
        self._check(seen, found, {**right, "job-1: pod-0@n1 | of-b-0": no(0)}, "counts 0")

    def test_a_claim_that_a_failed_pod_keeps(self) -> None:
        seen = small_seen(small_job(("a", 1), ("b", 1), ("c", 1)), "", "n2", "")
        seen.claims[0] = allocated(claim_of("of-a-0"), "n1", "gpu")
        found = compare(seen, no(0, 1, 1))
        self.assertEqual(found.line, lines.LEFT_BEHIND)
        right: Table = {
            "a-0: pod@any | of-b-0": NO,
            "b-0: pod@n2 | of-a-0": YES,
            "c-0: pod@any | of-a-0 of-b-0": NO,
            "c-0: pod@any | of-b-0": YES,
            "job-1: pod-0@n2 pod-1@any | of-a-0": no(1, 0),
        }
        self._check(seen, found, right, "")
        for question, answer, said in (
            ("c-0: pod@any | of-a-0 of-b-0", YES, "c-0: not bound"),
            ("c-0: pod@any | of-b-0", NO, "without the claims that it keeps"),
            ("job-1: pod-0@n2 pod-1@any | of-a-0", no(0, 0), "b-0: n2, but fedra counts 0"),
        ):
            self._check(seen, found, {**right, question: answer}, said)

    def test_what_fedra_does_not_count(self) -> None:
        seen = small_seen(small_job(("a", 1), ("b", 1)), "n1", "")
        found = compare(seen, Answer("No", None, ["DeviceClassMissing: x"]))
        self.assertEqual(found.line, lines.UNCOUNTED)
        right: Table = {"job-1: b@any": NO, "job-1: pod-0@n1": YES}
        self._check(seen, found, right, "")
        self._check(seen, found, {**right, "job-1: b@any": YES}, "pod set 1 alone is not No")
        self._check(seen, found, {**right, "job-1: pod-0@n1": no(0)}, "counts 0")

    def test_a_gang_that_is_not_placed(self) -> None:
        case = small_job(("a", 2), ("b", 1), grouped=1)
        case.min_count = 2
        seen = small_seen(case, "", "", "n2")
        found = compare(seen, no(1, 0))
        self.assertEqual(found, Comparison(_MORE, lines.NOT_PLACED))
        question = "job-1: pod-0@nowhere pod-1@nowhere pod-2@n2"
        self._check(seen, found, {question: no(0, 0, 1)}, "")
        self._check(seen, found, {question: no(0, 0, 0)}, "b-0: n2, but fedra counts 0")


if __name__ == "__main__":
    unittest.main()
