"""The container image: the same bytes again, nothing in it that is not needed, and a federation run from it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from packages import bundle
from packages.artefacts import Artefacts
from packages.bundle import STORE, USER, Bundle
from packages.parts import ROOT, check_documented_size, run
from scenarios import objects
from scenarios.fleet import MANAGER
from scenarios.process import free_ports
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import eventually

_LARGEST = 20e6  # bytes as they are pulled
_BUILD = ROOT / "scripts/image/build.py"
# What runs or installs programs, or would be of use to who should not be there.
_UNWANTED = re.compile(
    r"/(sh|bash|dash|busybox|env|perl[^/]*|python[^/]*|apt[^/]*|dpkg|curl|wget|su|mount|openssl)$"
)


def reproducible(built: Artefacts) -> None:
    """Built again elsewhere, with another umask, time zone, language and time of files, it is the same."""
    folder = Path(tempfile.mkdtemp(prefix="fedra-image-"))
    try:
        program = folder / "fedra"
        assert built.image.exists()  # and so is the program that is in it
        shutil.copy(ROOT / "build/release/manager/fedra", program)
        os.utime(program, (86400, 86400))
        environment = {**os.environ, "TZ": "Pacific/Auckland", "LC_ALL": "C", "LANG": "C"}
        elsewhere = ["sh", "-c", 'umask 077; cd /; exec "$@"', "sh"]
        subprocess.run(
            [*elsewhere, str(_BUILD), "--program", str(program), "--folder", str(folder)],
            env=environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        for first in (built.image, _bill(built.image)):
            again = folder / first.name
            assert _digest(first) == _digest(again), f"{first.name} is another one"
    finally:
        shutil.rmtree(folder)


def contents(built: Artefacts) -> None:
    size = built.image.stat().st_size
    assert size <= _LARGEST, f"{size / 1e6:.1f} MB"
    check_documented_size(built.image)
    members = _members(built.image)
    special = [each.name for each in members if each.mode & 0o6000 or not _ordinary(each)]
    assert not special, f"setuid, setgid or no file: {special}"
    files = [each.name for each in members if not each.isdir()]
    unwanted = [name for name in files if _UNWANTED.search(f"/{name}")]
    assert not unwanted, unwanted
    programs = [each.name for each in members if each.isfile() and each.mode & 0o111]
    strange = [name for name in programs if name != "usr/bin/fedra" and ".so" not in name]
    assert not strange, f"programs: {strange}"
    writable = [each.name for each in members if each.mode & 0o022 and not each.issym()]
    assert writable == ["tmp"], writable
    owned = [each.name for each in members if each.uid != 0 or each.gid != 0]
    assert owned == [STORE[1:]], owned


def bill_of_materials(built: Artefacts) -> None:
    """Each library's package is in it, in the version that scanners find in the image, and with its licence."""
    document = json.loads(_bill(built.image).read_text())
    assert document["spdxVersion"] == "SPDX-2.3"
    listed = {each["name"]: each["versionInfo"] for each in document["packages"]}
    identifiers = {each["SPDXID"] for each in document["packages"]} | {document["SPDXID"]}
    assert len(identifiers) == len(document["packages"]) + 1, "an identifier twice"
    for each in document["relationships"]:
        assert {each["spdxElementId"], each["relatedSpdxElement"]} <= identifiers, each
    index = json.loads(_read(built.image, "index.json"))
    digest = index["manifests"][0]["digest"].removeprefix("sha256:")
    of_image = [each for each in document["packages"] if each["name"] == "fedra"]
    assert of_image[0]["checksums"][0]["checksumValue"] == digest, "of another image"
    with _unpacked(built.image) as root:
        doc = root / "usr/share/doc"
        for path in (root / "var/lib/dpkg/status.d").iterdir():
            fields = dict(re.findall(r"^(\w[\w-]*): (.*)$", path.read_text(), re.MULTILINE))
            assert fields["Package"] == path.name and "Status" not in fields, fields
            assert listed.get(path.name) == fields["Version"], f"{path.name} {fields['Version']}"
        for name in listed:
            assert (doc / name / "copyright").stat().st_size > 0, f"no licence of {name}"
        libraries = [path for path in root.rglob("*.so.*") if not path.is_symlink()]
        owners = {_owner("/" + str(path.relative_to(root))) for path in libraries}
        assert owners <= listed.keys(), owners - listed.keys()
        assert len(owners) >= 10, owners


