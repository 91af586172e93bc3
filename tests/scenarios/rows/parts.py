"""Nodes, devices, classes and claims in few words. Pure functions to JSON, without namespaces: `stage` adds those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarios.objects import LONG_AGO
from scenarios.resources import Object

_DRA = "resource.k8s.io/v1"
_RULES = "resource.k8s.io/v1beta2"
# The share of the only allocation of a device that several claims may have.
_SHARE = "aaaaaaaa-0000-4000-8000-000000000001"

Attributes = Mapping[str, str | int | bool]


def node(
    name: str,
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Object] = (),
    allocatable: Mapping[str, str] | None = None,
) -> Object:
    """Ample cpu and memory unless `allocatable` says otherwise."""
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", **(allocatable or {})}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": {"taints": list(taints)} if taints else {},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def device_class(name: str, *selectors: str, extended: str = "") -> Object:
    """Without selectors: all devices of the driver of that name."""
    chosen = selectors or (f'device.driver == "{name}"',)
    spec: Object = {"selectors": [cel(each) for each in chosen]}
    if extended:
        spec["extendedResourceName"] = extended
    return {"apiVersion": _DRA, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def cel(expression: str) -> Object:
    return {"cel": {"expression": expression}}


def device(
    name: str,
    attributes: Attributes | None = None,
    capacity: Mapping[str, str | Object] | None = None,
    **more: object,
) -> Object:
    """Capacities are quantities, or {"value", "requestPolicy"}."""
    result: Object = {"name": name, **more}
    if attributes:
        result["attributes"] = {key: _attribute(value) for key, value in attributes.items()}
    if capacity:
        result["capacity"] = {
            key: {"value": value} if isinstance(value, str) else value
            for key, value in capacity.items()
        }
    return result


def in_steps(value: str, step: str) -> Object:
    """A capacity that is given away in multiples of `step`, one of them by default."""
    policy = {"default": step, "validRange": {"min": step, "step": step}}
    return {"value": value, "requestPolicy": policy}


def _attribute(value: str | int | bool) -> Object:
    if isinstance(value, bool):
        return {"bool": value}
    return {"int": value} if isinstance(value, int) else {"string": value}


def drawing(counter_set: str, **counters: str) -> list[Object]:
    """For a device's consumesCounters."""
    return [{"counterSet": counter_set, "counters": _counters(counters)}]


def counter_set(name: str, **counters: str) -> Object:
    """For a slice's sharedCounters."""
    return {"name": name, "counters": _counters(counters)}


def _counters(counters: Mapping[str, str]) -> Object:
    return {key: {"value": value} for key, value in counters.items()}


def pool(
    driver: str,
    where: str | Object,
    devices: Sequence[Object],
    counters: Sequence[Object] = (),
    slices: int | None = None,
    name: str = "",
) -> list[Object]:
    """The slices of one pool on a node, or {"nodeSelector"}/{"allNodes"}. `slices`: how many it claims to have."""
    place = {"nodeName": where} if isinstance(where, str) else where
    pool_name = name or (where if isinstance(where, str) else "shared")
    contents: list[Object] = [{"devices": list(devices)}]
    if counters:
        contents.insert(0, {"sharedCounters": list(counters)})
    identity = {"name": pool_name, "generation": 1, "resourceSliceCount": slices or len(contents)}
    return [
        {
            "apiVersion": _DRA,
            "kind": "ResourceSlice",
            "metadata": {"name": f"{pool_name}-{driver}-{index}"},
            "spec": {"driver": driver, "pool": identity, **place, **content},
        }
        for index, content in enumerate(contents)
    ]


def nodes_with(label: str, value: str) -> Object:
    """Where the devices of a pool can be used from: nodes with this label."""
    expressions = [{"key": label, "operator": "In", "values": [value]}]
    return {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}


def exactly(name: str, class_name: str, *selectors: str, count: int = 1, **more: object) -> Object:
    return {"name": name, "exactly": wish(class_name, *selectors, count=count, **more)}


def every(name: str, class_name: str, *selectors: str) -> Object:
    """allocationMode All."""
    return {"name": name, "exactly": wish(class_name, *selectors, count=0)}


def prefer(name: str, **alternatives: Object) -> Object:
    """firstAvailable; the alternatives are wishes by their names, in order."""
    return {
        "name": name,
        "firstAvailable": [{"name": key, **value} for key, value in alternatives.items()],
    }


