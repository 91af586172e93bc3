#!/usr/bin/env python3
"""Runs Kubernetes' own allocator tests (structured/internal/allocatortesting of the module
k8s.io/dynamic-resource-allocation) with fedra in the place of the allocator, for each release that has them.

    agree_suite.py                                            # each of the four releases
    agree_suite.py --kubernetes 1.36                          # one
    agree_suite.py --kubernetes 1.36 --only /partitionable    # those whose names match, as `go test -run`

None of Kubernetes' code is copied: the tests are built from the module (tests/real/go/suite). Outcome and devices
are fedra's, with the feature gates of the case; what the tests expect besides comes from the library, where it has
the same devices (fedra_test.go). A test that is not put to fedra is printed with its reason.
"""

from __future__ import annotations

import argparse
import collections
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.agreement import allocator_suite, allocators  # noqa: E402
from real.tools import RELEASES  # noqa: E402


# Gates that are off by default, of which no API tells and for which these schedulers take another variant of the
# library: fedra judges those with the default gates. Taints, which are seen where they are, are judged.
_NOT_JUDGED = {"DRAConsumableCapacity", "DRADeviceBindingConditions"}
_GATES_OFF = {"1.34": _NOT_JUDGED, "1.35": _NOT_JUDGED}

_GROUPS_SEEN = "the gate is off and devices have compatibility groups: fedra goes by what it sees"

# What fedra is known to answer otherwise, by what it promises. One that is answered right is taken from here.
_KNOWN = {
    "1.37": {
        "TestFedra/compatibility-groups-disabled-skips-grouped-pool": _GROUPS_SEEN,
        "TestFedra/compatibility-groups-disabled-skips-ungrouped-device-in-grouped-pool": _GROUPS_SEEN,
    }
}


def report(release: str, tests: list[allocator_suite.Test], show: int) -> bool:
    """True: all agree."""
    known = _KNOWN.get(release, {})
    reasons = {test.name: _left_out(release, test) for test in tests}
    left_out = {name: reason for name, reason in reasons.items() if reason is not None}
    differ = [test for test in tests if test.differs and test.name not in left_out]
    unneeded = [test.name for test in tests if test.name in known and not test.differs]
    for name, reason in left_out.items():
        print(f"{name}: left out: {reason}")
    for name in unneeded:
        print(f"{name}: no longer differs: take it from the list of agree_suite.py")
    for test in differ:
        print(f"{test.name}: {test.outcome}")
        for line in test.lines[:show]:
            print(f"  {line}")
    print(
        f"Kubernetes {allocators.kubernetes_version(release)}: {len(tests)} cases, equal"
        f" {len(tests) - len(differ) - len(left_out)}, differ {len(differ)}, left out"
        f" {len(left_out)} {dict(collections.Counter(left_out.values()))}"
    )
    return not differ and not unneeded and len(tests) > 0


def _left_out(release: str, test: allocator_suite.Test) -> str | None:
    """Why a test says nothing of fedra. One that is answered right counts, whatever its gates."""
    off = test.gates & _GATES_OFF.get(release, set())
    if not test.differs:
        return test.left_out
    if off:
        return f"{' and '.join(sorted(off))}, off by default in {release}, which fedra does not judge there"
    return _KNOWN.get(release, {}).get(test.name)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kubernetes", nargs="*", choices=RELEASES)
    parser.add_argument("--ours", type=Path, default=allocators.OURS, help="fedra's judge-lines")
    parser.add_argument("--only", default="", help="part of the names, as `go test -run` takes it")
    parser.add_argument("--show", type=int, default=40, help="lines of each test that differs")
    options = parser.parse_args()
    agree = True
    for release in options.kubernetes or RELEASES:
        tests = allocator_suite.run(release, options.ours, options.only)
        if tests is None:
            print(f"Kubernetes {allocators.kubernetes_version(release)}: its tests were not found")
            agree = False
            continue
        agree = report(release, tests, options.show) and agree
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
