"""A pod and the small cluster it meets: nodes, slices, classes, claims of its own and of others."""

from __future__ import annotations

import dataclasses

from real.agreement.claims import ClaimGenerator
from real.agreement.dice import Dice, Json
from real.agreement.names import CASE_LABEL, Names
from real.agreement.slices import SliceGenerator

IMPLICIT_RESOURCE = "deviceclass.resource.kubernetes.io/"
HOLDER = "holder"  # a pod that keeps a claim reserved


@dataclasses.dataclass
class PodCase:
    """Objects without namespaces; whoever writes them adds one."""

    number: int
    names: Names
    nodes: list[Json]
    classes: list[Json]
    slices: list[Json]
    rules: list[Json]  # DeviceTaintRules
    used: list[Json]  # allocated claims of others
    claims: list[Json]  # of the pod; one of them may be allocated and held already
    templates: list[Json]
    pod: Json

    @property
    def name(self) -> str:
        return f"case-{self.number}"

    @property
    def holder(self) -> Json | None:
        """The pod that has reserved an allocated claim of ours, if there is one."""
        if not any("status" in claim for claim in self.claims):
            return None
        pod = _pod(f"{self.names.prefix}{HOLDER}", {})
        pod["spec"]["nodeName"] = self.nodes[0]["metadata"]["name"]
        return pod

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
        """Something of it is seen from every node."""
        for piece in self.slices:
            devices = piece["spec"].get("devices", [])
            if piece["spec"].get("allNodes") or "sharedCounters" in piece["spec"]:
                return True
            if any(device.get("allNodes") for device in devices):
                return True
        return False

    @property
    def looks_around(self) -> bool:
        """It may ask for devices of other drivers, or is sensitive to the state of their pools."""
        guarded = {
            c["metadata"]["name"]
            for c, driver in zip(self.classes, self.names.drivers)
            if c["spec"]["selectors"][0]["cel"]["expression"] == f'device.driver == "{driver}"'
        }
        for claim in [*self.claims, *(t["spec"] for t in self.templates)]:
            for request in claim["spec"]["devices"]["requests"]:
                for ask in request.get("firstAvailable") or [request["exactly"]]:
                    if ask.get("allocationMode") == "All" or ask["deviceClassName"] not in guarded:
                        return True
        return self._extended_class() not in (None, *guarded)

    def _extended_class(self) -> str | None:
        """The class behind the pod's extended resource."""
        for container in self.pod["spec"]["containers"]:
            for resource in container["resources"].get("limits", {}):
                if resource.startswith(IMPLICIT_RESOURCE):
                    return str(resource.removeprefix(IMPLICIT_RESOURCE))
                for candidate in self.classes:
                    if candidate["spec"].get("extendedResourceName") == resource:
                        return str(candidate["metadata"]["name"])
        return None


def pod_case(seed: int, number: int) -> PodCase:
    return _Generator(seed, number).case()


