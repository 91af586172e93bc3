"""A whole job and the small cluster it meets: pod sets, running pods, claims in every state, PodGroups."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypeVar

from real.agreement.claims import ClaimGenerator
from real.agreement.cluster_objects import (
    add_plugin,
    api_object,
    make_node,
    node_labels,
    node_taint,
    taint_rule,
)
from real.agreement.cluster_writer import POD_GROUP_VERSIONS, WITH_RULES
from real.agreement.dice import Dice, Json
from real.agreement.job_pods import PodSet, PodSets
from real.agreement.lanes import Case, extended_resources, look_around
from real.agreement.names import Names
from real.agreement.slices import SliceGenerator

KEPT = "agreement.fedra.dev/kept"  # finalizer of claims that are being deleted

T = TypeVar("T")


@dataclasses.dataclass
class HeldClaim:
    """A claim and what has become of it before the job came. Its `status` holds the allocation."""

    claim: Json
    runner: int | None = None  # that has reserved it; None: no pod
    deleting: bool = False

    @property
    def name(self) -> str:
        return str(self.claim["metadata"]["name"])


@dataclasses.dataclass
class JobCase(Case):
    """A job of several pod sets, and what runs in the cluster already."""

    runners: list[Json]  # pods that run already
    claims: list[HeldClaim]  # of others, and those that the job names
    templates: list[Json]
    pod_sets: list[PodSet]
    # Of the first so many pod sets one PodGroup; 0: none.
    grouped: int = 0
    min_count: int = 0
    # Whether one pod of it that the scheduler leaves in its queue keeps all of them there: runPreEnqueuePlugins in
    # pkg/scheduler/backend/queue/scheduling_queue.go of 1.37.0. Up to 1.36 the others go on without it.
    group_waits_as_one: bool = False

    @property
    def name(self) -> str:
        return f"job-{self.number}"

    @property
    def shared_prefix(self) -> str:
        """Of the claims that the job names."""
        return f"{self.names.prefix}shared-"

    @property
    def group(self) -> str:
        return f"{self.names.prefix}group"

    def group_of(self, pod_set: int) -> str | None:
        return self.group if pod_set < self.grouped else None

    @property
    def pods(self) -> int:
        return sum(pod_set.count for pod_set in self.pod_sets)

    def waits_in_queue(self, pod_set: int) -> bool:
        """Whether the scheduler leaves its pods in the queue, and says nothing of them."""
        if pod_set >= self.grouped:
            return self._names_deleted(pod_set)
        if sum(each.count for each in self.pod_sets[: self.grouped]) < self.min_count:
            return True
        together = range(self.grouped) if self.group_waits_as_one else [pod_set]
        return any(self._names_deleted(i) for i in together)

    def _names_deleted(self, pod_set: int) -> bool:
        """A claim that is being deleted."""
        deleted = {held.name for held in self.claims if held.deleting}
        entries = self.pod_sets[pod_set].spec.get("resourceClaims", [])
        return any(entry.get("resourceClaimName") in deleted for entry in entries)

    @property
    def looks_around(self) -> bool:
        # One that is allocated and not reserved may be allocated anew.
        named = (held for held in self.claims if held.name.startswith(self.shared_prefix))
        specs = [held.claim["spec"] for held in named]
        specs += [template["spec"]["spec"] for template in self.templates]
        resources = [name for one in self.pod_sets for name in extended_resources(one.spec)]
        return look_around(self.names, self.classes, specs, resources)


def job_case(seed: int, number: int, release: str) -> JobCase:
    """Of all releases the same, but for what their API servers do not serve."""
    generator = _Generator(seed, number)
    case = generator.case()
    # Such jobs are shown alone, which takes as long as for forty others: few of them will do.
    while case.looks_around and case.reaches_out and generator.dice.chance(0.8):
        case = generator.case()
    if release not in POD_GROUP_VERSIONS:
        case.grouped = 0
    case.group_waits_as_one = release not in ("1.34", "1.35", "1.36")
    if release not in WITH_RULES:
        case.rules = []
        _reach_as_slices(case)
    return case


def _reach_as_slices(case: JobCase) -> None:
    """Older API servers refuse slices whose devices say themselves which nodes they reach."""
    for piece in case.slices:
        spec = piece["spec"]
        if spec.pop("perDeviceNodeSelection", False):
            spec["nodeName"] = case.names.nodes[0]
            for device in spec["devices"]:
                for field in ("nodeName", "nodeSelector", "allNodes"):
                    device.pop(field, None)


class _Generator:
    def __init__(self, seed: int, number: int):
        self.dice = Dice(f"jobs/{seed}/{number}")
        self.number = number
        self.names = Names.make(f"j{number}-", self.dice.pick(1, 2, 2, 3, 4))
        self.claim_generator = ClaimGenerator(self.dice, self.names, stored=True)

    def case(self) -> JobCase:
        # What is odd about one pod of eighteen decides the whole job: less of it than in a pod alone.
        self.dice.wild = self.dice.pick(0.03, 0.1, 0.2, 0.4)
        slices = SliceGenerator(self.dice, self.names, stored=True).slices() + self._plain_pools()
        if not self.dice.chance(0.1):
            _bind_at_once(slices)
        nodes = [self._node(name) for name in self.names.nodes]
        result = JobCase(
            number=self.number,
            names=self.names,
            nodes=nodes,
            classes=self.claim_generator.classes(),
            slices=slices,
            rules=[
                taint_rule(self.dice, self.names, f"rule-{i}", of_device=0.8)
                for i in range(self.dice.pick(0, 0, 0, 1, 2, 3))
            ],
            runners=[self._runner(i) for i in range(self.dice.pick(0, 1, 1, 2, 3))],
            claims=[],
            templates=[],
            pod_sets=[],
        )
        self._add_claims(result)
        pod_sets = PodSets(self.dice, self.names, self.claim_generator, result.classes, slices)
        result.pod_sets = pod_sets.make([held.name for held in result.claims[: self._shared]])
        result.templates = pod_sets.templates
        if pod_sets.plugins is not None:
            for each in result.nodes:
                if self.dice.chance(0.4):
                    add_plugin(self.dice, each, pod_sets.plugins)
        if self.dice.chance(0.35):
            self._group(result)
        return result

    def _plain_pools(self) -> list[Json]:
        """Several equal devices on a node, as most clusters have them."""
        result = []
        for i, name in enumerate(self.names.nodes):
            if self.dice.chance(0.5):
                continue
            attributes = {"model": {"string": self.dice.pick("a100", "h100")}}
            count = self.dice.pick(2, 4, 4, 8)
            devices = [{"name": f"gpu-{j}", "attributes": attributes} for j in range(count)]
            piece = api_object("ResourceSlice", self.names.slice(80 + i))
            piece["spec"] = {
                "driver": self.names.drivers[0],
                "nodeName": name,
                "pool": {
                    "name": self.names.pool(80 + i),
                    "generation": 1,
                    "resourceSliceCount": 1,
                },
                "devices": devices,
            }
            result.append(piece)
        return result

    # ---- nodes

    def _node(self, name: str) -> Json:
        dice = self.dice
        labels = node_labels(dice, self.names, name)
        amounts = {
            "cpu": dice.pick("2500m", "4", "8"),
            "memory": "8Gi",
            "pods": dice.pick("110", "110", "110", "4"),
        }
        spec: Json = {}
        if dice.chance(0.12):
            spec["taints"] = [node_taint(dice)]
        if dice.chance(0.03):
            spec["unschedulable"] = True
        return make_node(name, labels, amounts, spec)

    def _runner(self, number: int) -> Json:
        """It runs, holds CPU, and may hold claims."""
        dice = self.dice
        requests = {"cpu": dice.pick("500m", "1", "2")}
        if dice.chance(0.3):
            requests["memory"] = dice.pick("1Gi", "3Gi")
        container = {"name": "main", "image": "none", "resources": {"requests": requests}}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{self.names.prefix}runner-{number}"},
            "spec": {
                "nodeName": dice.pick(*self.names.nodes),
                "containers": [container],
                "terminationGracePeriodSeconds": 0,
            },
        }

    # ---- claims

    def _add_claims(self, case: JobCase) -> None:
        """First those that the job may name, then those of others."""
        devices = self._wildly(lambda: self.claim_generator.allocated(case.slices))
        self._shared = self.dice.pick(0, 0, 1, 1, 2)
        for i in range(self._shared):
            name = f"{case.shared_prefix}{i}"
            state = self.dice.pick(
                "free", "free", "free", "reserved", "reserved", "idle", "idle", "old", "deleting",
                "failed",
            )  # fmt: skip
            case.claims.append(self._shared_claim(case, name, state, devices))
        for i, device in enumerate(devices):
            claim = self._allocated(f"{self.names.prefix}used-{i}", device, "")
            case.claims.append(HeldClaim(claim, self._some_runner(case)))

    def _shared_claim(self, case: JobCase, name: str, state: str, devices: list[Json]) -> HeldClaim:
        if state in ("free", "deleting"):
            claim = api_object("ResourceClaim", name)
            claim["spec"] = self._simple_spec()
            if state == "deleting":
                claim["metadata"]["finalizers"] = [KEPT]
            return HeldClaim(claim, deleting=state == "deleting")
        device, node = self._device_to_hold(case, devices)
        claim = self._allocated(name, device, node)
        allocation = claim["status"]["allocation"]
        if state != "old":
            allocation["allocationTimestamp"] = "2026-01-01T00:00:00Z"
        if state == "failed":
            device["bindingConditions"] = ["ready"]
            device["bindingFailureConditions"] = ["failed"]
            claim["status"]["devices"] = [_failed(device)]
        return HeldClaim(claim, self._some_runner(case) if state == "reserved" else None)

    def _some_runner(self, case: JobCase) -> int | None:
        if not case.runners or self.dice.chance(0.3):
            return None
        return self.dice.below(len(case.runners))

    def _allocated(self, name: str, device: Json, node: str) -> Json:
        """`node`: the only one on which it can be used; empty: any."""
        # However the device is tainted later: nobody who holds it is evicted.
        device["tolerations"] = [{"operator": "Exists"}]
        ask = {
            "deviceClassName": self.names.device_class(0),
            "allocationMode": "ExactCount",
            "count": 1,
        }
        request = {"name": "r", "exactly": ask}
        allocation: Json = {"devices": {"results": [device]}}
        if node:
            field = {"key": "metadata.name", "operator": "In", "values": [node]}
            allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [field]}]}
        claim = api_object("ResourceClaim", name)
        claim["spec"] = {"devices": {"requests": [request]}}
        claim["status"] = {"allocation": allocation}
        return claim

    def _device_to_hold(self, case: JobCase, used: list[Json]) -> tuple[Json, str]:
        """A device that the cluster has, while there is one that nobody holds, and where it can be used."""
        taken = {(d["driver"], d["pool"], d["device"]) for d in used}
        taken |= {_key(h.claim) for h in case.claims if "status" in h.claim}
        free = []
        for piece in case.slices:
            spec = piece["spec"]
            for device in spec.get("devices", []):
                key = (spec["driver"], spec["pool"]["name"], device["name"])
                shared = device.get("allowMultipleAllocations") or "consumesCounters" in device
                if (spec.get("nodeName") or spec.get("allNodes")) and not shared:
                    if key not in taken:
                        free.append((*key, spec.get("nodeName", "")))
        node = self.dice.pick("", *self.names.nodes)
        vanished = (self.names.drivers[0], self.names.pool(99), f"gone-{len(case.claims)}", node)
        driver, pool, device, node = self.dice.pick(*free) if free else vanished
        return {"request": "r", "driver": driver, "pool": pool, "device": device}, node

    def _simple_spec(self) -> Json:
        if self.dice.chance(0.4):
            return self.claim_generator.spec()
        ask = {
            "deviceClassName": self.names.device_class(0),
            "allocationMode": "ExactCount",
            "count": self.dice.pick(1, 1, 2),
        }
        return {"devices": {"requests": [{"name": "req-0", "exactly": ask}]}}

    # ---- the rest

    def _group(self, case: JobCase) -> None:
        sets = len(case.pod_sets)
        case.grouped = sets if self.dice.chance(0.75) else self.dice.pick(*range(1, sets + 1))
        pods = sum(pod_set.count for pod_set in case.pod_sets[: case.grouped])
        case.min_count = self.dice.pick(pods, pods, pods, *range(1, pods + 1), pods + 1)

    def _wildly(self, make: Callable[[], T]) -> T:
        before, self.dice.wild = self.dice.wild, self.dice.pick(0.2, 0.6, 1.0)
        result = make()
        self.dice.wild = before
        return result


def _bind_at_once(slices: list[Json]) -> None:
    for piece in slices:
        for device in piece["spec"].get("devices", []):
            device.pop("bindingConditions", None)
            device.pop("bindingFailureConditions", None)


def _key(claim: Json) -> tuple[str, str, str]:
    result = claim["status"]["allocation"]["devices"]["results"][0]
    return result["driver"], result["pool"], result["device"]


def _failed(result: Json) -> Json:
    condition = {
        "type": "failed",
        "status": "True",
        "reason": "Failed",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    return {**{key: result[key] for key in ("driver", "pool", "device")}, "conditions": [condition]}
