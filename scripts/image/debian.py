"""What dpkg knows about the files of this machine."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from scripts.artefact import BuildError, output_of


@dataclasses.dataclass(frozen=True, order=True)
class Package:
    """A Debian package as installed."""

    name: str
    version: str
    source: str
    source_version: str
    architecture: str


def architecture() -> str:
    """amd64, arm64: Debian and OCI call them the same."""
    return output_of("dpkg", "--print-architecture").strip()


@cache
def suite() -> str:
    """bookworm, ..."""
    return output_of("sh", "-c", '. /usr/lib/os-release; echo "$VERSION_CODENAME"').strip()


@cache
def package(name: str) -> Package:
    """`name` may end in :ARCHITECTURE."""
    form = "${binary:Package}\t${Version}\t${source:Package}\t${source:Version}\t${Architecture}\n"
    lines = output_of("dpkg-query", "--show", f"--showformat={form}", name).splitlines()
    full, *rest = lines[0].split("\t")
    return Package(full.partition(":")[0], *rest)


@cache
def owner(path: Path) -> Package:
    """The package that a file came with, which must be as it came."""
    for known in _names_of(path):
        found = subprocess.run(["dpkg", "--search", known], capture_output=True, text=True)
        if found.returncode == 0:
            name = found.stdout.partition(": ")[0].partition(",")[0]
            _must_be_unchanged(path, name, known)
            return package(name)
    raise BuildError(f"{path} belongs to no Debian package")


def control_fields(name: str) -> str:
    """As scanners read them in /var/lib/dpkg/status.d: without what is only about this machine."""
    text = output_of("dpkg-query", "--status", name)
    kept = re.sub(r"^(Status|Conffiles|Config-Version):.*\n(?: .*\n)*", "", text, flags=re.M)
    return kept.strip() + "\n"


def copyright_of(name: str) -> Path:
    # The folder may be a link to that of another package of the same source.
    path = Path("/usr/share/doc", name, "copyright").resolve()
    if not path.is_file():
        raise BuildError(f"{path} is missing: this system was installed without documentation")
    return path


def files_of(name: str) -> Iterable[Path]:
    return [Path(line) for line in output_of("dpkg-query", "--listfiles", name).splitlines()]


def _names_of(path: Path) -> list[str]:
    """dpkg knows a file by the name in its package; /lib is a link to /usr/lib on a merged system."""
    name = str(path)
    return [name, name.removeprefix("/usr")] if name.startswith("/usr/lib") else [name]


def _must_be_unchanged(path: Path, name: str, known: str) -> None:
    sums = Path(output_of("dpkg-query", "--control-path", name, "md5sums").strip()).read_text()
    digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
    if f"{digest}  {known[1:]}\n" not in sums:
        raise BuildError(f"{path} is not as package {name} brought it")
