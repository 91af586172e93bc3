#!/usr/bin/python3
"""What the comparison of whole jobs (tests/real/agreement) calls equal, may explain, and must call a difference."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agreement.dice import Json  # noqa: E402
from real.agreement.fedra_check import Answer  # noqa: E402
from real.agreement.job_case import HeldClaim, JobCase  # noqa: E402
from real.agreement.job_outcome import FITS_IN_NO_ORDER, Comparison, compare  # noqa: E402
from real.agreement.job_pods import PodSet  # noqa: E402
from real.agreement.job_seen import JobObservation, JobPod  # noqa: E402
from real.agreement import scheduler_lines as lines  # noqa: E402
from unit.agreement.small_job import bare_case  # noqa: E402

_GANG_FAILED = "failed to schedule other pod from a pod group: no such key"


def _case(sets: list[int], grouped: int = 0, min_count: int = 0) -> JobCase:
    pod_sets = [PodSet(f"set-{i}", count, {}) for i, count in enumerate(sets)]
    return bare_case(pod_sets, grouped, min_count, prefix="j1-")


def _seen(case: JobCase, bound: list[int], message: str = "", **own: Json) -> JobObservation:
    """`own`: the claims of pods that are not bound, by the pod's name; `message`: what the scheduler says of these."""
    seen = JobObservation(case, outcome="decided")
    for i, pod_set in enumerate(case.pod_sets):
        for j in range(pod_set.count):
            name = f"set_{i}_{j}"
            final: Json = {"metadata": {"name": name, "uid": name}, "spec": {}, "status": {}}
            if j < bound[i]:
                final["spec"]["nodeName"] = "node-1"
            else:
                final["status"]["conditions"] = [{"type": "PodScheduled", "message": message}]
            if name in own:
                final["status"]["resourceClaimStatuses"] = [{"resourceClaimName": f"of-{name}"}]
                seen.claims.append({"metadata": {"name": f"of-{name}"}, "status": own[name]})
            seen.pods.append(JobPod(i, final, final))
    return seen


def _yes(*fitting: int) -> Answer:
    return Answer("Yes", list(fitting), [])


def _no(*fitting: int, reason: str = "NotEnoughDevices: x") -> Answer:
    return Answer("No", list(fitting) or None, [reason])


def _unknown(reason: str) -> Answer:
    return Answer("Unknown", None, [reason])


