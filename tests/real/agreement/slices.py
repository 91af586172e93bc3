"""Random ResourceSlices. Small on purpose: corners meet each other often."""

from __future__ import annotations

from real.agreement.dice import Dice, Json
from real.agreement.names import Names


class SliceGenerator:
    """`stored`: only what an API server of 1.36 with its default gates accepts."""

    def __init__(self, dice: Dice, names: Names, stored: bool):
        self.dice, self.names, self.stored = dice, names, stored
        self._pools: set[tuple[str, str]] = set()

    def slices(self) -> list[Json]:
        specs: list[Json] = []
        pools = 0
        for number, driver in enumerate(self.names.drivers):
            wanted = (0, 1, 1, 2) if number == 1 else (1, 1, 2, 3)
            for _ in range(self.dice.pick(*wanted)):
                specs += self._pool(driver, pools)
                pools += 1
        names = [self.names.slice(i) for i in range(len(specs))]
        self.dice.random.shuffle(names)
        self.dice.random.shuffle(specs)
        return [
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": {"name": name},
                "spec": spec,
            }
            for name, spec in zip(names, specs)
        ]

    def _pool(self, driver: str, number: int) -> list[Json]:
        dice = self.dice
        node = dice.pick(self.names.nodes[0], *self.names.nodes)
        generation = dice.pick(1, 1, 1, 2)
        counters = self._counter_sets()
        specs: list[Json] = []
        if counters:
            spec: Json = {"sharedCounters": counters}
            self._reach(spec, node)
            if not self.stored and dice.chance(0.03):
                spec["devices"] = [{"name": "odd"}]
            specs.append(spec)
        specs += self._device_slices(driver, node, counters)
        count = len(specs)
        if dice.odd(0.06):
            count += dice.pick(1, -1)
        name = node if dice.chance(0.6) else self.names.pool(number)
        if self.stored and (driver, name) in self._pools:
            # Two counts of slices in one pool: the scheduler believes whichever it comes to first.
            name = self.names.pool(number)
        self._pools.add((driver, name))
        pool = {
            "name": name,
            "generation": generation,
            "resourceSliceCount": max(count, 1),
        }
        for spec in specs:
            spec["driver"] = driver
            spec["pool"] = dict(pool)
            if dice.odd(0.04):
                spec["pool"]["generation"] += 1
        return specs

    def _device_slices(self, driver: str, node: str, counters: list[Json]) -> list[Json]:
        dice = self.dice
        specs = []
        next_device = 0
        for _ in range(dice.pick(1, 1, 2)):
            spec: Json = {"devices": []}
            per_device = dice.chance(0.12)
            if per_device:
                spec["perDeviceNodeSelection"] = True
            elif self.stored or not dice.chance(0.02):  # else a node selection of the future
                self._reach(spec, node)
            used = set()
            for _ in range(dice.below(8)):
                name = f"dev-{next_device}"
                if name in used and self.stored:
                    next_device += 1
                    name = f"dev-{next_device}"
                used.add(name)
                device = self._device(name, driver, counters)
                if not dice.chance(0.01):
                    next_device += 1
                if per_device:
                    self._reach(device, node)
                spec["devices"].append(device)
            specs.append(spec)
        return specs

    def _reach(self, target: Json, node: str) -> None:
        kind = self.dice.below(6)
        if kind <= 2:
            target["nodeName"] = node
        elif kind == 3:
            target["allNodes"] = True
        elif kind == 4:
            target["nodeSelector"] = self._node_selector()
        else:
            target["nodeName"] = self.dice.pick(*self.names.nodes)

    def _node_selector(self) -> Json:
        dice = self.dice
        terms = []
        for _ in range(2 if not self.stored and dice.chance(0.05) else 1):
            term: Json = {}
            expressions = self.names.own_nodes()
            if dice.chance(0.8):
                expressions.append(self._node_requirement())
            if expressions:
                term["matchExpressions"] = expressions
            if dice.chance(0.3):
                term["matchFields"] = [
                    {
                        "key": "metadata.name",
                        "operator": dice.pick("In", "NotIn"),
                        "values": [dice.pick(*self.names.nodes)],
                    }
                ]
            terms.append(term)
        return {"nodeSelectorTerms": terms}

    def _node_requirement(self) -> Json:
        dice = self.dice
        kind = dice.below(5)
        if kind == 0:
            values = [dice.pick("a", "b")]
            return {"key": "zone", "operator": dice.pick("In", "NotIn"), "values": values}
        if kind == 1:
            operator = dice.pick("Exists", "DoesNotExist")
            return {"key": dice.pick("zone", "rack"), "operator": operator}
        if kind == 2:
            operator = dice.pick("Gt", "Lt")
            return {"key": "rank", "operator": operator, "values": [dice.pick("3", "7")]}
        if kind == 3 and not self.stored and dice.chance(0.05):
            return {"key": "zone", "operator": dice.pick("Like", "In"), "values": []}
        return {"key": "zone", "operator": "In", "values": ["a", "b"]}

    # ---- devices

    def _device(self, name: str, driver: str, counters: list[Json]) -> Json:
        dice = self.dice
        shared = dice.chance(0.25)
        device: Json = {"name": name, "attributes": self._attributes(driver)}
        capacity = self._capacity(shared)
        if capacity:
            device["capacity"] = capacity
        if shared:
            device["allowMultipleAllocations"] = True
        elif dice.chance(0.05):
            device["allowMultipleAllocations"] = False
        if dice.odd(0.12):
            device["taints"] = [self._taint() for _ in range(dice.pick(1, 1, 2))]
        if counters and dice.chance(0.8):
            device["consumesCounters"] = self._consumption(counters)
        if dice.chance(0.05):
            device["bindingConditions"] = ["ready"]
            device["bindingFailureConditions"] = ["failed"]
        if dice.chance(0.05):
            device["bindsToNode"] = True
        return device

    def _attributes(self, driver: str) -> Json:
        dice = self.dice
        attributes: Json = {}
        if dice.chance(0.9):
            attributes["model"] = {"string": dice.pick("a100", "h100")}
        if dice.chance(0.8):
            attributes["index"] = {"int": dice.below(4)}
        if dice.chance(0.5):
            attributes["ok"] = {"bool": dice.chance(0.7)}
        if dice.chance(0.4):
            attributes["fw"] = {"version": dice.pick("1.0.0", "1.0.0+build", "2.1.0", "2.1.0-rc.1")}
        if dice.chance(0.6):
            attributes["resource.kubernetes.io/pcieRoot"] = {"string": dice.pick("p0", "p1", "p2")}
        if dice.chance(0.5):
            # Not both: which one a selector sees is random in 1.36.
            name = dice.pick("group", f"{driver}/group")
            attributes[name] = dice.pick({"int": 1}, {"int": 2}, {"string": "1"})
        if not self.stored and dice.odd(0.02):
            attributes["fw"] = {"version": "1.0"}
        if not self.stored and dice.odd(0.01):
            attributes["list"] = {"strings": ["x", "y"]}
        return attributes

    def _capacity(self, shared: bool) -> Json:
        dice = self.dice
        capacity: Json = {}
        if dice.chance(0.8):
            capacity["memory"] = {"value": dice.pick("16Gi", "40Gi", "80Gi")}
        if dice.chance(0.3):
            capacity["cores"] = {"value": dice.pick("4", "8", "500m")}
        for entry in capacity.values():
            if shared and dice.chance(0.6):
                entry["requestPolicy"] = self._policy(entry["value"])
        return capacity

    def _policy(self, value: str) -> Json:
        dice = self.dice
        if value == "500m":
            return {"default": "250m"}
        unit = "Gi" if value.endswith("Gi") else ""
        top = int(value.removesuffix("Gi"))
        default = dice.pick(1, 2, top)
        kind = dice.below(4)
        if kind == 0:
            return {"default": f"{default}{unit}"}
        if kind == 1:
            values = sorted({1, 2, default, top})
            return {"default": f"{default}{unit}", "validValues": [f"{v}{unit}" for v in values]}
        policy: Json = {"default": f"{default}{unit}", "validRange": {"min": f"1{unit}"}}
        if dice.chance(0.5):
            policy["validRange"]["max"] = f"{top}{unit}"
        if dice.chance(0.5):
            policy["validRange"]["step"] = f"1{unit}"
        return policy

    def _taint(self) -> Json:
        dice = self.dice
        return {
            "key": dice.pick("maintenance", "broken"),
            "value": dice.pick("", "yes"),
            "effect": dice.pick("NoSchedule", "NoExecute", "None", "NoSchedule"),
            "timeAdded": "2026-01-01T00:00:00Z",
        }

    # ---- counters

    def _counter_sets(self) -> list[Json]:
        dice = self.dice
        if not dice.chance(0.3):
            return []
        return [
            {
                "name": f"set-{i}",
                "counters": {
                    name: {"value": dice.pick("2", "3", "4")}
                    for name in ("slots", "memory")[: dice.pick(1, 2)]
                },
            }
            for i in range(dice.pick(1, 1, 2))
        ]

    def _consumption(self, counters: list[Json]) -> list[Json]:
        dice = self.dice
        result = []
        for counter_set in dice.some(counters, dice.pick(1, 1, 2)):
            chosen = dice.some(list(counter_set["counters"]))
            result.append(
                {
                    "counterSet": counter_set["name"],
                    "counters": {name: {"value": dice.pick("1", "2", "0", "3")} for name in chosen},
                }
            )
        if len(result) < 2 and dice.chance(0.01):
            result.append({"counterSet": "nowhere", "counters": {"x": {"value": "1"}}})
        return result
