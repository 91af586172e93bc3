#!/usr/bin/python3
"""Which scenarios a fleet of several releases is too old for (tests/scenarios/run.py)."""

from __future__ import annotations

import argparse
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from scenarios.registry import Scenario  # noqa: E402
from scenarios.run import too_old  # noqa: E402


def _scenario(workers_since: str | None = None, kueue_since: str | None = None) -> Scenario:
    return Scenario(
        "name",
        lambda world: None,
        fleets=("real",),
        kueue_dra=(False,),
        workers_since=workers_since,
        kueue_since=kueue_since,
    )


def _fleet(kubernetes: dict[str, str], kueue: dict[str, str]) -> argparse.Namespace:
    return argparse.Namespace(kubernetes=list(kubernetes.items()), kueue=list(kueue.items()))


class TooOldTest(unittest.TestCase):
    def test_the_oldest_worker_counts(self) -> None:
        fields, feature = _scenario(workers_since="1.36"), _scenario(kueue_since="0.19")
        rows: list[tuple[dict[str, str], dict[str, str], str | None, str | None]] = [
            ({}, {}, None, None),
            ({"worker1": "1.37"}, {}, None, None),
            ({"worker1": "1.37", "worker2": "1.35"}, {}, "Kubernetes before 1.36", None),
            ({}, {"worker2": "0.18"}, None, "Kueue before 0.19"),
            ({"manager": "1.35"}, {"manager": "0.18"}, None, None),
        ]
        for kubernetes, kueue, of_fields, of_feature in rows:
            fleet = _fleet(kubernetes, kueue)
            for scenario, expected in ((fields, of_fields), (feature, of_feature)):
                found = too_old(fleet, scenario)
                self.assertEqual(found, expected and f"{expected} on a worker")
            self.assertIsNone(too_old(fleet, _scenario()))


if __name__ == "__main__":
    unittest.main()
