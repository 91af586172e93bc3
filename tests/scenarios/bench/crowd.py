"""What other users run on a worker: pods on all nodes, and claims with devices, as a cluster in use has them."""

from __future__ import annotations

from scenarios import objects
from scenarios.bench.nodes import hold, node_name
from scenarios.kube_client import KubeClient
from scenarios.resources import Object

# Devices beside those of the jobs. A slice has at most so many (resource.k8s.io/v1).
_DRIVER = "busy.example.com"
_SLICE_DEVICES = 128


def furnish(client: KubeClient, namespace: str, nodes: int, pods: int, claims: int) -> None:
    """The first `claims` pods have a claim each; at most as many as there are pods."""
    for number, begin in enumerate(range(0, claims, _SLICE_DEVICES)):
        client.create(_slice(number % nodes, number, min(_SLICE_DEVICES, claims - begin)))
    for index in range(pods):
        pod = _pod(namespace, index, nodes)
        name = pod["metadata"]["name"]
        if index < claims:
            pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": name}]
            client.create(objects.claim(namespace, name, _DRIVER))
        uid = client.create(pod)["metadata"]["uid"]
        client.patch("Pod", namespace, name, {"status": _status()}, "status")
        if index < claims:
            number, device = divmod(index, _SLICE_DEVICES)
            user = {"resource": "pods", "name": name, "uid": uid}
            hold(client, name, _DRIVER, f"busy-{number}", [f"gpu-{device}"], user)


def add_jobs(client: KubeClient, namespace: str, queue: str, jobs: int) -> None:
    """Of the worker's own users; they run for ever. Its Kueue makes Workloads of them."""
    for index in range(jobs):
        job = objects.job(namespace, f"own-{index:05}", queue, cpu="10m", managed_by=False)
        job["metadata"]["annotations"] = {"sim.fedra.dev/run-for": "forever"}
        client.create(job)


def _slice(node: int, number: int, devices: int) -> Object:
    (made,) = objects.resource_slices(node_name(node), devices)
    made["metadata"]["name"] = f"busy-{number}"
    made["spec"]["driver"] = _DRIVER
    made["spec"]["pool"]["name"] = f"busy-{number}"
    return made


def _pod(namespace: str, index: int, nodes: int) -> Object:
    """Of some 2 kB, as one of a Deployment is without managedFields."""
    name = f"busy-{index:05}"
    labels = {
        "app": "serve",
        "pod-template-hash": "6d4cf56db6",
        "example.com/team": f"t{index % 7}",
    }
    container = {
        "name": "main",
        "image": "registry.example.com/serve/model-server:2026.11.1",
        "args": ["--port=8080", "--model=/models/current", "--batch=32"],
        "env": [
            {"name": f"SETTING_{number:02}", "value": "a value of usual length"}
            for number in range(12)
        ],
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}},
        "volumeMounts": [{"name": "models", "mountPath": "/models", "readOnly": True}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {
            "nodeName": node_name(index % nodes),
            "containers": [container],
            "volumes": [{"name": "models", "emptyDir": {}}],
            "serviceAccountName": "default",
            "tolerations": [{"key": "example.com/gpu", "operator": "Exists"}],
        },
    }


def _status() -> Object:
    conditions = [
        {"type": kind, "status": "True", "lastTransitionTime": objects.LONG_AGO}
        for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
    ]
    state = {"running": {"startedAt": objects.LONG_AGO}}
    container = {"name": "main", "ready": True, "restartCount": 0, "state": state}
    return {"phase": "Running", "conditions": conditions, "containerStatuses": [container]}