class CompareTest(unittest.TestCase):
    def _check(self, seen: JobObservation, ours: Answer, kind: str, line: str = "") -> None:
        self.assertEqual(compare(seen, ours), Comparison(kind, line))

    def test_equal(self) -> None:
        case = _case([2, 3])
        self._check(_seen(case, [2, 3]), _yes(2, 3), "")
        self._check(_seen(case, [2, 1]), _no(2, 1), "")
        self._check(_seen(case, [0, 0]), _no(reason="DeviceClassMissing: x"), "")

    def test_a_mistake_in_the_verdict_or_a_count_must_be_shown_by_the_pods(self) -> None:
        case = _case([2, 3])
        self._check(_seen(case, [2, 2]), _yes(2, 3), "not all bound but fedra Yes", lines.SCORES)
        self._check(_seen(case, [2, 3]), _no(2, 2), "all bound but fedra No", lines.SCORES)
        self._check(_seen(case, [1, 2]), _no(2, 2), "fewer pods bound than fit", lines.SCORES)
        self._check(_seen(case, [2, 2]), _no(2, 1), "more pods bound than fit", lines.SCORES)
        for line in (lines.SCORES, lines.ORDER, lines.RACE, lines.LEFT_BEHIND):
            self.assertFalse(Comparison("x", line).is_explained)
        self.assertFalse(Comparison("x").is_explained)

    def test_the_order_of_pools_decides_how_many_fit_only_where_fedra_says_so(self) -> None:
        by_order = "PodsDoNotFit: how many pods fit may be chance, for kube-scheduler 1.35 x"
        ours = Answer("No", [2, 1], ["NotEnoughDevices: x", by_order])
        case = _case([2, 3])
        self._check(_seen(case, [2, 1]), ours, "")
        self._check(_seen(case, [2, 2]), ours, "more pods bound than fit", lines.ORDER)
        self._check(_seen(case, [2, 3]), ours, FITS_IN_NO_ORDER, lines.SCORES)

    def test_what_is_not_counted(self) -> None:
        case = _case([2, 3])
        missing = _no(reason="DeviceClassMissing: x")
        kind = "bound, but not counted (DeviceClassMissing)"
        self._check(_seen(case, [0, 3]), missing, kind, lines.UNCOUNTED)
        # Something was bound of every set: nothing was missing.
        self._check(_seen(case, [1, 3]), missing, kind)
        self.assertFalse(Comparison(kind, lines.UNCOUNTED).is_explained)

    def test_a_gang_below_its_minimum_is_not_bound(self) -> None:
        case = _case([2, 2, 3], grouped=2, min_count=4)
        self._check(_seen(case, [0, 0, 2]), _no(2, 1, 2), "")
        # fedra counts its pods, and so less is left for the others.
        more = _seen(case, [0, 0, 3])
        self._check(more, _no(2, 1, 2), "more pods bound than fit", lines.NOT_PLACED)
        self._check(_seen(case, [2, 1, 2]), _no(2, 1, 2), "more pods bound than fit", lines.SCORES)

    def test_a_gang_that_fails_when_it_is_bound_was_let_pass(self) -> None:
        case = _case([2, 1], grouped=2, min_count=3)
        message = 'running PreBind plugin "DynamicResources": claim x is invalid'
        self._check(_seen(case, [0, 1], message), _no(0, 1), "")
        kind = "more pods bound than fit"
        self._check(_seen(case, [0, 1]), _no(0, 1), kind, lines.SCORES)

    def test_the_error_of_a_gang_must_have_been_seen(self) -> None:
        case = _case([2, 2], grouped=2, min_count=3)
        failing = _no(2, 1, reason="SelectorError: x")
        self._check(
            _seen(case, [0, 0], _GANG_FAILED),
            failing,
            "no pod of the gang bound",
            lines.GANG_ERROR,
        )
        self._check(_seen(case, [0, 0]), failing, "fewer pods bound than fit", lines.SCORES)
        # And fedra must have named one.
        self._check(
            _seen(case, [0, 0], _GANG_FAILED),
            _no(2, 1),
            "fewer pods bound than fit",
            lines.SCORES,
        )

    def test_a_pod_that_is_not_bound_keeps_claims(self) -> None:
        case = _case([1, 2])
        kept = _seen(case, [0, 1], set_0_0={"allocation": {}})
        self._check(kept, _no(0, 2), "fewer pods bound than fit", lines.LEFT_BEHIND)
        free = _seen(case, [0, 1], set_0_0={})
        self._check(free, _no(0, 2), "fewer pods bound than fit", lines.SCORES)

    def test_unknown(self) -> None:
        case = _case([2])
        kind = "all bound but fedra Unknown (BudgetExceeded)"
        self._check(_seen(case, [2]), _unknown("BudgetExceeded: x"), kind)
        gave_up = _seen(case, [2])
        gave_up.timed_out = True
        self._check(gave_up, _unknown("BudgetExceeded: x"), kind, lines.TIMEOUT)
        chance = _unknown("ReleaseUnverified: pools come in an order that is chance")
        kind = "all bound but fedra Unknown (ReleaseUnverified)"
        self._check(_seen(case, [2]), chance, kind, lines.ORDER)
        self._check(_seen(case, [2]), _unknown("ReleaseUnverified: x"), kind)
        stale = _unknown("StaleData: x")
        self._check(_seen(case, [2]), stale, "all bound but fedra Unknown (StaleData)")
        self.assertTrue(compare(_seen(case, [2]), stale).is_unknown)


class WaitingTest(unittest.TestCase):
    """Pods that the scheduler leaves in its queue."""

    def _gang(self, as_one: bool) -> JobCase:
        case = _case([1, 2, 1], grouped=2, min_count=2)
        case.claims = [HeldClaim({"metadata": {"name": "going"}, "spec": {}}, deleting=True)]
        case.pod_sets[0].spec["resourceClaims"] = [{"name": "d", "resourceClaimName": "going"}]
        case.group_waits_as_one = as_one
        return case

    def test_one_pod_keeps_its_group_waiting_from_1_37_on(self) -> None:
        waiting = [self._gang(as_one=True).waits_in_queue(i) for i in range(3)]
        self.assertEqual(waiting, [True, True, False])
        waiting = [self._gang(as_one=False).waits_in_queue(i) for i in range(3)]
        self.assertEqual(waiting, [True, False, False])

    def test_then_none_of_it_is_bound(self) -> None:
        for as_one, bound in ((True, [0, 0, 1]), (False, [0, 2, 1])):
            found = compare(_seen(self._gang(as_one), bound), _no(0, 2, 1))
            self.assertEqual(found, Comparison(), as_one)

    def test_a_group_without_enough_pods(self) -> None:
        case = _case([1, 1], grouped=2, min_count=3)
        self.assertTrue(case.waits_in_queue(0) and case.waits_in_queue(1))


class BoundElsewhereTest(unittest.TestCase):
    def test_only_a_bound_pod_is(self) -> None:
        case = _case([2])
        seen = _seen(case, [1])
        fields = [{"key": "metadata.name", "operator": "In", "values": ["node-2"]}]
        allocation = {"nodeSelector": {"nodeSelectorTerms": [{"matchFields": fields}]}}
        users = [{"uid": "set_0_0"}, {"uid": "set_0_1"}]
        status = {"allocation": allocation, "reservedFor": users}
        seen.claims = [{"metadata": {"name": "shared"}, "status": status}]
        self.assertEqual([seen.is_bound_elsewhere(pod) for pod in seen.pods], [True, False])


if __name__ == "__main__":
    unittest.main()
