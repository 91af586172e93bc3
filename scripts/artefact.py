"""What the scripts that make artefacts have in common: how they fail, and how they ask other programs."""

from __future__ import annotations

import subprocess


class BuildError(Exception):
    """The artefact cannot be built here; the message is meant for a person."""


def output_of(*command: object) -> str:
    arguments = [str(part) for part in command]
    result = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise BuildError(
            f"{' '.join(arguments)} ended with {result.returncode}: {result.stderr.strip()}"
        )
    return result.stdout
