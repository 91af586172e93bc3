"""Whether a line of the scheduler explains how a job differs: what the pods show one by one must fit to it."""

from __future__ import annotations

import dataclasses

from real.agreement.chance import Library, library_of, orders_matter
from real.agreement.fedra_check import Answer, Fedra
from real.agreement.job_case import JobCase
from real.agreement.job_outcome import SHOWN_BY_PODS, Comparison, compare
from real.agreement.job_seen import JobObservation
from real.agreement.placed import (
    contradictions,
    devices_were_kept,
    had_choice,
    never_run,
    order_decides_as_placed,
    placed_as_they_were,
)
from real.agreement.plays import play_out
from real.agreement.scheduler_lines import (
    LEFT_BEHIND,
    NOT_PLACED,
    ORDER,
    RACE,
    SCORES,
    UNCOUNTED,
    source,
)


@dataclasses.dataclass
class Finding:
    lines: list[str]  # why nothing explains the difference; empty: `line` of the comparison does
    # Nothing is wrong but that fedra says Unknown: in every order that was played just these pods fit.
    is_too_careful: bool = False


@dataclasses.dataclass
class Gang:
    """A job that differs, and of whose PodGroup no pod was bound."""

    case: JobCase
    found: Comparison
    verdict: str  # fedra's


class Explainer:
    """`library`: the allocator of the release; None: what is built of its module, when it is needed."""

    def __init__(self, release: str, fedra: Fedra, library: Library | None = None):
        self._release, self._fedra, self._given = release, fedra, library

    def explain(self, seen: JobObservation, found: Comparison) -> Finding:
        """Of one that is not equal, and that compare() alone does not explain."""
        release, fedra = self._release, self._fedra
        if found.line not in SHOWN_BY_PODS or not source(found.line, release):
            return Finding(["no line of the scheduler is known that explains it"])
        if found.line == UNCOUNTED:
            return Finding(self._uncounted(seen))
        if found.line == NOT_PLACED:
            gang = frozenset(range(seen.case.grouped))
            return Finding(placed_as_they_were(seen, release, fedra, nowhere=gang))
        lines, by_order = contradictions(seen, release, fedra)
        if lines:
            return Finding(lines)
        if found.line == RACE:
            odd = [pod for pod in seen.pods if seen.is_bound_elsewhere(pod)]
            return Finding(placed_as_they_were(seen, release, fedra, in_cluster=odd))
        if found.line == LEFT_BEHIND:
            return Finding(self._left_behind(seen))
        if found.is_unknown:
            return self._unknown(seen, found, by_order)
        return Finding(self._counted(seen, found, by_order))

    def explain_freed(
        self, seen: JobObservation, ours: Answer, gang: Gang
    ) -> tuple[Comparison, Finding]:
        """The same job shown once more with minCount 1. It may go otherwise now, and what it shows is compared anew: how
        the gang's job differs is not what this one is excused by."""
        kind = f"{gang.found.kind}, a gang"
        if seen.outcome != "decided":
            finding = Finding([f"shown once more it was {seen.outcome}"])
            return Comparison(kind, gang.found.line), finding
        found = compare(seen, ours)
        if found.is_equal:
            finding = Finding(["shown once more with minCount 1 both agree"])
        else:
            finding = Finding([]) if found.is_explained else self.explain(seen, found)
        minimum = gang.case.min_count
        bound = sum(seen.bound(i) for i in range(gang.case.grouped))
        if bound >= minimum:
            finding.lines.append(f"minCount {minimum}, and without it {bound} pods are bound")
        if ours.verdict != gang.verdict:
            finding.lines.append(f"with minCount {minimum} fedra says {gang.verdict}")
        return Comparison(kind, found.line), finding

    def _uncounted(self, seen: JobObservation) -> list[str]:
        """Pod sets that never run are left out; of the others the pods must be counted as they were bound."""
        release = self._release
        never = [i for i in range(len(seen.case.pod_sets)) if not seen.bound(i)]
        wrong = [i for i in never if not never_run(seen, release, self._fedra, i)]
        if wrong:
            return [f"pod set {i} alone is not No" for i in wrong]
        return placed_as_they_were(seen, release, self._fedra, frozenset(never))

    def _left_behind(self, seen: JobObservation) -> list[str]:
        if not devices_were_kept(seen, self._release, self._fedra):
            return ["without the claims that it keeps no other pod would fit"]
        keepers = [pod for pod in seen.pods if seen.keeps_claims(pod)]
        return placed_as_they_were(seen, self._release, self._fedra, in_cluster=keepers)

    def _unknown(self, seen: JobObservation, found: Comparison, by_order: bool) -> Finding:
        if found.line == ORDER or by_order:
            plays = play_out(seen, self._release, self._fedra, self._library())
            if not plays.differ:
                if (doubt := orders_matter(seen, self._library())) is not None:
                    return Finding([doubt])
                careful = found.line == ORDER and not plays.ended
                return Finding([plays.same()], is_too_careful=careful)
        if found.line == SCORES:
            return Finding(self._without_choice(seen))
        return Finding([])

    def _counted(self, seen: JobObservation, found: Comparison, by_order: bool) -> list[str]:
        """fedra has said Yes or No, and may be wrong: the very pods that were bound must be accounted for."""
        lines = placed_as_they_were(seen, self._release, self._fedra)
        # What the pods took on these nodes may be by the order of pools, if fedra says that it decides there. But where
        # that lets all fit, none has to, for which fedra says No.
        if lines and (
            seen.all_bound or not order_decides_as_placed(seen, self._release, self._fedra)
        ):
            return lines
        by_scores = found.line == SCORES
        if lines or found.line == ORDER or by_order:
            plays = play_out(seen, self._release, self._fedra, self._library())
            if not plays.as_seen:
                return [*lines, plays.never() if plays.differ else plays.same()]
            if not plays.differ:
                if lines or by_order:
                    return [*lines, plays.same()]
                by_scores = True  # on these nodes just these pods fit, as fedra says of them, too
        return self._without_choice(seen) if by_scores else []

    def _without_choice(self, seen: JobObservation) -> list[str]:
        if had_choice(seen, self._release, self._fedra):
            return []
        return ["no pod could have gone to another node, so that scores decide nothing"]

    def _library(self) -> Library:
        if self._given is None:
            self._given = library_of(self._release)
        return self._given
