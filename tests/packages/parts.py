"""What the tests of packages share."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Skip(Exception):
    """This cannot run on this machine, and why."""


def run(*command: object, cwd: Path = ROOT, code: int | None = 0) -> str:
    """Standard output and error; fails unless it ends with `code` (None: whatever)."""
    arguments: Sequence[str] = [str(part) for part in command]
    result = subprocess.run(
        arguments,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    text = result.stdout.decode(errors="replace")
    assert (
        code is None or result.returncode == code
    ), f"{' '.join(arguments)} ended with {result.returncode}:\n{text[-4000:]}"
    return text


def check_documented_size(file: Path) -> None:
    """docs/install.md says how large it is, within a fifth."""
    size = file.stat().st_size / 1e6
    print(f"     {size:.1f} MB", flush=True)
    name = re.sub(r"_.*_", "_VERSION_", file.name)
    page = (ROOT / "docs/install.md").read_text()
    told = re.findall(rf"\b{re.escape(name)}\W+([\d.]+) MB", page)
    assert told, f"docs/install.md does not say how large {name} is"
    assert all(abs(float(each) - size) < size / 5 for each in told), f"{size} MB, not {told}"
