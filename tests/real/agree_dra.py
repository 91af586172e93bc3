#!/usr/bin/env python3
"""Gives the same generated allocation cases to fedra's judge-lines and to the real allocator of
kube-scheduler (tests/real/go/allocator), and compares outcome and chosen devices.

    agree_dra.py --ours build/release/tests/tools/judge-lines --real /tmp/real-allocator -n 5000 --seed 1

Every disagreement is printed with its case (--save DIR writes them as files to replay). Known and
wanted differences are counted apart, each with its reason:

    real-gave-up    the real search ran into its time limit; ours prunes and has an answer
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

DRIVERS = ["gpu.example.com", "nic.example.com"]
NODES = ["node-1", "node-2"]

Json = dict[str, Any]


class Generator:
    """One random case per call of case(). Small on purpose: corners meet each other often."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.wild = 1.0  # how often odd things happen in this case

    def odd(self, probability: float) -> bool:
        return self.chance(probability * self.wild)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    # ---- slices

    def attributes(self, driver: str) -> Json:
        attributes: Json = {}
        if self.chance(0.9):
            attributes["model"] = {"string": self.pick("a100", "h100")}
        if self.chance(0.8):
            attributes["index"] = {"int": self.random.randrange(4)}
        if self.chance(0.5):
            attributes["ok"] = {"bool": self.chance(0.7)}
        if self.chance(0.4):
            attributes["fw"] = {"version": self.pick("1.0.0", "1.0.0+build", "2.1.0", "2.1.0-rc.1")}
        if self.odd(0.02):
            attributes["fw"] = {"version": "1.0"}
        if self.chance(0.6):
            attributes["resource.kubernetes.io/pcieRoot"] = {"string": self.pick("p0", "p1", "p2")}
        if self.chance(0.3):
            attributes[driver + "/group"] = self.pick({"int": 1}, {"int": 2}, {"string": "1"})
        if self.chance(0.3):
            attributes["group"] = self.pick({"int": 1}, {"int": 2}, {"string": "1"})
        if attributes.get("group") and attributes.get(driver + "/group"):
            del attributes["group"]  # which one a selector sees is random in 1.36
        if self.odd(0.01):
            attributes["list"] = {"strings": ["x", "y"]}
        return attributes

    def capacity(self, shared: bool) -> Json:
        capacity: Json = {}
        if self.chance(0.8):
            capacity["memory"] = {"value": self.pick("16Gi", "40Gi", "80Gi")}
        if self.chance(0.3):
            capacity["cores"] = {"value": self.pick("4", "8", "500m")}
        if shared:
            for entry in capacity.values():
                if self.chance(0.6):
                    entry["requestPolicy"] = self.policy(entry["value"])
        return capacity

    def policy(self, value: str) -> Json:
        if value.endswith("Gi"):
            unit = "Gi"
            top = int(value[:-2])
        else:
            unit = ""
            top = 8 if value == "8" else 4 if value == "4" else 0
        if top == 0:
            return {"default": "250m"}
        default = self.pick(1, 2, top)
        kind = self.random.randrange(4)
        if kind == 0:
            return {"default": f"{default}{unit}"}
        if kind == 1:
            values = sorted({1, 2, default, top})
            return {"default": f"{default}{unit}", "validValues": [f"{v}{unit}" for v in values]}
        policy: Json = {"default": f"{default}{unit}", "validRange": {"min": f"1{unit}"}}
        if self.chance(0.5):
            policy["validRange"]["max"] = f"{top}{unit}"
        if self.chance(0.5):
            policy["validRange"]["step"] = f"1{unit}"
        return policy

    def taint(self) -> Json:
        return {
            "key": self.pick("maintenance", "broken"),
            "value": self.pick("", "yes"),
            "effect": self.pick("NoSchedule", "NoExecute", "None", "NoSchedule"),
            "timeAdded": "2026-01-01T00:00:00Z",
        }

    def node_requirement(self) -> Json:
        kind = self.random.randrange(5)
        if kind == 0:
            return {
                "key": "zone",
                "operator": self.pick("In", "NotIn"),
                "values": [self.pick("a", "b")],
            }
        if kind == 1:
            return {
                "key": self.pick("zone", "rack"),
                "operator": self.pick("Exists", "DoesNotExist"),
            }
        if kind == 2:
            return {
                "key": "rank",
                "operator": self.pick("Gt", "Lt"),
                "values": [self.pick("3", "7")],
            }
        if kind == 3 and self.chance(0.05):
            return {"key": "zone", "operator": self.pick("Like", "In"), "values": []}
        return {"key": "zone", "operator": "In", "values": ["a", "b"]}

    def node_selector(self) -> Json:
        terms = 1 if self.chance(0.95) else 2
        result = []
        for _ in range(terms):
            term: Json = {}
            if self.chance(0.8):
                term["matchExpressions"] = [self.node_requirement()]
            if self.chance(0.3):
                term["matchFields"] = [
                    {
                        "key": "metadata.name",
                        "operator": self.pick("In", "NotIn"),
                        "values": [self.pick(*NODES)],
                    }
                ]
            result.append(term)
        return {"nodeSelectorTerms": result}

    def reach(self, target: Json, node: str) -> None:
        kind = self.random.randrange(6)
        if kind <= 2:
            target["nodeName"] = node
        elif kind == 3:
            target["allNodes"] = True
        elif kind == 4:
            target["nodeSelector"] = self.node_selector()
        else:
            target["nodeName"] = self.pick(*NODES)

    def device(self, name: str, driver: str, counters: list[Json]) -> Json:
        shared = self.chance(0.25)
        device: Json = {"name": name, "attributes": self.attributes(driver)}
        capacity = self.capacity(shared)
        if capacity:
            device["capacity"] = capacity
        if shared:
            device["allowMultipleAllocations"] = True
        elif self.chance(0.05):
            device["allowMultipleAllocations"] = False
        if self.odd(0.12):
            device["taints"] = [self.taint() for _ in range(self.pick(1, 1, 2))]
        if counters and self.chance(0.8):
            device["consumesCounters"] = self.consumption(counters)
        if self.chance(0.05):
            device["bindingConditions"] = ["ready"]
            device["bindingFailureConditions"] = ["failed"]
        if self.chance(0.05):
            device["bindsToNode"] = True
        return device

    def consumption(self, counters: list[Json]) -> list[Json]:
        result = []
        for counter_set in self.random.sample(counters, k=min(len(counters), self.pick(1, 1, 2))):
            names = list(counter_set["counters"])
            chosen = self.random.sample(names, k=self.random.randint(1, len(names)))
            result.append(
                {
                    "counterSet": counter_set["name"],
                    "counters": {n: {"value": self.pick("1", "2", "0", "3")} for n in chosen},
                }
            )
        if self.chance(0.01):
            result.append({"counterSet": "nowhere", "counters": {"x": {"value": "1"}}})
        return result

    def counter_sets(self) -> list[Json]:
        if not self.chance(0.3):
            return []
        return [
            {
                "name": f"set-{i}",
                "counters": {
                    n: {"value": self.pick("2", "3", "4")}
                    for n in ("slots", "memory")[: self.pick(1, 2)]
                },
            }
            for i in range(self.pick(1, 1, 2))
        ]

    def pool(self, driver: str, number: int) -> list[Json]:
        node = self.pick(NODES[0], NODES[0], NODES[1])
        name = node if self.chance(0.6) else f"pool-{number}"
        generation = self.pick(1, 1, 1, 2)
        counters = self.counter_sets()
        specs = []
        if counters:
            spec: Json = {"sharedCounters": counters}
            self.reach(spec, node)
            if self.chance(0.03):
                spec["devices"] = [{"name": "odd"}]
            specs.append(spec)
        next_device = 0
        for _ in range(self.pick(1, 1, 2)):
            spec = {"devices": []}
            per_device = self.chance(0.12)
            if per_device:
                spec["perDeviceNodeSelection"] = True
            elif self.chance(0.02):
                pass  # a node selection of the future
            else:
                self.reach(spec, node)
            for _ in range(self.random.randint(0, 7)):
                device = self.device(f"dev-{next_device}", driver, counters)
                if not self.chance(0.01):
                    next_device += 1
                if per_device:
                    self.reach(device, node)
                spec["devices"].append(device)
            specs.append(spec)
        count = len(specs)
        if self.odd(0.06):
            count += self.pick(1, -1)
        slices = []
        for spec in specs:
            spec["driver"] = driver
            spec["pool"] = {
                "name": name,
                "generation": generation,
                "resourceSliceCount": max(count, 1),
            }
            if self.odd(0.04):
                spec["pool"]["generation"] += 1
            slices.append(spec)
        return slices

    def slices(self) -> list[Json]:
        result = []
        number = 0
        for driver in DRIVERS:
            for _ in range(
                self.pick(0, 1, 1, 2) if driver == DRIVERS[1] else self.pick(1, 1, 2, 3)
            ):
                result += self.pool(driver, number)
                number += 1
        names = [f"slice-{i:02}" for i in range(len(result))]
        self.random.shuffle(names)
        self.random.shuffle(result)
        return [
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": {"name": name},
                "spec": spec,
            }
            for name, spec in zip(names, result)
        ]

    # ---- claims

    def selector(self, driver: str) -> str:
        d = f'device.attributes["{driver}"]'
        return self.pick(
            f'device.driver == "{driver}"',
            f'device.driver == "{driver}"',
            f'"model" in {d} && {d}.model == "{self.pick("a100", "h100")}"',
            f'has({d}.index) && {d}.index {self.pick("<", ">=", "==")} {self.random.randrange(4)}',
            f'{d}.model == "a100"',
            f'{d}[?"ok"].orValue(false)',
            f'has({d}.fw) && {d}.fw.isGreaterThan(semver("1.5.0"))',
            f'"memory" in device.capacity["{driver}"] && '
            f'device.capacity["{driver}"].memory.compareTo(quantity("{self.pick("16Gi", "40Gi")}")) >= 0',
            "device.allowMultipleAllocations",
            'device.attributes["resource.kubernetes.io"].pcieRoot in ["p0", "p1"]',
            "true",
        )

    def classes(self) -> list[Json]:
        result = []
        for i, driver in enumerate(DRIVERS):
            selectors = [f'device.driver == "{driver}"']
            if self.odd(0.3):
                selectors.append(self.selector(driver))
            if self.odd(0.08):
                selectors = [self.selector(driver)]
            result.append(
                {
                    "apiVersion": "resource.k8s.io/v1",
                    "kind": "DeviceClass",
                    "metadata": {"name": f"class-{i}"},
                    "spec": {"selectors": [{"cel": {"expression": s}} for s in selectors]},
                }
            )
        result.append(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "DeviceClass",
                "metadata": {"name": "any"},
                "spec": {},
            }
        )
        return result

    def toleration(self) -> Json:
        toleration: Json = {"operator": self.pick("Exists", "Equal")}
        if self.chance(0.8):
            toleration["key"] = self.pick("maintenance", "broken")
        else:
            toleration["operator"] = "Exists"
        if toleration["operator"] == "Equal":
            toleration["value"] = self.pick("", "yes")
        if self.chance(0.4):
            toleration["effect"] = self.pick("NoSchedule", "NoExecute")
        return toleration

    def request_body(self, admin_allowed: bool) -> Json:
        i = self.pick(0, 0, 0, 1)
        body: Json = {"deviceClassName": f"class-{i}", "allocationMode": "ExactCount"}
        if self.chance(0.05):
            body["deviceClassName"] = "any"
        if self.odd(0.01):
            body["deviceClassName"] = "missing"
        if self.odd(0.45):
            body["selectors"] = [
                {"cel": {"expression": self.selector(DRIVERS[i])}}
                for _ in range(self.pick(1, 1, 2))
            ]
        if self.odd(0.15):
            body["allocationMode"] = "All"
        else:
            body["count"] = self.pick(1, 1, 1, 2, 2, 3, 4)
        if self.chance(0.2):
            body["tolerations"] = [self.toleration()]
        if self.odd(0.2):
            body["capacity"] = {
                "requests": {
                    self.pick("memory", "memory", "cores"): self.pick(
                        "1Gi", "3Gi", "20Gi", "64Gi", "500m", "2", "1500m"
                    )
                }
            }
        if admin_allowed and self.chance(0.08):
            body["adminAccess"] = self.chance(0.9)
        if self.chance(0.003):
            body["allocationMode"] = ""
        return body

    def claim(self, number: int) -> Json:
        requests: list[Json] = []
        names = []
        for i in range(self.pick(1, 1, 1, 2, 2, 3)):
            name = f"req-{i}"
            names.append(name)
            if self.chance(0.2):
                subs = []
                for j in range(self.pick(1, 2, 2, 3)):
                    subs.append(dict(self.request_body(False), name=f"sub-{j}"))
                    names.append(f"{name}/sub-{j}")
                requests.append({"name": name, "firstAvailable": subs})
            else:
                requests.append({"name": name, "exactly": self.request_body(True)})
        constraints: list[Json] = []
        while self.odd(0.35) and len(constraints) < 3:
            constraint: Json = {}
            if self.chance(0.5):
                constraint["requests"] = self.random.sample(
                    names, k=self.random.randint(1, len(names))
                )
            attribute = self.pick(
                "resource.kubernetes.io/pcieRoot",
                "resource.kubernetes.io/pcieRoot",
                f"{DRIVERS[0]}/model",
                f"{DRIVERS[0]}/index",
                f"{DRIVERS[0]}/group",
                f"{DRIVERS[0]}/fw",
                f"{DRIVERS[0]}/list",
            )
            constraint[
                self.pick("matchAttribute", "matchAttribute", "distinctAttribute")
            ] = attribute
            constraints.append(constraint)
        devices: Json = {"requests": requests}
        if constraints:
            devices["constraints"] = constraints
        return {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"namespace": "ml", "name": f"claim-{number}", "uid": f"uid-{number}"},
            "spec": {"devices": devices},
        }

    def allocated(self, slices: list[Json]) -> list[Json]:
        claims: list[Json] = []
        for piece in slices:
            for device in piece["spec"].get("devices", []):
                if not self.odd(0.22):
                    continue
                entry = {
                    "request": "r",
                    "driver": piece["spec"]["driver"],
                    "pool": piece["spec"]["pool"]["name"],
                    "device": device["name"],
                }
                if device.get("allowMultipleAllocations") and self.chance(0.9):
                    entry["shareID"] = f"{self.random.randrange(16**12):032x}"
                    if self.chance(0.9) and device.get("capacity"):
                        entry["consumedCapacity"] = {
                            n: self.pick("1Gi", "8Gi", "16Gi") if c["value"].endswith("Gi") else "1"
                            for n, c in device["capacity"].items()
                        }
                if self.chance(0.06):
                    entry["adminAccess"] = True
                claims.append(
                    {
                        "metadata": {"namespace": "other", "name": f"used-{len(claims)}"},
                        "spec": {},
                        "status": {"allocation": {"devices": {"results": [entry]}}},
                    }
                )
        if self.chance(0.05):
            claims.append(
                {
                    "metadata": {"namespace": "other", "name": "gone"},
                    "spec": {},
                    "status": {
                        "allocation": {
                            "devices": {
                                "results": [
                                    {
                                        "request": "r",
                                        "driver": DRIVERS[0],
                                        "pool": NODES[0],
                                        "device": "vanished",
                                    }
                                ]
                            }
                        }
                    },
                }
            )
        return claims

    def case(self, number: int) -> Json:
        self.wild = self.pick(0.1, 0.3, 0.6, 1.0)
        slices = self.slices()
        labels = {"kubernetes.io/hostname": NODES[0]}
        if self.chance(0.8):
            labels["zone"] = self.pick("a", "b")
        if self.chance(0.5):
            labels["rank"] = self.pick("5", "x")
        return {
            "name": f"case-{number}",
            "k8s": "1.36",
            "node": {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": NODES[0], "labels": labels},
            },
            "classes": self.classes(),
            "slices": slices,
            "allocatedClaims": self.allocated(slices),
            "claims": [self.claim(i) for i in range(self.pick(1, 1, 1, 2, 2, 3))],
        }


