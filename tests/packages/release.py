"""scripts/release.sh: everything that a version consists of, with checksums that hold."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from packages.artefacts import Artefacts
from packages.parts import ROOT, run

# Of an artefact what its name begins and ends with.
_WANTED = (
    r"fedra_.*_amd64\.deb",
    r"fedra-dbgsym_.*_amd64\.deb",
    r"fedra_.*_amd64\.oci\.tar",
    r"fedra_.*_amd64\.spdx\.json",
    r"fedra-[\w.-]+\.tgz",
    r"kubectl-fedra_.*_linux_amd64\.tar\.gz",
    r"fedra-krew\.yaml",
    r"fedra-.*-docs\.tar\.gz",
    r"fedra-.*\.src\.tar\.gz",
)
_VARIABLES = ("KREW_URL", "HOMEPAGE")


def all_artefacts(_: Artefacts) -> None:
    script = ROOT / "scripts/release.sh"
    with tempfile.TemporaryDirectory(prefix="fedra-release-") as name:
        folder = Path(name)
        run(script, "--snapshot", folder)
        files = sorted(path.name for path in folder.iterdir())
        for wanted in _WANTED:
            found = [file for file in files if re.fullmatch(wanted, file)]
            assert len(found) == 1, f"{wanted}: {files}"
        assert len(files) == len(_WANTED) + 1, files
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder)
        assert len((folder / "SHA256SUMS").read_text().splitlines()) == len(_WANTED)
        _build_from(next(folder.glob("*.src.tar.gz")), folder)
        # What is there is not mixed with something older.
        again = subprocess.run([script, "--snapshot", folder], capture_output=True, text=True)
        assert again.returncode == 1 and "is not empty" in again.stderr, again


def _build_from(sources: Path, folder: Path) -> None:
    """The archive of the sources knows its commit: it gives the chart and the version that the repository gives."""
    run("tar", "--extract", "--file", sources, "--directory", folder)
    unpacked = folder / sources.name.removesuffix(".src.tar.gz")
    run(unpacked / "scripts/build_chart.py", "--folder", unpacked / "made")
    (made,) = (unpacked / "made").iterdir()
    assert made.read_bytes() == (folder / made.name).read_bytes(), made
    for option in ((), ("--commit",)):
        here, there = (run(root / "scripts/version.py", *option) for root in (ROOT, unpacked))
        assert here == there, f"{option}: {here} here, {there} there"
    _check_date(unpacked)
    shutil.rmtree(unpacked)


def _check_date(unpacked: Path) -> None:
    """That of the manual pages, which the Debian package made of them has, is the commit's, whatever day it is."""
    (unpacked / "COMMIT").write_text(f"{'0' * 40} 1 1700000000")
    programs = ROOT / "build/release/manager"
    pages = unpacked / "pages"
    given = {
        "SOURCE_DIR": unpacked,
        "FOLDER": pages,
        "FEDRA": programs / "fedra",
        "PAGES_PROGRAM": programs / "fedra-pages",
    }
    script = unpacked / "cmake/Pages.cmake"
    run("cmake", *(f"-D{name}={value}" for name, value in given.items()), "-P", script)
    head = (pages / "man/fedra.1").read_text()
    assert "2023-11-14" in head, head[:200]


def refusals(_: object) -> None:
    """A release has a date and a tag; the reason is said before anything is built."""
    with tempfile.TemporaryDirectory(prefix="fedra-release-") as name:
        clone = Path(name) / "clone"
        run("git", "clone", "--quiet", ROOT, clone)
        script = clone / "scripts/release.sh"
        changelog = clone / "CHANGELOG.md"

        def said(**variables: str) -> str:
            kept = {key: each for key, each in os.environ.items() if key not in _VARIABLES}
            environment = {**kept, **variables}
            ended = subprocess.run(
                [script], capture_output=True, text=True, env=environment, timeout=60
            )
            assert ended.returncode == 1 and not (clone / "build").exists(), ended
            return ended.stderr

        def commit() -> None:
            who = ("-c", "user.name=test", "-c", "user.email=test@example.com")
            run("git", "-C", clone, *who, "commit", "--quiet", "--all", "--message=test")

        changelog.write_text(
            re.sub(
                r"^## (\S+) \(.*\)$",
                r"## \1 (unreleased)",
                changelog.read_text(),
                count=1,
                flags=re.MULTILINE,
            )
            + "\n"
        )
        assert "files differ from the commit" in said()
        commit()
        assert "CHANGELOG.md calls this version unreleased" in said()
        changelog.write_text(changelog.read_text().replace("(unreleased)", "(2026-12-01)", 1))
        commit()
        assert "does not have the tag v" in said()
        version = run(clone / "scripts/version.py").strip()
        run("git", "-C", clone, "tag", f"v{version}")
        assert "KREW_URL is not set" in said()
        assert "HOMEPAGE is not set" in said(KREW_URL="https://example.com")
