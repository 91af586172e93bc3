"""What the artefacts of one commit have in common: their version and their time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class BuildError(Exception):
    """The artefact cannot be built here; the message is meant for a person."""


def version() -> str:
    """That of the Debian package, in the form that tags and Helm allow: 0.1.0-311.g5ab0689."""
    return output_of(ROOT / "scripts/debian_changelog.py").strip().replace("~", "-")


def revision() -> str:
    return _git("rev-parse", "HEAD")


def epoch() -> int:
    """SOURCE_DATE_EPOCH (reproducible-builds.org/specs), or the time of the commit: seconds since 1970."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct"))


def output_of(*command: object) -> str:
    arguments = [str(part) for part in command]
    result = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise BuildError(
            f"{' '.join(arguments)} ended with {result.returncode}: {result.stderr.strip()}"
        )
    return result.stdout


def _git(*arguments: str) -> str:
    return output_of("git", "-C", ROOT, *arguments).strip()
