"""The objects that every fleet has before the first scenario: rights, flavour, nodes, devices, classes."""

from __future__ import annotations

from pathlib import Path

import yaml

from scenarios import objects
from scenarios.fleet import MANAGER
from scenarios.kube_client import KubeClient
from scenarios.resources import Object

DEPLOY = Path(__file__).parents[2] / "deploy"

FEDRA_NAMESPACE = "fedra-system"
FEDRA_ACCOUNT = "fedra"
LEASE = "fedra"  # of replicas, in that namespace
OUTAGES = "fedra-outages"  # the ConfigMap beside it

# The class that every worker has, and two that scenarios create where they need them.
GPU_CLASS = "gpu.example.com"
RARE_CLASSES = ("rare.example.com", "late.example.com")
DEVICES_PER_WORKER = 256

# For Kueue's deviceClassMappings; Kueue reads them once, at its start.
DEVICE_CLASS_MAPPINGS = {objects.DEVICE_QUOTA: [GPU_CLASS, *RARE_CLASSES]}


def deploy_manifests(*names: str) -> list[Object]:
    """The documents of files in deploy/, exactly as a user would apply them."""
    return [
        document
        for name in names
        for document in yaml.safe_load_all((DEPLOY / name).read_text())
        if document is not None
    ]


def rights_of(cluster: str) -> list[Object]:
    if cluster == MANAGER:
        return deploy_manifests("manager-rbac.yaml")
    return deploy_manifests("worker-rbac.yaml")


def dispatcher_rights_of(cluster: str) -> list[Object]:
    role = "manager" if cluster == MANAGER else "worker"
    return deploy_manifests(f"dispatcher-{role}-rbac.yaml")


# With a name that Kueue does not know, MultiKueue waits for nominations.
DISPATCHER = {"multiKueue": {"dispatcherName": "fedra.dev/dispatcher", "gcInterval": "5s"}}


def install_manager(client: KubeClient) -> None:
    client.apply(objects.resource_flavor())


def install_worker(client: KubeClient) -> None:
    """One node with all devices, so that a pod fits wherever a device is free."""
    client.apply(objects.resource_flavor())
    client.apply(objects.device_class(GPU_CLASS))
    client.apply(objects.node("node-1"))
    for resource_slice in objects.resource_slices("node-1", DEVICES_PER_WORKER):
        client.apply(resource_slice)
