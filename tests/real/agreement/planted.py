"""A fedra with a mistake, to see whether the comparison finds it."""

from __future__ import annotations

from collections.abc import Callable

from real.agreement.dice import Json
from real.agreement.fedra_check import Answer, Fedra
from real.agreement.job_seen import Objects


def _without_device(cluster: Objects) -> Objects:
    """The first device of each slice is not seen."""
    slices = []
    for piece in cluster["ResourceSlice"]:
        devices = (piece["spec"].get("devices") or [])[1:]
        slices.append({**piece, "spec": {**piece["spec"], "devices": devices}})
    return {**cluster, "ResourceSlice": slices}


def _without_use(cluster: Objects) -> Objects:
    """What other users hold is free. Claims that the job may name stay."""
    claims = cluster["ResourceClaim"]
    kept = [claim for claim in claims if "used-" not in claim["metadata"]["name"]]
    return {**cluster, "ResourceClaim": kept}


def _without_taints(cluster: Objects) -> Objects:
    """No node has one, and none is cordoned."""
    nodes = []
    for node in cluster["Node"]:
        spec = {
            k: v for k, v in node.get("spec", {}).items() if k not in ("taints", "unschedulable")
        }
        nodes.append({**node, "spec": spec})
    return {**cluster, "Node": nodes}


MISTAKES: dict[str, Callable[[Objects], Objects]] = {
    "device": _without_device,
    "use": _without_use,
    "taints": _without_taints,
}


class Planted:
    """Of every question it sees another cluster than there was."""

    def __init__(self, fedra: Fedra, mistake: str):
        self._fedra, self._change = fedra, MISTAKES[mistake]

    def ask(self, release: str, questions: list[tuple[Objects, Json]]) -> list[Answer]:
        asked = [(self._change(cluster), job) for cluster, job in questions]
        return self._fedra.ask(release, asked)

    def changes(self, release: str, question: tuple[Objects, Json]) -> bool:
        """Whether the mistake shows in what it says of the job as a whole."""
        honest, wrong = self._fedra.ask(release, [question])[0], self.ask(release, [question])[0]
        return (honest.verdict, honest.fitting) != (wrong.verdict, wrong.fitting)
