#!/usr/bin/python3
"""Shows random pods with claims to a real kube-scheduler and to fedra, and compares what both say.

    agree_scheduler.py -n 500 --seed 1        what `make test-real-dra N=500 SEED=1` runs
    agree_scheduler.py --kubernetes 1.35      with API server, controllers and scheduler of that release
    agree_scheduler.py --only 17 --seed 1     one case, with everything that was seen
    agree_scheduler.py --node-share           the same cases with devices that take of their nodes (KEP-5517)
    agree_scheduler.py -n 2500 --record       notes a result of which at most 0.1 % differs for the table of README.md (releases.py)

Compared are: fits, fits not, or ends with an error; that fedra calls the node that the scheduler chose one that
fits; and, for that node, every device of every claim. Up to 1.35, where the order of pools is chance, the devices must be
those of some order, and some order must give what was seen where fedra says that it decides. A case that differs is
shown again, alone, before it counts. docs/agreement.md explains the result. Exit 0 only if nothing differs,
or if it is recorded.

fedra is asked through pod-lines, which does not say of which commit it is; the fedra that was built with it does. So
--record with another --pod-lines needs the --fedra of the same build.
"""

from __future__ import annotations

import argparse
import collections
import json
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real import releases, tested  # noqa: E402
from real.agreement.batch import Batch, Observation  # noqa: E402
from real.agreement.dice import Json  # noqa: E402
from real.agreement.lanes import batches  # noqa: E402
from real.agreement.node_share import GATE, add_node_share  # noqa: E402
from real.agreement.options import parser as comparison_parser  # noqa: E402
from real.agreement.plane import running_plane  # noqa: E402
from real.agreement.kept_fields import GATED  # noqa: E402
from real.agreement.pod_case import PodCase, pod_case  # noqa: E402
from real.agreement.pod_outcome import UNDECIDABLE, difference  # noqa: E402
from real.tools import kubernetes_version  # noqa: E402

_BUILD = Path(__file__).parents[2] / "build/release"
_POD_LINES, _FEDRA = _BUILD / "tests/tools/pod-lines", _BUILD / "manager/fedra"
_LEFT_OUT = ("refused", "gave-up", "evicted")  # outcomes that nothing can be compared with
_MOST_UNDECIDABLE = 1  # of a hundred that are compared
_FEWEST_RECORDED = 2000  # cases of which a result is worth a line in README


def main() -> int:
    options = _parse()
    try:
        run = run_to_record(options) if options.record else None
    except ValueError as error:
        print(f"error: not recorded: {error}", file=sys.stderr)
        return 2
    numbers = options.only or list(range(options.first, options.first + options.n))
    cases = [pod_case(options.seed, number, options.kubernetes) for number in numbers]
    if options.node_share:
        cases = [add_node_share(case, options.seed) for case in cases]
    folder = Path(tempfile.mkdtemp(prefix="fedra-agreement-"))
    try:
        report = Report(options)
        _run(cases, folder, report)
        report.print_summary()
        return releases.conclude(report, run)
    finally:
        shutil.rmtree(folder)


def run_to_record(options: argparse.Namespace) -> tested.Run:
    """ValueError: what the options compare is not what the table says, or is little."""
    if options.only or options.node_share:
        raise ValueError("with --only or --node-share it is not what the table says")
    if options.n < _FEWEST_RECORDED:
        raise ValueError(f"{options.n} cases are too few, {_FEWEST_RECORDED} are enough")
    if (options.pod_lines == _POD_LINES) != (options.fedra == _FEDRA):
        raise ValueError("--pod-lines and --fedra are of one build: name both")
    return releases.run_of_comparison("tests/real/agree_scheduler.py", options)


def _run(cases: list[PodCase], folder: Path, report: Report) -> None:
    release = report.options.kubernetes
    gates = [GATE] if report.options.node_share else []
    with (
        running_plane(release, folder, gates, []) as plane,
        ThreadPoolExecutor(8) as pool,
        _Fedra(report.options.pod_lines) as fedra,
    ):
        again: list[PodCase] = []
        for number, batch in enumerate(batches(cases)):
            seen = Batch(plane.client, pool, f"batch-{number}", release).run(batch)
            again += [o.case for o in seen if not report.add(o, fedra.judge(o), last=False)]
        for case in again:
            seen = Batch(plane.client, pool, f"again-{case.number}", release).run([case])
            report.add(seen[0], fedra.judge(seen[0]), last=True)


