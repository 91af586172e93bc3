"""Devices that take of their node's own resources (KEP-5517), added to cases that were made without.

With dice of its own: the cases without it stay what they are.
"""

from __future__ import annotations

from real.agreement.dice import Dice, Json
from real.agreement.pod_case import PodCase

GATE = "DRANodeAllocatableResources"  # alpha and off in 1.36


def add_node_share(case: PodCase, seed: int) -> PodCase:
    dice = Dice(f"node-share/{seed}/{case.number}")
    for piece in case.slices:
        for device in piece["spec"].get("devices", []):
            if dice.chance(0.5):
                device["nodeAllocatableResourceMappings"] = _mappings(dice, device)
    spec = case.pod["spec"]
    entries = [entry["name"] for entry in spec.get("resourceClaims", [])]
    used = [name for name in entries if not dice.odd(0.15)]
    container = dice.pick(*spec["containers"], *spec.get("initContainers", []))
    container["resources"]["claims"] = [{"name": name} for name in used]
    if dice.chance(0.3):
        spec["resources"] = _of_pod(dice)
    return case


def _mappings(dice: Dice, device: Json) -> Json:
    """Mostly cpu and memory; the nodes have 2500m or 4 cpus and 8Gi, and no huge pages."""
    mappings: Json = {}
    for _ in range(dice.pick(1, 1, 2)):
        resource = dice.pick("cpu", "cpu", "cpu", "memory", "memory")
        if dice.odd(0.1):
            resource = dice.pick("hugepages-2Mi", "ephemeral-storage")
        mapping: Json = {}
        # The API server wants it among the device's capacities. Of a device that is allocated as a whole it
        # ends the scheduler's attempt.
        shared = device.get("allowMultipleAllocations", False)
        if device.get("capacity") and (dice.chance(0.6) if shared else dice.odd(0.1)):
            mapping["capacityKey"] = dice.pick(*device["capacity"])
        if not mapping or dice.chance(0.6):
            mapping["allocationMultiplier"] = dice.pick(*_multipliers(resource, mapping))
        mappings[resource] = mapping
    return mappings


def _multipliers(resource: str, mapping: Json) -> tuple[str, ...]:
    if mapping.get("capacityKey") == "memory":
        return ("500m", "2", "1") if resource != "cpu" else ("10n", "1n")
    if mapping.get("capacityKey") == "cores":
        return ("1Gi", "512Mi") if resource != "cpu" else ("500m", "1", "333m")
    return ("1Gi", "2Gi", "3Gi") if resource == "memory" else ("1", "500m", "2", "1500m")


def _of_pod(dice: Dice) -> Json:
    """The containers ask for at most 3 cpus; the API server refuses less."""
    requests = {"cpu": dice.pick("3", "4")}
    if dice.chance(0.3):
        requests["memory"] = dice.pick("2Gi", "4Gi")
    result: Json = dice.pick({"requests": requests}, {"requests": requests}, {})
    if not result or dice.chance(0.3):
        result["limits"] = dice.pick({"memory": "6Gi"}, {"cpu": "8"}, {"cpu": "8", "memory": "6Gi"})
    return result
