"""Whether fedra's verdict on a whole job is what the scheduler made of it."""

from __future__ import annotations

from real.agreement.fedra_check import Answer
from real.agreement.job_batch import JobObservation

_ERRORS = {"SelectorError", "AllocationError"}  # what ends a pod's attempt with an error


def difference(seen: JobObservation, ours: Answer) -> str | None:
    """None when both agree, else a few words for the kind of difference."""
    sets = range(len(seen.case.pod_sets))
    bound = [seen.bound(i) for i in sets]
    all_bound = sum(bound) == seen.case.pods
    if ours.verdict not in ("Yes", "No"):
        code = ours.codes[0] if ours.codes else "no reason"
        return f"{_words(all_bound)} but fedra {ours.verdict} ({code})"
    if (ours.verdict == "Yes") != all_bound:
        return f"{_words(all_bound)} but fedra {ours.verdict}"
    if ours.fitting is None or all_bound:
        return None  # what is missing, or a PodGroup that never has its pods: no pod is placed
    expected = _of_gang(seen, ours, ours.fitting)
    return None if expected == bound else f"{_sign(sum(bound), sum(expected))} pods bound than fit"


def is_broken_gang(seen: JobObservation) -> bool:
    """No pod of its PodGroup was bound, and where they would have gone does not show."""
    grouped = seen.case.grouped
    return grouped > 0 and not any(seen.bound(i) for i in range(grouped))


def _of_gang(seen: JobObservation, ours: Answer, fitting: list[int]) -> list[int]:
    """Fewer than minCount pods of a PodGroup are bound not at all; nor is one of them where the attempt of another ends
    with an error (Kubernetes v1.36.3, pkg/scheduler/schedule_one_podgroup.go)."""
    grouped = seen.case.grouped
    short = any(k < one.count for k, one in zip(fitting[:grouped], seen.case.pod_sets))
    has_error = short and not _ERRORS.isdisjoint(ours.codes)
    if sum(fitting[:grouped]) >= seen.case.min_count and not has_error:
        return fitting
    return [0] * grouped + fitting[grouped:]


def _words(all_bound: bool) -> str:
    return "all bound" if all_bound else "not all bound"


def _sign(bound: int, fitting: int) -> str:
    return "fewer" if bound < fitting else "more" if bound > fitting else "other"
