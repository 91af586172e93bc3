#!/usr/bin/python3
"""Shows random whole jobs to a real kube-scheduler and to `fedra check`, and compares what both make of them.

    agree_jobs.py -n 1000 --seed 1        what `make test-real-dra JOBS=1000 SEED=1` runs
    agree_jobs.py --kubernetes 1.37       with API server, controllers and scheduler of that release
    agree_jobs.py --only 17 --seed 1      one job, with everything that was seen
    agree_jobs.py -n 1000 --record        notes a result of which at least 99.5 % is equal or explained, as agree_scheduler.py
    agree_jobs.py --plant device          fedra overlooks devices: almost every job whose answer that changes must differ

fedra's verdict must be Yes exactly if the scheduler has bound every pod; where it is No, as many pods of each pod set
must fit as were bound. A job that differs is shown again. Then each of its pods is asked about, with the others
where the scheduler put them: only where fedra says the same of every one, and some pod could have gone to another node,
the scheduler's scores explain the difference; and where it says Unknown because pools come in an order that is chance,
only where in some order other pods fit, as the release's own library says. A gang of which no pod was bound is shown once
more with minCount 1, to see where its pods go, and compared anew. Each job counts once: equal; explained, under the line
of the scheduler that explains it; one about which fedra is too careful; or it differs. docs/agreement.md explains the
result. Exit 0 only if nothing differs, and little is Unknown, explained or too careful, or if it is recorded.
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

from real import releases, tested  # noqa: E402
from real.agreement.cluster_writer import POD_GROUP_VERSIONS  # noqa: E402
from real.agreement.dice import Json  # noqa: E402
from real.agreement.explained import Explainer, Finding, Gang  # noqa: E402
from real.agreement.fedra_check import Answer, Fedra, FedraCheck, job_of  # noqa: E402
from real.agreement.host_ports import add_host_ports  # noqa: E402
from real.agreement.job_batch import JobBatch  # noqa: E402
from real.agreement.job_case import JobCase, job_case  # noqa: E402
from real.agreement.job_outcome import (  # noqa: E402
    FITS_IN_NO_ORDER,
    Comparison,
    compare,
    is_broken_gang,
)
from real.agreement.job_seen import JobObservation, Objects  # noqa: E402
from real.agreement.lanes import batches  # noqa: E402
from real.agreement.options import parser as comparison_parser  # noqa: E402
from real.agreement.plane import running_plane  # noqa: E402
from real.agreement.planted import MISTAKES, Planted  # noqa: E402
from real.agreement.scheduler_lines import NOT_PLACED, UNCOUNTED, source  # noqa: E402
from real.tools import kubernetes_version  # noqa: E402

_FEDRA = Path(__file__).parents[2] / "build/release/manager/fedra"
_LEFT_OUT = ("refused", "gave-up", "evicted")  # nothing can be compared with them
# Seconds for which nothing may change: the scheduler tries a pod again after 1 s, and later after up to 10.
_SETTLE, _SETTLE_AGAIN = 2.5, 11.0
# Of a hundred jobs, of which fedra may say Unknown.
_MOST_UNKNOWN = 10
# Which may differ from what was seen, with a line that explains it.
_MOST_EXPLAINED = 10
# Of which fedra says Unknown because of the order of pools, although it decides on devices only.
_MOST_TOO_CAREFUL = 3
# Of those whose answer a planted mistake changes, which must differ.
_LEAST_FOUND = 90
_FEWEST_RECORDED = 900  # jobs of which a result is worth a line in README
_GATES = {"1.36": ["GenericWorkload", "GangScheduling"], "1.37": ["GenericWorkload"]}


def main() -> int:
    options = _parse()
    try:
        run = run_to_record(options) if options.record else None
    except ValueError as error:
        print(f"error: not recorded: {error}", file=sys.stderr)
        return 2
    release = options.kubernetes
    numbers = options.only or list(range(options.first, options.first + options.n))
    seed = options.seed
    cases = [add_host_ports(job_case(seed, number, release), seed) for number in numbers]
    folder = Path(tempfile.mkdtemp(prefix="fedra-agreement-"))
    try:
        fedra: Fedra = FedraCheck(options.fedra, options.save or folder / "asked")
        if options.plant:
            fedra = Planted(fedra, options.plant)
        report = _Report(options, fedra)
        _run(cases, folder, report)
        report.print_summary()
        return releases.conclude(report, run)
    finally:
        shutil.rmtree(folder)


def run_to_record(options: argparse.Namespace) -> tested.Run:
    """ValueError: what the options compare is not what the table says, or is little."""
    if options.only or options.plant or options.minutes is not None:
        raise ValueError("with --only, --plant or --minutes it is not what the table says")
    if options.n < _FEWEST_RECORDED:
        raise ValueError(f"{options.n} jobs are too few, {_FEWEST_RECORDED} are enough")
    return releases.run_of_comparison("tests/real/agree_jobs.py", options)


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
                report.add_freed(seen)


class _Report:
    def __init__(self, options: argparse.Namespace, fedra: Fedra):
        self.options, self._fedra = options, fedra
        self._explainer = Explainer(options.kubernetes, fedra)
        self._started = time.monotonic()
        self._left_out: collections.Counter[str] = collections.Counter()
        self._equal: collections.Counter[str] = collections.Counter()
        self._explained: dict[str, collections.Counter[str]] = {}  # by the line that explains it
        self._kinds: collections.Counter[str] = collections.Counter()  # of jobs that differ
        self._same_verdict = 0  # of the explained: another number of pods only
        self._gangs: dict[int, Gang] = {}  # by number of the job
        self._too_careful: list[int] = []  # numbers of jobs that are neither explained nor differ
        self._fit_in_no_order: list[int] = []  # though they were bound; explained by other nodes
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
        if isinstance(self._fedra, Planted):
            last = True
            if not self._fedra.changes(self.options.kubernetes, self._question(seen)):
                self._left_out["the mistake changes nothing"] += 1
                return True
        ours = self._ask(seen)
        found = Comparison("undecided") if seen.outcome == "undecided" else compare(seen, ours)
        if not found.is_equal and not last and not self.options.only:
            self._second_looks += 1
            return False
        needs_pods = not found.is_equal and not found.is_explained
        without_gang = found.line not in (NOT_PLACED, UNCOUNTED) and is_broken_gang(seen)
        if needs_pods and seen.outcome == "decided" and without_gang:
            self._gangs[seen.case.number] = Gang(seen.case, found, ours.verdict)
            return False
        self._pods += seen.case.pods
        if found.is_equal:
            self._equal[_kind_of(seen, ours)] += 1
            if self.options.only:
                self._show(seen, ours, "equal", [])
        elif found.is_explained:
            self._add_difference(seen, ours, found, Finding([]))
        else:
            self._add_difference(seen, ours, found, self._explainer.explain(seen, found))
        return True

    def add_freed(self, seen: JobObservation) -> None:
        """The job whose gang was not bound, when its pods may be bound each: now it shows where they go."""
        gang = self._gangs[seen.case.number]
        self._pods += seen.case.pods
        ours = self._ask(seen)
        found, finding = self._explainer.explain_freed(seen, ours, gang)
        self._add_difference(seen, ours, found, finding)

    def _add_difference(
        self, seen: JobObservation, ours: Answer, found: Comparison, finding: Finding
    ) -> None:
        self._unknown += found.is_unknown
        if finding.is_too_careful:
            self._too_careful.append(seen.case.number)
        elif finding.lines:
            self._kinds[found.kind] += 1
        else:
            self._explained.setdefault(found.line, collections.Counter())[found.kind] += 1
            self._same_verdict += ours.verdict in ("Yes", "No") and "but fedra" not in found.kind
            if found.kind == FITS_IN_NO_ORDER:
                self._fit_in_no_order.append(seen.case.number)
        if finding.lines or self.options.only or self.options.verbose:
            self._show(seen, ours, found.kind, finding.lines)

    def _ask(self, seen: JobObservation) -> Answer:
        return self._fedra.ask(self.options.kubernetes, [self._question(seen)])[0]

    def _question(self, seen: JobObservation) -> tuple[Objects, Json]:
        return seen.before, job_of(seen.case, seen.namespace)

    def is_late(self) -> bool:
        minutes = self.options.minutes
        return minutes is not None and time.monotonic() - self._started > 60 * minutes

    def agreed(self) -> bool:
        """Of few comparisons, or of few answers, that nothing differed says nothing."""
        compared = self._compared()
        if isinstance(self._fedra, Planted):
            return 100 * self._kinds.total() >= _LEAST_FOUND * compared > 0
        return self._says_enough() and not self._kinds

    def is_worth_noting(self) -> bool:
        compared = self._compared()
        right = self._equal.total() + self._explained_jobs()
        return (
            self._says_enough() and compared >= _FEWEST_RECORDED and 1000 * right >= 995 * compared
        )

    def _says_enough(self) -> bool:
        compared = self._compared()
        limits = (
            (self._unknown, _MOST_UNKNOWN),
            (self._explained_jobs(), _MOST_EXPLAINED),
            (len(self._too_careful), _MOST_TOO_CAREFUL),
        )
        if any(100 * jobs > most * compared for jobs, most in limits) and not self.options.only:
            return False
        return 2 * compared >= compared + self._left_out.total() > 0

    def entry(self, run: tested.Run) -> tested.Entry:
        return tested.jobs(
            kubernetes_version(self.options.kubernetes)[1:],
            compared=self._compared(),
            left_out=self._left_out.total(),
            equal=self._equal.total(),
            explained=self._explained_jobs(),
            run=run,
        )

    def _explained_jobs(self) -> int:
        return sum(kinds.total() for kinds in self._explained.values())

    def _compared(self) -> int:
        others = self._kinds.total() + len(self._too_careful)
        return self._equal.total() + self._explained_jobs() + others

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
        if self._fit_in_no_order:
            print(f"explained, all bound but in no order for fedra: {self._fit_in_no_order}")
        if self._too_careful:
            print(
                f"fedra says Unknown, and in every order the same pods fit: {len(self._too_careful)} "
                f"{self._too_careful}; more than {_MOST_TOO_CAREFUL} % are a failure"
            )
        print(f"differ: {self._kinds.total()} {dict(self._kinds)}")
        print(
            f"Unknown: {self._share(self._unknown)}; more than {_MOST_UNKNOWN} %, or {_MOST_EXPLAINED} % explained, are "
            f"a failure"
        )
        equal = self._equal.total()
        print(
            f"equal {self._share(equal)}, of the verdict alone {self._share(equal + self._same_verdict)}; with what is "
            f"explained {self._share(equal + self._explained_jobs())}; in {time.monotonic() - self._started:.0f} s"
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
            one.ask(self.options.kubernetes, [self._question(seen)])
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
    parser.add_argument("--plant", choices=MISTAKES, help="a mistake of fedra, which must be found")
    parser.add_argument("--fedra", type=Path, default=_FEDRA)
    parser.add_argument("--record", action="store_true", help="in tests/data/releases.json")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
