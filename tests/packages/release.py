"""scripts/release.sh: everything that a version consists of, with checksums that hold."""

from __future__ import annotations

import re
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


def all_artefacts(_: Artefacts) -> None:
    script = ROOT / "scripts/release.sh"
    with tempfile.TemporaryDirectory(prefix="fedra-release-") as name:
        folder = Path(name)
        run(script, "--dirty", folder)
        files = sorted(path.name for path in folder.iterdir())
        for wanted in _WANTED:
            found = [file for file in files if re.fullmatch(wanted, file)]
            assert len(found) == 1, f"{wanted}: {files}"
        assert len(files) == len(_WANTED) + 1, files
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder)
        assert len((folder / "SHA256SUMS").read_text().splitlines()) == len(_WANTED)
        # What is there is not mixed with something older.
        again = subprocess.run([script, "--dirty", folder], capture_output=True, text=True)
        assert again.returncode == 1 and "is not empty" in again.stderr, again
