"""Where the programs that build_tools.sh built are."""

from __future__ import annotations

import dataclasses
import functools
import re
import subprocess
from pathlib import Path

_HERE = Path(__file__).parent

# The release of Kubernetes that build_tools.sh builds, and on which the scenarios run unless they are told otherwise.
RELEASE = "1.36"
# Those of which build_release.sh builds API server, controllers and scheduler.
OTHER_RELEASES = ("1.34", "1.35", "1.37")
RELEASES = tuple(sorted((RELEASE, *OTHER_RELEASES)))
# The same for Kueue.
KUEUE = "0.19"
KUEUES = ("0.17", "0.18", KUEUE)


class ToolsMissing(RuntimeError):
    """The real programs could not be built; the message says why and is meant for a person."""


@dataclasses.dataclass(frozen=True)
class Tools:
    root: Path
    release: str = RELEASE
    kueue: str = KUEUE
    others: tuple[Path, ...] = ()  # where what is of another release is, first

    def program(self, name: str) -> Path:
        """ "kube-apiserver", "etcd", "kubectl", ..."""
        return self._first(f"bin/{name}")

    @property
    def kueue_source(self) -> Path:
        return self._first("kueue-src")

    @property
    def kwok_source(self) -> Path:
        return self.root / "kwok-src"

    def _first(self, name: str) -> Path:
        for folder in self.others:
            if (folder / name).exists():
                return folder / name
        return self.root / name


def module_version(file: Path, module: str) -> str:
    """What the Go module file asks for: "v1.36.3"."""
    match = re.search(
        rf"^\s*(?:require )?{re.escape(module)} (v\S+)", file.read_text(), re.MULTILINE
    )
    assert match is not None, f"{file} names no version of {module}"
    return match[1]


def kubernetes_version(release: str) -> str:
    """Of the servers that are built: "v1.36.3". Patch releases differ in what the scheduler does."""
    name = "go.mod" if release == RELEASE else f"kube-{release}.mod"
    return module_version(_HERE / "go/kube" / name, "k8s.io/kubernetes")


def kueue_version(release: str) -> str:
    """Of the Kueue that is built: "v0.19.2"."""
    name = "go.mod" if release == KUEUE else f"kueue-{release}.mod"
    return module_version(_HERE / "go/kueue" / name, "sigs.k8s.io/kueue")


@functools.cache  # a fleet asks for each of its clusters
def build(release: str = RELEASE, kueue: str = KUEUE) -> Tools:
    """Builds what is missing (minutes when cold; progress goes to stderr)."""
    root = _folder_of("build_tools.sh")
    others = []
    if release != RELEASE:
        others.append(_folder_of("build_release.sh", "kube", release))
    if kueue != KUEUE:
        others.append(_folder_of("build_release.sh", "kueue", kueue))
    return Tools(root, release, kueue, tuple(others))


@functools.cache
def _folder_of(script: str, *arguments: str) -> Path:
    result = subprocess.run([_HERE / script, *arguments], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise ToolsMissing(f"{script} failed; its message is above")
    return Path(result.stdout.splitlines()[-1])
