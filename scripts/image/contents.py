"""The files of the image: nothing but what the program needs, who made it, and under which licence."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import tempfile
from pathlib import Path

from scripts.archive import Entry, Files
from scripts.artefact import BuildError, output_of
from scripts.image.debian import (
    Package,
    control_fields,
    copyright_of,
    files_of,
    owner,
    package,
)

USER = 65532  # as in other images without a shell; no user of a node has this number
STORE = "var/lib/fedra"


def compiled_in() -> list[str]:
    """Packages of libraries that are compiled into the program: headers only, so no file of theirs is in the image."""
    boost = owner(Path("/usr/include/boost/version.hpp")).name  # its version is in the name
    return [boost, "libcli11-dev", "libexpected-dev", "nlohmann-json3-dev"]


@dataclasses.dataclass(frozen=True)
class Contents:
    debian: Files  # changes only with the packages of the machine: a layer of its own
    fedra: Files
    packages: list[Package]  # of which `debian` has files


def collect(program: Path, root: Path) -> Contents:
    """`program`: as built; `root`: of this repository."""
    debian: Files = {}
    packages = {package("ca-certificates"), package("base-files")}
    for path in _libraries(program):
        packages.add(owner(path.resolve()))
        _add_library(debian, path)
    debian |= _skeleton() | _accounts() | _system()
    for each in sorted(packages):
        debian[f"var/lib/dpkg/status.d/{each.name}"] = _text(control_fields(each.name))
        debian[f"usr/share/doc/{each.name}/copyright"] = _copy(copyright_of(each.name))
    for name in compiled_in():
        debian[f"usr/share/doc/{name}/copyright"] = _copy(copyright_of(name))
    fedra = {
        "usr/bin/fedra": Entry(_stripped(program), mode=0o755),
        "usr/share/doc/fedra/copyright": _copy(root / "debian/copyright"),
        "etc/fedra": Entry(mode=0o755),
        STORE: Entry(mode=0o700, user=USER),
    }
    return Contents(debian, fedra, sorted(packages))


def needed_glibc(program: Path) -> str:
    """As `fedra version` says, which reads it from its own headers; asked of any program, so not by running it."""
    versions = re.findall(
        r"Name: GLIBC_(\d+)\.(\d+)\b", output_of("readelf", "--version-info", program)
    )
    if not versions:
        raise BuildError(f"{program} does not say which C library it needs")
    newest = max((int(major), int(minor)) for major, minor in versions)
    return ".".join(map(str, newest))


def _libraries(program: Path) -> list[Path]:
    """Everything the dynamic linker loads, itself included, by the path where it finds it."""
    found = []
    for line in output_of("ldd", program).splitlines():
        if "not found" in line:
            raise BuildError(f"{program}: {line.strip()}")
        match = re.match(r"\s*(?:\S+ => )?(/\S+) \(0x", line)
        if match is not None:
            found.append(Path(match[1]))
    if not found:
        raise BuildError(f"{program} loads no libraries: it is not the program that `make` builds")
    return found


def _add_library(files: Files, path: Path) -> None:
    file = path.resolve()
    files[str(file)[1:]] = _copy(file, 0o755)
    # Where the linker looks, on a system whose /lib is a link to /usr/lib.
    found = path if path.is_relative_to("/usr") else Path("/usr", *path.parts[1:])
    if found != file:
        files[str(found)[1:]] = Entry(link=os.path.relpath(file, found.parent))


def _skeleton() -> Files:
    """A merged /usr, and the mount points that engines need where the root cannot be written."""
    folders = {name: Entry(mode=0o755) for name in ("dev", "proc", "sys", "run", "etc", "root")}
    links = {name: Entry(link=f"usr/{name}") for name in ("bin", "sbin", "lib", "lib64")}
    targets = {f"usr/{name}": Entry(mode=0o755) for name in links}
    return {**folders, **links, **targets, "tmp": Entry(mode=0o1777)}


def _accounts() -> Files:
    passwd = (
        "root:x:0:0:root:/root:/sbin/nologin\n"
        f"fedra:x:{USER}:{USER}:fedra:/{STORE}:/sbin/nologin\n"
    )
    return {
        "etc/passwd": _text(passwd),
        "etc/group": _text(f"root:x:0:\nfedra:x:{USER}:\n"),
        "etc/nsswitch.conf": _text(
            "passwd: files\ngroup: files\nhosts: files dns\nservices: files\n"
        ),
    }


def _system() -> Files:
    """Which Debian this is, for scanners, and the certificates of public authorities."""
    return {
        "etc/os-release": Entry(link="../usr/lib/os-release"),
        "usr/lib/os-release": _copy(Path("/usr/lib/os-release")),
        "etc/debian_version": _copy(Path("/etc/debian_version")),
        "etc/ssl/certs/ca-certificates.crt": Entry(_certificates()),
        **{
            f"usr/share/common-licenses/{path.name}": (
                Entry(link=str(path.readlink())) if path.is_symlink() else _copy(path)
            )
            for path in sorted(Path("/usr/share/common-licenses").iterdir())
        },
    }


def _certificates() -> bytes:
    """From the package, and not from /etc/ssl/certs: that may have authorities of this machine's owner."""
    paths = sorted(path for path in files_of("ca-certificates") if path.suffix == ".crt")
    if not paths:
        raise BuildError("package ca-certificates has no certificates")
    return b"".join(path.read_bytes().rstrip(b"\n") + b"\n" for path in paths)


def _stripped(program: Path) -> bytes:
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["strip", "--strip-all", "-o", file.name, program], check=True)
        return Path(file.name).read_bytes()


def _copy(path: Path, mode: int = 0o644) -> Entry:
    return Entry(path.read_bytes(), mode=mode)


def _text(text: str) -> Entry:
    return Entry(text.encode())
