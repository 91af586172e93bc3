"""What leaves the machine when an operator asks others for help."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
import tarfile
import tempfile
from pathlib import Path

import yaml

from scenarios import objects
from scenarios.certificates import make_ca
from scenarios.fedra_process import CHECK_NOWHERE, Fedra
from scenarios.fleet import MANAGER
from scenarios.kubeconfig import Access
from scenarios.registry import scenario
from scenarios.world import QUEUE, TEMPLATE, World

_NOT_READ = 4  # exit code: something could not be read
# With the name of a job in it: a pseudonym there would leave the rest of it readable.
_PROXY_WORD = "swordfish!train!of-the-proxy"
_REPORTS = {
    "README.txt",
    "version.txt",
    "configuration.yaml",
    "validation.json",
    "status.json",
    "jobs/001-why.json",
    "jobs/001-history.json",
    "snapshot.json",
    "metrics.txt",
    "readyz.txt",
}


@scenario("support-bundle")
def helps_without_telling_secrets(world: World) -> None:
    """fedra support-bundle: all reports in one private file, without secrets or names, also those that a log has."""
    world.add_template(MANAGER)
    fedra = world.start_fedra(accesses={world.worker2: _with_certificate(world)})
    world.submit("train").wait_running_on(world.worker1)
    blocked = world.submit("embed", template=TEMPLATE)
    blocked.wait_message("no worker eligible")
    world.eventually("the store shows it", lambda: fedra.verdicts(blocked.key))
    secrets = _secrets(fedra, world)
    careless = fedra.store.parent / "careless.log"
    careless.write_text("\n".join(["the careless log", blocked.key, *secrets, _PROXY_WORD]))
    # Everything may be unreachable that way: then errors tell of it.
    _use_proxy(fedra, world.worker2)

    files = _bundle(fedra, "--log", str(careless), "--timeout", "10s", code=_NOT_READ)
    assert set(files) == _REPORTS | {
        "jobs/002-why.json",
        "jobs/002-history.json",
        "log-1.txt",
    }
    assert "the careless log" in files["log-1.txt"]
    notes = _notes(files)
    assert len(notes) == 1, notes
    assert notes[0].startswith(f"snapshot.json: {world.worker2}: "), notes
    whole = "\n".join(files.values())
    told = [secret for secret in (*secrets, *_PROXY_WORD.split("train")) if secret in whole]
    assert not told, f"{len(told)} secrets are told: {[secret[:12] for secret in told]}"
    for name in (world.ns, "train", "embed", TEMPLATE):
        word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
        assert not (where := [file for file in files if word.search(files[file])]), (
            name,
            where,
        )
    assert json.loads(files["jobs/001-why.json"])["jobs"][0]["state"] == "Blocked"
    assert f'fedra_cluster_up{{cluster="{world.worker1}"}} 1' in files["metrics.txt"]


@scenario("support-bundle-names")
def names_on_request(world: World) -> None:
    """fedra support-bundle --keep-names, and without: the snapshot in it answers for a job with its real names."""
    world.add_template(MANAGER)
    fedra = world.start_fedra()
    job = objects.job(world.ns, "train", QUEUE, template=TEMPLATE)
    world.submit("train", template=TEMPLATE).wait_message("no worker eligible")
    for arguments in ((), ("--keep-names",)):
        files = _bundle(fedra, *arguments, code=0)
        assert not _notes(files), _notes(files)
        assert (f'"namespace": "{world.ns}"' in files["status.json"]) == bool(arguments)
        snapshot = fedra.store.parent / "unpacked.json"
        snapshot.write_text(files["snapshot.json"])
        checked = fedra.cli(
            "check", "-f", "-", "--snapshot", str(snapshot), stdin=yaml.safe_dump(job)
        )
        assert checked.code == CHECK_NOWHERE and "TemplateMissing" in checked.stdout, checked
    fedra.stop()
    # Nobody answers for the pages; the store and the clusters do.
    files = _bundle(fedra, code=_NOT_READ)
    assert set(files) == _REPORTS - {"metrics.txt", "readyz.txt"}, files.keys()
    assert [note.partition(": ")[0] for note in _notes(files)] == ["metrics.txt", "readyz.txt"]


def _bundle(fedra: Fedra, *arguments: str, code: int) -> dict[str, str]:
    """The files of a fresh bundle, by their names in its folder."""
    file = fedra.store.parent / "bundle.tar.gz"
    file.unlink(missing_ok=True)
    output = fedra.cli("support-bundle", "-o", str(file), *arguments)
    assert output.code == code, output
    assert file.stat().st_mode & 0o777 == 0o600, oct(file.stat().st_mode)
    files = {}
    with tarfile.open(file, "r:gz") as archive:
        for member in archive.getmembers():
            folder, _, name = member.name.partition("/")
            assert re.fullmatch(r"fedra-support-\d{8}T\d{6}Z", folder), member.name
            content = archive.extractfile(member)
            assert content is not None and member.mode == 0o600, member
            files[name] = content.read().decode()
    return files


def _notes(files: dict[str, str]) -> list[str]:
    """What the bundle's README says could not be read."""
    lines = files["README.txt"].splitlines()
    return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


def _with_certificate(world: World) -> Access:
    """The worker's usual access, and a key of its own."""
    with tempfile.TemporaryDirectory() as folder:
        certificate = make_ca(Path(folder), "client", "fedra")
        return dataclasses.replace(
            world.fleet.fedra_access(world.worker2),
            client_certificate=certificate.read_text(),
            client_key=certificate.with_suffix(".key").read_text(),
        )


def _secrets(fedra: Fedra, world: World) -> list[str]:
    """Everything in the kubeconfigs that nobody else may have: as it stands there, and as it is meant."""
    secrets = []
    for cluster in world.fleet.clusters:
        config = yaml.safe_load((fedra.store.parent / f"{cluster}.kubeconfig").read_text())
        fields = {**config["clusters"][0]["cluster"], **config["users"][0]["user"]}
        for key, value in fields.items():
            if key == "token":
                secrets.append(value)
            elif key.endswith("-data"):
                pem = base64.b64decode(value).decode()
                lines = [line for line in pem.splitlines() if not line.startswith("---")]
                secrets += [value, pem, *lines]
    # Three CAs, a certificate and its key; a token for each but where the certificate is enough.
    assert len(secrets) > 60, len(secrets)
    return secrets


def _use_proxy(fedra: Fedra, cluster: str) -> None:
    """Of a kubeconfig: a proxy with a password, where nobody listens."""
    file = fedra.store.parent / f"{cluster}.kubeconfig"
    config = yaml.safe_load(file.read_text())
    config["clusters"][0]["cluster"]["proxy-url"] = f"http://user:{_PROXY_WORD}@127.0.0.1:9"
    file.with_suffix(".new").write_text(yaml.safe_dump(config))
    file.with_suffix(".new").rename(file)
