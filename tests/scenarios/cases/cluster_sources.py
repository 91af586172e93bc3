"""What MultiKueueClusters name: a file, or a ClusterProfile. In mode multikueue their conditions say how it is."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from real import multikueue
from scenarios import objects
from scenarios.cases import cluster_profiles as profiles
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.kubeconfig import Access
from scenarios.modes import ADMISSION_CHECK, COPYING, MULTIKUEUE
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import World

# Of what a MultiKueueCluster names, while all workers can be used (manager/discovery/worker_discovery.cc).
_READ_INTERVAL = 30.0

# Prints the credentials in the Secret of the manager that fedra's cluster configuration names.
_SECRET_READER = """#!{python}
import base64, json, os, pathlib, sys
sys.path.insert(0, {tests!r})
from scenarios.kube_client import KubeClient
name = json.loads(os.environ["KUBERNETES_EXEC_INFO"])["spec"]["cluster"]["config"]["name"]
manager = KubeClient.from_kubeconfig(pathlib.Path({kubeconfig!r}))
print(base64.b64decode(manager.get("Secret", {namespace!r}, name)["data"]["credential"]).decode())
"""


@scenario("worker-by-file", modes=COPYING)
def worker_by_a_file(world: World) -> None:
    """A MultiKueueCluster's file: missing, there, insecure, mended, each noticed; no file is read that is not below the folder."""
    folder = world.scratch("kubeconfigs")
    file = folder / "worker1"
    access = world.fleet.fedra_access(world.worker1)
    world.use_workers(world.worker1)
    with _found_on_the_manager(world, {"kubeconfigFolder": str(folder)}) as fedra:
        _point(world, _file(str(file)))
        _wait_trouble(world, fedra, "BadKubeConfig", "no such file")
        access.write_kubeconfig(file)
        _wait_usable(world)
        job = world.submit("train")
        job.wait_running_on(world.worker1)
        file.write_text(json.dumps(_by_token_file(access, folder / "token")))
        _wait_trouble(world, fedra, "InsecureKubeConfig", "tokenFile")
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
        access.write_kubeconfig(file)
        _wait_usable(world)
        job.finish(world.worker1)
        for path, words in (
            ("/etc/hostname", "is not below"),
            (f"{folder}/../hostname", "is not below"),
            ("worker1", "is no absolute path"),
        ):
            _point(world, _file(path))
            _wait_trouble(world, fedra, "BadKubeConfig", words)


@scenario("worker-by-profile", modes=COPYING)
def worker_by_a_profile(world: World) -> None:
    """A MultiKueueCluster's ClusterProfile: no plugin, missing, in another namespace, there, gone, back, another one, used twice."""
    folder = world.scratch("plugin")
    access = world.fleet.fedra_access(world.worker1)
    world.use_workers(world.worker1)
    profiles.install(world)
    world.fleet.grant(MANAGER, "manager-rbac-clusterprofiles.yaml")
    try:
        with _found_on_the_manager(world, {}) as fedra:
            profiles.create(world, "there")
            profiles.offer(world, "there", world.worker1, access)
            _point(world, _profile("there"))
            _wait_trouble(world, fedra, "BadClusterProfile", "no access provider is configured")
            fedra.stop()
            plugin = _secret_reader(world, folder, access)
            provider = profiles.provider(plugin)
            fedra.change_settings({"workersFrom": {"accessProviders": [provider]}})
            _point(world, _profile("missing"))
            fedra.start()
            _wait_trouble(world, fedra, "BadClusterProfile", "missing: does not exist")
            profiles.create(world, "missing", namespace=world.ns)
            _wait_trouble(world, fedra, "BadClusterProfile", "missing: does not exist")
            _point(world, _profile("there"))
            _wait_usable(world)
            job = world.submit("train")
            job.wait_running_on(world.worker1)
            profiles.delete(world, "there")
            _wait_trouble(world, fedra, "BadClusterProfile", "there: does not exist")
            assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
            profiles.create(world, "there")
            profiles.offer(world, "there", world.worker1, access)
            _wait_usable(world)
            job.finish(world.worker1)
            # One cluster is one worker: the younger MultiKueueCluster says so.
            _point(world, _profile("there"), "twin")
            _wait_trouble(world, fedra, "BadClusterProfile", "as worker worker1 does", "twin")
            _wait_usable(world)
    finally:
        world.manager.delete("MultiKueueCluster", None, "twin")
        world.manager.delete("Secret", multikueue.NAMESPACE, _credential(world))
        profiles.uninstall(world, "there", "missing")


