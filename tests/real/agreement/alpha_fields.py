"""What Kubernetes 1.37 has behind gates that are off by default, put into a case of the allocator: attributes that
are lists, compatibility groups, derived attributes, slices that skip node operations.
"""

from __future__ import annotations

from real.agreement.dice import Dice, Json

_DRIVERS = ("gpu.example.com", "nic.example.com")
_VIRTUAL = "derived/place"


def with_alpha(case: Json, dice: Dice) -> Json:
    """Most cases have one or two of the four."""
    if dice.chance(0.3):
        _add_lists(case, dice)
    if dice.chance(0.6):
        _add_groups(case, dice)
    if dice.chance(0.3):
        _add_operations(case, dice)
    if dice.chance(0.6):
        for claim in case["claims"]:
            _add_derived(claim["spec"]["devices"], dice)
    return case


def _add_lists(case: Json, dice: Dice) -> None:
    for piece in case["slices"]:
        for device in piece["spec"].get("devices", []):
            attributes = device.setdefault("attributes", {})
            if dice.chance(0.5):
                attributes["index"] = {"ints": dice.some([0, 1, 2, 3], 3)}
            if dice.chance(0.4):
                attributes["model"] = {"strings": dice.some(["a100", "h100", "b200"], 2)}
            if dice.chance(0.3):
                attributes["list"] = {"strings": dice.some(["x", "y", "z"], 2)}
            if dice.chance(0.2):
                attributes["fw"] = {"versions": dice.some(["1.0.0", "2.1.0"])}


def _add_groups(case: Json, dice: Dice) -> None:
    for piece in case["slices"]:
        for device in piece["spec"].get("devices", []):
            for taken in device.get("consumesCounters", []):
                groups = dice.pick([], ["x"], ["x"], ["y"], ["x", "y"], ["y", "z"], ["x", "z"])
                if groups:
                    taken["compatibilityGroups"] = groups


def _add_operations(case: Json, dice: Dice) -> None:
    if dice.chance(0.5):
        case["node"]["status"] = {"declaredFeatures": ["DRAOptionalNodeOperations", "Other"]}
    for piece in case["slices"]:
        if dice.chance(0.4):
            piece["spec"]["skipNodeOperations"] = ["*"]


def _add_derived(devices: Json, dice: Dice) -> None:
    bodies: list[Json] = []
    names: list[str] = []
    for request in devices["requests"]:
        names.append(request["name"])
        bodies += request.get("firstAvailable") or [request["exactly"]]
    if dice.chance(0.8):
        constraint: Json = {
            dice.pick("matchAttribute", "matchAttribute", "distinctAttribute"): _VIRTUAL
        }
        if dice.chance(0.3):
            constraint["requests"] = dice.some(names)
        devices.setdefault("constraints", []).append(constraint)
    shadowed = [
        constraint.get("matchAttribute") or constraint["distinctAttribute"]
        for constraint in devices.get("constraints", [])
    ]
    same = _expression(dice)
    for body in bodies:
        chosen = {name for name in shadowed if dice.chance(0.8 if name == _VIRTUAL else 0.3)}
        if chosen:
            body["derivedAttributes"] = [
                {"name": name, "expression": same if dice.chance(0.5) else _expression(dice)}
                for name in sorted(chosen)
            ]


def _expression(dice: Dice) -> str:
    attributes = f'device.attributes["{dice.pick(_DRIVERS[0], *_DRIVERS)}"]'
    return str(
        dice.pick(
            f"{attributes}.?index.orValue(7)",
            f'{attributes}.?model.orValue("none")',
            f"has({attributes}.index) ? {attributes}.index % 2 : 0",
            f'has({attributes}.fw) ? {attributes}.fw : semver("1.0.0")',
            f"{attributes}.?ok.orValue(false)",
            'device.attributes["resource.kubernetes.io"].?pcieRoot.orValue("p0")',
            "device.driver",
            "device.driver.startsWith('gpu') ? 1 : 1",
            "'p' + string(1 - 1)",
            "semver('v1', true)",
            "semver('1.0.0+build')",
            "device.allowMultipleAllocations",
            f"[{attributes}.?index.orValue(7), dyn(9)]",
            "['x', 'y']",
            # Some devices have it not.
            f"{attributes}.index",
            f"{attributes}.model",
            f"{attributes}.fw",
            f'device.capacity["{_DRIVERS[0]}"].memory.asInteger()',
            # Not an attribute.
            dice.pick("1u", "dyn(1.5)", "dyn(null)", "1", "'x'", "true"),
        )
    )
