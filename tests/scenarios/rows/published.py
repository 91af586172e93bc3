"""Workloads as articles print them, in few words. Pure functions to JSON.

They have no namespace and no queue: `submission` adds those, as a team that uses Kueue does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenarios.resources import Object

GROUP_NAME = "kueue.x-k8s.io/pod-group-name"
GROUP_TOTAL = "kueue.x-k8s.io/pod-group-total-count"


def container(name: str, image: str, *claims: str, **fields: Any) -> Object:
    """`claims`: names of the pod's resourceClaims, or "claim/request" for one request of one."""
    made: Object = {"name": name, "image": image, **fields}
    if claims:
        uses = [_use(each) for each in claims]
        made["resources"] = {**made.get("resources", {}), "claims": uses}
    return made


def _use(claim: str) -> Object:
    name, _, request = claim.partition("/")
    return {"name": name, **({"request": request} if request else {})}


def pod(
    name: str,
    *containers: Object,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    **spec: Any,
) -> Object:
    metadata: Object = {"name": name}
    if labels:
        metadata["labels"] = dict(labels)
    if annotations:
        metadata["annotations"] = dict(annotations)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": list(containers), **spec},
    }


def grouped(group: str, *pods: Object) -> list[Object]:
    """The pods as one job of Kueue, which starts all of them or none."""
    made = []
    for each in pods:
        metadata: Object = each["metadata"]
        labels = {**metadata.get("labels", {}), GROUP_NAME: group}
        annotations = {**metadata.get("annotations", {}), GROUP_TOTAL: str(len(pods))}
        made.append(
            {**each, "metadata": {**metadata, "labels": labels, "annotations": annotations}}
        )
    return made


def deployment(
    name: str,
    *containers: Object,
    app: str = "",
    replicas: int = 1,
    labels: Mapping[str, str] | None = None,
    **spec: Any,
) -> Object:
    """`app`: the label of its pods, its own name by default."""
    selected = {"app": app or name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, **({"labels": dict(labels)} if labels else {})},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": selected},
            "template": {
                "metadata": {"labels": selected},
                "spec": {"containers": list(containers), **spec},
            },
        },
    }


def job(name: str, *containers: Object, **spec: Any) -> Object:
    """A batch/v1 Job of one pod; `spec`: of the pod."""
    template = {"spec": {"restartPolicy": "Never", "containers": list(containers), **spec}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template},
    }


def service(name: str, app: str, port: int = 8000, kind: str = "LoadBalancer") -> Object:
    """For the pods with this label."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {
            "selector": {"app": app},
            "type": kind,
            "ports": [{"name": "http", "protocol": "TCP", "port": port, "targetPort": port}],
        },
    }


def tolerates(key: str, value: str = "") -> Object:
    """A pod spec's tolerations: of NoSchedule taints with this key, and value if one is given."""
    match: Object = {"operator": "Equal", "value": value} if value else {"operator": "Exists"}
    return {"tolerations": [{"key": key, **match, "effect": "NoSchedule"}]}


def roles(field: str, **replicas: tuple[int, Object]) -> Object:
    """A spec of Kubeflow's kinds: for each role how many pods, and their template."""
    return {
        field: {
            role: {"replicas": count, "template": template}
            for role, (count, template) in replicas.items()
        }
    }


def of_kubeflow(api_version: str, kind: str, name: str, spec: Object, **metadata: Any) -> Object:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }


def names(objects: Sequence[Object]) -> str:
    """For people: "Pods `pod1` and `pod2`"; a group of pods by its own name."""
    group = objects[0]["metadata"].get("labels", {}).get(GROUP_NAME)
    if group is not None:
        return f"group of {len(objects)} Pods `{group}`"
    quoted = [f"`{each['metadata']['name']}`" for each in objects]
    kind = objects[0]["kind"] + ("s" if len(quoted) > 1 else "")
    text = ", ".join(quoted[:-1]) + (" and " if len(quoted) > 1 else "") + quoted[-1]
    count = objects[0]["spec"].get("replicas", 1)
    return f"{kind} {text}" + (f" of {count} replicas" if count > 1 else "")
