#!/usr/bin/env python3
"""Gives the same generated allocation cases to fedra's judge-lines and to the real allocator of
kube-scheduler (tests/real/go/allocator), and compares outcome and chosen devices.

    agree_dra.py --ours build/release/tests/tools/judge-lines --real /tmp/real-allocator -n 5000 --seed 1

Every disagreement is printed with its case (--save DIR writes them as files to replay). Known and
wanted differences are counted apart, each with its reason:

    real-gave-up    the real search ran into its time limit; ours prunes and has an answer
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.agreement.allocator_case import allocator_case  # noqa: E402
from real.agreement.dice import Json  # noqa: E402


def run(command: Sequence[str], lines: Sequence[Json]) -> list[Json]:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def devices(answer: Json) -> list[tuple[str, ...]]:
    return sorted(
        (r["claim"], r["request"], r["driver"], r["pool"], r["device"])
        for r in answer.get("results") or []
    )


def compare(ours: Json, real: Json) -> str | None:
    """None when both agree, else a word for the kind of difference."""
    if real["outcome"] == "budget":
        return None if ours["outcome"] == "budget" else "real-gave-up"
    if ours["outcome"] != real["outcome"]:
        return f'{real["outcome"]} but ours {ours["outcome"]}'
    if devices(ours) != devices(real):
        return "other devices"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--ours", required=True)
    parser.add_argument("--real", required=True)
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", default="10s", help="time for one case of the real allocator")
    parser.add_argument("--save", help="folder for the cases that differ")
    parser.add_argument("--show", type=int, default=5, help="how many differences to print")
    options = parser.parse_args()
    cases = [allocator_case(options.seed, i) for i in range(options.n)]
    ours = run([options.ours], cases)
    real = run([options.real, "-limit", options.limit], cases)
    outcomes = collections.Counter(answer["outcome"] for answer in real)
    kinds: collections.Counter[str] = collections.Counter()
    for case, mine, theirs in zip(cases, ours, real, strict=True):
        kind = compare(mine, theirs)
        if kind is None:
            continue
        kinds[kind] += 1
        if options.save:
            os.makedirs(options.save, exist_ok=True)
            path = os.path.join(options.save, f'{options.seed}-{case["name"]}.json')
            with open(path, "w", encoding="utf-8") as file:
                json.dump(case, file)
        if sum(kinds.values()) <= options.show:
            print(
                f'{case["name"]}: {kind}\n  real: {json.dumps(theirs)}\n  ours: {json.dumps(mine)}'
            )
    wanted = kinds.pop("real-gave-up", 0)
    different = sum(kinds.values())
    print(f"seed {options.seed}: {options.n} cases, real outcomes {dict(outcomes)}")
    print(
        f"agree {options.n - different - wanted}, real gave up {wanted}, differ {different} {dict(kinds)}"
    )
    print(f"agreement {100 * (options.n - different) / options.n:.3f} %")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
