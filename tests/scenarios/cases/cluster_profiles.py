"""Workers that are discovered from ClusterProfiles of the manager, by a credential plugin of fedra's configuration."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from scenarios import objects
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.kube_client import ApiError
from scenarios.kubeconfig import Access
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import QUEUE, TEMPLATE, World

_CRD = Path(__file__).parents[2] / "data/clusterprofiles-crd.yaml"
# Where Kueue is, which is where deploy/ grants the rights.
_NAMESPACE = "kueue-system"
_PROVIDER = "scenario"
_EXEC_V1 = "client.authentication.k8s.io/v1"

# Prints the credentials in the file of the cluster that fedra names, and records for which cluster it ran.
_PLUGIN = """#!/usr/bin/python3
import json, os, pathlib
folder = pathlib.Path(__file__).parent
cluster = json.loads(os.environ["KUBERNETES_EXEC_INFO"])["spec"]["cluster"]
with (folder / "runs").open("a") as runs:
    runs.write(cluster["config"]["name"] + " " + cluster["server"] + "\\n")
print((folder / cluster["config"]["name"]).read_text())
"""


@scenario("worker-by-clusterprofile")
def worker_is_known_by_its_clusterprofile_only(world: World) -> None:
    """A ClusterProfile makes a worker by a plugin's token, its new address is taken over, and its end removes the worker."""
    with _profiles(world, {"clusterProfiles": {"namespace": _NAMESPACE, "selector": "gpu"}}) as (
        fedra,
        folder,
    ):
        world.add_template(MANAGER)
        world.add_template(world.worker1)
        job = world.submit("train", template=TEMPLATE)
        job.wait_message("no worker eligible")
        access = world.fleet.fedra_access(world.worker1)
        (folder / world.worker1).write_text(credential(access))
        create(world, world.worker1)
        _wait_note(world, fedra, world.worker1, "lists no access provider")
        offer(world, world.worker1, world.worker1, access)
        job.wait_running_on(world.worker1)
        another = objects.job(world.ns, "another", QUEUE, template=TEMPLATE)
        assert world.worker1 in fedra.checked(another), "check sees what the daemon sees"
        assert world.worker1 in fedra.cli("config", "validate", "--connect").stdout

        # Nobody listens there, and then the cluster is back where it was.
        offer(world, world.worker1, world.worker1, access, server="https://127.0.0.1:1")
        world.wait_worker_state(world.worker1, "Unreachable")
        offer(world, world.worker1, world.worker1, access, insecure=True)
        _wait_note(world, fedra, world.worker1, "cluster.insecure-skip-tls-verify: is refused")
        offer(world, world.worker1, world.worker1, access)
        world.wait_worker_state(world.worker1, "Connected")
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
        runs = (folder / "runs").read_text().splitlines()
        assert f"{world.worker1} {access.server}" in runs, runs

        world.manager.patch(
            "ClusterProfile", _NAMESPACE, world.worker1, {"metadata": {"labels": {"gpu": None}}}
        )
        _wait_note(world, fedra, world.worker1, "removed")
        world.manager.patch(
            "ClusterProfile", _NAMESPACE, world.worker1, {"metadata": {"labels": {"gpu": "h100"}}}
        )
        world.wait_worker_state(world.worker1, "Connected")
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
        world.manager.delete("ClusterProfile", _NAMESPACE, world.worker1)
        _wait_note(world, fedra, world.worker1, "removed")
        job.finish(world.worker1)
        _wait_released(world, fedra)
        _assert_hidden(fedra, access)


@scenario("multikueuecluster-by-clusterprofile")
def multikueuecluster_names_a_clusterprofile(world: World) -> None:
    """A MultiKueueCluster with clusterProfileRef is a worker by that ClusterProfile, which makes no second one."""
    sources = {
        "multiKueueClusters": True,
        "clusterProfiles": {"namespace": _NAMESPACE, "selector": "gpu"},
    }
    with _profiles(world, sources) as (fedra, folder):
        world.add_template(MANAGER)
        world.add_template(world.worker1)
        _create_cluster(world, world.worker1, "inventory-name")
        _wait_note(world, fedra, world.worker1, "inventory-name: does not exist")
        access = world.fleet.fedra_access(world.worker1)
        (folder / world.worker1).write_text(credential(access))
        create(world, "inventory-name")
        offer(world, "inventory-name", world.worker1, access)
        job = world.submit("train", template=TEMPLATE)
        job.wait_running_on(world.worker1)
        assert "inventory-name" not in fedra.worker_states()
        world.manager.delete("ClusterProfile", _NAMESPACE, "inventory-name")
        _wait_note(world, fedra, world.worker1, "does not exist")
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
        create(world, "inventory-name")
        offer(world, "inventory-name", world.worker1, access)
        world.wait_worker_state(world.worker1, "Connected")
        job.finish(world.worker1)