class _Generator:
    def __init__(self, seed: int, number: int):
        self.dice = Dice(f"pods/{seed}/{number}")
        self.number = number
        self.names = Names.make(f"c{number}-", self.dice.pick(1, 1, 2, 2, 3))
        self.claim_generator = ClaimGenerator(self.dice, self.names, stored=True)

    def case(self) -> PodCase:
        slices = SliceGenerator(self.dice, self.names, stored=True).slices()
        classes = self.claim_generator.classes()
        result = PodCase(
            number=self.number,
            names=self.names,
            nodes=[self._node(name) for name in self.names.nodes],
            classes=classes,
            slices=slices,
            rules=self._rules() if self.dice.odd(0.3) else [],
            used=self._used(slices),
            claims=[],
            templates=[],
            pod=_pod(f"{self.names.prefix}pod", {CASE_LABEL: self.names.prefix.rstrip("-")}),
        )
        self._add_claims(result)
        self._add_node_wishes(result.pod["spec"])
        if self.dice.chance(0.15):
            self._add_extended_resource(result)
        return result

    # ---- nodes

    def _node(self, name: str) -> Json:
        dice = self.dice
        labels = {"kubernetes.io/hostname": name, CASE_LABEL: self.names.prefix.rstrip("-")}
        if dice.chance(0.8):
            labels["zone"] = dice.pick("a", "b")
        if dice.chance(0.5):
            labels["rank"] = dice.pick("5", "x")
        amounts = {"cpu": dice.pick("4", "4", "2500m"), "memory": "8Gi", "pods": "110"}
        spec: Json = {}
        if dice.odd(0.08):
            effect = dice.pick("NoSchedule", "NoExecute", "PreferNoSchedule")
            spec["taints"] = [{"key": "dedicated", "value": "ml", "effect": effect}]
        if dice.odd(0.04):
            spec["unschedulable"] = True
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
            "spec": spec,
            "status": {"allocatable": amounts, "capacity": dict(amounts)},
        }

    def _add_node_wishes(self, spec: Json) -> None:
        dice = self.dice
        if dice.odd(0.2):
            terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
            spec["affinity"] = {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
                }
            }
        if dice.chance(0.1):
            spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
        if dice.chance(0.3):
            requests = {"cpu": dice.pick("1", "2", "3")}
            spec["containers"][0]["resources"]["requests"] = requests

    # ---- claims

    def _used(self, slices: list[Json]) -> list[Json]:
        return [
            self._allocated_claim(f"used-{i}", [result])
            for i, result in enumerate(self.claim_generator.allocated(slices))
        ]

    def _allocated_claim(self, name: str, results: list[Json]) -> Json:
        request = {"name": "r", "exactly": {"deviceClassName": self.names.any_class}}
        claim = _object("ResourceClaim", self.names.prefix + name)
        claim["spec"] = {"devices": {"requests": [request]}}
        claim["status"] = {"allocation": {"devices": {"results": results}}}
        return claim

    def _add_claims(self, case: PodCase) -> None:
        dice = self.dice
        entries = []
        for i in range(dice.pick(1, 1, 1, 2, 2, 3)):
            name = f"{self.names.prefix}claim-{i}"
            entry = {"name": f"entry-{i}"}
            if dice.chance(0.25):
                template = _object("ResourceClaimTemplate", name)
                template["spec"] = {"spec": self.claim_generator.spec()}
                case.templates.append(template)
                entry["resourceClaimTemplateName"] = name
            else:
                claim = _object("ResourceClaim", name)
                claim["spec"] = self.claim_generator.spec()
                case.claims.append(claim)
                entry["resourceClaimName"] = name
            entries.append(entry)
        if dice.chance(0.08):
            held = self._held_claim()
            case.claims.append(held)
            entries.append({"name": "held", "resourceClaimName": held["metadata"]["name"]})
        case.pod["spec"]["resourceClaims"] = entries

    def _held_claim(self) -> Json:
        """Allocated for another pod: ours must go where it can be used."""
        dice = self.dice
        device = {
            "request": "r",
            "driver": self.names.drivers[0],
            "pool": self.names.pool(99),
            "device": "held",
        }
        claim = self._allocated_claim("held", [device])
        allocation = claim["status"]["allocation"]
        allocation["allocationTimestamp"] = "2026-01-01T00:00:00Z"
        field = {"key": "metadata.name", "operator": "In", "values": [dice.pick(*self.names.nodes)]}
        label = {"key": "zone", "operator": "In", "values": ["a"]}
        term = dice.pick(None, {"matchFields": [field]}, {"matchExpressions": [label]})
        if term is not None:
            allocation["nodeSelector"] = {"nodeSelectorTerms": [term]}
        return claim

    def _rules(self) -> list[Json]:
        dice = self.dice
        selector: Json = {"driver": dice.pick(*self.names.drivers)}
        if dice.chance(0.3):
            selector["pool"] = dice.pick(*self.names.nodes)
        if dice.chance(0.6):
            selector["device"] = f"dev-{dice.below(4)}"
        taint = {
            "key": dice.pick("maintenance", "broken"),
            "value": "yes",
            "effect": dice.pick("NoSchedule", "NoExecute", "None"),
        }
        rule = _object("DeviceTaintRule", f"{self.names.prefix}rule", "resource.k8s.io/v1beta2")
        rule["spec"] = {"deviceSelector": selector, "taint": taint}
        return [rule]

    # ---- extended resources

    def _add_extended_resource(self, case: PodCase) -> None:
        """A resource that devices provide on nodes where no device plugin does."""
        dice = self.dice
        number = dice.pick(0, 0, 0, 1)
        resource = self.names.resource(number)
        if dice.chance(0.7):
            case.classes[number]["spec"]["extendedResourceName"] = resource
        if dice.chance(0.3):
            resource = IMPLICIT_RESOURCE + self.names.device_class(number)
        for node in case.nodes:
            if dice.chance(0.3):
                amount = dice.pick("0", "1", "2", "8")
                node["status"]["allocatable"][resource] = amount
                node["status"]["capacity"][resource] = amount
        spec = case.pod["spec"]
        containers = dice.pick(1, 1, 2)
        while len(spec["containers"]) < containers:
            spec["containers"].append(_container(f"more-{len(spec['containers'])}"))
        for container in spec["containers"]:
            container["resources"]["limits"] = {resource: str(dice.pick(1, 1, 2))}
        if dice.chance(0.3):
            init = _container("init")
            init["resources"]["limits"] = {resource: str(dice.pick(1, 2, 3))}
            if dice.chance(0.4):
                init["restartPolicy"] = "Always"
            spec["initContainers"] = [init]
        if dice.chance(0.5):
            spec.pop("resourceClaims")
            case.claims.clear()
            case.templates.clear()


def _object(kind: str, name: str, version: str = "resource.k8s.io/v1") -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}


def _container(name: str) -> Json:
    return {"name": name, "image": "none", "resources": {}}


def _pod(name: str, node_selector: Json) -> Json:
    pod = _object("Pod", name, "v1")
    pod["spec"] = {
        "nodeSelector": node_selector,
        "containers": [_container("main")],
        "terminationGracePeriodSeconds": 0,
    }
    return pod
