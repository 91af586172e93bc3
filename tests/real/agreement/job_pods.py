"""Random pod sets of one job."""

from __future__ import annotations

import copy
import dataclasses

from real.agreement.claims import ClaimGenerator
from real.agreement.dice import Dice, Json
from real.agreement.lanes import IMPLICIT_RESOURCE
from real.agreement.names import CASE_LABEL, Names


@dataclasses.dataclass
class PodSet:
    name: str
    count: int
    spec: Json  # of each pod


class PodSets:
    """One use: make(), then `templates` and `plugins`."""

    def __init__(
        self,
        dice: Dice,
        names: Names,
        claim_generator: ClaimGenerator,
        classes: list[Json],
        slices: list[Json],
    ):
        self.dice, self.names, self.claim_generator = dice, names, claim_generator
        self._classes = classes
        drivers = {piece["spec"]["driver"] for piece in slices if piece["spec"].get("devices")}
        self._has_second = names.drivers[1] in drivers
        self.templates: list[Json] = []
        # An extended resource that device plugins of some nodes may have; None: none.
        self.plugins: str | None = None

    def make(self, shared: list[str]) -> list[PodSet]:
        """`shared`: names of claims."""
        dice = self.dice
        resources = self._resources()
        sets = []
        for i in range(dice.pick(1, 1, 2, 2, 3)):
            kind = dice.pick("template", "template", "template", "shared", "both", "extended")
            if i > 0 and dice.chance(0.2):
                kind = "plain"
            spec = self._spec()
            entries: list[Json] = []
            if kind in ("template", "both") or (kind == "shared" and not shared):
                for _ in range(dice.pick(1, 1, 1, 2)):
                    entries.append({"resourceClaimTemplateName": self._template()})
            if kind in ("shared", "both") and shared:
                entries += [{"resourceClaimName": name} for name in dice.some(shared)]
            if kind == "extended":
                self._add_resources(spec, resources)
                if dice.chance(0.2):
                    entries.append({"resourceClaimTemplateName": self._template()})
            if entries:
                named = [{"name": f"entry-{j}", **entry} for j, entry in enumerate(entries)]
                spec["resourceClaims"] = named
                uses = [{"name": entry["name"]} for entry in named]
                spec["containers"][0]["resources"]["claims"] = uses
            sets.append(PodSet(f"set-{i}", dice.pick(1, 1, 2, 2, 3, 4, 6), spec))
        self._maybe_plugins(sets, resources)
        return sets

    def _spec(self) -> Json:
        dice = self.dice
        selector = {CASE_LABEL: self.names.prefix.rstrip("-")}
        if dice.chance(0.12):
            selector["zone"] = dice.pick("a", "b")
        container: Json = {"name": "main", "image": "none", "resources": {}}
        spec: Json = {
            "nodeSelector": selector,
            "containers": [container],
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
        }
        requests = {}
        if dice.chance(0.5):
            requests["cpu"] = dice.pick("250m", "500m", "1", "2")
        if dice.chance(0.2):
            requests["memory"] = dice.pick("1Gi", "3Gi")
        if requests:
            container["resources"]["requests"] = requests
        if dice.chance(0.15):
            operator = dice.pick("In", "NotIn", "Exists")
            wish: Json = {"key": "zone", "operator": operator}
            if operator != "Exists":
                wish["values"] = ["a"]
            terms = [{"matchExpressions": [wish]}]
            required = {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
            }
            spec["affinity"] = {"nodeAffinity": required}
        if dice.chance(0.3):
            spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
        return spec

    # ---- claims

    def _template(self) -> str:
        if self.templates and self.dice.chance(0.3):
            return str(self.dice.pick(*self.templates)["metadata"]["name"])
        name = f"{self.names.prefix}template-{len(self.templates)}"
        self.templates.append(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaimTemplate",
                "metadata": {"name": name},
                "spec": {"spec": self._claim_spec()},
            }
        )
        return name

    def _claim_spec(self) -> Json:
        """Mostly of few devices, as pods of a job want them: else none of them fits."""
        dice = self.dice
        if dice.chance(0.35):
            return self.claim_generator.spec()
        ask: Json = {
            "deviceClassName": self.names.device_class(self._driver()),
            "allocationMode": "ExactCount",
            "count": dice.pick(1, 1, 1, 2),
        }
        if dice.chance(0.3):
            ask["tolerations"] = [{"operator": "Exists"}]
        if dice.chance(0.15):
            ask["capacity"] = {"requests": {"memory": dice.pick("1Gi", "8Gi", "20Gi")}}
        request: Json = {"name": "req-0", "exactly": ask}
        if dice.chance(0.15):
            first = {**ask, "name": "sub-0", "count": dice.pick(2, 3)}
            request = {"name": "req-0", "firstAvailable": [first, {**ask, "name": "sub-1"}]}
        return {"devices": {"requests": [request]}}

    def _driver(self) -> int:
        return int(self.dice.pick(0, 0, 1)) if self._has_second or self.dice.chance(0.1) else 0

    # ---- extended resources

    def _resources(self) -> list[str]:
        """One for each of the first two classes."""
        result = []
        for number in range(2):
            resource = self.names.resource(number)
            if self.dice.chance(0.75):
                self._classes[number]["spec"]["extendedResourceName"] = resource
            else:
                resource = IMPLICIT_RESOURCE + self.names.device_class(number)
            result.append(resource)
        return result

    def _add_resources(self, spec: Json, resources: list[str]) -> None:
        dice = self.dice
        wanted = dice.pick(resources[:1], resources) if self._has_second else resources[:1]
        if dice.chance(0.2):
            spec["containers"].append({"name": "more", "image": "none", "resources": {}})
        for container in spec["containers"]:
            container["resources"]["limits"] = {name: str(dice.pick(1, 1, 2)) for name in wanted}
        if dice.chance(0.15):
            limits = {wanted[0]: str(dice.pick(1, 2))}
            init: Json = {"name": "init", "image": "none", "resources": {"limits": limits}}
            if dice.chance(0.4):
                init["restartPolicy"] = "Always"
            spec["initContainers"] = [init]

    def _maybe_plugins(self, sets: list[PodSet], resources: list[str]) -> None:
        """Not beside claims: docs/agreement.md, plugin-beside-claims."""
        if any("resourceClaims" in pod_set.spec for pod_set in sets):
            return
        if self.dice.chance(0.5):
            self.plugins = resources[0]


def pod_of(pod_set: PodSet, name: str, group: str | None) -> Json:
    spec = copy.deepcopy(pod_set.spec)
    if group is not None:
        spec["schedulingGroup"] = {"podGroupName": group}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
