"""Random DeviceClasses and ResourceClaims over the devices of agreement/slices.py."""

from __future__ import annotations

import uuid

from real.agreement.dice import Dice, Json
from real.agreement.names import Names


class ClaimGenerator:
    """`stored`: only what an API server of 1.36 with its default gates accepts."""

    def __init__(self, dice: Dice, names: Names, stored: bool):
        self.dice, self.names, self.stored = dice, names, stored

    def classes(self) -> list[Json]:
        result = []
        for number, driver in enumerate(self.names.drivers):
            selectors = [_is_driver(driver)]
            if self.dice.odd(0.3):
                selectors.append(self._selector(driver))
            if self.dice.odd(0.08):
                selectors = [self._selector(driver)]
            name = self.names.device_class(number)
            spec = {"selectors": [{"cel": {"expression": text}} for text in selectors]}
            result.append(_class(name, spec))
        result.append(_class(self.names.any_class, {}))
        return result

    def spec(self) -> Json:
        """Of a claim."""
        dice = self.dice
        requests: list[Json] = []
        names = []
        for i in range(dice.pick(1, 1, 1, 2, 2, 3)):
            name = f"req-{i}"
            names.append(name)
            if dice.chance(0.2):
                alternatives = []
                for j in range(dice.pick(1, 2, 2, 3)):
                    alternatives.append(dict(self._request(False), name=f"sub-{j}"))
                    names.append(f"{name}/sub-{j}")
                requests.append({"name": name, "firstAvailable": alternatives})
            else:
                requests.append({"name": name, "exactly": self._request(True)})
        devices: Json = {"requests": requests}
        constraints = self._constraints(names)
        if constraints:
            devices["constraints"] = constraints
        return {"devices": devices}

    def allocated(self, slices: list[Json]) -> list[Json]:
        """Allocation results of other users, one per claim."""
        dice = self.dice
        results = []
        for piece in slices:
            for device in piece["spec"].get("devices", []):
                if dice.odd(0.22):
                    results.append(self._result(piece["spec"], device))
        if dice.chance(0.05):
            results.append(
                {
                    "request": "r",
                    "driver": self.names.drivers[0],
                    "pool": self.names.nodes[0],
                    "device": "vanished",
                }
            )
        return results

    def _result(self, spec: Json, device: Json) -> Json:
        dice = self.dice
        result = {
            "request": "r",
            "driver": spec["driver"],
            "pool": spec["pool"]["name"],
            "device": device["name"],
        }
        if device.get("allowMultipleAllocations") and dice.chance(0.9):
            result["shareID"] = str(uuid.UUID(int=dice.below(1 << 128)))
            if dice.chance(0.9) and device.get("capacity"):
                result["consumedCapacity"] = {
                    name: dice.pick("1Gi", "8Gi", "16Gi") if entry["value"].endswith("Gi") else "1"
                    for name, entry in device["capacity"].items()
                }
        if dice.chance(0.06):
            result["adminAccess"] = True
        return result

    def _request(self, admin_allowed: bool) -> Json:
        dice = self.dice
        driver = dice.pick(0, 0, 0, 1)
        body: Json = {
            "deviceClassName": self.names.device_class(driver),
            "allocationMode": "ExactCount",
        }
        if dice.chance(0.05):
            body["deviceClassName"] = self.names.any_class
        if dice.odd(0.01):
            body["deviceClassName"] = "missing"
        if dice.odd(0.45):
            body["selectors"] = [
                {"cel": {"expression": self._selector(self.names.drivers[driver])}}
                for _ in range(dice.pick(1, 1, 2))
            ]
        if dice.odd(0.15):
            body["allocationMode"] = "All"
        else:
            body["count"] = 33 if dice.odd(0.01) else dice.pick(1, 1, 1, 2, 2, 3, 4)
        if dice.chance(0.2):
            body["tolerations"] = [self._toleration()]
        if dice.odd(0.2):
            name = dice.pick("memory", "memory", "cores")
            amount = dice.pick("1Gi", "3Gi", "20Gi", "64Gi", "500m", "2", "1500m")
            body["capacity"] = {"requests": {name: amount}}
        if admin_allowed and dice.chance(0.08):
            body["adminAccess"] = dice.chance(0.9)
        if not self.stored and dice.chance(0.003):
            body["allocationMode"] = ""
        return body

    def _constraints(self, names: list[str]) -> list[Json]:
        dice = self.dice
        driver = self.names.drivers[0]
        constraints: list[Json] = []
        while dice.odd(0.35) and len(constraints) < 3:
            constraint: Json = {}
            if dice.chance(0.5):
                constraint["requests"] = dice.some(names)
            kind = dice.pick("matchAttribute", "matchAttribute", "distinctAttribute")
            constraint[kind] = dice.pick(
                "resource.kubernetes.io/pcieRoot",
                "resource.kubernetes.io/pcieRoot",
                f"{driver}/model",
                f"{driver}/index",
                f"{driver}/group",
                f"{driver}/fw",
                f"{driver}/list",
            )
            constraints.append(constraint)
        return constraints

    def _toleration(self) -> Json:
        dice = self.dice
        toleration: Json = {"operator": dice.pick("Exists", "Equal")}
        if dice.chance(0.8):
            toleration["key"] = dice.pick("maintenance", "broken")
        else:
            toleration["operator"] = "Exists"
        if toleration["operator"] == "Equal":
            toleration["value"] = dice.pick("", "yes")
        if dice.chance(0.4):
            toleration["effect"] = dice.pick("NoSchedule", "NoExecute")
        return toleration

    def _selector(self, driver: str) -> str:
        dice = self.dice
        attributes = f'device.attributes["{driver}"]'
        capacity = f'device.capacity["{driver}"]'
        size = dice.pick("16Gi", "40Gi")
        return dice.pick(
            _is_driver(driver),
            _is_driver(driver),
            f'"model" in {attributes} && {attributes}.model == "{dice.pick("a100", "h100")}"',
            f'has({attributes}.index) && {attributes}.index {dice.pick("<", ">=", "==")} {dice.below(4)}',
            f'{attributes}.model == "a100"',
            f'{attributes}[?"ok"].orValue(false)',
            f'has({attributes}.fw) && {attributes}.fw.isGreaterThan(semver("1.5.0"))',
            f'"memory" in {capacity} && {capacity}.memory.compareTo(quantity("{size}")) >= 0',
            "device.allowMultipleAllocations",
            'device.attributes["resource.kubernetes.io"].pcieRoot in ["p0", "p1"]',
            "true",
        )


def _is_driver(driver: str) -> str:
    return f'device.driver == "{driver}"'


def _class(name: str, spec: Json) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": spec,
    }
