"""A cluster becomes a worker by one command, and stops being one by another."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from pathlib import Path

import yaml

from scenarios.documents import commands
from scenarios.fedra_process import Fedra, Output
from scenarios.fleet import MANAGER
from scenarios.kube_client import KubeClient
from scenarios.kubeconfig import Access
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.setup import FEDRA_ACCOUNT, FEDRA_NAMESPACE
from scenarios.world import World

_NAME = "joined"
# The documents' name of a worker that is joined without --name, or with it; and of another one.
_DOCUMENTED, _OTHER = "gpu-east", "gpu-west"
_ROOT = Path(__file__).resolve().parents[3]


@scenario("join-and-leave")
def a_worker_joins_and_leaves(world: World) -> None:
    """fedra join, --rotate, leave: the kubeconfig in the Secret is enough to run jobs; after leave it is good for nothing."""
    world.manager.apply(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": FEDRA_NAMESPACE}}
    )
    fedra = world.start_fedra()
    _run(world, fedra, "join", "--name", _NAME)
    first = _joined_access(world)
    fedra.set_access(world.worker1, first)
    job = world.submit("train")
    job.wait_running_on(world.worker1)

    refused = _command(world, fedra, "leave", "--name", _NAME)
    assert refused.code == 1 and f"has not ended: {world.ns}/" in refused.stderr, refused
    rotated = fedra.bare(
        "join",
        "--rotate",
        "--name",
        _NAME,
        "--kubeconfig",
        administrator_kubeconfig(world, fedra),
    )
    assert rotated.code == 0, rotated
    second = _joined_access(world)
    assert second.token != first.token
    fedra.set_access(world.worker1, second)
    job.finish(world.worker1)
    job.wait_gone_from(world.worker1)

    _run(world, fedra, "leave", "--name", _NAME)
    account = world.admin(world.worker1).find("ServiceAccount", FEDRA_NAMESPACE, FEDRA_ACCOUNT)
    assert account is None and _secret(world) is None
    world.wait_worker_state(world.worker1, "Rejected")
    _run(world, fedra, "join", "--name", _NAME)
    fedra.set_access(world.worker1, _joined_access(world))
    world.wait_worker_state(world.worker1, "Connected")
    world.submit("again").wait_running_on(world.worker1)
    world.manager.delete("Secret", FEDRA_NAMESPACE, f"fedra-worker-{_NAME}")


def _secret(world: World, name: str = _NAME) -> Object | None:
    return world.manager.find("Secret", FEDRA_NAMESPACE, f"fedra-worker-{name}")


def _joined_access(world: World) -> Access:
    """What the Secret on the manager says."""
    return _access_of(_kubeconfig_in_secret(world, _NAME))


def _kubeconfig_in_secret(world: World, name: str) -> str:
    secret = _secret(world, name)
    assert secret is not None
    return base64.b64decode(secret["data"]["kubeconfig"]).decode()


def _access_of(kubeconfig: str) -> Access:
    config = yaml.safe_load(kubeconfig)
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    return Access(cluster["server"], authority, user["token"])


@scenario("join-as-documented")
def documents_say_how_to_join(world: World) -> None:
    """What README.md, docs/install.md, docs/kueue-setup.md and the chart say of `fedra join` and `fedra status` works as it is typed."""
    world.manager.apply(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": FEDRA_NAMESPACE}}
    )
    fedra = world.start_fedra()
    contexts = {"gpu-east-admin": world.worker1, _DOCUMENTED: world.worker1, _OTHER: world.worker2}
    kubeconfig = administrator_kubeconfig(world, fedra, contexts)
    both = {"join", "status"}
    pages = {"README.md": both, "docs/install.md": both, "deploy/chart/fedra/README.md": {"join"}}
    pages["docs/kueue-setup.md"] = both
    for page, verbs in pages.items():
        # As the plugin, or as root: the same command.
        begins = "(kubectl |sudo )?fedra join", "(kubectl |sudo )?fedra status"
        # What needs fedra's Service is typed by secure-api-command. The namespaces that --in names are not there.
        lines = [
            line.removeprefix("kubectl ").removeprefix("sudo ")
            for line in commands((_ROOT / page).read_text(), *begins)
            if "--server service:" not in line and "--in " not in line
        ]
        assert {line.split()[1] for line in lines} == verbs, f"{page}: {lines}"
        for line in lines:
            text = fedra.types(line, {"KUBECONFIG": kubeconfig})
            if line.startswith("fedra status"):
                assert all(worker in text for worker in world.workers), f"{line}: {text}"
                continue
            if written := re.search(r"--kubeconfig-out (\S+)", line):
                file = fedra.store.parent / written[1]
                config = file.read_text()
                file.unlink()  # the next page writes it again
            else:
                config = _kubeconfig_in_secret(world, _DOCUMENTED)
            assert KubeClient(_access_of(config)).may("create", "batch", "jobs"), line
    # Not by `fedra leave`: the account is the one that every scenario's fedra has.
    world.manager.delete("Secret", FEDRA_NAMESPACE, f"fedra-worker-{_DOCUMENTED}")


def administrator_kubeconfig(
    world: World, fedra: Fedra, contexts: Mapping[str, str] | None = None
) -> str:
    """An administrator's. `contexts`: name -> worker; without it, worker1 by its own. The current one is the manager's."""
    merged: Object = {"apiVersion": "v1", "kind": "Config", "current-context": MANAGER}
    clusters = {MANAGER: MANAGER, **(contexts or {world.worker1: world.worker1})}
    for name, cluster in clusters.items():
        config = world.fleet.admin_access(cluster).to_kubeconfig()
        for part, value in (
            ("clusters", "cluster"),
            ("users", "user"),
            ("contexts", "context"),
        ):
            entry = {"name": name, value: config[part][0][value]}
            merged.setdefault(part, []).append(entry)
        merged["contexts"][-1]["context"] = {"cluster": name, "user": name}
    file = fedra.store.parent / "administrator.kubeconfig"
    file.write_text(yaml.safe_dump(merged))
    file.chmod(0o600)
    return str(file)


def _command(world: World, fedra: Fedra, verb: str, *arguments: str) -> Output:
    """As the administrator of both clusters."""
    contexts = (
        "--kubeconfig",
        administrator_kubeconfig(world, fedra),
        "--context",
        world.worker1,
    )
    output = fedra.bare(verb, *contexts, *arguments)
    secrets = [world.fleet.admin_access(each).token for each in (MANAGER, world.worker1)]
    secret = _secret(world)
    if secret is not None:
        secrets += [secret["data"]["kubeconfig"], _joined_access(world).token]
    told = [each for each in secrets if each and each in output.stdout + output.stderr]
    assert not told, f"{verb} tells {len(told)} credentials"
    return output


def _run(world: World, fedra: Fedra, verb: str, *arguments: str) -> None:
    output = _command(world, fedra, verb, *arguments)
    assert output.code == 0, output
