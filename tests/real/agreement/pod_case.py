"""A pod and the small cluster it meets: nodes, slices, classes, claims of its own and of others."""

from __future__ import annotations

import dataclasses

from real.agreement.claims import ClaimGenerator
from real.agreement.cluster_objects import (
    add_plugin,
    api_object,
    make_node,
    node_labels,
    node_taint,
    taint_rule,
)
from real.agreement.cluster_writer import WITH_RULES
from real.agreement.dice import Dice, Json
from real.agreement.kept_fields import GATED, keep_claim, keep_results, keep_slice
from real.agreement.lanes import (
    IMPLICIT_RESOURCE,
    Case,
    extended_resources,
    look_around,
)
from real.agreement.names import CASE_LABEL, Names
from real.agreement.slices import SliceGenerator

HOLDER = "holder"  # a pod that keeps a claim reserved


@dataclasses.dataclass
class PodCase(Case):
    """A pod, and claims of others that hold devices."""

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
    def looks_around(self) -> bool:
        specs = [claim["spec"] for claim in self.claims]
        specs += [template["spec"]["spec"] for template in self.templates]
        return look_around(self.names, self.classes, specs, extended_resources(self.pod["spec"]))


def pod_case(seed: int, number: int, release: str) -> PodCase:
    """Of all releases the same, but for what their API servers do not keep."""
    case = _Generator(seed, number).case()
    if release not in WITH_RULES:
        case.rules = []
    if release in GATED:
        _keep(case, release)
    return case


def _keep(case: PodCase, release: str) -> None:
    for piece in case.slices:
        keep_slice(piece["spec"], case.names.nodes[0])
    for claim in [*case.used, *case.claims]:
        if "status" in claim:
            keep_results(claim)
        keep_claim(claim["spec"]["devices"], release)
    for template in case.templates:
        keep_claim(template["spec"]["spec"]["devices"], release)
    for device_class in case.classes:
        device_class["spec"].pop("extendedResourceName", None)


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
            rules=(
                [taint_rule(self.dice, self.names, "rule", of_device=0.6)]
                if self.dice.odd(0.3)
                else []
            ),
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
        labels = node_labels(dice, self.names, name)
        amounts = {"cpu": dice.pick("4", "4", "2500m"), "memory": "8Gi", "pods": "110"}
        spec: Json = {}
        if dice.odd(0.08):
            spec["taints"] = [node_taint(dice)]
        if dice.odd(0.04):
            spec["unschedulable"] = True
        return make_node(name, labels, amounts, spec)

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
        claim = api_object("ResourceClaim", self.names.prefix + name)
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
                template = api_object("ResourceClaimTemplate", name)
                template["spec"] = {"spec": self.claim_generator.spec()}
                case.templates.append(template)
                entry["resourceClaimTemplateName"] = name
            else:
                claim = api_object("ResourceClaim", name)
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
        for each in case.nodes:
            if dice.chance(0.3):
                add_plugin(dice, each, resource)
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


def _container(name: str) -> Json:
    return {"name": name, "image": "none", "resources": {}}


def _pod(name: str, node_selector: Json) -> Json:
    pod = api_object("Pod", name, "v1")
    pod["spec"] = {
        "nodeSelector": node_selector,
        "containers": [_container("main")],
        "terminationGracePeriodSeconds": 0,
    }
    return pod
