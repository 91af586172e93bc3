"""What is under test, built by the targets that people use, when a test first asks for it."""

from __future__ import annotations

import subprocess
from functools import cached_property
from pathlib import Path

from packages.parts import ROOT, Skip, run


class Artefacts:
    """Each may be given instead, to be tried without building."""

    def __init__(
        self,
        deb: Path | None = None,
        previous_deb: Path | None = None,
        image: Path | None = None,
        builds_helm: bool = True,
    ):
        self._deb, self._previous_deb, self._image = deb, previous_deb, image
        self._builds_helm = builds_helm

    @cached_property
    def deb(self) -> Path:
        return self._deb.resolve() if self._deb is not None else _build_deb(ROOT / "build/packages")

    @property
    def dbgsym(self) -> Path:
        """The package of its debug files, which is made beside it."""
        found = self.deb.with_name(self.deb.name.replace("fedra_", "fedra-dbgsym_", 1))
        if not found.exists():
            raise Skip(f"{found} is not there")
        return found

    @cached_property
    def previous_deb(self) -> Path:
        """What is upgraded from: else the same program, under a version that is lower."""
        if self._previous_deb is not None:
            return self._previous_deb.resolve()
        folder = ROOT / "build/packages/previous"
        wanted = f"VERSION={version_of(self.deb)}~previous"
        return _build_deb(folder, wanted, f"DEB_FOLDER={folder}")

    @cached_property
    def image(self) -> Path:
        """The tar of an OCI layout; its bill of materials is beside it."""
        if self._image is not None:
            return self._image.resolve()
        output = run("make", "--no-print-directory", "image")
        return next(Path(line) for line in output.splitlines() if line.endswith(".oci.tar"))

    @property
    def image_is_of_this_commit(self) -> bool:
        return self._image is None

    @cached_property
    def chart(self) -> Path:
        """The packaged chart of this commit."""
        return Path(run("make", "--no-print-directory", "chart").splitlines()[-1])

    @cached_property
    def krew(self) -> tuple[Path, Path]:
        """The archive and the manifest of the kubectl plugin."""
        archive, manifest = run("make", "--no-print-directory", "krew").splitlines()[-2:]
        return Path(archive), Path(manifest)

    @cached_property
    def prometheus(self) -> Path:
        """The folder of prometheus and promtool."""
        return _unpack_prometheus()

    @cached_property
    def helm(self) -> Path:
        """Minutes the first time; progress goes to stderr."""
        command = [ROOT / "tests/real/build_helm.sh"]
        options = [] if self._builds_helm else ["--if-built"]
        built = subprocess.run([*command, *options], stdout=subprocess.PIPE, text=True)
        if built.returncode != 0:
            raise Skip("Helm is not built; the message is above")
        return Path(built.stdout.splitlines()[-1])


def _unpack_prometheus() -> Path:
    """Debian's, not installed: the package would start a service on port 9090 of this machine."""
    folder = ROOT / "build/packages/prometheus"
    programs = folder / "usr/bin"
    if not (programs / "prometheus").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.deb"):
            old.unlink()
        said = run("apt-get", "download", "prometheus", cwd=folder, code=None)
        packages = list(folder.glob("prometheus_*.deb"))
        if not packages:
            raise Skip(f"Debian's prometheus cannot be fetched (apt-get update?): {said.strip()}")
        run("dpkg-deb", "--extract", packages[0], folder)
    return programs


def version_of(deb: Path) -> str:
    return run("dpkg-deb", "--field", deb, "Version").strip()


def _build_deb(folder: Path, *wanted: str) -> Path:
    run("make", "--no-print-directory", "deb", *wanted)
    version = run("dpkg-parsechangelog", "-S", "Version").strip()
    return folder / f"fedra_{version}_{run('dpkg', '--print-architecture').strip()}.deb"
