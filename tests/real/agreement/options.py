"""The options that the comparisons with a real scheduler have in common."""

from __future__ import annotations

import argparse
from pathlib import Path

from real import tools as real_tools


def parser(doc: str | None, what: str, count: int) -> argparse.ArgumentParser:
    """`what` is shown and compared: "case"; `count` of them where nobody says how many."""
    made = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("-n", type=int, default=count, help=f"how many {what}s")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--kubernetes", choices=real_tools.RELEASES, default=real_tools.RELEASE)
    made.add_argument("--first", type=int, default=0, help=f"number of the first {what}")
    made.add_argument("--only", type=int, action="append", help=f"this {what}, with what was seen")
    made.add_argument("--save", type=Path, help=f"folder for the {what}s that are shown")
    return made
