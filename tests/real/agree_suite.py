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
import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.agreement import allocator_suite, allocators  # noqa: E402
from real.tools import RELEASES  # noqa: E402

_SUITE = "TestFedra"
# Of a release the names of tests, by why they may differ.
_Names = Mapping[str, Mapping[str, tuple[str, ...]]]

_GROUPS_SEEN = "the gate is off and devices have compatibility groups: fedra goes by what it sees"

# What fedra is known to answer otherwise, by what it promises. One that is answered right is taken from here.
_KNOWN: _Names = {
    "1.37": {
        _GROUPS_SEEN: (
            "compatibility-groups-disabled-skips-grouped-pool",
            "compatibility-groups-disabled-skips-ungrouped-device-in-grouped-pool",
        )
    }
}

# The same, each with a gate on that is off by default, of which no API tells and for which these schedulers take another
# variant of the library: fedra judges those with the default gates. Taints, which are seen where they are, are judged.
_KNOWN_OF_GATES: _Names = {
    "1.34": {
        "DRAConsumableCapacity": (
            "consumable-capacity-multi-allocatable-device-allocation-mode-all-in-use-insufficient",
            "consumable-capacity-multi-allocatable-device-without-policy-without-capacity-request",
            "distinct-constraint-two-multi-allocatable-devices-with-distinct-constraint",
        ),
        "DRADeviceBindingConditions": (
            "device-binding-conditions-without-device-status-feature-gate",
        ),
    },
    "1.35": {
        "DRAConsumableCapacity": (
            "allow-multiple-allocations-exclude-multi-allocatable-device-by-class-selector",
            "allow-multiple-allocations-with-partitionable-device",
            "consumable-capacity-multi-allocatable-device-allocation-mode-all-filter-out-insufficient-capacity",
            "consumable-capacity-multi-allocatable-device-allocation-mode-all-filter-out-no-capacity",
            "consumable-capacity-multi-allocatable-device-with-allocated-capacity-next-device",
            "consumable-capacity-multi-allocatable-device-with-allocated-capacity-use-remaining",
            "consumable-capacity-multi-allocatable-device-with-policy-without-capacity-request",
            "consumable-capacity-multi-allocatable-device-with-range-policy-step",
            "consumable-capacity-multi-allocatable-device-with-range-policy-with-capacity-request",
            "consumable-capacity-multi-allocatable-device-with-subrequest",
            "consumable-capacity-multi-allocatable-device-with-valid-values-policy",
            "consumable-capacity-multi-allocatable-device-with-valid-values-policy-round-up",
            "consumable-capacity-multi-allocatable-device-with-zero-request-policy",
            "consumable-capacity-multi-allocatable-device-without-capacity-without-capacity-request",
            "consumable-capacity-multi-allocatable-device-without-policy-with-capacity-request",
            "consumable-capacity-multi-allocatable-device-without-policy-without-capacity-request",
            "distinct-constraint-one-multi-allocatable-device-with-distinct-constraint",
            "distinct-constraint-two-multi-allocatable-devices-with-distinct-constraint",
            "with-distinct-constraints",
            "with-distinct-constraints-attribute-not-set",
            "with-distinct-constraints-with-subrequests",
        ),
        "DRADeviceBindingConditions": (
            "consumable-capacity-disabled-feature",
            "consumable-capacity-disabled-feature-with-prioritized-list",
        ),
    },
}


def report(release: str, tests: list[allocator_suite.Test], show: int, are_all: bool) -> bool:
    """True: all agree. `are_all`: no test of the release's suite is missing in `tests`."""
    known = _known(release)
    reasons = {test.name: _left_out(test, known) for test in tests}
    left_out = {name: reason for name, reason in reasons.items() if reason is not None}
    differ = [test for test in tests if test.differs and test.name not in left_out]
    unneeded = [test.name for test in tests if test.name in known and not test.differs]
    gone = sorted(known.keys() - reasons.keys()) if are_all else []
    for name, reason in left_out.items():
        print(f"{name}: left out: {reason}")
    for name in unneeded:
        print(f"{name}: no longer differs: take it from the list of agree_suite.py")
    for name in gone:
        print(f"{name}: there is no such test: take it from the list of agree_suite.py")
    for test in differ:
        print(f"{test.name}: {test.outcome}")
        for line in test.lines[:show]:
            print(f"  {line}")
    print(
        f"Kubernetes {allocators.kubernetes_version(release)}: {len(tests)} cases, equal"
        f" {len(tests) - len(differ) - len(left_out)}, differ {len(differ)}, left out"
        f" {len(left_out)} {dict(collections.Counter(left_out.values()))}"
    )
    return not differ and not unneeded and not gone and len(tests) > 0


@dataclasses.dataclass(frozen=True)
class _Known:
    reason: str
    gate: str | None = None  # which must be on


def _known(release: str) -> dict[str, _Known]:
    """By the names of tests."""
    known: dict[str, _Known] = {}
    for reason, names in _KNOWN.get(release, {}).items():
        known |= {f"{_SUITE}/{name}": _Known(reason) for name in names}
    for gate, names in _KNOWN_OF_GATES.get(release, {}).items():
        reason = f"{gate}, off by default in {release}, which fedra does not judge there"
        known |= {f"{_SUITE}/{name}": _Known(reason, gate) for name in names}
    return known


def _left_out(test: allocator_suite.Test, known: Mapping[str, _Known]) -> str | None:
    """Why a test says nothing of fedra."""
    if not test.differs:
        return test.left_out
    why = known.get(test.name)
    return why.reason if why is not None and (why.gate is None or why.gate in test.gates) else None


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
        agree = report(release, tests, options.show, not options.only) and agree
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
