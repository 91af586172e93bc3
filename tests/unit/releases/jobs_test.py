#!/usr/bin/python3
"""Which comparisons of whole jobs with a real kube-scheduler (tests/real/agree_jobs.py) are noted, and what of them."""

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

from real import agree_jobs, releases, tested  # noqa: E402
from real.agreement.explained import Finding  # noqa: E402
from real.agreement.fedra_check import Answer  # noqa: E402

_YES = Answer("Yes", [1], [])
_WRONG = Answer("No", [0], ["NotEnoughDevices: none"])
_REFUSED = Answer("refused", None, [])


def _seen(outcome: str) -> Any:
    case = SimpleNamespace(
        name="job-1", number=1, pods=1, grouped=0, pod_sets=[SimpleNamespace(name="a", count=1)]
    )
    pod = SimpleNamespace(name="p", node="n", message="", timed_out=False)
    return SimpleNamespace(
        case=case,
        namespace="ml",
        outcome=outcome,
        message="",
        pods=[pod],
        before={},
        bound=lambda _: 1,
        is_bound_elsewhere=lambda _: False,
        keeps_claims=lambda _: False,
    )


class JobsTest(unittest.TestCase):
    def _run(self, seen: list[Answer], *arguments: str) -> tuple[int, list[tested.Entry]]:
        """The exit code, and what was recorded; of each job all pods are bound. No cluster."""
        recorded: list[tested.Entry] = []
        answers = iter([[each] for each in seen if each is not _REFUSED])

        def run_of(command: list[str], _: Path) -> tested.Run:
            return tested.Run(" ".join(command), "abc", "abc", "2026-11-30")

        def show(cases: list[Any], _: Path, report: Any) -> None:
            for ours in seen:
                report.add(_seen("refused" if ours is _REFUSED else "decided"), last=True)

        with (
            mock.patch.object(sys, "argv", ["agree_jobs.py", *arguments]),
            mock.patch.object(agree_jobs, "_run", side_effect=show),
            mock.patch.object(agree_jobs, "job_case"),
            mock.patch.object(agree_jobs, "add_host_ports"),
            mock.patch.object(agree_jobs, "job_of"),
            mock.patch.object(agree_jobs, "FedraCheck") as fedra,
            mock.patch.object(agree_jobs, "Explainer") as explainer,
            mock.patch.object(agree_jobs, "kubernetes_version", return_value="v1.35.4"),
            mock.patch.object(releases, "run_of", side_effect=run_of),
            mock.patch.object(releases, "note", side_effect=recorded.extend),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            fedra.return_value.ask.side_effect = lambda *_: next(answers)
            explainer.return_value.explain.return_value = Finding(["nothing explains it"])
            return agree_jobs.main(), recorded

    def test_what_was_run_is_noted(self) -> None:
        asked = ("-n", "1000", "--seed", "61", "--kubernetes", "1.35")
        seen = [_YES] * 998 + [_WRONG, _REFUSED]
        code, recorded = self._run(seen, *asked, "--record")
        self.assertEqual(code, 0)
        self.assertEqual(
            recorded,
            [
                {
                    "kind": "jobs",
                    "kubernetes": "1.35.4",
                    "compared": 999,
                    "left_out": 1,
                    "equal": 998,
                    "explained": 0,
                    "command": "tests/real/agree_jobs.py --kubernetes 1.35 -n 1000 --seed 61",
                    "commit": "abc",
                    "date": "2026-11-30",
                }
            ],
        )
        self.assertEqual(self._run(seen, *asked), (1, []))
        self.assertEqual(self._run([_YES] * 1000, *asked), (0, []))

    def test_what_differs_or_is_left_out_too_often_is_not_noted(self) -> None:
        for seen in (
            [_YES] * 993 + [_WRONG] * 7,
            [_YES] * 899,
            [_YES] * 900 + [_REFUSED] * 901,
        ):
            self.assertEqual(self._run(seen, "-n", "2000", "--record"), (1, []))

    def test_what_is_little_or_something_else_is_not_even_shown(self) -> None:
        for options in (
            ("-n", "899"),
            (),
            ("-n", "1000", "--only", "17"),
            ("-n", "1000", "--plant", "use"),
            ("-n", "1000", "--minutes", "5"),
        ):
            self.assertEqual(self._run([], *options, "--record"), (2, []))


if __name__ == "__main__":
    unittest.main()
