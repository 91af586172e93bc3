#!/usr/bin/python3
"""Writes debian/changelog from CHANGELOG.md; prints the version of the package.

    debian_changelog.py [VERSION]

The version is that of CMakeLists.txt, which must be the newest in CHANGELOG.md. While that is unreleased, packages
are 0.1.0~311.g5ab0689: they sort by the number of commits, and before the release. VERSION is used instead where
given (tests of upgrades). Standard library only.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_SECTION = re.compile(r"^## (\S+) \((unreleased|\d{4}-\d\d-\d\d)\)$")


class Release:
    """One section of CHANGELOG.md."""

    def __init__(self, version: str, date: str):
        self.version, self.date = version, date
        self.changes: list[str] = []


def releases(text: str) -> list[Release]:
    found: list[Release] = []
    for line in text.splitlines():
        if line.startswith("## "):
            match = _SECTION.match(line)
            if match is None:
                raise SystemExit(
                    f'CHANGELOG.md: "{line}" is not "## VERSION (YYYY-MM-DD)" or "## VERSION (unreleased)"'
                )
            found.append(Release(*match.groups()))
        elif line.startswith("- ") and found:
            found[-1].changes.append(line[2:])
        elif line.startswith("  ") and found and found[-1].changes:
            found[-1].changes[-1] += "\n" + line.strip()
    if not found:
        raise SystemExit("CHANGELOG.md has no version")
    return found


def git(*arguments: str) -> str:
    result = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else ""


def package_version(newest: Release) -> str:
    if newest.date != "unreleased":
        return newest.version
    count, commit = git("rev-list", "--count", "HEAD"), git("rev-parse", "--short=7", "HEAD")
    return f"{newest.version}~{count}.g{commit}" if commit else f"{newest.version}~0"


def date_of(release: Release) -> str:
    if release.date == "unreleased":
        # The commit's, so that the same commit gives the same package.
        return git("log", "-1", "--format=%cD") or format_datetime(datetime.now(UTC))
    return format_datetime(datetime.fromisoformat(release.date).replace(tzinfo=UTC))


def entry(release: Release, version: str, maintainer: str) -> str:
    changes = "\n".join(
        textwrap.fill(change, 79, initial_indent="  * ", subsequent_indent="    ")
        for change in release.changes
    )
    return f"fedra ({version}) unstable; urgency=medium\n\n{changes}\n\n -- {maintainer}  {date_of(release)}\n"


def main() -> None:
    found = releases((ROOT / "CHANGELOG.md").read_text())
    in_cmake = re.search(
        r"^project\(fedra VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE
    )
    if in_cmake is None or in_cmake[1] != found[0].version:
        raise SystemExit(
            f"CMakeLists.txt has version {in_cmake[1] if in_cmake else 'none'}, CHANGELOG.md begins with"
            f" {found[0].version}"
        )
    control = (ROOT / "debian/control").read_text()
    maintainer = next(
        line.partition(": ")[2] for line in control.splitlines() if line.startswith("Maintainer: ")
    )
    version = sys.argv[1] if len(sys.argv) > 1 else package_version(found[0])
    entries = [entry(found[0], version, maintainer)]
    entries += [entry(release, release.version, maintainer) for release in found[1:]]
    (ROOT / "debian/changelog").write_text("\n".join(entries))
    print(version)


if __name__ == "__main__":
    main()
