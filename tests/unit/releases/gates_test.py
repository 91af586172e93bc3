#!/usr/bin/python3
"""What the check of docs/releases.md (scripts/check_gates.py) reads, and what it calls wrong."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from scripts.check_gates import gates, problems  # noqa: E402

_SOURCE = """\
var defaultVersionedKubernetesFeatureGates = map[featuregate.Feature]featuregate.VersionedSpecs{
\tDRAOne: {
\t\t{Version: version.MustParse("1.34"), Default: false, PreRelease: featuregate.Alpha},
\t\t{Version: version.MustParse("1.36"), Default: true, PreRelease: featuregate.Beta},
\t\t// Remove it in 1.40.
\t\t{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.GA, LockToDefault: true}, // GA in 1.37
\t},

\tDRAByVersion: {
\t\t{Version: version.MustParse("1.37"), Default: false, PreRelease: featuregate.Beta},
\t\t{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta, MinCompatibilityVersion: version.MustParse("1.37")},
\t},

\tgenericfeatures.Other: {
\t\t{Version: version.MustParse("1.36"), Default: false, PreRelease: featuregate.Alpha},
\t},
}
"""
_PAGE = """\
| gate | 1.36 | 1.37 |
|---|---|---|
| DRAOne (one) | beta, on: judged | GA: judged |
| DRAByVersion | – (below: none) | beta, off: Unknown if seen (below) |
| Other, Gone | alpha, off: none | alpha, off: none (no Gone) |

| gate | what fedra does | known from |
|---|---|---|
| DRAOne | much | read |
"""
_BOTH = {"1.36": _SOURCE, "1.37": _SOURCE}


class GatesTest(unittest.TestCase):
    def test_a_gate_has_the_stage_of_its_release(self) -> None:
        self.assertEqual(gates(_SOURCE, "1.33"), {})
        self.assertEqual(gates(_SOURCE, "1.35"), {"DRAOne": "alpha, off"})
        self.assertEqual(
            gates(_SOURCE, "1.37"),
            {"DRAOne": "GA", "DRAByVersion": "beta, off", "Other": "alpha, off"},
        )

    def test_a_page_that_is_right(self) -> None:
        self.assertEqual(problems(_PAGE, _BOTH), [])

    def test_another_stage_is_told(self) -> None:
        page = _PAGE.replace("beta, on: judged", "beta, off: judged")
        self.assertEqual(problems(page, _BOTH), ["DRAOne of 1.36: beta, off here, beta, on there"])

    def test_a_gate_that_is_not_there(self) -> None:
        page = _PAGE.replace("– (below: none)", "alpha, off: none")
        self.assertEqual(problems(page, _BOTH), ["DRAByVersion of 1.36: alpha, off here, – there"])

    def test_a_gate_of_dra_that_the_page_does_not_name(self) -> None:
        page = "".join(each for each in _PAGE.splitlines(True) if "ByVersion" not in each)
        self.assertEqual(problems(page, _BOTH), ["DRAByVersion of 1.37 is not named"])

    def test_a_release_whose_source_is_not_there_is_not_looked_at(self) -> None:
        page = _PAGE.replace("beta, on: judged", "beta, off: judged")
        self.assertEqual(problems(page, {"1.37": _SOURCE}), [])
        self.assertEqual(problems(page, {"1.38": _SOURCE}), ["the table has no release 1.38"])


if __name__ == "__main__":
    unittest.main()
