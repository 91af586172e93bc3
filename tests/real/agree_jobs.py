#!/usr/bin/python3
"""Shows random whole jobs to a real kube-scheduler and to `fedra check`, and compares what both make of them.

    agree_jobs.py -n 1000 --seed 1        what `make test-real-dra JOBS=1000 SEED=1` runs
    agree_jobs.py --kubernetes 1.37       with API server, controllers and scheduler of that release
    agree_jobs.py --only 17 --seed 1      one job, with everything that was seen

fedra's verdict must be Yes exactly if the scheduler has bound every pod; where it is No, as many pods of each pod set
must fit as were bound. A job that differs is shown again. Then each of its pods is asked about, with the others
where the scheduler put them: only where fedra says the same of every one, and some pod could have gone to another node,
the scheduler's scores explain the difference; and where it says Unknown because pools come in an order that is chance,
only where the release's library has several answers for some pod. A gang of which no pod was bound is shown once more with minCount 1, to
see where its pods go. Each job counts once: equal; explained, under the line of the scheduler that explains it; or it
differs. docs/agreement.md explains the result. Exit 0 only if nothing differs.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.agreement.chance import orders_matter, outcomes_differ  # noqa: E402
from real.agreement.cluster_writer import POD_GROUP_VERSIONS  # noqa: E402
from real.agreement.fedra_check import Answer, FedraCheck, job_of  # noqa: E402
from real.agreement.host_ports import add_host_ports  # noqa: E402
from real.agreement.job_batch import JobBatch  # noqa: E402
from real.agreement.job_case import JobCase, job_case  # noqa: E402
from real.agreement.job_outcome import (  # noqa: E402
    SHOWN_BY_PODS,
    Comparison,
    compare,
    is_broken_gang,
)
from real.agreement.job_seen import JobObservation  # noqa: E402
from real.agreement.lanes import batches  # noqa: E402
from real.agreement.options import parser as comparison_parser  # noqa: E402
from real.agreement.placed import (  # noqa: E402
    contradictions,
    devices_were_kept,
    had_choice,
    never_run,
    placed_as_they_were,
)
from real.agreement.plane import running_plane  # noqa: E402
from real.agreement.scheduler_lines import (  # noqa: E402
    LEFT_BEHIND,
    NOT_PLACED,
    ORDER,
    SCORES,
    UNCOUNTED,
    source,
)

_FEDRA = Path(__file__).parents[2] / "build/release/manager/fedra"
_LEFT_OUT = ("refused", "gave-up", "evicted")  # nothing can be compared with them
# Seconds for which nothing may change: the scheduler tries a pod again after 1 s, and later after up to 10.
_SETTLE, _SETTLE_AGAIN = 2.5, 11.0
# Of a hundred jobs, of which fedra may say Unknown.
_MOST_UNKNOWN = 10
# Which may differ from what was seen, with a line that explains it.
_MOST_EXPLAINED = 10
_GATES = {"1.36": ["GenericWorkload", "GangScheduling"], "1.37": ["GenericWorkload"]}


def main() -> int:
    options = _parse()
    release = options.kubernetes
    numbers = options.only or list(range(options.first, options.first + options.n))
    seed = options.seed
    cases = [add_host_ports(job_case(seed, number, release), seed) for number in numbers]
    folder = Path(tempfile.mkdtemp(prefix="fedra-agreement-"))
    try:
        report = _Report(options, FedraCheck(options.fedra, options.save or folder / "asked"))
        _run(cases, folder, report)
        report.print_summary()
        return 0 if report.agreed() else 1
    finally:
        shutil.rmtree(folder)


def _run(cases: list[JobCase], folder: Path, report: _Report) -> None:
    release = report.options.kubernetes
    gates = _GATES.get(release, [])
    apis = [f"scheduling.k8s.io/{POD_GROUP_VERSIONS[release]}"] if gates else []
    with running_plane(release, folder, gates, apis) as plane, ThreadPoolExecutor(8) as pool:
        again: list[JobCase] = []
        for number, batch in enumerate(batches(cases)):
            if report.is_late():
                break
            one = JobBatch(plane.client, pool, f"batch-{number}", release, _SETTLE)
            again += [seen.case for seen in one.run(batch) if not report.add(seen, last=False)]
        gangs: list[JobCase] = []
        for number, batch in enumerate(batches(again)):
            one = JobBatch(plane.client, pool, f"again-{number}", release, _SETTLE_AGAIN)
            gangs += [seen.case for seen in one.run(batch) if not report.add(seen, last=True)]
        freed = [dataclasses.replace(case, min_count=1) for case in gangs]
        for number, batch in enumerate(batches(freed)):
            one = JobBatch(plane.client, pool, f"gang-{number}", release, _SETTLE_AGAIN)
            for seen in one.run(batch):
                report.add_freed(seen, next(c for c in gangs if c.number == seen.case.number))


class _Report:
    def __init__(self, options: argparse.Namespace, fedra: FedraCheck):
        self.options, self._fedra = options, fedra
        self._started = time.monotonic()
        self._left_out: collections.Counter[str] = collections.Counter()
        self._equal: collections.Counter[str] = collections.Counter()
        self._explained: dict[str, collections.Counter[str]] = {}  # by the line that explains it
        self._kinds: collections.Counter[str] = collections.Counter()  # of jobs that differ
        self._same_verdict = 0  # of the explained: another number of pods only
        self._gangs: dict[
            int, Comparison
        ] = {}  # how jobs differ of which no pod of the gang was bound
        # Numbers of jobs with several answers for a pod; True: played out, other pods fit.
        self._decided_by_order: dict[bool, list[int]] = {True: [], False: []}
        self._unknown = 0  # jobs of which fedra says neither Yes nor No, explained or not
        self._second_looks = 0
        self._pods = 0

    def add(self, seen: JobObservation, last: bool) -> bool:
        """False: it differs and should be looked at again, or, the last time, without its gang."""
        if seen.outcome == "undecided" and not last:
            return False
        if seen.outcome in _LEFT_OUT:
            self._left_out[seen.outcome] += 1
            if self.options.only or self.options.verbose:
                self._show(seen, None, seen.outcome, [])
            return True
        ours = self._ask(seen)
        found = Comparison("undecided") if seen.outcome == "undecided" else compare(seen, ours)
        if not found.is_equal and not last and not self.options.only:
            self._second_looks += 1
            return False
        needs_pods = not found.is_equal and not found.is_explained
        without_gang = found.line not in (NOT_PLACED, UNCOUNTED) and is_broken_gang(seen)
        if needs_pods and seen.outcome == "decided" and without_gang:
            self._gangs[seen.case.number] = found
            return False
        self._pods += seen.case.pods
        if found.is_equal:
            self._equal[_kind_of(seen, ours)] += 1
            if self.options.only:
                self._show(seen, ours, "equal", [])
        elif found.is_explained:
            self._add_difference(seen, ours, found, [])
        else:
            self._add_difference(seen, ours, found, self._unexplained(seen, found))
        return True

    def _unexplained(self, seen: JobObservation, found: Comparison) -> list[str]:
        """What shows that neither scores nor an order explain the difference."""
        release = self.options.kubernetes
        if found.line not in SHOWN_BY_PODS or not source(found.line, release):
            return ["no line of the scheduler is known that explains it"]
        if found.line == UNCOUNTED:
            return self._uncounted(seen)
        if found.line == NOT_PLACED:
            gang = frozenset(range(seen.case.grouped))
            return placed_as_they_were(seen, release, self._fedra, nowhere=gang)
        lines, by_order = contradictions(seen, release, self._fedra)
        if lines:
            return lines
        if found.line == LEFT_BEHIND and not devices_were_kept(seen, release, self._fedra):
            return ["without the claims that it keeps no other pod would fit"]
        if found.line == SCORES and not found.is_unknown:
            lines = placed_as_they_were(seen, release, self._fedra)
            # What the pods took on these nodes may be by the order of pools. But where that lets all fit, none has
            # to, for which fedra says No.
            by_chance = source(ORDER, release) and not seen.all_bound
            if lines and not (by_chance and outcomes_differ(seen, release)):
                return lines
        if found.line == ORDER or by_order:
            if not orders_matter(seen, release):
                return ["in every order of the pools the library answers the same for each pod"]
            decides = outcomes_differ(seen, release)
            # Of a No, other devices do not explain other numbers of pods.
            if not decides and not found.is_unknown:
                return ["in every order of the pools the library lets the same pods fit"]
            self._decided_by_order[decides].append(seen.case.number)
        if found.line == SCORES and not had_choice(seen, release, self._fedra):
            return ["no pod could have gone to another node, so that scores decide nothing"]
        return []

    def _uncounted(self, seen: JobObservation) -> list[str]:
        """Pod sets that never run are left out; of the others the pods must be counted as they were bound."""
        release = self.options.kubernetes
        never = [i for i in range(len(seen.case.pod_sets)) if not seen.bound(i)]
        wrong = [i for i in never if not never_run(seen, release, self._fedra, i)]
        if wrong:
            return [f"pod set {i} alone is not No" for i in wrong]
        return placed_as_they_were(seen, release, self._fedra, frozenset(never))

    def add_freed(self, seen: JobObservation, case: JobCase) -> None:
        """The job whose gang was not bound, when its pods may be bound each: now it shows where they go."""
        found = self._gangs[case.number]
        self._pods += case.pods
        if seen.outcome == "decided":
            lines = self._unexplained(seen, found)
            bound = sum(seen.bound(i) for i in range(case.grouped))
            if bound >= case.min_count:
                lines.append(f"minCount {case.min_count}, and without it {bound} pods are bound")
        else:
            lines = [f"shown once more it was {seen.outcome}"]
        of_gang = Comparison(f"{found.kind}, a gang", found.line)
        self._add_difference(seen, self._ask(seen), of_gang, lines)

    def _add_difference(
        self, seen: JobObservation, ours: Answer, found: Comparison, lines: list[str]
    ) -> None:
        """`lines`: why it is not explained; empty: it is."""
        self._unknown += found.is_unknown
        if lines:
            self._kinds[found.kind] += 1
        else:
            self._explained.setdefault(found.line, collections.Counter())[found.kind] += 1
            self._same_verdict += ours.verdict in ("Yes", "No") and "but fedra" not in found.kind
        if lines or self.options.only or self.options.verbose:
            self._show(seen, ours, found.kind, lines)

    def _ask(self, seen: JobObservation) -> Answer:
        job = job_of(seen.case, seen.namespace)
        return self._fedra.ask(self.options.kubernetes, [(seen.before, job)])[0]

    def is_late(self) -> bool:
        minutes = self.options.minutes
        return minutes is not None and time.monotonic() - self._started > 60 * minutes

    def agreed(self) -> bool:
        """Of few comparisons, or of few answers, that nothing differed says nothing."""
        compared = self._compared()
        too_many = 100 * self._unknown > _MOST_UNKNOWN * compared or (
            100 * self._explained_jobs() > _MOST_EXPLAINED * compared
        )
        if too_many and not self.options.only:
            return False
        return 2 * compared >= compared + self._left_out.total() > 0 and not self._kinds

    def _explained_jobs(self) -> int:
        return sum(kinds.total() for kinds in self._explained.values())

    def _compared(self) -> int:
        return self._equal.total() + self._explained_jobs() + self._kinds.total()

    def print_summary(self) -> None:
        compared = self._compared()
        print(
            f"Kubernetes {self.options.kubernetes}, seed {self.options.seed}: {compared} jobs with {self._pods} pods "
            f"compared"
        )
        print(f"left out: {dict(self._left_out)}")
        print(f"looked at twice: {self._second_looks}")
        print(f"equal: {self._equal.total()} {dict(self._equal)}")
        for line, kinds in sorted(self._explained.items()):
            where = source(line, self.options.kubernetes)
            print(f"explained, {line} ({where}): {kinds.total()} {dict(kinds)}")
        if any(self._decided_by_order.values()):
            print(
                f"by the order of pools other pods fit: {len(self._decided_by_order[True])}; other devices only: "
                f"{self._decided_by_order[False]}"
            )
        print(f"differ: {self._kinds.total()} {dict(self._kinds)}")
        print(
            f"Unknown: {self._share(self._unknown)}; more than {_MOST_UNKNOWN} %, or {_MOST_EXPLAINED} % explained, are "
            f"a failure"
        )
        equal = self._equal.total()
        print(
            f"equal {self._share(equal)}, of the verdict alone {self._share(equal + self._same_verdict)}; with what is "
            f"explained {self._share(compared - self._kinds.total())}; in {time.monotonic() - self._started:.0f} s"
        )

    def _share(self, jobs: int) -> str:
        return f"{100 * jobs / max(self._compared(), 1):.2f} %"

    def _show(
        self, seen: JobObservation, ours: Answer | None, kind: str, contradicted: list[str]
    ) -> None:
        case = seen.case
        print(f"{case.name}: {kind} {seen.message}")
        for i, pod_set in enumerate(case.pod_sets):
            fitting = "-" if ours is None or ours.fitting is None else ours.fitting[i]
            print(f"  {pod_set.name}: {pod_set.count} pods, bound {seen.bound(i)}, fedra {fitting}")
        if case.grouped:
            print(f"  the first {case.grouped} in a PodGroup with minCount {case.min_count}")
        for pod in seen.pods:
            print(f"    {pod.name}: {pod.node or '-'} {pod.message[:300]}")
        if ours is not None:
            print(f"  fedra: {ours.verdict}")
            for reason in ours.reasons:
                print(f"    {reason[:300]}")
        for line in contradicted:
            print(f"  pod alone: {line}")
        if self.options.save and ours is not None:
            one = FedraCheck(self.options.fedra, self.options.save / case.name)
            one.ask(self.options.kubernetes, [(seen.before, job_of(case, seen.namespace))])
            final = {"pods": [pod.final for pod in seen.pods], "claims": seen.claims}
            (self.options.save / case.name / "seen.json").write_text(json.dumps(final))


def _kind_of(seen: JobObservation, ours: Answer) -> str:
    if ours.verdict == "Yes":
        return "all bound"
    if any(seen.bound(i) for i in range(len(seen.case.pod_sets))):
        return "some bound"
    if ours.fitting is None:
        return "none bound, not counted"
    return "none bound, a gang waits" if any(ours.fitting) else "none bound, none fits"


def _parse() -> argparse.Namespace:
    parser = comparison_parser(__doc__, "job", 200)
    parser.add_argument("--minutes", type=float, help="begin no more jobs after this time")
    parser.add_argument("--verbose", action="store_true", help="show what scores decide, too")
    parser.add_argument("--fedra", type=Path, default=_FEDRA)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
