#!/usr/bin/env python3
"""Gives the cases of fedra's own tables about releases to the allocator libraries that these are about.

    agree_tables.py                      the cases of tests/unit/dra/releases_test.cc, for each of the four releases
    agree_tables.py --patches            those of patches_test.cc, too (make agree PATCHES=1): builds six more libraries,
                                         which needs the network once
    agree_tables.py --kubernetes 1.34    of one release

The unit tests say what fedra answers; this says that the library answers the same. Compared are outcome and devices,
as in agree_dra.py. Where fedra says that devices which were refused may have kept something from others ("leaked"), the
library must find less, and that of the release's last patch, which leaks no more, what fedra finds. Exit 0 only if nothing
differs, each file has given cases, and there are some of each release.
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
from real.agreement.allocators import answer, answers, ask  # noqa: E402
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
    cases = [case for file in _FILES for case in cases_of(options.tests, file)]
    agree = all([_has_cases(release, cases) for release in options.kubernetes])
    left_out = 0
    for version in sorted({case["k8s"] for case in cases}):
        same = [case for case in cases if case["k8s"] == version]
        if _is_patch(version) and not options.patches:
            left_out += len(same)
        elif _release(version) in options.kubernetes:
            agree = _compare(version, same, options.ours) and agree
    if left_out:
        print(f"left out: {left_out} cases about patch releases, without --patches")
    return 0 if agree else 1


def cases_of(tests: str, file: str) -> list[Json]:
    """Those that the unit tests of this file keep. RuntimeError: none; it may have another name."""
    with tempfile.TemporaryDirectory(prefix="fedra-tables-") as folder:
        kept = Path(folder) / "cases"
        subprocess.run(
            [tests, "-#", f"[#{file}]"],
            env={**os.environ, "FEDRA_CASES": str(kept)},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        if not kept.exists():
            raise RuntimeError(f"{tests} has no cases of {file}.cc")
        return [json.loads(line) for line in kept.read_text().splitlines()]


def difference(case: Case, mended: Json | None) -> str | None:
    """None when fedra and the library agree, else a word for it. `mended`: the answer of the release's last patch, if fedra
    says "leaked"."""
    if mended is None:
        return case.difference()
    if not case.leaked:
        return case.difference() or "leaked, and the library finds as much"
    same = answer(case.ours) in answers(mended)
    return None if same else "leaked, and where that is mended the answer is another one"


def _release(version: str) -> str:
    return ".".join(version.removeprefix("v").split(".")[:2])


def _is_patch(version: str) -> bool:
    return version.startswith("v")


def _has_cases(release: str, cases: list[Json]) -> bool:
    found = any(case["k8s"] == release for case in cases)
    if not found:
        print(f"Kubernetes {release}: the tables have no case of it")
    return found


def _compare(version: str, cases: list[Json], ours: str) -> bool:
    """`version`: "1.36", of the module file, or "v1.36.2"."""
    release = _release(version)
    patch = int(version.rpartition(".")[2]) if _is_patch(version) else None
    # The library is told of taints, and not of the rules that make them.
    asked = [case for case in cases if not case["taintRules"]]
    by_chance = release in GATED
    ours_of_all = ask([ours], [{**case, "everyOrder": by_chance} for case in asked])
    real = _ask_library(release, patch, asked)
    compared = [Case(*three) for three in zip(asked, real, ours_of_all, strict=True)]
    leaked = [case for case in compared if case.ours.get("leaked")]
    mended = iter(_ask_library(release, None, [case.asked for case in leaked]))
    different = 0
    for case in compared:
        of_mended = next(mended) if case in leaked else None
        kind = "gave up" if case.gave_up else difference(case, of_mended)
        if kind is not None:
            different += 1
            print(f'{case.asked["name"]}: {kind}')
            print(f"  real: {json.dumps(case.real)}\n  ours: {json.dumps(case.ours)}")
    notes = [f", leaked {len(leaked)}"] if leaked else []
    if left_out := len(cases) - len(asked):
        notes.append(f", left out {left_out} with DeviceTaintRules")
    print(
        f"Kubernetes {version}: {len(asked)} cases of the tables, differ {different}{''.join(notes)}"
    )
    return different == 0


def _ask_library(release: str, patch: int | None, cases: list[Json]) -> list[Json]:
    """`patch`: None for that of the module file, the last one."""
    if not cases:
        return []
    program = str(allocators.build(release, patch=patch))
    repeat = "20" if release in GATED else "1"
    return ask([program, "-limit", "10s", "-repeat", repeat], cases)


if __name__ == "__main__":
    sys.exit(main())
