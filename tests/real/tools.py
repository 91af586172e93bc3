"""Where the programs that build_tools.sh built are."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

_HERE = Path(__file__).parent

# The release of Kubernetes that build_tools.sh builds, and the scenarios run on.
RELEASE = "1.36"
# Those of which build_kubernetes.sh builds API server, controllers and scheduler.
OTHER_RELEASES = ("1.34", "1.35", "1.37")


class ToolsMissing(RuntimeError):
    """The real programs could not be built; the message says why and is meant for a person."""


@dataclasses.dataclass(frozen=True)
class Tools:
    root: Path
    release: str = RELEASE
    kubernetes: Path | None = (
        None  # where API server, controllers and scheduler of another release are
    )

    def program(self, name: str) -> Path:
        """ "kube-apiserver", "etcd", "kubectl", ..."""
        if self.kubernetes is not None and (self.kubernetes / name).exists():
            return self.kubernetes / name
        return self.root / "bin" / name

    @property
    def kueue_source(self) -> Path:
        return self.root / "kueue-src"

    @property
    def kwok_source(self) -> Path:
        return self.root / "kwok-src"


def build(release: str = RELEASE) -> Tools:
    """Builds what is missing (minutes when cold; progress goes to stderr)."""
    root = _folder_of("build_tools.sh")
    if release == RELEASE:
        return Tools(root)
    return Tools(root, release, _folder_of("build_kubernetes.sh", release))


def _folder_of(script: str, *arguments: str) -> Path:
    result = subprocess.run([_HERE / script, *arguments], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise ToolsMissing(f"{script} failed; its message is above")
    return Path(result.stdout.splitlines()[-1])