def labels(built: Artefacts) -> None:
    index = json.loads(_read(built.image, "index.json"))
    manifest = json.loads(_blob(built.image, index["manifests"][0]["digest"]))
    config = json.loads(_blob(built.image, manifest["config"]["digest"]))
    of_image = config["config"]["Labels"]
    assert of_image == manifest["annotations"]
    revision = of_image["org.opencontainers.image.revision"]
    assert re.fullmatch("[0-9a-f]{40}", revision), of_image
    if built.image_is_of_this_commit:
        assert revision == run("git", "rev-parse", "HEAD").strip(), of_image
    with _unpacked(built.image) as root:
        glibc = _glibc_of(root / "usr/bin/fedra")
    assert of_image["dev.fedra.glibc"] == glibc, f"the program needs {glibc}: {of_image}"
    # A tag has no ~, and Helm's versions have none either.
    assert re.fullmatch(r"[\w.-]+", of_image["org.opencontainers.image.version"]), of_image
    wanted = ("title", "description", "created", "licenses")
    assert all(of_image[f"org.opencontainers.image.{name}"] for name in wanted), of_image
    settings = config["config"]
    assert settings["Entrypoint"] == ["/usr/bin/fedra"] and settings["Cmd"] == ["run"], settings
    assert (
        settings["User"] == f"{USER}:{USER}"
    ), "the kubelet wants a number to see that it is not root"


def _glibc_of(program: Path) -> str:
    """The highest version of a symbol that it refers to, as binutils read it."""
    symbols = run("readelf", "--wide", "--dyn-syms", program)
    versions = re.findall(r"@GLIBC_(\d+)\.(\d+) ", symbols)
    assert versions, symbols
    newest = max((int(major), int(minor)) for major, minor in versions)
    return ".".join(map(str, newest))


def runs(built: Artefacts) -> None:
    """Against a simulated fleet; killed and started again, it goes on with its history."""
    with bundle.simulated_fleet() as fleet:
        with Bundle(built.image) as container:
            page = _configure(container, fleet)
            before = container.files()
            container.start()
            try:
                _ready(page)
                _check_restrictions(container)
                _run_job(container, fleet, "first")
                history = _history(container, "first")
                _print_files(container)
                version = json.loads(container.fedra("version", "-o", "json"))
                needed = _glibc_of(container.root / "usr/bin/fedra")
                assert version["needs"]["glibc"] == needed, version
                container.kill()
                container.start()
                _ready(page)
                assert _history(container, "first")[: len(history)] == history, "another history"
                _run_job(container, fleet, "second")
                assert container.end(signal.SIGTERM) == 0, "not a clean end"
            except AssertionError as error:
                raise AssertionError(f"{error}\n{container.log.read_text()[-3000:]}") from None
            assert container.files() == before, "the root was written"
            written = sorted(path.name for path in container.volume.iterdir())
            assert "fedra.db" in written, written


def _configure(container: Bundle, fleet: SimFleet) -> str:
    """Returns the address of the daemon's pages."""
    for cluster in fleet.clusters:
        path = container.configuration / f"{cluster}.kubeconfig"
        fleet.fedra_access(cluster).write_kubeconfig(path)
        os.chown(path, USER, USER)
    address = f"127.0.0.1:{free_ports(1)[0]}"
    configuration = {
        "apiVersion": "fedra.dev/v1alpha1",
        "kind": "Configuration",
        "manager": {"kubeconfig": "manager.kubeconfig"},
        "workers": [{"name": each, "kubeconfig": f"{each}.kubeconfig"} for each in fleet.workers],
        "verification": {"devices": "Off"},  # the fleet has none
        "http": {"address": address},
    }
    (container.configuration / "fedra.yaml").write_text(yaml.safe_dump(configuration))
    return f"http://{address}"


def _ready(page: str) -> None:
    def answers() -> bool:
        with urllib.request.urlopen(f"{page}/readyz") as response:
            return bool(response.status == 200)

    eventually("/readyz answers 200", answers, 30)


