#!/usr/bin/python3
"""Writes debian/changelog from CHANGELOG.md; prints the version of the package.

    debian_changelog.py [VERSION]

VERSION is used in the place of version.py's where given (tests of upgrades). Standard library only.
"""

from __future__ import annotations

import sys
import textwrap
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.version import Release, debian_version, epoch, releases  # noqa: E402


def main() -> None:
    newest, *older = releases()
    control = (ROOT / "debian/control").read_text()
    maintainer = next(
        line.partition(": ")[2] for line in control.splitlines() if line.startswith("Maintainer: ")
    )
    version = sys.argv[1] if len(sys.argv) > 1 else debian_version()
    entries = [_entry(newest, version, maintainer)]
    entries += [_entry(release, release.version, maintainer) for release in older]
    (ROOT / "debian/changelog").write_text("\n".join(entries))
    print(version)


def _entry(release: Release, version: str, maintainer: str) -> str:
    changes = "\n".join(
        textwrap.fill(change, 79, initial_indent="  * ", subsequent_indent="    ")
        for change in release.changes
    )
    return f"fedra ({version}) unstable; urgency=medium\n\n{changes}\n\n -- {maintainer}  {_date_of(release)}\n"


def _date_of(release: Release) -> str:
    if release.date == "unreleased":
        # The commit's, so that the same commit gives the same package.
        return format_datetime(datetime.fromtimestamp(epoch(), UTC))
    return format_datetime(datetime.fromisoformat(release.date).replace(tzinfo=UTC))


if __name__ == "__main__":
    main()
