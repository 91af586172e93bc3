#!/usr/bin/python3
"""What fedra is asked about the pods of a job that differs, and what of its answers counts: tests/real/agreement/placed.py."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agreement.dice import Json  # noqa: E402
from real.agreement.fedra_check import Answer  # noqa: E402
from real.agreement.job_case import JobCase  # noqa: E402
from real.agreement.job_seen import JobObservation  # noqa: E402
from real.agreement.placed import (  # noqa: E402
    contradictions,
    devices_were_kept,
    had_choice,
    never_run,
    placed_as_they_were,
    until,
)
from unit.agreement.small_job import (  # noqa: E402
    BY_ORDER,
    NO,
    YES,
    TableFedra,
    allocated,
    claim_of,
    no,
    small_job,
    small_seen,
)

_RELEASE = "1.36"


def _seen(*nodes: str, grouped: int = 0) -> JobObservation:
    """Of a set a with one pod and a set b with two."""
    return small_seen(small_job(("a", 1), ("b", 2), grouped=grouped), *nodes)


class ContradictionsTest(unittest.TestCase):
    def _check(self, lines: list[str], by_order: bool, **answers: Answer) -> None:
        """`answers`: about a-0 on its node, b-0 on its, and b-1, which has none."""
        table = {
            "a-0: pod@n1 | of-b-0": answers.get("a", YES),
            "b-0: pod@n2 | of-a-0": answers.get("b", YES),
            "b-1: pod@any | of-a-0 of-b-0": answers.get("c", NO),
        }
        found, chance = contradictions(_seen("n1", "n2", ""), _RELEASE, TableFedra(table))
        self.assertEqual([line.partition(":")[0] for line in found], lines)
        self.assertEqual(chance, by_order)

    def test_each_pod_alone_beside_what_the_others_hold(self) -> None:
        self._check([], False)
        self._check(["a-0"], False, a=NO)
        self._check(["b-1"], False, c=YES)
        self._check(["b-0", "b-1"], False, b=Answer("Unknown", None, ["StaleData: x"]), c=YES)
        self._check([], True, a=BY_ORDER, c=BY_ORDER)
        self._check(["b-1"], True, a=BY_ORDER, c=YES)

    def test_a_pod_that_failed_with_its_gang_shows_nothing(self) -> None:
        seen = _seen("n1", "n2", "", grouped=2)
        message = "failed to schedule other pod from a pod group: x"
        conditions = [{"type": "PodScheduled", "status": "False", "message": message}]
        seen.pods[2].final["status"]["conditions"] = conditions
        table = {"a-0: pod@n1 | of-b-0": YES, "b-0: pod@n2 | of-a-0": YES}
        self.assertEqual(contradictions(seen, _RELEASE, TableFedra(table)), ([], False))


class PlacedAsTheyWereTest(unittest.TestCase):
    def _check(self, question: str, answer: Answer, lines: list[str], **options: object) -> None:
        seen = _seen("n1", "n2", "")
        fedra = TableFedra({question: answer})
        found = placed_as_they_were(seen, _RELEASE, fedra, **options)  # type: ignore[arg-type]
        self.assertEqual([line.partition(":")[0] for line in found], lines)

    def test_just_the_pods_that_were_bound_must_be_counted(self) -> None:
        question = "job-1: pod-0@n1 pod-1@n2 pod-2@any"
        self._check(question, no(1, 1, 0), [])
        self._check(question, no(1, 1, 1), ["b-1"])
        self._check(question, no(1, 0, 0), ["b-0"])
        self._check(question, no(0, 0, 1), ["a-0", "b-0", "b-1"])
        self._check(question, YES, ["b-1"])
        self._check(question, NO, ["with its pods where they are"])

    def test_where_all_were_bound_counting_them_is_not_enough(self) -> None:
        seen = _seen("n1", "n2", "n1")
        question = "job-1: pod-0@n1 pod-1@n2 pod-2@n1"
        every = Answer("Unknown", [1, 1, 1], BY_ORDER.reasons)
        for answer, expected in ((YES, 0), (no(1, 1, 1), 1), (every, 1)):
            fedra = TableFedra({question: answer})
            self.assertEqual(len(placed_as_they_were(seen, _RELEASE, fedra)), expected, answer)

    def test_a_claim_by_name_is_held_where_no_other_pod_uses_it(self) -> None:
        for users, text in (
            (["a-0"], "job-1: pod-0@n1 | of-a-0 shared"),
            (["a-0", "a-1"], "job-1: pod-0@n1 | of-a-0"),
        ):
            seen = small_seen(small_job(("a", 2), shared="shared"), "n2", "n1")
            seen.before["ResourceClaim"] = [claim_of("shared")]
            seen.claims.append(allocated(claim_of("shared"), "n1", "gpu", *users))
            fedra = TableFedra({text: YES})
            in_cluster = seen.pods[:1]
            self.assertEqual(placed_as_they_were(seen, _RELEASE, fedra, in_cluster=in_cluster), [])

    def test_a_gang_waits_for_nobody(self) -> None:
        seen = _seen("n1", "n2", "n1", grouped=2)
        group: Json = {"spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}}
        seen.before["PodGroup"] = [group]
        fedra = TableFedra({"job-1: pod-0@n1 pod-1@n2 pod-2@n1": YES})
        self.assertEqual(placed_as_they_were(seen, _RELEASE, fedra), [])
        asked = fedra.questions[0][0]["PodGroup"][0]
        self.assertEqual(asked["spec"]["schedulingPolicy"]["gang"]["minCount"], 1)

    def test_pod_sets_that_are_left_out_or_go_nowhere(self) -> None:
        self._check("job-1: pod-0@n1", YES, [], leave_out=frozenset({1}))
        nowhere = "job-1: pod-0@nowhere pod-1@n2 pod-2@any"
        self._check(nowhere, no(0, 1, 0), ["a-0"], nowhere=frozenset({0}))

    def test_what_a_pod_holds_that_the_job_lacks(self) -> None:
        seen = _seen("n1", "n2", "")
        fedra = TableFedra({"job-1: pod-0@n2 pod-1@any | of-a-0": no(1, 0)})
        in_cluster = seen.pods[:1]
        self.assertEqual(placed_as_they_were(seen, _RELEASE, fedra, in_cluster=in_cluster), [])
        pods = fedra.questions[0][0]["Pod"]
        self.assertEqual([pod["metadata"]["name"] for pod in pods], ["a-0"])
        # One that runs nowhere takes nothing but its claims.
        fedra = TableFedra({"job-1: pod-0@n1 pod-1@n2": YES})
        placed_as_they_were(seen, _RELEASE, fedra, in_cluster=seen.pods[2:])
        self.assertEqual(fedra.questions[0][0]["Pod"], [])
        # Of a job of these pods alone nothing is left to ask.
        fedra = TableFedra({})
        self.assertEqual(placed_as_they_were(seen, _RELEASE, fedra, in_cluster=seen.pods), [])


class OthersTest(unittest.TestCase):
    def test_a_choice(self) -> None:
        seen = _seen("n1", "n2", "")
        for a, b, expected in ((YES, NO, True), (NO, YES, True), (NO, BY_ORDER, False)):
            # a-0 came first, and met nothing of the others.
            table = {"a-0: pod@not-n1": a, "b-0: pod@not-n2 | of-a-0": b}
            self.assertEqual(had_choice(seen, _RELEASE, TableFedra(table)), expected)
        self.assertFalse(had_choice(_seen("", "", ""), _RELEASE, TableFedra({})))

    def test_a_pod_set_that_never_runs(self) -> None:
        for answer, expected in ((NO, True), (YES, False), (BY_ORDER, False)):
            fedra = TableFedra({"job-1: b@any": answer})
            self.assertEqual(never_run(_seen("n1", "", ""), _RELEASE, fedra, 1), expected)

    def test_what_a_pod_keeps_must_be_what_another_lacks(self) -> None:
        seen = _seen("", "n2", "")
        seen.claims[0] = allocated(seen.claims[0], "n1", "dev")
        for answer, expected in ((YES, True), (NO, False), (BY_ORDER, False)):
            fedra = TableFedra({"b-1: pod@any | of-b-0": answer})
            self.assertEqual(devices_were_kept(seen, _RELEASE, fedra), expected)


class UntilTest(unittest.TestCase):
    """The cluster that a pod met, made of what there was before and in the end."""

    def _shared(self, before: Json, after: Json) -> tuple[JobCase, JobObservation]:
        case = small_job(("a", 2), shared="shared")
        seen = small_seen(case, "n1", "n1")
        seen.before["ResourceClaim"] = [before]
        seen.claims.append(after)
        return case, seen

    def _met(self, seen: JobObservation, number: int) -> dict[str, Json]:
        claims = until(seen, number)["ResourceClaim"]
        return {claim["metadata"]["name"]: claim.get("status", {}) for claim in claims}

    def test_a_claim_is_allocated_by_the_first_that_uses_it(self) -> None:
        free = claim_of("shared")
        after = allocated(free, "n1", "gpu", "a-0", "a-1")
        _, seen = self._shared(free, after)
        self.assertEqual(self._met(seen, 0), {"shared": {}})
        met = self._met(seen, 1)
        self.assertEqual(met["shared"]["reservedFor"], [{"uid": "a-0"}])
        self.assertEqual(set(met), {"shared", "of-a-0"})
        pods = [pod["metadata"]["name"] for pod in until(seen, 1)["Pod"]]
        self.assertEqual(pods, ["a-0"])

    def test_one_that_was_taken_back_is_met_without_an_allocation(self) -> None:
        before = allocated(claim_of("shared"), "n2", "gpu")
        _, seen = self._shared(before, allocated(claim_of("shared"), "n1", "gpu", "a-0", "a-1"))
        self.assertEqual(self._met(seen, 0), {"shared": {}})
        _, seen = self._shared(before, allocated(claim_of("shared"), "n2", "gpu", "a-0", "a-1"))
        self.assertEqual(self._met(seen, 0)["shared"], before["status"])


if __name__ == "__main__":
    unittest.main()
