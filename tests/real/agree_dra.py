#!/usr/bin/env python3
"""Gives the same generated allocation cases to fedra's judge-lines and to the allocator library that
kube-scheduler links (tests/real/go/allocator), and compares outcome and chosen devices.

    agree_dra.py -n 10000 --seed 1                      # each of the four releases
    agree_dra.py --kubernetes 1.34 --seed 1 --only 17   # one case: what is asked, and both answers
    agree_dra.py --kubernetes 1.36 --patch 2 -n 10000   # the library of another patch release: v0.36.2
    agree_dra.py --kubernetes 1.37 --alpha -n 10000     # with features behind gates that are off by default

Up to 1.35 the library tries pools in an order that is chance, so each case is put to it several times. There,
fedra's answer must be one of the library's, and each of the library's must be fedra's for some order of the
pools. Every disagreement is printed (--save DIR writes its case). Counted apart:

    gave up         the library ran into the time limit; fedra leaves hopeless branches out and has an answer
    chance          the library answers sometimes so and sometimes so: another outcome, or other devices
    leak            fedra says that devices which were refused may have kept something from others, and the
                    library finds nothing, or others (up to 1.36.2; a verdict is Unknown there). The library
                    of the last patch release, which leaks no more, must answer nine of ten as fedra does
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
from real.agreement.allocator_case import allocator_case  # noqa: E402
from real.agreement.allocators import answer, answers, ask  # noqa: E402
from real.agreement.dice import Json  # noqa: E402
from real.agreement.kept_fields import GATED  # noqa: E402
from real.tools import RELEASES  # noqa: E402

# With five pools an order that must be met is missed once in 2^20 and 2^200 cases.
_REPEAT, _REPEAT_MORE = "20", "200"


@dataclasses.dataclass
class Case:
    asked: Json
    real: Json
    ours: Json

    @property
    def gave_up(self) -> bool:
        return bool(self.real["outcome"] == "budget")

    @property
    def leaked(self) -> bool:
        """A leak only takes away: the library may find nothing, or other devices, but no more than fedra."""
        return (
            bool(self.ours.get("leaked"))
            and answer(self.ours) not in answers(self.real)
            and (self.ours["outcome"] != "nofit" or self.real["outcome"] == "error")
        )

    def difference(self) -> str | None:
        """None when both agree, else a word for it."""
        real, ours = answers(self.real), answer(self.ours)
        if self.leaked:
            return None
        if ours not in real:
            if ours[0] in {outcome for outcome, _ in real}:
                return "other devices"
            return f'{"/".join(sorted({o for o, _ in real}))} but ours {ours[0]}'
        return None if real <= answers(self.ours) else "for no order of the pools"


class Comparison:
    def __init__(self, release: str, options: argparse.Namespace):
        self.release, self.options = release, options
        program = allocators.build(release, patch=options.patch)
        self.real = [str(program), "-limit", options.limit]
        self.modules = allocators.kubernetes_modules(program)
        self.version = allocators.kubernetes_version(release, options.patch)
        if options.alpha:
            self.real.append("-alpha")
        self.by_chance = release in GATED

    def run(self, numbers: range) -> list[Case]:
        options = self.options
        asked = [allocator_case(options.seed, i, self.release, options.alpha) for i in numbers]
        for case in asked:
            # The library has its default gates: taints that an API server would not have kept do not count.
            case |= {"k8s": self.version, "deviceTaints": self.release not in GATED}
        repeat = _REPEAT if self.by_chance else "1"
        real = ask([*self.real, "-repeat", repeat], asked)
        ours = ask([self.options.ours], asked)
        cases = [Case(*three) for three in zip(asked, real, ours, strict=True)]
        if self.by_chance:
            self._look_again(cases)
        return cases

    def _look_again(self, cases: list[Case]) -> None:
        """At what may be chance: fedra in every order, and the library more often."""
        doubtful = [c for c in cases if not c.gave_up and c.difference() is not None]
        everywhere = ask([self.options.ours], [dict(c.asked, everyOrder=True) for c in doubtful])
        for case, ours in zip(doubtful, everywhere, strict=True):
            case.ours = ours
        doubtful = [c for c in doubtful if c.difference() is not None]
        more = ask([*self.real, "-repeat", _REPEAT_MORE], [c.asked for c in doubtful])
        for case, real in zip(doubtful, more, strict=True):
            case.real = real

    def report(self, cases: list[Case]) -> bool:
        """True: all agree, and at least half of them could be compared."""
        compared = [c for c in cases if not c.gave_up]
        leaked = [c for c in compared if c.leaked]
        mended = self._mended(leaked)
        different = [c for c in compared if c.difference() is not None]
        for case in different[: self.options.show]:
            print(f'{case.asked["name"]}: {case.difference()}')
            print(f"  real: {json.dumps(case.real)}\n  ours: {json.dumps(case.ours)}")
        for case in different:
            self._save(case)
        several = [{outcome for outcome, _ in answers(c.real)} for c in compared]
        outcomes = collections.Counter(c.real["outcome"] for c in compared)
        chance = {
            "outcome": sum(len(s) > 1 for s in several),
            "devices": sum(len(answers(c.real)) > 1 for c in compared),
        }
        print(f"k8s.io {self.modules}")
        print(
            f"Kubernetes {self.version}, seed {self.options.seed}: {len(cases)} cases, gave up"
            f" {len(cases) - len(compared)}, {dict(sorted(outcomes.items()))}, chance {chance}, leak"
            f" {len(leaked)}, of these answered as fedra does where it is mended {mended}, differ {len(different)}"
            f" {dict(collections.Counter(c.difference() for c in different))}"
        )
        return not different and 2 * len(compared) >= len(cases) and 10 * mended >= 9 * len(leaked)

    def _mended(self, leaked: list[Case]) -> int:
        """Of how many the library of the module file has fedra's answer. Not of all: other patches are between them."""
        if not leaked:
            return 0
        program = str(allocators.build(self.release))
        mended = ask([program, "-limit", self.options.limit], [c.asked for c in leaked])
        return sum(answer(c.ours) in answers(m) for c, m in zip(leaked, mended, strict=True))

    def _save(self, case: Case) -> None:
        if not self.options.save:
            return
        folder = Path(self.options.save)
        folder.mkdir(parents=True, exist_ok=True)
        name = f'{self.release}-{self.options.seed}-{case.asked["name"]}.json'
        (folder / name).write_text(json.dumps(case.asked), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kubernetes", nargs="*", choices=RELEASES)
    parser.add_argument("--patch", type=int, help="of one --kubernetes: another patch release")
    parser.add_argument("--ours", default=str(allocators.OURS), help="fedra's judge-lines")
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="one case by its number, shown in full")
    parser.add_argument("--limit", default="10s", help="time that the library has for one case")
    parser.add_argument("--save", help="folder for the cases that differ")
    parser.add_argument("--show", type=int, default=5, help="how many differences to print")
    parser.add_argument(
        "--alpha",
        action="store_true",
        help="with lists, compatibility groups, derived attributes, optional node operations: for 1.37",
    )
    options = parser.parse_args()
    if options.patch is not None and len(options.kubernetes or []) != 1:
        parser.error("--patch is for one --kubernetes")
    if options.alpha and options.kubernetes != ["1.37"]:
        parser.error("--alpha is for --kubernetes 1.37 alone: older releases have none of it")
    agree = True
    for release in options.kubernetes or RELEASES:
        comparison = Comparison(release, options)
        if options.only is None:
            agree = comparison.report(comparison.run(range(options.n))) and agree
            continue
        for case in comparison.run(range(options.only, options.only + 1)):
            print(json.dumps(dataclasses.asdict(case), indent=1))
            agree = case.difference() is None and agree
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