@contextmanager
def _profiles(world: World, sources: Object) -> Iterator[tuple[Fedra, Path]]:
    """fedra with worker1 in its rights only, and a folder for what the plugin knows."""
    install(world)
    world.fleet.grant(MANAGER, "manager-rbac-clusterprofiles.yaml")
    if "multiKueueClusters" in sources:
        world.fleet.grant(MANAGER, "manager-rbac-discovery.yaml")
    folder = world.scratch("plugin")
    plugin = folder / "fleet-token"
    plugin.write_text(_PLUGIN)
    plugin.chmod(0o700)
    try:
        fedra = world.start_fedra(
            {"workersFrom": {**sources, "accessProviders": [provider(plugin)]}}
        )
        fedra.remove_worker(world.worker1)
        _wait_released(world, fedra)
        yield fedra, folder
    finally:
        for worker in world.workers:
            world.manager.delete("MultiKueueCluster", None, worker)
        uninstall(world, *world.workers, "inventory-name")


def install(world: World) -> None:
    """The CRD, and the namespace where Kueue looks for ClusterProfiles."""
    world.manager.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}})
    world.manager.apply(yaml.safe_load(_CRD.read_text()))
    world.eventually("ClusterProfiles are served", lambda: _is_served(world))


def uninstall(world: World, *names: str) -> None:
    """These ClusterProfiles and the CRD; with it go all others, as far as the clusters are real."""
    for name in names:
        delete(world, name)
    world.manager.delete("CustomResourceDefinition", None, "clusterprofiles.multicluster.x-k8s.io")


def provider(plugin: Path) -> Object:
    """For workersFrom.accessProviders."""
    exec_config = {
        "apiVersion": _EXEC_V1,
        "command": str(plugin),
        "provideClusterInfo": True,
        "interactiveMode": "Never",
    }
    return {"name": _PROVIDER, "execConfig": exec_config}


def _is_served(world: World) -> bool:
    try:
        world.manager.list("ClusterProfile", _NAMESPACE)
    except ApiError as error:
        if error.status == 404:
            return False
        raise
    return True


def create(world: World, name: str, namespace: str = _NAMESPACE) -> None:
    """A ClusterProfile that offers nothing yet."""
    world.manager.create(
        {
            "apiVersion": "multicluster.x-k8s.io/v1alpha1",
            "kind": "ClusterProfile",
            "metadata": {"name": name, "namespace": namespace, "labels": {"gpu": "h100"}},
            "spec": {"displayName": name, "clusterManager": {"name": "scenario"}},
        }
    )


def delete(world: World, name: str) -> None:
    world.manager.delete("ClusterProfile", _NAMESPACE, name)


def offer(
    world: World,
    name: str,
    knows_as: str,
    access: Access,
    server: str = "",
    insecure: bool = False,
) -> None:
    """What a cluster manager writes into the status; `knows_as`: where the plugin finds the credentials."""
    info = {"name": "client.authentication.k8s.io/exec", "extension": {"name": knows_as}}
    cluster: Object = {"server": server or access.server, "extensions": [info]}
    if insecure:
        cluster["insecure-skip-tls-verify"] = True
    else:
        cluster["certificate-authority-data"] = base64.b64encode(access.ca.encode()).decode()
    status = {"accessProviders": [{"name": _PROVIDER, "cluster": cluster}]}
    world.manager.patch("ClusterProfile", _NAMESPACE, name, {"status": status}, "status")


def credential(access: Access) -> str:
    """What a credential plugin prints."""
    every = {
        "token": access.token,
        "clientCertificateData": access.client_certificate,
        "clientKeyData": access.client_key,
    }
    status = {key: value for key, value in every.items() if value is not None}
    return json.dumps({"apiVersion": _EXEC_V1, "kind": "ExecCredential", "status": status})


def _create_cluster(world: World, name: str, profile: str) -> None:
    world.manager.create(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "MultiKueueCluster",
            "metadata": {"name": name},
            "spec": {"clusterSource": {"clusterProfileRef": {"name": profile}}},
        }
    )


def _wait_released(world: World, fedra: Fedra) -> None:
    world.eventually(
        f"{world.worker1} is released",
        lambda: world.worker1 not in fedra.worker_states(),
    )


def _wait_note(world: World, fedra: Fedra, worker: str, text: str) -> None:
    world.eventually(
        f"status says of {worker}: {text}",
        lambda: text in (fedra.worker_notes().get(worker) or ""),
    )


def _assert_hidden(fedra: Fedra, access: Access) -> None:
    secret = access.token or access.client_key or ""
    assert secret, "the test has a secret to look for"
    assert secret not in fedra.log.read_text(errors="replace")
    assert secret not in fedra.cli("status", "-o", "json").stdout
    assert secret not in fedra.cli("config", "view").stdout
    for file in fedra.store.parent.glob(f"{fedra.store.name}*"):
        assert secret not in file.read_bytes().decode(errors="replace"), file
