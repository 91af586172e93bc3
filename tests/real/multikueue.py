"""Kueue's own MultiKueue on the same clusters, for comparison: its secrets, clusters, config and check."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import yaml

from scenarios import objects
from scenarios.kube_client import KubeClient
from scenarios.kubeconfig import Access
from scenarios.resources import Object
from scenarios.waiting import eventually

CONTROLLER = "kueue.x-k8s.io/multikueue"
ORIGIN = "multikueue"  # of copies; Kueue's default
NAMESPACE = "kueue-system"


def connect_workers(manager: KubeClient, workers: Mapping[str, Access]) -> None:
    """Makes Kueue on the manager connect to the workers, and waits until it has."""
    for name, access in workers.items():
        add_cluster(manager, name, access)
    for name in workers:
        eventually(
            f"MultiKueueCluster {name} active",
            lambda: objects.is_true(manager.get("MultiKueueCluster", None, name), "Active"),
            60,
        )


def check(name: str, workers: list[str]) -> list[Object]:
    """An AdmissionCheck that hands workloads to MultiKueue, with its configuration."""
    return [
        objects.multikueue_config(name, workers),
        objects.admission_check(name, config=name, controller=CONTROLLER),
    ]


def add_cluster(manager: KubeClient, name: str, access: Access) -> None:
    """A MultiKueueCluster, the Secret that it names, and the Secret's namespace."""
    manager.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    put_kubeconfig(manager, name, access.to_kubeconfig())
    manager.apply(cluster(name))


def remove_cluster(manager: KubeClient, name: str) -> None:
    """Takes back `add_cluster`."""
    manager.delete("MultiKueueCluster", None, name)
    manager.delete("Secret", NAMESPACE, name)


def put_kubeconfig(manager: KubeClient, name: str, kubeconfig: Object) -> None:
    """Into the Secret of Kueue's that `cluster` names."""
    text = yaml.safe_dump(kubeconfig).encode()
    manager.apply(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "data": {"kubeconfig": base64.b64encode(text).decode()},
        }
    )


def insecure(access: Access) -> Object:
    """A kubeconfig that trusts whoever answers."""
    kubeconfig: Any = access.to_kubeconfig()
    there = kubeconfig["clusters"][0]["cluster"]
    there.pop("certificate-authority-data", None)
    there["insecure-skip-tls-verify"] = True
    return dict(kubeconfig)


def cluster(name: str) -> Object:
    source = {"kubeConfig": {"location": name, "locationType": "Secret"}}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "MultiKueueCluster",
        "metadata": {"name": name},
        "spec": {"clusterSource": source},
    }
