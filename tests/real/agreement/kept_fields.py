"""What the API server of a release would not have kept of a case.

1.34 and 1.35 serve every field of resource.k8s.io/v1 but drop those whose feature gate is off when an
object is created (dropDisabledFields of pkg/registry/resource/{resourceslice,resourceclaim}/strategy.go,
v1.34.4 and v1.35.4). An object from a time when the gate was on keeps them. 1.37 does so with attributes that are
lists, which fedra takes for a sign that the gate is on. distinctAttribute has the same gate in 1.34, but its API server
drops it from a copy of the constraint (resourceclaim/strategy.go:454), so that claims keep it.
"""

from __future__ import annotations

import copy

from real.agreement.dice import Json

# Releases where partitionable devices, taints, binding conditions and consumable capacity are off.
GATED = ("1.34", "1.35")

_SLICE_FIELDS = ("sharedCounters", "perDeviceNodeSelection")
_DEVICE_FIELDS = (
    "taints",
    "consumesCounters",
    "nodeName",
    "nodeSelector",
    "allNodes",
    "bindingConditions",
    "bindingFailureConditions",
    "bindsToNode",
    "allowMultipleAllocations",
)
_RESULT_FIELDS = ("shareID", "consumedCapacity")


def without_lists(case: Json) -> Json:
    """Without attributes that are lists (dropDisableDRAListTypeAttributesFields, v1.37.2)."""
    for piece in case["slices"]:
        for device in piece["spec"].get("devices", []):
            attributes = device.get("attributes", {})
            for name in [name for name, value in attributes.items() if "strings" in value]:
                del attributes[name]
    return case


def kept(case: Json, release: str) -> Json:
    """The case as the API server would have stored it with that release's default gates."""
    if release not in GATED:
        return case
    case = copy.deepcopy(case)
    node = case["node"]["metadata"]["name"]
    for piece in case["slices"]:
        keep_slice(piece["spec"], node)
    for claim in case["allocatedClaims"]:
        keep_results(claim)
    for claim in case["claims"]:
        keep_claim(claim["spec"]["devices"], release)
    return case


def _drop(target: Json, names: tuple[str, ...]) -> None:
    for name in names:
        target.pop(name, None)


def keep_slice(spec: Json, node: str) -> None:
    """Of a slice what an API server of GATED keeps; one without any node selection would be refused."""
    if spec.get("perDeviceNodeSelection"):
        spec["nodeName"] = node
    _drop(spec, _SLICE_FIELDS)
    for device in spec.setdefault("devices", []):
        _drop(device, _DEVICE_FIELDS)
        for capacity in device.get("capacity", {}).values():
            capacity.pop("requestPolicy", None)


def keep_claim(devices: Json, release: str) -> None:
    """Of the spec of a claim or template."""
    for request in devices["requests"]:
        for body in [request.get("exactly", {}), *request.get("firstAvailable", [])]:
            body.pop("capacity", None)
            body.pop("tolerations", None)
    constraints = devices.get("constraints", [])
    if release != "1.34":
        for constraint in constraints:
            constraint.pop("distinctAttribute", None)
    # A constraint of nothing would have been refused.
    devices["constraints"] = [
        c for c in constraints if "matchAttribute" in c or "distinctAttribute" in c
    ]


def keep_results(claim: Json) -> None:
    """Of the status of an allocated claim."""
    for result in claim["status"]["allocation"]["devices"]["results"]:
        _drop(result, _RESULT_FIELDS)