@contextmanager
def _found_on_the_manager(world: World, settings: Object) -> Iterator[Fedra]:
    """fedra whose worker1 is to be what its MultiKueueCluster says."""
    world.fleet.grant(MANAGER, "manager-rbac-discovery.yaml")
    sources = {"workersFrom": {"multiKueueClusters": True, **settings}}
    try:
        fedra = world.start_fedra(sources, check_active=False)
        if world.mode.name == ADMISSION_CHECK:
            fedra.remove_worker(world.worker1)
            world.eventually("released", lambda: world.worker1 not in fedra.worker_states())
        yield fedra
    finally:
        world.manager.delete("MultiKueueCluster", None, world.worker1)


def _file(path: str) -> Object:
    return {"kubeConfig": {"location": path, "locationType": "Path"}}


def _profile(name: str) -> Object:
    return {"clusterProfileRef": {"name": name}}


def _point(world: World, source: Object, name: str | None = None) -> None:
    """The MultiKueueCluster, worker1's unless it is named, has this source and no other."""
    name = name or world.worker1
    cluster = {**multikueue.cluster(name), "spec": {"clusterSource": source}}
    if world.manager.find("MultiKueueCluster", None, name) is None:
        world.manager.create(cluster)
        return
    sources: Object = {"kubeConfig": None, "clusterProfileRef": None, **source}
    world.manager.patch("MultiKueueCluster", None, name, {"spec": {"clusterSource": sources}})


def _wait_trouble(
    world: World, fedra: Fedra, reason: str, words: str, name: str | None = None
) -> None:
    """`fedra status` says these words of worker1; in mode multikueue its MultiKueueCluster says them, and the reason."""
    worker = name or world.worker1

    def is_said() -> bool:
        status, why, message = _active(world, worker)
        in_condition = (status, why) == ("False", reason) and words in message
        in_status = words in (fedra.worker_notes().get(worker) or "")
        return in_status and (in_condition or world.mode.name != MULTIKUEUE)

    world.eventually(f"{worker}: {words}", is_said, world.fleet.patience + _READ_INTERVAL)


def _wait_usable(world: World) -> None:
    world.wait_worker_state(world.worker1, "Connected")
    if world.mode.name == MULTIKUEUE:
        world.eventually(
            "its MultiKueueCluster is Active",
            lambda: _active(world, world.worker1) == ("True", "Active", "Connected"),
        )


def _active(world: World, cluster: str) -> tuple[str, str, str]:
    found = objects.condition(world.manager.find("MultiKueueCluster", None, cluster), "Active")
    return (found["status"], found["reason"], found["message"]) if found else ("", "", "")


def _by_token_file(access: Access, file: Path) -> Object:
    kubeconfig: Any = access.to_kubeconfig()
    kubeconfig["users"][0]["user"] = {"tokenFile": str(file)}
    return dict(kubeconfig)


def _credential(world: World) -> str:
    """The Secret with worker1's credentials."""
    return world.worker1


def _secret_reader(world: World, folder: Path, access: Access) -> Path:
    """A credential plugin, and the Secret that it reads."""
    credential = base64.b64encode(profiles.credential(access).encode()).decode()
    metadata = {"name": _credential(world), "namespace": multikueue.NAMESPACE}
    world.manager.apply(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata,
            "data": {"credential": credential},
        }
    )
    kubeconfig = folder / "manager.kubeconfig"
    world.fleet.admin_access(MANAGER).write_kubeconfig(kubeconfig)
    plugin = folder / "secret-reader"
    plugin.write_text(
        _SECRET_READER.format(
            python=sys.executable,
            tests=str(Path(__file__).parents[2]),
            kubeconfig=str(kubeconfig),
            namespace=multikueue.NAMESPACE,
        )
    )
    plugin.chmod(0o700)
    return plugin
