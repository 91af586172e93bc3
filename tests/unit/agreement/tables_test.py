#!/usr/bin/python3
"""What the comparison of the unit tests' tables (tests/real/agree_tables.py) calls equal, and what a difference."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from real.agree_dra import Case  # noqa: E402
from real.agree_tables import cases_of, difference  # noqa: E402
from real.agreement.dice import Json  # noqa: E402


def _fit(device: str) -> Json:
    result = {"claim": "c", "request": "r", "driver": "d", "pool": "p", "device": device}
    return {"outcome": "fit", "results": [result]}


_NO: Json = {"outcome": "nofit"}
_ERROR: Json = {"outcome": "error"}


class DifferenceTest(unittest.TestCase):
    def test_without_a_leak_both_say_the_same(self) -> None:
        for ours in (_fit("a"), _NO, _ERROR):
            for real in (_fit("a"), _fit("b"), _NO, _ERROR):
                with self.subTest(ours=ours, real=real):
                    equal = difference(Case({}, real, ours), None) is None
                    self.assertEqual(equal, ours == real)

    def test_where_one_leaks_the_library_finds_less_and_the_mended_one_the_same(self) -> None:
        ours = {**_fit("a"), "leaked": True}
        for real in (_NO, _fit("b"), _ERROR):
            for mended in (_fit("a"), _fit("b"), _NO, _ERROR):
                with self.subTest(real=real, mended=mended):
                    equal = difference(Case({}, real, ours), mended) is None
                    self.assertEqual(equal, mended == _fit("a"))

    def test_a_leak_that_the_library_has_not_is_a_difference(self) -> None:
        ours = {**_fit("a"), "leaked": True}
        self.assertIsNotNone(difference(Case({}, _fit("a"), ours), _fit("a")))

    def test_by_a_leak_no_library_finds_more(self) -> None:
        ours = {**_NO, "leaked": True}
        for real in (_fit("a"), _NO):
            self.assertIsNotNone(difference(Case({}, real, ours), _NO))


class CasesTest(unittest.TestCase):
    def test_a_file_without_cases_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tests = Path(folder) / "tests"
            # Keeps a case of one file only, as the test program does when the other was renamed.
            tests.write_text(
                "#!/bin/sh\n"
                """if [ "$2" = "[#one_test]" ]; then echo '{"k8s": "1.36"}' >"$FEDRA_CASES"; fi\n"""
            )
            tests.chmod(0o755)
            self.assertEqual(cases_of(str(tests), "one_test"), [{"k8s": "1.36"}])
            with self.assertRaises(RuntimeError):
                cases_of(str(tests), "other_test")


if __name__ == "__main__":
    unittest.main()
