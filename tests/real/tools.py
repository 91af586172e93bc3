"""Where the programs that build_tools.sh built are."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

_BUILD = Path(__file__).parent / "build_tools.sh"


class ToolsMissing(RuntimeError):
    """The real programs could not be built; the message says why and is meant for a person."""


@dataclasses.dataclass(frozen=True)
class Tools:
    root: Path

    def program(self, name: str) -> Path:
        return self.root / "bin" / name

    @property
    def kueue_source(self) -> Path:
        return self.root / "kueue-src"

    @property
    def kwok_source(self) -> Path:
        return self.root / "kwok-src"


def build() -> Tools:
    """Builds what is missing (minutes when cold; progress goes to stderr)."""
    result = subprocess.run([str(_BUILD)], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise ToolsMissing(f"{_BUILD.name} failed; its message is above")
    return Tools(Path(result.stdout.splitlines()[-1]))
