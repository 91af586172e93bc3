"""`kubectl fedra` as krew installs it: the manifest, the archive by itself, and what kubectl makes of it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

from packages.artefacts import Artefacts
from packages.parts import ROOT, Skip, run
from real import tools as real_tools


class _Installed:
    """As krew does it: the archive in a folder of its own, a link to it in a folder on PATH; for a `with`."""

    def __init__(self, archive: Path, program: str):
        self._archive, self._program = archive, program

    def __enter__(self) -> _Installed:
        self.folder = Path(tempfile.mkdtemp(prefix="fedra-krew-"))
        self.store = self.folder / "store/fedra"
        self.store.mkdir(parents=True)
        run("tar", "-C", self.store, "-xzf", self._archive)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in (self._program, "kubectl_complete-fedra"):
            (self.bin / name).symlink_to(self.store / name)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)


def manifest(built: Artefacts) -> None:
    """It names the archive that is there, and the program in it."""
    archive, file = built.krew
    document = yaml.safe_load(file.read_text())
    assert document["kind"] == "Plugin" and document["metadata"]["name"] == "fedra", document
    spec = document["spec"]
    assert spec["version"].startswith("v0.") and len(spec["shortDescription"]) <= 50, spec
    # Without make's HOMEPAGE there is none.
    assert "homepage" not in spec, spec
    _check_commands(spec)
    (platform,) = spec["platforms"]
    assert platform["uri"].startswith("https://") and platform["uri"].endswith(f"/{archive.name}")
    assert platform["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest(), platform
    with tarfile.open(archive) as tar:
        assert tar.getmember(platform["bin"]).mode & 0o111, platform
        strange = [each.name for each in tar.getmembers() if not (each.isfile() or each.isdir())]
        assert not strange, f"krew unpacks files and folders only: {strange}"


def _check_commands(spec: Mapping[str, str]) -> None:
    """The description names what docs/install.md says of a laptop, the caveats what needs more."""
    page = (ROOT / "docs/install.md").read_text().partition("\n## kubectl plugin\n")[2]
    rows = re.findall(r"^\| (`.*?) \| .* \| (.*?) \|$", page, re.MULTILINE)
    assert len(rows) >= 5, rows
    anywhere = {each for row, laptop in rows if laptop.startswith("yes") for each in _quoted(row)}
    others = {each for row, _ in rows for each in _quoted(row)} - anywhere
    assert _quoted(spec["description"]) == anywhere, spec["description"]
    assert others <= _quoted(spec["caveats"]), spec["caveats"]


def _quoted(text: str) -> set[str]:
    return {" ".join(each.split()) for each in re.findall(r"`([^`]+)`", text)}


def runs(built: Artefacts) -> None:
    """With its own libraries only, under kubectl's name for it, and with completion."""
    with _Installed(built.krew[0], "kubectl-fedra") as plugin:
        lib = plugin.store / "lib"
        listed = run(next(lib.glob("ld-linux*")), "--library-path", lib, "--list", lib / "fedra")
        loaded = [line.split(" => ")[1] for line in listed.splitlines() if " => " in line]
        assert loaded and all(path.startswith(str(lib)) for path in loaded), listed
        assert "Usage: kubectl fedra " in run(plugin.bin / "kubectl-fedra", "--help")
        version = run(ROOT / "build/release/manager/fedra", "version")
        assert run(plugin.bin / "kubectl-fedra", "version") == version
        try:
            kubectl = real_tools.build().program("kubectl")
        except real_tools.ToolsMissing as missing:
            raise Skip(str(missing)) from None
        assert _kubectl(kubectl, plugin, "fedra", "version") == version
        offered = _kubectl(kubectl, plugin, "__complete", "fedra", "explain", "TemplateM")
        assert offered == "TemplateMissing\n:4\n", offered
        offered = _kubectl(kubectl, plugin, "__complete", "fedra", "check", "-f", "")
        assert offered == ":0\n", offered


def _kubectl(kubectl: Path, plugin: _Installed, *arguments: str) -> str:
    ran = subprocess.run(
        [kubectl, *arguments],
        env={**os.environ, "PATH": f"{plugin.bin}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout
