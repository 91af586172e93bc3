"""Whether fedra's verdict on a whole job is what the scheduler made of it.

Three answers: it is equal; it differs; or a line of the scheduler (or, for what fedra does not count, of fedra) explains
why two right answers can differ, and what was seen shows that this line was at work.
"""

from __future__ import annotations

import dataclasses

from real.agreement.fedra_check import Answer
from real.agreement.job_seen import JobObservation
from real.agreement.scheduler_lines import (
    GANG_ERROR,
    LEFT_BEHIND,
    NOT_PLACED,
    ORDER,
    RACE,
    SCORES,
    TIMEOUT,
    UNCOUNTED,
)

_ERRORS = {"SelectorError", "AllocationError"}  # what ends a pod's attempt with an error

# What explains a difference only where pod by pod nothing contradicts it (explained.py).
SHOWN_BY_PODS = (SCORES, ORDER, RACE, LEFT_BEHIND, UNCOUNTED, NOT_PLACED)

# Why fedra does not say Yes or No. An error by chance is one that other nodes would have avoided.
_UNKNOWN = {
    "SelectorError": SCORES,
    "AllocationError": SCORES,
    "PoolIncomplete": SCORES,
    "PodPlacement": SCORES,
}
_NO_ANSWER = "but fedra Unknown"
# The difference that the note beside such a No must not have: only other nodes explain it, on which fedra says Yes.
FITS_IN_NO_ORDER = "all bound but fedra No, in every order of the pools"


@dataclasses.dataclass(frozen=True)
class Comparison:
    kind: str = ""  # of the difference, in a few words; empty: both agree
    # What may explain it; those of SHOWN_BY_PODS do only where the pods have shown that.
    line: str = ""

    @property
    def is_equal(self) -> bool:
        return not self.kind

    @property
    def is_explained(self) -> bool:
        """Without looking at the pods one by one."""
        return bool(self.kind and self.line) and self.line not in SHOWN_BY_PODS

    @property
    def is_unknown(self) -> bool:
        """fedra gave no answer, which can hide what it would have got wrong."""
        return _NO_ANSWER in self.kind


def compare(seen: JobObservation, ours: Answer) -> Comparison:
    sets = range(len(seen.case.pod_sets))
    bound = [seen.bound(i) for i in sets]
    all_bound = sum(bound) == seen.case.pods
    if ours.verdict not in ("Yes", "No"):
        code = ours.codes[0] if ours.codes else "no reason"
        kind = f"{_words(all_bound)} but fedra {ours.verdict} ({code})"
        return Comparison(kind, _line_of_unknown(seen, ours, code))
    if all_bound and ours.counts_are_by_order:
        return Comparison(FITS_IN_NO_ORDER, _scores(seen))
    if (ours.verdict == "Yes") != all_bound:
        return Comparison(f"{_words(all_bound)} but fedra {ours.verdict}", _scores(seen))
    if all_bound:
        return Comparison()
    if ours.fitting is None:
        # Pods of the set that lacks the object are never bound.
        if not any(bound):
            return Comparison()
        code = ours.codes[0] if ours.codes else "no reason"
        return Comparison(f"bound, but not counted ({code})", "" if all(bound) else UNCOUNTED)
    expected, line = _of_gang(seen, ours, ours.fitting)
    if expected == bound:
        return Comparison("no pod of the gang bound", line) if line else Comparison()
    kind = f"{_sign(sum(bound), sum(expected))} pods bound than fit"
    grouped = seen.case.grouped
    if expected != ours.fitting and bound[:grouped] == expected[:grouped]:
        return Comparison(kind, NOT_PLACED)
    return Comparison(kind, ORDER if ours.counts_are_by_order else _scores(seen))


def _scores(seen: JobObservation) -> str:
    if any(seen.is_bound_elsewhere(pod) for pod in seen.pods):
        return RACE
    return LEFT_BEHIND if any(seen.keeps_claims(pod) for pod in seen.pods) else SCORES


def _line_of_unknown(seen: JobObservation, ours: Answer, code: str) -> str:
    if ours.verdict != "Unknown":
        return ""
    if ours.is_by_order:
        return ORDER
    # Of its own limits fedra says so, too: nothing of the scheduler explains these.
    if code == "BudgetExceeded" and seen.timed_out:
        return TIMEOUT
    if code in _ERRORS and any(pod.failed_with_gang for pod in seen.pods):
        return GANG_ERROR
    return _UNKNOWN.get(code, "")


def is_broken_gang(seen: JobObservation) -> bool:
    """No pod of its PodGroup was bound, and where they would have gone does not show."""
    grouped = seen.case.grouped
    return grouped > 0 and not any(seen.bound(i) for i in range(grouped))


def _of_gang(seen: JobObservation, ours: Answer, fitting: list[int]) -> tuple[list[int], str]:
    """Fewer than minCount pods of a PodGroup are bound not at all; nor is one of them where the attempt of another ends
    with an error, which the line says then (Kubernetes v1.36.3, pkg/scheduler/schedule_one_podgroup.go).
    """
    grouped = seen.case.grouped
    none = [0] * grouped + fitting[grouped:]
    waits = seen.case.group_waits_as_one and any(map(seen.case.waits_in_queue, range(grouped)))
    # What keeps a pod from being bound comes after its group was let pass.
    passed = any(pod.failed_at_binding for pod in seen.pods if pod.pod_set < grouped)
    if waits or (sum(fitting[:grouped]) < seen.case.min_count and not passed):
        return none, ""
    if any(pod.failed_with_gang for pod in seen.pods) and not _ERRORS.isdisjoint(ours.codes):
        return none, GANG_ERROR
    return fitting, ""


def _words(all_bound: bool) -> str:
    return "all bound" if all_bound else "not all bound"


def _sign(bound: int, fitting: int) -> str:
    return "fewer" if bound < fitting else "more" if bound > fitting else "other"
