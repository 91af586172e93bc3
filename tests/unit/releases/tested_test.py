#!/usr/bin/python3
"""The record of what was tested on which releases (tests/real/tested.py), and which runs are noted in it."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))

from real import releases, tested  # noqa: E402

_RUN = tested.Run("make", commit="abc", tests="abc", date="2026-11-29")


def _fleet(
    manager: str, worker: str, kueue: str = "0.19.2", *, passed: int = 3, failed: int = 0
) -> tested.Entry:
    clusters = {
        "manager": {"kubernetes": manager, "kueue": kueue},
        "worker1": {"kubernetes": worker, "kueue": kueue},
    }
    return tested.scenarios(clusters, passed, failed, _RUN)


def _comparison(kubernetes: str, differ: int = 0) -> tested.Entry:
    return tested.scheduler(kubernetes, compared=2219, left_out=281, differ=differ, run=_RUN)


class RecordTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "releases.json"

    def _record(self, *new: tested.Entry) -> None:
        """All fleets that are in the file or new are still played."""
        old = tested.read(self.file) if self.file.exists() else []
        fleets = [each["clusters"] for each in [*old, *new] if "clusters" in each]
        tested.record(new, fleets, self.file)

    def _subjects(self) -> list[str]:
        return [entry["clusters"]["worker1"]["kubernetes"] for entry in tested.read(self.file)]

    def test_what_is_recorded_is_read_again(self) -> None:
        self._record(_fleet("1.36.3", "1.36.3"))
        self.assertEqual(tested.read(self.file), [_fleet("1.36.3", "1.36.3")])

    def test_a_fleet_has_one_entry_the_last_one(self) -> None:
        self._record(_fleet("1.36.3", "1.34.4"), _fleet("1.36.3", "1.36.3"))
        self._record(_fleet("1.36.3", "1.34.5", passed=7))
        self.assertEqual(self._subjects(), ["1.34.5", "1.36.3"])
        self.assertEqual(tested.read(self.file)[0]["passed"], 7)

    def test_another_kueue_or_another_manager_is_another_fleet(self) -> None:
        one = _fleet("1.36.3", "1.36.3")
        self._record(one, _fleet("1.37.2", "1.36.3"), _fleet("1.36.3", "1.36.3", "0.18.4"))
        self.assertEqual(len(tested.read(self.file)), 3)

    def test_what_failed_or_was_nothing_is_not_recorded_and_the_rest_stays(self) -> None:
        self._record(_fleet("1.36.3", "1.36.3"))
        before = self.file.read_text()
        for passed, failed in ((3, 1), (0, 0)):
            bad = _fleet("1.36.3", "1.36.3", passed=passed, failed=failed)
            with self.assertRaises(ValueError):
                self._record(_fleet("1.36.3", "1.34.4"), bad)
            self.assertEqual(self.file.read_text(), before)

    def test_a_comparison_takes_the_place_of_that_with_the_same_release(self) -> None:
        new, other = _comparison("1.35.4"), _comparison("1.36.3")
        jobs = tested.jobs("1.35.4", compared=9, left_out=0, equal=9, explained=0, run=_RUN)
        self._record(_comparison("1.35.0", differ=2), other, jobs)
        self._record(new)
        self.assertEqual(tested.read(self.file), [jobs, new, other])

    def test_a_fleet_that_nobody_plays_any_more_is_dropped(self) -> None:
        kept, compared = _fleet("1.36.2", "1.36.2"), _comparison("1.36.3")
        self._record(kept, _fleet("1.36.3", "1.34.4"), compared)
        new = _fleet("1.37.2", "1.36.3")
        # Of a fleet that is kept another patch release is played now.
        played = [fleet["clusters"] for fleet in (_fleet("1.36.3", "1.36.3"), new)]
        tested.record([new], played, self.file)
        self.assertCountEqual(tested.read(self.file), [kept, compared, new])

    def test_the_commit_of_the_tests_is_named_where_it_is_another_one(self) -> None:
        other = dataclasses.replace(_RUN, tests="def")
        entry = tested.scheduler("1.36.3", compared=2, left_out=0, differ=0, run=other)
        self.assertEqual((entry["commit"], entry["tests"]), ("abc", "def"))
        self.assertNotIn("tests", _comparison("1.36.3"))


class TableTest(unittest.TestCase):
    def test_versions_in_their_order_each_once(self) -> None:
        entries = [
            _fleet("1.36.3", "1.36.10"),
            _fleet("1.36.3", "1.36.3", "0.9.1"),
            _comparison("1.36.10"),
            _comparison("1.36.3", differ=2),
            _comparison("1.35.4"),
            tested.jobs("1.36.3", compared=1000, left_out=0, equal=985, explained=12, run=_RUN),
        ]
        rows = tested.table(entries, "manager").splitlines()[3:-1]
        self.assertEqual(
            rows,
            [
                "| Kubernetes, manager | 1.36.3 |",
                "| Kubernetes, workers | 1.36.3, 1.36.10 |",
                "| Kueue, manager | 0.9.1, 0.19.2 |",
                "| Kueue, workers | 0.9.1, 0.19.2 |",
                "| kube-scheduler, single pods: those that differ | 1.35.4 (0 of 2,219), 1.36.3 (2 of 2,219), 1.36.10 (0 of 2,219) |",
                "| kube-scheduler, whole jobs: equal; or explained as well | 1.36.3 (98.50 %; 99.70 % of 1,000) |",
            ],
        )

    def test_fleets_say_what_ran_beside_what(self) -> None:
        entry = _fleet("1.36.3", "1.34.4", "0.18.3")
        rows = tested.fleets([{**entry, "note": "by hand"}, _comparison("1.36.3")], "manager")
        self.assertEqual(
            rows.splitlines()[1:4],
            [
                "| manager | worker1 | scenarios | commit, date |",
                "|---|---|---|---|",
                f"| 1.36.3 with Kueue 0.18.3 | 1.34.4 with Kueue 0.18.3 | {entry['passed']} | abc, {entry['date']}; by hand |",
            ],
        )


class PlayedTest(unittest.TestCase):
    def _play(
        self, results: list[dict[str, int] | None], *arguments: str
    ) -> tuple[int, list[tested.Entry]]:
        """The exit code, and what was recorded; no git, no clusters."""
        recorded: list[tested.Entry] = []

        def run_of(command: list[str], _: Path) -> tested.Run:
            return dataclasses.replace(_RUN, command=" ".join(command))

        with (
            mock.patch.object(sys, "argv", ["releases.py", *arguments]),
            mock.patch.object(releases, "_play", side_effect=results),
            mock.patch.object(releases, "note", side_effect=recorded.extend),
            mock.patch.object(releases, "run_of", side_effect=run_of),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            return releases.main(), recorded

    def test_of_several_fleets_those_are_recorded_on_which_nothing_failed(self) -> None:
        code, recorded = self._play(
            [{"passed": 5, "failed": 0}, None, {"passed": 6, "failed": 0}], "--record"
        )
        self.assertEqual((code, [entry["passed"] for entry in recorded]), (1, [5, 6]))
        self.assertEqual(recorded[0]["command"], "make test-real-releases")

    def test_one_fleet_alone_is_recorded_too(self) -> None:
        code, recorded = self._play([{"passed": 5, "failed": 0}], "--part", "2", "--record")
        self.assertEqual((code, len(recorded)), (0, 1))
        self.assertEqual(recorded[0]["clusters"]["worker1"]["kueue"][:4], "0.18")
        self.assertIn("--part 2", recorded[0]["command"])

    def test_the_usual_fleet_is_played_twice_and_recorded_once(self) -> None:
        both = [{"passed": 5, "failed": 0}, {"passed": 4, "failed": 0}]
        code, recorded = self._play(list(both), "--usual", "--record")
        self.assertEqual((code, [entry["passed"] for entry in recorded]), (0, [9]))
        self.assertEqual(self._play([both[0], None], "--usual", "--record"), (1, []))

    def test_without_the_option_nothing_is_recorded(self) -> None:
        self.assertEqual(self._play([{"passed": 5, "failed": 0}] * 2, "--usual"), (0, []))

    def test_of_the_options_only_the_lanes_are_harmless(self) -> None:
        for lanes in (["--lanes", "3"], ["--lanes=3"]):
            results: list[dict[str, int] | None] = [{"passed": 5, "failed": 0}] * 2
            code, recorded = self._play(results, "--usual", "--record", *lanes)
            self.assertEqual((code, len(recorded)), (0, 1))
            self.assertIn(" ".join(lanes), recorded[0]["command"])
        for other in (
            *(["--only", "K1"], ["--onl", "K1"], ["--share=0/3"], ["--shar=0/3"], ["--kinds"]),
            *(["--second-look"], ["--kueue", "worker1=0.18"], ["--kubernetes", "worker1=1.34"]),
            *(["--kueue-dra", "off"], ["--fedra", "/bin/true"], ["--fleet", "sim"], ["--lane"]),
            *(["--play-operators"], ["--operator", "jobset"], ["--mode", "multikueue"], ["K1"]),
            ["--lanes", "3", "--only", "K1"],
        ):
            with self.subTest(other):
                self.assertEqual(self._play([], "--usual", "--record", *other), (2, []))


class RunTest(unittest.TestCase):
    """Of which commit a run is; in a repository with one file, one page and one record."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, value in (("_ROOT", self.root), ("_RECORDS", ("record",))):
            patch = mock.patch.object(releases, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self._git("init", "--quiet")
        for name, text in (("file", ""), ("record", ""), (".gitignore", "fedra\n")):
            (self.root / name).write_text(text)
        self._git("add", ".")
        self.first = self._commit()

    def _git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
        signed = ("-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", *identity, *signed, *arguments],
            cwd=self.root,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def _commit(self) -> str:
        self._git("commit", "--quiet", "--allow-empty", "--message=m")
        return self._git("rev-parse", "--short=8", "HEAD")

    def _run(self, commit: str) -> tested.Run:
        """Of a program that says that it is of this commit."""
        fedra = self.root / "fedra"
        fedra.write_text(f"""#!/bin/sh\necho '{{"commit": "{commit}"}}'\n""")
        fedra.chmod(0o755)
        return releases.run_of(["make", "test-real", "OPTIONS=-a -b"], fedra)

    def _is_refused(self, commit: str) -> None:
        with self.assertRaises(ValueError):
            self._run(commit)

    def test_the_commit_is_that_of_the_program(self) -> None:
        head = self._commit()
        run = self._run(self._git("rev-parse", "--short=12", "HEAD"))
        self.assertEqual((run.commit, run.tests), (head, head))
        self.assertEqual(run.command, "make test-real 'OPTIONS=-a -b'")
        copy = self._run(self.first)
        self.assertEqual((copy.commit, copy.tests), (self.first, head))

    def test_a_release_says_its_tag(self) -> None:
        self._git("tag", "--annotate", "--no-sign", "--message=m", "v0.1.0")
        self.assertEqual(self._run("v0.1.0").commit, self.first)

    def test_a_program_of_no_commit_before_this_one_is_refused(self) -> None:
        self._git("checkout", "--quiet", "-b", "other")
        other = self._commit()
        self._git("checkout", "--quiet", "-")
        for commit in (other, "unknown", "0123456789ab", self.first + "-dirty"):
            self._is_refused(commit)
        with self.assertRaises(ValueError):
            releases.run_of(["make"], self.root / "no-such-program")

    def test_changes_are_refused_but_those_of_the_record(self) -> None:
        (self.root / "record").write_text("new")
        self.assertEqual(self._run(self.first).commit, self.first)
        # As make builds it then.
        self.assertEqual(self._run(self.first + "-dirty").commit, self.first)
        self._commit()
        self._is_refused(self.first + "-dirty")
        (self.root / "file").write_text("new")
        self._is_refused(self.first)

    def test_a_file_that_is_in_no_commit_is_refused(self) -> None:
        (self.root / "new-scenario").write_text("")
        self._is_refused(self.first)


if __name__ == "__main__":
    unittest.main()
