#!/usr/bin/python3
"""Which comparisons with a real kube-scheduler (tests/real/agree_scheduler.py) are noted, and what is noted of them."""

from __future__ import annotations

import contextlib
import io
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))

from real import agree_scheduler, releases, tested  # noqa: E402
from real.agreement.dice import Json  # noqa: E402

_FITS: Json = {"outcome": "fit", "nodes": {"n": {"outcome": "fit", "devices": [], "reasons": []}}}
_FITS_NOT: Json = {"outcome": "nofit", "nodes": {}}
_REFUSED = "refused"


def _seen(outcome: str) -> Any:
    case = SimpleNamespace(name="case-1")
    return SimpleNamespace(
        case=case,
        outcome=outcome,
        node="n",
        devices=[],
        message="",
        timed_out=False,
        line={},
        release="1.36",
    )


class ComparisonTest(unittest.TestCase):
    def _run(
        self, seen: list[tuple[str, Json]], *arguments: str
    ) -> tuple[int, list[tested.Entry], list[Path]]:
        """The exit code, what was recorded, and whose commit it is of; `seen`: of the scheduler and of fedra. No cluster."""
        recorded: list[tested.Entry] = []
        programs: list[Path] = []

        def run_of(command: list[str], fedra: Path) -> tested.Run:
            programs.append(fedra)
            return tested.Run(" ".join(command), "abc", "def", "2026-11-30")

        def show(cases: list[Any], _: Path, report: agree_scheduler.Report) -> None:
            for outcome, ours in seen:
                report.add(_seen(outcome), ours, last=True)

        with (
            mock.patch.object(sys, "argv", ["agree_scheduler.py", *arguments]),
            mock.patch.object(agree_scheduler, "_run", side_effect=show),
            mock.patch.object(agree_scheduler, "pod_case"),
            mock.patch.object(agree_scheduler, "kubernetes_version", return_value="v1.35.4"),
            mock.patch.object(releases, "run_of", side_effect=run_of),
            mock.patch.object(releases, "note", side_effect=recorded.extend),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            return agree_scheduler.main(), recorded, programs

    def test_what_was_run_is_noted(self) -> None:
        seen = [("fit", _FITS)] * 2000 + [("nofit", _FITS_NOT), (_REFUSED, _FITS_NOT)]
        asked = ("-n", "2500", "--seed", "52", "--kubernetes", "1.35", "--first", "7")
        code, recorded, _ = self._run(seen, *asked, "--record")
        self.assertEqual(code, 0)
        self.assertEqual(
            recorded,
            [
                {
                    "kind": "scheduler",
                    "kubernetes": "1.35.4",
                    "compared": 2001,
                    "left_out": 1,
                    "differ": 0,
                    "command": "tests/real/agree_scheduler.py --kubernetes 1.35 -n 2500 --seed 52 --first 7",
                    "commit": "abc",
                    "tests": "def",
                    "date": "2026-11-30",
                }
            ],
        )
        self.assertEqual(self._run(seen, *asked), (0, [], []))

    def test_the_commit_is_of_the_build_that_was_asked(self) -> None:
        copies = ("--pod-lines", "/copies/pod-lines", "--fedra", "/copies/fedra")
        code, _, programs = self._run([("fit", _FITS)] * 2000, "-n", "2000", "--record", *copies)
        self.assertEqual((code, programs), (0, [Path("/copies/fedra")]))
        for half in (copies[:2], copies[2:]):
            self.assertEqual(self._run([], "-n", "2000", "--record", *half), (2, [], []))

    def test_what_differs_or_leaves_most_out_is_not_noted(self) -> None:
        differ = [("fit", _FITS)] * 2000 + [("fit", _FITS_NOT)] * 3
        mostly_left_out = [("fit", _FITS)] * 2000 + [(_REFUSED, _FITS)] * 2001
        few = [("fit", _FITS)] * 1999
        for seen in (differ, mostly_left_out, few):
            self.assertEqual(self._run(seen, "-n", "2500", "--record")[:2], (1, []))

    def test_one_of_a_thousand_may_differ_and_is_told_of(self) -> None:
        seen = [("fit", _FITS)] * 1999 + [("fit", _FITS_NOT)]
        code, recorded, _ = self._run(seen, "-n", "2500", "--record")
        self.assertEqual((code, [each["differ"] for each in recorded]), (0, [1]))
        self.assertEqual(self._run(seen, "-n", "2500")[:2], (1, []))

    def test_what_is_little_or_something_else_is_not_even_shown(self) -> None:
        for options in (
            ("-n", "1999"),
            (),
            ("-n", "2500", "--only", "17"),
            ("-n", "2500", "--node-share"),
        ):
            self.assertEqual(self._run([], *options, "--record"), (2, [], []))


if __name__ == "__main__":
    unittest.main()
