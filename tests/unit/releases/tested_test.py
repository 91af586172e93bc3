#!/usr/bin/python3
"""The record of what was tested on which releases (tests/real/tested.py), and which runs are noted in it."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))

from real import releases, tested  # noqa: E402

_PRINTED = """\
Kubernetes 1.35, seed 52: 2219 cases compared, scheduler: {'nofit': 1369, 'fit': 697, 'error': 152, 'refused': 262}
left out: 262 refused by the API server, 19 given up by the scheduler, 0 evicted before anybody looked
known bugs of the scheduler: {}
looked at twice: 3; differ: 2 {'error but ours nofit': 1, 'fit but ours budget': 1}
agreement 99.910 % in 946 s
"""
_VERSIONS = {"1.35": "1.35.4", "1.36": "1.36.3"}


def _fleet(
    manager: str, worker: str, kueue: str = "0.19.2", *, passed: int = 3, failed: int = 0
) -> tested.Entry:
    clusters = {
        "manager": {"kubernetes": manager, "kueue": kueue},
        "worker1": {"kubernetes": worker, "kueue": kueue},
    }
    return tested.scenarios(clusters, passed, failed, "make", "abc", "2026-11-29")


class RecordTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "releases.json"

    def _subjects(self) -> list[str]:
        return [entry["clusters"]["worker1"]["kubernetes"] for entry in tested.read(self.file)]

    def test_what_is_recorded_is_read_again(self) -> None:
        tested.record([_fleet("1.36.3", "1.36.3")], self.file)
        self.assertEqual(tested.read(self.file), [_fleet("1.36.3", "1.36.3")])

    def test_a_fleet_has_one_entry_the_last_one(self) -> None:
        tested.record([_fleet("1.36.3", "1.34.4"), _fleet("1.36.3", "1.36.3")], self.file)
        tested.record([_fleet("1.36.3", "1.34.5", passed=7)], self.file)
        self.assertEqual(self._subjects(), ["1.34.5", "1.36.3"])
        self.assertEqual(tested.read(self.file)[0]["passed"], 7)

    def test_another_kueue_or_another_manager_is_another_fleet(self) -> None:
        one = _fleet("1.36.3", "1.36.3")
        tested.record(
            [one, _fleet("1.37.2", "1.36.3"), _fleet("1.36.3", "1.36.3", "0.18.4")], self.file
        )
        self.assertEqual(len(tested.read(self.file)), 3)

    def test_what_failed_or_was_nothing_is_not_recorded_and_the_rest_stays(self) -> None:
        tested.record([_fleet("1.36.3", "1.36.3")], self.file)
        before = self.file.read_text()
        for passed, failed in ((3, 1), (0, 0)):
            bad = _fleet("1.36.3", "1.36.3", passed=passed, failed=failed)
            with self.assertRaises(ValueError):
                tested.record([_fleet("1.36.3", "1.34.4"), bad], self.file)
            self.assertEqual(self.file.read_text(), before)

    def test_a_comparison_takes_the_place_of_that_with_the_same_release(self) -> None:
        new = tested.scheduler(_PRINTED, _VERSIONS, "abc", "2026-11-30")
        other = {**new, "kubernetes": "1.36.3"}
        tested.record([{**new, "kubernetes": "1.35.0", "differ": 0}, other], self.file)
        tested.record([new], self.file)
        self.assertEqual(tested.read(self.file), [new, other])


class SchedulerTest(unittest.TestCase):
    def test_what_a_run_has_printed(self) -> None:
        self.assertEqual(
            tested.scheduler(_PRINTED, _VERSIONS, "abc", "2026-11-30"),
            {
                "kind": "scheduler",
                "kubernetes": "1.35.4",
                "compared": 2219,
                "differ": 2,
                "command": "tests/real/agree_scheduler.py -n 2500 --seed 52 --kubernetes 1.35",
                "commit": "abc",
                "date": "2026-11-30",
            },
        )

    def test_what_is_no_run_or_leaves_most_out_is_refused(self) -> None:
        lines = _PRINTED.splitlines(keepends=True)
        cut_off = "".join(lines[:2])
        mostly_refused = _PRINTED.replace("262 refused by", "2200 refused by")
        for text in ("", cut_off, mostly_refused):
            with self.assertRaises(ValueError):
                tested.scheduler(text, _VERSIONS, "abc", "2026-11-30")


class TableTest(unittest.TestCase):
    def test_versions_in_their_order_each_once(self) -> None:
        compared = tested.scheduler(_PRINTED, _VERSIONS, "abc", "2026-11-30")
        entries = [
            _fleet("1.36.3", "1.36.10"),
            _fleet("1.36.3", "1.36.3", "0.9.1"),
            {**compared, "kubernetes": "1.36.3"},
            compared,
        ]
        rows = tested.table(entries, "manager").splitlines()[3:-1]
        self.assertEqual(
            rows,
            [
                "| Kubernetes, manager | 1.36.3 |",
                "| Kubernetes, workers | 1.36.3, 1.36.10 |",
                "| Kueue, manager | 0.9.1, 0.19.2 |",
                "| Kueue, workers | 0.9.1, 0.19.2 |",
                "| kube-scheduler compared with | 1.35.4, 1.36.3 |",
            ],
        )


class RunTest(unittest.TestCase):
    def _run(
        self, results: list[dict[str, int] | None], *arguments: str
    ) -> tuple[int, list[tested.Entry]]:
        """The exit code, and what was recorded; no git, no clusters."""
        recorded: list[tested.Entry] = []
        with (
            mock.patch.object(sys, "argv", ["releases.py", *arguments]),
            mock.patch.object(releases, "_play", side_effect=results),
            mock.patch.object(releases, "_record", side_effect=recorded.extend),
            mock.patch.object(releases, "_git", side_effect=["", "abc"]),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            return releases.main(), recorded

    def test_of_several_fleets_those_are_recorded_on_which_nothing_failed(self) -> None:
        code, recorded = self._run(
            [{"passed": 5, "failed": 0}, None, {"passed": 6, "failed": 0}], "--record"
        )
        self.assertEqual((code, [entry["passed"] for entry in recorded]), (1, [5, 6]))
        self.assertEqual({entry["commit"] for entry in recorded}, {"abc"})
        self.assertEqual(recorded[0]["command"], "make test-real-releases")

    def test_the_usual_fleet_is_played_twice_and_recorded_once(self) -> None:
        both = [{"passed": 5, "failed": 0}, {"passed": 4, "failed": 0}]
        code, recorded = self._run(list(both), "--usual", "--record")
        self.assertEqual((code, [entry["passed"] for entry in recorded]), (0, [9]))
        self.assertEqual(self._run([both[0], None], "--usual", "--record"), (1, []))

    def test_without_the_option_nothing_is_recorded(self) -> None:
        self.assertEqual(self._run([{"passed": 5, "failed": 0}] * 2, "--usual"), (0, []))

    def test_a_part_is_not_recorded_and_not_even_played(self) -> None:
        for part in (
            ["--only", "K1"],
            ["--share=0/3"],
            ["--second-look"],
            ["--kueue", "worker1=0.18"],
        ):
            self.assertEqual(self._run([], "--usual", "--record", *part), (2, []))


if __name__ == "__main__":
    unittest.main()
