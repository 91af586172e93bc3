"""The document of a run: what was measured, of which commit, when, on which machine, in JSON.

It is written again after each size, so that a run that is broken off leaves what it had.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import subprocess
from pathlib import Path

from scenarios.resources import Object

_ROOT = Path(__file__).parents[3]


def describe(what: str, binary: Path, parameters: Object) -> Object:
    """Everything but the rows."""
    return {
        "what": what,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": _commit(),
        "fedra": _first_line(str(binary), "--version"),
        "machine": {
            "cores": len(os.sched_getaffinity(0)),
            "processor": _find(r"^model name\s*: (.*)$", Path("/proc/cpuinfo")),
            "memory_bytes": int(_find(r"^MemTotal:\s*(\d+) kB$", Path("/proc/meminfo"))) * 1024,
            "kernel": platform.release(),
        },
        "parameters": parameters,
        "rows": [],
    }


def write(file: Path, document: Object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(document, indent=1) + "\n")
    fresh.rename(file)


def _commit() -> str:
    """Of this tree; empty where it is none of git's, as in a release's sources."""
    try:
        return _first_line("git", "-C", str(_ROOT), "describe", "--always", "--dirty")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _first_line(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")[0]


def _find(pattern: str, file: Path) -> str:
    match = re.search(pattern, file.read_text(), re.MULTILINE)
    return match[1] if match else "0"