def _check_restrictions(container: Bundle) -> None:
    status = Path(f"/proc/{container.pid()}/status").read_text()
    for line in (f"Uid:\t{USER}\t{USER}", f"Gid:\t{USER}\t{USER}", "NoNewPrivs:\t1", "Seccomp:\t2"):
        assert line in status, f"no {line} in\n{status}"
    capabilities = re.findall(r"^Cap\w+:\t(\w+)$", status, re.MULTILINE)
    assert len(capabilities) == 5 and set(capabilities) == {"0" * 16}, status
    mounts = Path(f"/proc/{container.pid()}/mountinfo").read_text()
    writable = {line.split()[4] for line in mounts.splitlines() if line.split()[5].startswith("rw")}
    ours = {path for path in writable if not path.startswith(("/proc", "/dev", "/sys"))}
    assert ours == {STORE, "/tmp"}, f"writable: {ours}"
    for shell in ("/bin/sh", "sh"):
        tried = container.tries(shell, "-c", "true")
        missing = any(each in tried.stderr.lower() for each in ("no such file", "not found"))
        assert tried.returncode != 0 and missing, f"{shell}: {tried}"


def _print_files(container: Bundle) -> None:
    """The root cannot be written; what makes a file prints it, and leaves none in the volume."""
    refused = container.tries("/usr/bin/fedra", "support-bundle")
    assert refused.returncode == 1 and "Read-only file system" in refused.stderr, refused
    before = {path.name for path in container.volume.iterdir()}
    archive = container.prints("support-bundle", "-o", "-")
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {"README.txt", "status.json", "metrics.txt", "snapshot.json"} <= names, names
    copy = container.folder / "copy.db"
    copy.write_bytes(container.prints("backup", "-"))
    program = ROOT / "build/release/manager/fedra"
    listed = run(program, "status", "jobs", "--all", "-o", "name", "--store", copy)
    # That no daemon has written into the copy of late is said on standard error.
    assert listed.splitlines()[0] == "ml/first", listed
    assert {path.name for path in container.volume.iterdir()} == before


def _run_job(container: Bundle, fleet: SimFleet, name: str) -> None:
    fleet.admin(MANAGER).create(objects.job("ml", name, "gpu", template="one-gpu"))

    def placed() -> bool:
        jobs = [fleet.admin(each).find("Job", "ml", name) for each in fleet.workers]
        return any(job is not None for job in jobs) and bool(_history(container, name))

    eventually(f"{name} on a worker", placed, 30)


def _history(container: Bundle, job: str) -> list[object]:
    """What the store remembers of a job, oldest first."""
    document = json.loads(container.fedra("history", f"ml/{job}", "-o", "json"))
    return [event for item in document["jobs"] for event in item["events"]]


def _bill(image: Path) -> Path:
    return image.with_name(image.name.replace(".oci.tar", ".spdx.json"))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(image: Path, name: str) -> bytes:
    with tarfile.open(image) as tar:
        file = tar.extractfile(name)
        assert file is not None, f"{image.name} has no {name}"
        return file.read()


def _blob(image: Path, digest: str) -> bytes:
    blob = _read(image, "blobs/" + digest.replace(":", "/"))
    assert hashlib.sha256(blob).hexdigest() == digest.removeprefix("sha256:"), digest
    return blob


def _members(image: Path) -> list[tarfile.TarInfo]:
    """Of all layers."""
    return [member for layer in _layers(image) for member in layer.getmembers()]


@contextmanager
def _unpacked(image: Path) -> Iterator[Path]:
    """The files of all layers in a folder. Whoever runs the test need not be root."""
    with tempfile.TemporaryDirectory(prefix="fedra-image-") as folder:
        for layer in _layers(image):
            layer.extractall(folder)
        yield Path(folder)


def _layers(image: Path) -> Iterator[tarfile.TarFile]:
    """Each is closed when the next one is asked for."""
    index = json.loads(_read(image, "index.json"))
    manifest = json.loads(_blob(image, index["manifests"][0]["digest"]))
    with tempfile.TemporaryDirectory() as folder:
        for layer in manifest["layers"]:
            path = Path(folder, "layer")
            path.write_bytes(_blob(image, layer["digest"]))
            with tarfile.open(path) as tar:
                yield tar


def _ordinary(member: tarfile.TarInfo) -> bool:
    return member.isfile() or member.isdir() or member.issym()


def _owner(path: str) -> str:
    """The package of this machine that brought this file; dpkg knows some files of /usr/lib as /lib."""
    for name in (path, path.removeprefix("/usr")):
        found = run("dpkg", "--search", name, code=None)
        if "no path found" not in found:
            return found.partition(":")[0]
    raise AssertionError(f"{path} is of no package")
