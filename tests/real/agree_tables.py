#!/usr/bin/env python3
"""Gives the cases of fedra's own tables about releases to the allocator libraries that these are about.

    agree_tables.py                      the cases of tests/unit/dra/releases_test.cc, for each of the four releases
    agree_tables.py --patches            those of patches_test.cc, too: builds six more libraries (needs the network once)
    agree_tables.py --kubernetes 1.34    of one release

The unit tests say what fedra answers; this says that the library answers the same. Compared are outcome and devices,
as in agree_dra.py. Exit 0 only if nothing differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.agree_dra import Case  # noqa: E402
from real.agreement import allocators  # noqa: E402
from real.agreement.allocators import ask  # noqa: E402
from real.agreement.dice import Json  # noqa: E402
from real.agreement.kept_fields import GATED  # noqa: E402
from real.tools import RELEASES  # noqa: E402

_TESTS = Path(__file__).parents[2] / "build/release/tests/test_dra"
_FILES = ("releases_test", "patches_test")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kubernetes", nargs="*", choices=RELEASES, default=RELEASES)
    parser.add_argument("--patches", action="store_true")
    parser.add_argument("--ours", default=str(allocators.OURS), help="fedra's judge-lines")
    parser.add_argument("--tests", default=str(_TESTS), help="the unit tests")
    options = parser.parse_args()
    cases = _cases(options.tests)
    versions = sorted({case["k8s"] for case in cases})
    agree = bool(cases)
    for version in versions:
        of_patch = version.startswith("v")
        if _release(version) in options.kubernetes and (options.patches or not of_patch):
            same = [case for case in cases if case["k8s"] == version]
            agree = _compare(version, same, options.ours) and agree
    return 0 if agree else 1


def _cases(tests: str) -> list[Json]:
    with tempfile.TemporaryDirectory(prefix="fedra-tables-") as folder:
        file = Path(folder) / "cases"
        subprocess.run(
            [tests, "-#", ",".join(f"[#{name}]" for name in _FILES)],
            env={**os.environ, "FEDRA_CASES": str(file)},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return [json.loads(line) for line in file.read_text().splitlines()]


def _release(version: str) -> str:
    return ".".join(version.removeprefix("v").split(".")[:2])


def _compare(version: str, cases: list[Json], ours: str) -> bool:
    """`version`: "1.36", of the module file, or "v1.36.2"."""
    release = _release(version)
    patch = int(version.rpartition(".")[2]) if version.startswith("v") else None
    # The library is told of taints, and not of the rules that make them.
    asked = [case for case in cases if not case["taintRules"]]
    by_chance = release in GATED
    compared: list[Case] = []
    if asked:
        program = str(allocators.build(release, patch=patch))
        repeat = "20" if by_chance else "1"
        real = ask([program, "-limit", "10s", "-repeat", repeat], asked)
        answers = ask([ours], [{**case, "everyOrder": by_chance} for case in asked])
        compared = [Case(*three) for three in zip(asked, real, answers, strict=True)]
    different = [case for case in compared if case.gave_up or case.difference() is not None]
    for case in different:
        print(f'{case.asked["name"]}: {case.difference()}')
        print(f"  real: {json.dumps(case.real)}\n  ours: {json.dumps(case.ours)}")
    left_out = len(cases) - len(asked)
    note = f", left out {left_out} with DeviceTaintRules" if left_out else ""
    print(f"Kubernetes {version}: {len(asked)} cases of the tables, differ {len(different)}{note}")
    return not different


if __name__ == "__main__":
    sys.exit(main())
