#!/usr/bin/python3
"""Which version these sources are, of which commit and when: what every artefact says of itself.

    version.py            the version as tags, images and Helm write it: 0.1.0, or 0.1.0-311.g5ab0689
    version.py --commit   "HASH NUMBER TIME" of the commit, which an archive of the sources keeps in the file COMMIT
    version.py --check    whether the files that name the version name this one
    version.py --write    makes them do so

The version is that of CMakeLists.txt, which must be the newest in CHANGELOG.md. While that is unreleased it has the
number of commits in it. Standard library only.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_ARCHIVED = ROOT / "COMMIT"
# Where people copy it from: file -> what stands before it.
_NAMED = {
    "deploy/chart/fedra/Chart.yaml": (r"^version: ", r"^appVersion: "),
    "deploy/kustomize/example/kustomization.yaml": (r"^  newTag: ",),
    "tests/packages/chart_cluster.py": (r"/fedra:",),
}
_SECTION = re.compile(r"^## (\S+) \((unreleased|\d{4}-\d\d-\d\d)\)$")


@dataclasses.dataclass(frozen=True)
class Commit:
    hash: str
    number: int  # of commits up to this one
    time: int  # seconds since 1970


@dataclasses.dataclass
class Release:
    """One section of CHANGELOG.md."""

    version: str
    date: str  # or "unreleased"
    changes: list[str] = dataclasses.field(default_factory=list)


@functools.cache
def commit() -> Commit:
    """git's, or, in sources that were unpacked from an archive, what that says."""
    if _ARCHIVED.exists():
        text = _ARCHIVED.read_text()
    else:
        text = f"{_git('rev-parse', 'HEAD')} {_git('rev-list', '--count', 'HEAD')} {_git('log', '-1', '--format=%ct')}"
    match = re.fullmatch(r"([0-9a-f]{40,64}) (\d+) (\d+)\n?", text)
    if match is None:
        raise SystemExit(f'error: {_ARCHIVED} has "{text}" in the place of "HASH NUMBER TIME"')
    return Commit(match[1], int(match[2]), int(match[3]))


def epoch() -> int:
    """SOURCE_DATE_EPOCH (reproducible-builds.org/specs), or the time of the commit: seconds since 1970."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or commit().time)


def releases() -> list[Release]:
    """The newest first."""
    found: list[Release] = []
    for line in (ROOT / "CHANGELOG.md").read_text().splitlines():
        if line.startswith("## "):
            match = _SECTION.match(line)
            if match is None:
                raise SystemExit(
                    f'error: CHANGELOG.md: "{line}" is not "## VERSION (YYYY-MM-DD)" or "## VERSION (unreleased)"'
                )
            found.append(Release(match[1], match[2]))
        elif line.startswith("- ") and found:
            found[-1].changes.append(line[2:])
        elif line.startswith("  ") and found and found[-1].changes:
            found[-1].changes[-1] += "\n" + line.strip()
    in_cmake = re.search(
        r"^project\(fedra VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE
    )
    if in_cmake is None or not found or in_cmake[1] != found[0].version:
        raise SystemExit(
            f"error: CMakeLists.txt has version {in_cmake[1] if in_cmake else 'none'}, CHANGELOG.md begins with"
            f" {found[0].version if found else 'none'}"
        )
    return found


def debian_version() -> str:
    """0.1.0~311.g5ab0689 sorts by the number of commits, and before 0.1.0."""
    newest = releases()[0]
    if newest.date != "unreleased":
        return newest.version
    return f"{newest.version}~{commit().number}.g{commit().hash[:7]}"


def version() -> str:
    """In the form that tags and Helm allow."""
    return debian_version().replace("~", "-")


def _behind(write: bool) -> list[str]:
    """The files that name another version; corrects them with `write`."""
    wanted = releases()[0].version
    behind = []
    for name, before in _NAMED.items():
        path = ROOT / name
        text = path.read_text()
        pattern = re.compile(rf"((?:{'|'.join(before)}))\d+\.\d+\.\d+", re.MULTILINE)
        if len(pattern.findall(text)) < len(before):
            raise SystemExit(
                f"error: {name} does not name the version where version.py looks for it"
            )
        right = pattern.sub(rf"\g<1>{wanted}", text)
        if right != text:
            behind.append(name)
            if write:
                path.write_text(right)
    return behind


def _git(*arguments: str) -> str:
    result = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(
            f"error: neither a git repository nor the file {_ARCHIVED.name} says which commit this is: "
            f"{result.stderr.strip()}"
        )
    return result.stdout.strip()


def main() -> None:
    if sys.argv[1:] == ["--check"] and (behind := _behind(write=False)):
        raise SystemExit(
            f"error: {', '.join(behind)}: not version {releases()[0].version}; run scripts/version.py --write"
        )
    if sys.argv[1:] == ["--write"]:
        _behind(write=True)
    if sys.argv[1:] == ["--commit"]:
        print(commit().hash, commit().number, commit().time)
    elif not sys.argv[1:]:
        print(version())


if __name__ == "__main__":
    main()
