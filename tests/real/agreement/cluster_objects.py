"""Objects that the clusters of pods and of whole jobs have alike."""

from __future__ import annotations

from real.agreement.dice import Dice, Json
from real.agreement.names import CASE_LABEL, Names


def api_object(kind: str, name: str, version: str = "resource.k8s.io/v1") -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}


def node_labels(dice: Dice, names: Names, name: str) -> Json:
    labels = {"kubernetes.io/hostname": name, CASE_LABEL: names.prefix.rstrip("-")}
    if dice.chance(0.8):
        labels["zone"] = dice.pick("a", "b")
    if dice.chance(0.5):
        labels["rank"] = dice.pick("5", "x")
    return labels


def node_taint(dice: Dice) -> Json:
    """That some pods tolerate."""
    effect = dice.pick("NoSchedule", "NoExecute", "PreferNoSchedule")
    return {"key": "dedicated", "value": "ml", "effect": effect}


def make_node(name: str, labels: Json, amounts: Json, spec: Json) -> Json:
    made = api_object("Node", name, "v1")
    made["metadata"]["labels"] = labels
    made["spec"] = spec
    made["status"] = {"allocatable": amounts, "capacity": dict(amounts)}
    return made


def add_plugin(dice: Dice, to: Json, resource: str) -> None:
    """A device plugin of the node `to` has some of an extended resource, or none."""
    amount = dice.pick("0", "1", "2", "8")
    to["status"]["allocatable"][resource] = amount
    to["status"]["capacity"][resource] = amount


def taint_rule(dice: Dice, names: Names, name: str, of_device: float) -> Json:
    """`of_device`: how probable it is that the rule names devices."""
    selector: Json = {"driver": dice.pick(*names.drivers)}
    if dice.chance(0.3):
        selector["pool"] = dice.pick(*names.nodes)
    if dice.chance(of_device):
        selector["device"] = f"dev-{dice.below(4)}"
    taint = {
        "key": dice.pick("maintenance", "broken"),
        "value": "yes",
        "effect": dice.pick("NoSchedule", "NoExecute", "None"),
    }
    rule = api_object("DeviceTaintRule", f"{names.prefix}{name}", "resource.k8s.io/v1beta2")
    rule["spec"] = {"deviceSelector": selector, "taint": taint}
    return rule