class _Fedra:
    """pod-lines, one question at a time."""

    def __init__(self, program: Path):
        self._program = program

    def __enter__(self) -> _Fedra:
        self._process = subprocess.Popen(
            [self._program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def judge(self, observation: Observation) -> Json:
        if "pod" not in observation.line:
            return {"outcome": "not asked", "nodes": {}}
        assert self._process.stdin and self._process.stdout
        asked = {**observation.line, "everyOrder": observation.release in GATED}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: Json = json.loads(self._process.stdout.readline())
        return answer


def known_bug(seen: Observation, ours: Json) -> str | None:
    """The scheduler's own bug behind a difference (docs/agreement.md), or None."""
    if "nil or empty request mappings" in seen.message:
        # It picked, by score, a node where it cannot bind although it could on another.
        if any(node["outcome"] == "error" for node in ours["nodes"].values()):
            return "plugin-beside-claims"
    return None


class Report:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self._started = time.monotonic()
        self._outcomes: collections.Counter[str] = collections.Counter()
        self._kinds: collections.Counter[str] = collections.Counter()
        # Neither agrees nor differs: a bug of the scheduler, no answer, or more orders than are tried.
        self._undecidable: collections.Counter[str] = collections.Counter()
        self._second_looks = 0

    def add(self, seen: Observation, ours: Json, last: bool) -> bool:
        """False: it differs and should be looked at again."""
        kind = None if seen.outcome in _LEFT_OUT else difference(seen, ours)
        if kind is not None and kind not in UNDECIDABLE and not last:
            self._second_looks += 1
            return False
        self._outcomes[seen.outcome] += 1
        excuse = kind if kind is None or kind in UNDECIDABLE else known_bug(seen, ours)
        if excuse is not None:
            self._undecidable[excuse] += 1
            kind = None
        if kind is not None or self.options.only:
            self._show(seen, ours, kind or "agree")
        if kind is not None:
            self._kinds[kind] += 1
        return True

    def agreed(self) -> bool:
        return self._says_enough() and not self._kinds

    def is_worth_noting(self) -> bool:
        enough = self._says_enough() and self._compared() >= _FEWEST_RECORDED
        return enough and 1000 * self._kinds.total() <= self._compared()

    def _says_enough(self) -> bool:
        """Of few comparisons, that nothing differed says nothing; nor where much cannot be decided."""
        enough = 2 * self._compared() >= self._outcomes.total() > 0
        few = 100 * self._undecidable.total() <= _MOST_UNDECIDABLE * self._compared()
        return enough and few

    def _compared(self) -> int:
        shown = sum(count for outcome, count in self._outcomes.items() if outcome not in _LEFT_OUT)
        return shown - self._undecidable.total()

    def entry(self, run: tested.Run) -> tested.Entry:
        compared = self._compared()
        return tested.scheduler(
            kubernetes_version(self.options.kubernetes)[1:],
            compared=compared,
            left_out=self._outcomes.total() - compared,
            differ=self._kinds.total(),
            run=run,
        )

    def print_summary(self) -> None:
        refused, gave_up, evicted = (self._outcomes[outcome] for outcome in _LEFT_OUT)
        compared, different = self._compared(), self._kinds.total()
        print(
            f"Kubernetes {self.options.kubernetes}, seed {self.options.seed}: {compared} cases compared, scheduler: {dict(self._outcomes)}"
        )
        print(
            f"left out: {refused} refused by the API server, {gave_up} given up by the scheduler, "
            f"{evicted} evicted before anybody looked"
        )
        print(f"left out, neither agrees nor differs: {dict(self._undecidable)}")
        print(f"looked at twice: {self._second_looks}; differ: {different} {dict(self._kinds)}")
        share = 100 * (compared - different) / max(compared, 1)
        print(f"agreement {share:.3f} % in {time.monotonic() - self._started:.0f} s")

    def _show(self, seen: Observation, ours: Json, kind: str) -> None:
        print(f"{seen.case.name}: {kind}")
        print(f"  scheduler: {seen.outcome} {seen.node} {seen.message}")
        print(f"    {json.dumps(seen.devices)}")
        print(f"  fedra: {ours['outcome']}")
        for node, answer in ours["nodes"].items():
            print(f"    {node}: {answer['outcome']} {json.dumps(answer['devices'])}")
            for reason in answer["reasons"]:
                print(f"      {reason[:300]}")
        if self.options.save:
            self.options.save.mkdir(parents=True, exist_ok=True)
            path = self.options.save / f"{self.options.seed}-{seen.case.name}.json"
            path.write_text(json.dumps(seen.line))


def _parse() -> argparse.Namespace:
    parser = comparison_parser(__doc__, "case", 500)
    parser.add_argument(
        "--node-share", action="store_true", help="devices take of their nodes (KEP-5517)"
    )
    parser.add_argument("--pod-lines", type=Path, default=_POD_LINES)
    parser.add_argument("--fedra", type=Path, default=_FEDRA, help="of the same build")
    parser.add_argument("--record", action="store_true", help="in tests/data/releases.json")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