def wish(class_name: str, *selectors: str, count: int = 1, **more: object) -> Object:
    """What `exactly` and an alternative hold; count 0 means All."""
    result: Object = {"deviceClassName": class_name, **more}
    result |= (
        {"allocationMode": "ExactCount", "count": count} if count else {"allocationMode": "All"}
    )
    if selectors:
        result["selectors"] = [cel(each) for each in selectors]
    return result


def same(attribute: str, *requests: str) -> Object:
    return {"matchAttribute": attribute, **({"requests": list(requests)} if requests else {})}


def distinct(attribute: str, *requests: str) -> Object:
    return {"distinctAttribute": attribute, **({"requests": list(requests)} if requests else {})}


def opaque(driver: str, parameters: Object, *requests: str) -> Object:
    config: Object = {"opaque": {"driver": driver, "parameters": parameters}}
    return {**config, "requests": list(requests)} if requests else config


def template(
    name: str,
    *requests: Object,
    constraints: Sequence[Object] = (),
    config: Sequence[Object] = (),
) -> Object:
    return {
        "apiVersion": _DRA,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name},
        "spec": {"spec": _devices(requests, constraints, config)},
    }


def claim(
    name: str,
    *requests: Object,
    constraints: Sequence[Object] = (),
    config: Sequence[Object] = (),
    users_together: bool = False,
) -> Object:
    """`users_together`: its users must share it on one worker."""
    metadata: Object = {"name": name}
    if users_together:
        metadata["annotations"] = {"fedra.dev/shared": "RequireTogether"}
    return {
        "apiVersion": _DRA,
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": _devices(requests, constraints, config),
    }


def _devices(
    requests: Sequence[Object], constraints: Sequence[Object], config: Sequence[Object]
) -> Object:
    devices: Object = {"requests": list(requests)}
    if constraints:
        devices["constraints"] = list(constraints)
    if config:
        devices["config"] = list(config)
    return {"devices": devices}


def allocated(base: Object, node_name: str, *results: Object) -> Object:
    """The claim with devices of that node, as somebody's scheduler has left it."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node_name]}]}
    allocation = {
        "allocationTimestamp": LONG_AGO,
        "devices": {"results": list(results)},
        "nodeSelector": {"nodeSelectorTerms": [term]},
    }
    return {**base, "status": {"allocation": allocation}}


def held(driver: str, pool_name: str, device_name: str, request: str = "gpu") -> Object:
    """One result of an allocation."""
    return {"request": request, "driver": driver, "pool": pool_name, "device": device_name}


def shared(result: Object, consumed: Mapping[str, str]) -> Object:
    """The result of a device that several claims may have."""
    return {**result, "shareID": _SHARE, "consumedCapacity": dict(consumed)}


def taken(driver: str, node_name: str, *devices: str, by: str = "somebody-else") -> Object:
    """A claim of other people that holds these devices of the node's pool."""
    requests = [exactly(f"r{index}", driver) for index in range(len(devices))]
    results = [held(driver, node_name, name, f"r{index}") for index, name in enumerate(devices)]
    return allocated(claim(by, *requests), node_name, *results)


def taint_rule(
    name: str, driver: str, key: str, value: str = "", effect: str = "NoSchedule", **where: str
) -> Object:
    """`where`: pool, device."""
    return {
        "apiVersion": _RULES,
        "kind": "DeviceTaintRule",
        "metadata": {"name": name},
        "spec": {
            "deviceSelector": {"driver": driver, **where},
            "taint": {"key": key, "effect": effect, **({"value": value} if value else {})},
        },
    }


def pod_group(name: str, **templates: str) -> Object:
    """A PodGroup with one claim from each template for all of its pods."""
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"basic": {}}, **by_template(**templates)},
    }


def by_template(**templates: str) -> Object:
    """A pod spec's resourceClaims: a claim per pod from each template."""
    return {
        "resourceClaims": [
            {"name": name, "resourceClaimTemplateName": value} for name, value in templates.items()
        ]
    }


def by_name(**claims: str) -> Object:
    """A pod spec's resourceClaims: one claim for all pods."""
    return {
        "resourceClaims": [
            {"name": name, "resourceClaimName": value} for name, value in claims.items()
        ]
    }
