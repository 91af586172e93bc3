"""Kubernetes objects as the scenarios use them. Pure functions from names to JSON."""

from __future__ import annotations

import dataclasses
import json

from scenarios.resources import Object

DRIVER = "gpu.example.com"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
MANAGED_BY = "kueue.x-k8s.io/multikueue"
FEDRA_CONTROLLER = "fedra.dev/federation"
FLAVOR = "default"
DEVICE_QUOTA = (
    "example.com/devices"  # with Kueue's DRA support on, devices are charged to this resource
)

LONG_AGO = "2026-01-01T00:00:00Z"

_MAX_DEVICES_PER_SLICE = 128  # limit of resource.k8s.io/v1


def namespace(name: str, managed: bool = False) -> Object:
    labels = {"fedra.dev/managed": "true"} if managed else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def node(name: str) -> Object:
    capacity = {"cpu": "1000", "memory": "4Ti", "pods": "2000"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"capacity": capacity, "allocatable": capacity},
    }


def device_class(name: str, driver: str = DRIVER) -> Object:
    """Every device of the driver belongs to the class."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}]},
    }


def resource_slices(node_name: str, devices: int) -> list[Object]:
    """One pool of equal devices on one node."""
    names = [f"gpu-{index}" for index in range(devices)]
    chunks = [
        names[i : i + _MAX_DEVICES_PER_SLICE] for i in range(0, devices, _MAX_DEVICES_PER_SLICE)
    ]
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": f"{node_name}-{index}"},
            "spec": {
                "driver": DRIVER,
                "nodeName": node_name,
                "pool": {"name": node_name, "generation": 1, "resourceSliceCount": len(chunks)},
                "devices": [
                    {"name": name, "attributes": {"model": {"string": "h100"}}} for name in chunk
                ],
            },
        }
        for index, chunk in enumerate(chunks)
    ]


def claim_template(namespace_name: str, name: str, class_name: str, count: int = 1) -> Object:
    request = {"name": "gpu", "exactly": {"deviceClassName": class_name, "count": count}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": namespace_name},
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }


def prioritized_template(namespace_name: str, name: str, choices: list[tuple[str, int]]) -> Object:
    """firstAvailable: (class, count) in order of preference."""
    subrequests = [
        {"name": f"choice-{index}", "deviceClassName": class_name, "count": count}
        for index, (class_name, count) in enumerate(choices)
    ]
    template = claim_template(namespace_name, name, "")
    template["spec"]["spec"]["devices"]["requests"] = [
        {"name": "gpu", "firstAvailable": subrequests}
    ]
    return template


def claim(namespace_name: str, name: str, class_name: str) -> Object:
    template = claim_template(namespace_name, name, class_name)
    return {**template, "kind": "ResourceClaim", "spec": template["spec"]["spec"]}


def resource_flavor(name: str = FLAVOR, topology_of: Object | None = None) -> Object:
    """`topology_of`: labels of nodes; the flavor has the Topology of its own name, of the nodes with these labels."""
    flavor: Object = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": name},
    }
    if topology_of is not None:
        flavor["spec"] = {"topologyName": name, "nodeLabels": topology_of}
    return flavor


def topology(name: str, *levels: str) -> Object:
    """`levels`: labels of nodes, the widest first."""
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Topology",
        "metadata": {"name": name},
        "spec": {"levels": [{"nodeLabel": level} for level in levels]},
    }


def admission_check(
    name: str, config: str | None = None, controller: str = FEDRA_CONTROLLER
) -> Object:
    spec: Object = {"controllerName": controller}
    if config is not None:
        spec["parameters"] = {
            "apiGroup": "kueue.x-k8s.io",
            "kind": "MultiKueueConfig",
            "name": config,
        }
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "AdmissionCheck",
        "metadata": {"name": name},
        "spec": spec,
    }


def multikueue_config(name: str, clusters: list[str]) -> Object:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "MultiKueueConfig",
        "metadata": {"name": name},
        "spec": {"clusters": clusters},
    }


@dataclasses.dataclass(frozen=True)
class Quota:
    """What a ClusterQueue may admit at once."""

    cpu: str = "1000"
    memory: str = "4Ti"
    devices: str = "256"
    extended: tuple[str, ...] = ()  # names of extended resources, of each as much as devices


NO_QUOTA = Quota(
    cpu="0", memory="0", devices="0"
)  # a queue that is active and never admits anything


def cluster_queue(
    name: str,
    quota: Quota,
    check: str | None = None,
    counts_pods: bool = True,
    flavor: str = FLAVOR,
) -> Object:
    """`counts_pods`: of one with a check, which Kueue leaves out for a job that asks for nothing that is covered."""
    amounts = {"cpu": quota.cpu, "memory": quota.memory, DEVICE_QUOTA: quota.devices}
    amounts |= {name: quota.devices for name in quota.extended}
    if check is not None and counts_pods:
        amounts["pods"] = "1000000"
    resources = [{"name": resource, "nominalQuota": amount} for resource, amount in amounts.items()]
    spec: Object = {
        "namespaceSelector": {},
        "queueingStrategy": "BestEffortFIFO",
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [
            {
                "coveredResources": list(amounts),
                "flavors": [{"name": flavor, "resources": resources}],
            }
        ],
    }
    if check is not None:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": check}]}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": spec,
    }


def local_queue(namespace_name: str, name: str, cluster_queue_name: str) -> Object:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": name, "namespace": namespace_name},
        "spec": {"clusterQueue": cluster_queue_name},
    }


def priority_class(name: str, value: int) -> Object:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": name},
        "value": value,
    }


def job(
    namespace_name: str,
    name: str,
    queue: str,
    *,
    template: str | None = None,
    claim: str | None = None,
    pods: int = 1,
    cpu: str = "1",
    managed_by: bool = True,
    priority: str | None = None,
    retries: int = 0,
) -> Object:
    """A suspended Job for Kueue; `template` and `claim` are the ResourceClaimTemplate and named claim it uses."""
    container: Object = {
        "name": "main",
        "image": "registry.k8s.io/pause:3.10",
        "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}},
    }
    pod: Object = {"restartPolicy": "Never", "containers": [container]}
    claims = []
    if template is not None:
        claims.append({"name": "gpu", "resourceClaimTemplateName": template})
    if claim is not None:
        claims.append({"name": "shared", "resourceClaimName": claim})
    if claims:
        container["resources"]["claims"] = [{"name": entry["name"]} for entry in claims]
        pod["resourceClaims"] = claims
    labels = {QUEUE_LABEL: queue}
    if priority is not None:
        labels["kueue.x-k8s.io/priority-class"] = priority
    spec: Object = {
        "suspend": True,
        "parallelism": pods,
        "completions": pods,
        "backoffLimit": retries,
        "template": {"spec": pod},
    }
    if managed_by:
        spec["managedBy"] = MANAGED_BY
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace_name, "labels": labels},
        "spec": spec,
    }


def present(obj: Object | None) -> Object:
    """The object, which must exist here."""
    assert obj is not None, "the object is gone"
    return obj


def condition(obj: Object | None, kind: str) -> Object | None:
    """The status condition of that type, if the object and the condition exist."""
    if obj is None:
        return None
    conditions = obj.get("status", {}).get("conditions") or []  # a new CRD's list is null
    return next((entry for entry in conditions if entry["type"] == kind), None)


def is_true(obj: Object | None, kind: str) -> bool:
    entry = condition(obj, kind)
    return entry is not None and entry["status"] == "True"


def is_going(obj: Object | None) -> bool:
    """Deleted, but kept by a finalizer."""
    return obj is not None and "deletionTimestamp" in obj["metadata"]


def canonical(value: object) -> str:
    """For comparing parts of objects and for messages."""
    return json.dumps(value, sort_keys=True)
