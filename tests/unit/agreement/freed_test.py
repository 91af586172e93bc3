#!/usr/bin/python3
"""What explains a job whose gang was not bound, once it was shown with minCount 1 (tests/real/agreement/explained.py)."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agreement import scheduler_lines as lines  # noqa: E402
from real.agreement.explained import Explainer, Finding, Gang  # noqa: E402
from real.agreement.fedra_check import Answer  # noqa: E402
from real.agreement.job_outcome import Comparison  # noqa: E402
from unit.agreement.small_job import NO, YES, TableFedra, no, small_job, small_seen  # noqa: E402


class FreedTest(unittest.TestCase):
    """A gang of two was not bound, although fedra says Yes; shown once more with minCount 1."""

    def _freed(
        self, *nodes: str, ours: Answer = YES, outcome: str = "decided", before: str = "Yes"
    ) -> Finding:
        case = small_job(("a", 2), grouped=1)
        gang = Gang(small_job(("a", 2), grouped=1), Comparison("x", lines.SCORES), before)
        gang.case.min_count = 2
        seen = small_seen(case, *nodes)
        seen.outcome, seen.timed_out = outcome, True
        table = {
            "a-0: pod@n1": YES,
            "a-1: pod@any | of-a-0": NO,
            "job-1: pod-0@n1 pod-1@any": no(1, 0),
            "a-0: pod@not-n1": YES,
        }
        found, finding = Explainer("1.37", TableFedra(table)).explain_freed(seen, ours, gang)
        self.assertEqual(found.kind, "x, a gang")
        return finding

    def test_it_must_show_the_difference_again(self) -> None:
        self.assertEqual(self._freed("n1", ""), Finding([]))
        gave_up = Answer("Unknown", None, ["BudgetExceeded: x"])
        self.assertEqual(self._freed("n1", "", ours=gave_up, before="Unknown"), Finding([]))
        for finding, said in (
            (self._freed("n1", "", ours=no(1)), ["both agree", "with minCount 2 fedra says Yes"]),
            (self._freed("n1", "n2"), ["both agree", "without it 2 pods are bound"]),
            (self._freed("n1", "", outcome="evicted"), ["it was evicted"]),
            (
                self._freed("n1", "", ours=Answer("Unknown", None, ["StaleData: x"])),
                ["no line of the scheduler", "with minCount 2 fedra says Yes"],
            ),
        ):
            self.assertEqual(len(finding.lines), len(said), finding)
            for line, part in zip(finding.lines, said):
                self.assertIn(part, line)


if __name__ == "__main__":
    unittest.main()
