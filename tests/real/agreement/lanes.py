"""Which cases can live in one cluster at once: one that looks around must not meet one that reaches out."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TypeVar

from real.agreement.dice import Json
from real.agreement.names import Names

IMPLICIT_RESOURCE = "deviceclass.resource.kubernetes.io/"
_BATCH = 40


@dataclasses.dataclass
class Case(ABC):
    """The small cluster that a case is about, in its lane. Objects without namespaces: who writes them adds one."""

    number: int
    names: Names
    nodes: list[Json]
    classes: list[Json]
    slices: list[Json]
    rules: list[Json]  # DeviceTaintRules

    @property
    def waits_for_drivers(self) -> bool:
        """The scheduler looks only every 5 seconds whether binding conditions have come true."""
        return any(
            "bindingConditions" in device
            for piece in self.slices
            for device in piece["spec"].get("devices", [])
        )

    @property
    def reaches_out(self) -> bool:
        """Something of its slices is seen from every node."""
        for piece in self.slices:
            devices = piece["spec"].get("devices", [])
            if piece["spec"].get("allNodes") or "sharedCounters" in piece["spec"]:
                return True
            if any(device.get("allNodes") for device in devices):
                return True
        return False

    @property
    @abstractmethod
    def looks_around(self) -> bool:
        """See look_around()."""


C = TypeVar("C", bound=Case)


def batches(cases: list[C]) -> Iterator[list[C]]:
    # Those that wait do so together.
    cases = sorted(cases, key=lambda case: case.waits_for_drivers)
    blind = [case for case in cases if not case.looks_around]
    inward = [case for case in cases if case.looks_around and not case.reaches_out]
    for lane in (blind, inward):
        for i in range(0, len(lane), _BATCH):
            yield lane[i : i + _BATCH]
    for case in cases:
        if case.looks_around and case.reaches_out:
            yield [case]


def look_around(
    names: Names, classes: list[Json], specs: Iterable[Json], resources: Iterable[str]
) -> bool:
    """Claims or extended resources that may ask for devices of other drivers, or are sensitive to the state of
    their pools. `specs`: of claims."""
    guarded = {
        c["metadata"]["name"]
        for c, driver in zip(classes, names.drivers)
        if c["spec"]["selectors"][0]["cel"]["expression"] == f'device.driver == "{driver}"'
    }
    for spec in specs:
        for request in spec["devices"]["requests"]:
            for ask in request.get("firstAvailable") or [request["exactly"]]:
                if ask.get("allocationMode") == "All" or ask["deviceClassName"] not in guarded:
                    return True
    behind = (_class_behind(resource, classes) for resource in resources)
    return any(name is not None and name not in guarded for name in behind)


def extended_resources(pod_spec: Json) -> list[str]:
    """That its containers ask for."""
    containers = [*pod_spec["containers"], *pod_spec.get("initContainers", [])]
    return [name for c in containers for name in c["resources"].get("limits", {}) if "/" in name]


def _class_behind(resource: str, classes: list[Json]) -> str | None:
    if resource.startswith(IMPLICIT_RESOURCE):
        return resource.removeprefix(IMPLICIT_RESOURCE)
    for candidate in classes:
        if candidate["spec"].get("extendedResourceName") == resource:
            return str(candidate["metadata"]["name"])
    return None
