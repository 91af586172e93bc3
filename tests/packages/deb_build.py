"""Builds the Debian package by the target that people use."""

from __future__ import annotations

from pathlib import Path

from packages.parts import ROOT, run


def build_deb(lower_than: Path | None = None) -> Path:
    """`lower_than`: the same program under a version that is lower than that package's, for upgrades."""
    folder, wanted = ROOT / "build/packages", []
    if lower_than is not None:
        folder /= "previous"
        wanted = [f"VERSION={version_of(lower_than)}~previous", f"DEB_FOLDER={folder}"]
    run("make", "--no-print-directory", "deb", *wanted)
    version = run("dpkg-parsechangelog", "-S", "Version").strip()
    return folder / f"fedra_{version}_{_architecture()}.deb"


def version_of(deb: Path) -> str:
    return run("dpkg-deb", "--field", deb, "Version").strip()


def _architecture() -> str:
    return run("dpkg", "--print-architecture").strip()
