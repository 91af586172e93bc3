#!/usr/bin/env python3
"""Gives random selectors and devices to fedra's cel-lines and to the compiler that each release's kube-scheduler links
(tests/real/go/allocator/selectors), and compares what compiles, what matches, and what it costs.

    agree_selectors.py -n 10000 --seed 1                        # each of the four releases
    agree_selectors.py --kubernetes 1.34 --seed 1 --only 17     # one case: what is asked, and both answers
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.agreement import allocators  # noqa: E402
from real.agreement.allocators import ask  # noqa: E402
from real.agreement.dice import Json  # noqa: E402
from real.agreement.selector_case import selector_case  # noqa: E402
from real.tools import RELEASES  # noqa: E402

_OURS = Path(__file__).parents[2] / "build/release/tests/tools/cel-lines"
_COST = "another cost"


@dataclasses.dataclass
class Case:
    asked: Json
    real: Json
    ours: Json

    def difference(self) -> str | None:
        """None when both agree, else a few words for it."""
        if self.real["outcome"] != self.ours["outcome"]:
            return f'{self.real["outcome"]} but ours {self.ours["outcome"]}'
        if (
            self.real["outcome"] in ("true", "false")
            and self.real.get("cost", 0) != self.ours["cost"]
        ):
            return _COST
        return None


def main() -> int:
    options = _parse()
    agree = True
    for release in options.kubernetes or RELEASES:
        program = allocators.build(release, "selectors")
        numbers = [options.only] if options.only is not None else range(options.n)
        asked = [selector_case(options.seed, number, release) for number in numbers]
        real, ours = ask([str(program)], asked), ask([options.ours, "--cost"], asked)
        cases = [Case(*three) for three in zip(asked, real, ours, strict=True)]
        if options.only is not None:
            print(json.dumps(dataclasses.asdict(cases[0]), indent=1))
        agree = _report(release, cases, options) and agree
    return 0 if agree else 1


def _report(release: str, cases: list[Case], options: argparse.Namespace) -> bool:
    """True: what compiles and what it answers is the same. The cost only decides near the limit."""
    different = [case for case in cases if case.difference() is not None]
    for case in different[: options.show]:
        print(f'{case.asked["name"]}: {case.difference()}: {case.asked["expr"]}')
        print(f"  real: {json.dumps(case.real)}\n  ours: {json.dumps(case.ours)}")
    outcomes = collections.Counter(case.real["outcome"] for case in cases)
    kinds = collections.Counter(case.difference() for case in different)
    print(
        f"Kubernetes {release} ({allocators.module_version(release)}), seed {options.seed}: {len(cases)} selectors,"
        f" {dict(sorted(outcomes.items()))}, differ {len(different)} {dict(kinds)}"
    )
    if kinds and set(kinds) <= {_COST}:
        print("  another cost alone is no failure: docs/agreement.md says where it comes from")
    return set(kinds) <= {_COST}


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kubernetes", nargs="*", choices=RELEASES)
    parser.add_argument("--ours", default=str(_OURS), help="fedra's cel-lines")
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="one case by its number, shown in full")
    parser.add_argument("--show", type=int, default=10, help="how many differences to print")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
