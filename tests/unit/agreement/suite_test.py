#!/usr/bin/python3
"""Which of Kubernetes' own allocator tests may be answered otherwise (tests/real/agree_suite.py)."""

from __future__ import annotations

import contextlib
import io
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))

from real import agree_suite  # noqa: E402
from real.agreement.allocator_suite import Test  # noqa: E402


def _test(name: str, outcome: str = "pass", gates: str = "") -> Test:
    return Test(f"TestFedra/{name}", outcome, f"    fedra: gates: {gates}\n")


class ReportTest(unittest.TestCase):
    def _agrees(self, *tests: Test, are_all: bool = True) -> bool:
        """Of a release of which "known" differs, and "gated" with Gate on."""
        with (
            mock.patch.object(agree_suite, "_KNOWN", {"1.34": {"so it is": ("known",)}}),
            mock.patch.object(agree_suite, "_KNOWN_OF_GATES", {"1.34": {"Gate": ("gated",)}}),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            return agree_suite.report("1.34", list(tests), 0, are_all)

    def test_those_that_are_named_may_differ_and_no_others(self) -> None:
        known = _test("known", "fail"), _test("gated", "fail", "Other Gate")
        self.assertTrue(self._agrees(*known, _test("other")))
        self.assertFalse(self._agrees(*known, _test("other", "fail")))
        # The gate alone is no excuse: it may be a regression.
        self.assertFalse(self._agrees(*known, _test("other", "fail", "Gate")))
        self.assertFalse(self._agrees(*known, _test("other", "unfinished")))

    def test_one_that_is_named_for_a_gate_has_it_on(self) -> None:
        self.assertFalse(self._agrees(_test("known", "fail"), _test("gated", "fail", "Other")))

    def test_one_that_no_longer_differs_is_not_named(self) -> None:
        self.assertFalse(self._agrees(_test("known"), _test("gated", "fail", "Gate")))
        self.assertFalse(self._agrees(_test("known", "fail"), _test("gated", gates="Gate")))

    def test_one_that_there_is_not_is_not_named(self) -> None:
        self.assertFalse(self._agrees(_test("known", "fail")))
        self.assertTrue(self._agrees(_test("known", "fail"), are_all=False))

    def test_of_no_tests_that_they_agree_says_nothing(self) -> None:
        self.assertFalse(self._agrees(are_all=False))


if __name__ == "__main__":
    unittest.main()