def run(command: Sequence[str], lines: Sequence[Json]) -> list[Json]:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def devices(answer: Json) -> list[tuple[str, ...]]:
    return sorted(
        (r["claim"], r["request"], r["driver"], r["pool"], r["device"])
        for r in answer.get("results") or []
    )


def compare(ours: Json, real: Json) -> str | None:
    """None when both agree, else a word for the kind of difference."""
    if real["outcome"] == "budget":
        return None if ours["outcome"] == "budget" else "real-gave-up"
    if ours["outcome"] != real["outcome"]:
        return f'{real["outcome"]} but ours {ours["outcome"]}'
    if devices(ours) != devices(real):
        return "other devices"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--ours", required=True)
    parser.add_argument("--real", required=True)
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", default="10s", help="time for one case of the real allocator")
    parser.add_argument("--save", help="folder for the cases that differ")
    parser.add_argument("--show", type=int, default=5, help="how many differences to print")
    options = parser.parse_args()
    generator = Generator(options.seed)
    cases = [generator.case(i) for i in range(options.n)]
    ours = run([options.ours], cases)
    real = run([options.real, "-limit", options.limit], cases)
    outcomes = collections.Counter(answer["outcome"] for answer in real)
    kinds: collections.Counter[str] = collections.Counter()
    for case, mine, theirs in zip(cases, ours, real):
        kind = compare(mine, theirs)
        if kind is None:
            continue
        kinds[kind] += 1
        if options.save:
            os.makedirs(options.save, exist_ok=True)
            path = os.path.join(options.save, f'{options.seed}-{case["name"]}.json')
            with open(path, "w", encoding="utf-8") as file:
                json.dump(case, file)
        if sum(kinds.values()) <= options.show:
            print(
                f'{case["name"]}: {kind}\n  real: {json.dumps(theirs)}\n  ours: {json.dumps(mine)}'
            )
    wanted = kinds.pop("real-gave-up", 0)
    different = sum(kinds.values())
    print(f"seed {options.seed}: {options.n} cases, real outcomes {dict(outcomes)}")
    print(
        f"agree {options.n - different - wanted}, real gave up {wanted}, differ {different} {dict(kinds)}"
    )
    print(f"agreement {100 * (options.n - different) / options.n:.3f} %")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
