"""The KAI Scheduler's gangs, as far as they can be seen without KAI: a Job's pods are needed all at once."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.resources import Object
from scenarios.rows.parts import (
    by_template,
    device,
    device_class,
    exactly,
    node,
    nodes_with,
    pool,
    template,
)
from scenarios.rows.row import Case, Row, State

_GPU, _IMEX = "gpu.nvidia.com", "imex.nvidia.com"
_CLIQUE = "nvidia.com/gpu.clique"
_ONE_GPU = template("single-gpu", exactly("gpu", _GPU))


def _gpus(node_name: str, count: int) -> list[Object]:
    return pool(_GPU, node_name, [device(f"gpu-{index}") for index in range(count)])


def _channels(count: int) -> list[Object]:
    devices = [device(f"channel-{index}") for index in range(count)]
    return pool(_IMEX, nodes_with(_CLIQUE, "a"), devices, name="clique-a")


KAI1 = Row(
    name="KAI-1",
    title="gang of four pods with a GPU each",
    forces="minMember pods at once, over nodes",
    everywhere=[device_class(_GPU), _ONE_GPU],
    pods=4,
    pod=by_template(gpu="single-gpu"),
    cases=[
        Case(
            State(
                "three GPUs on two nodes",
                [node("n1"), _gpus("n1", 2), node("n2"), _gpus("n2", 1)],
                reasons=("NotEnoughDevices", "PodsDoNotFit"),
            ),
            State(
                "four GPUs on three nodes",
                [
                    node("n1"),
                    _gpus("n1", 2),
                    node("n2"),
                    _gpus("n2", 1),
                    node("n3"),
                    _gpus("n3", 1),
                ],
                allocates=("gpu",) * 4,
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job of four pods in place of the PodGroup: Kueue's own gang is the Job",
)

KAI2 = Row(
    name="KAI-2",
    title="GPU sharing by annotation (gpu-fraction)",
    forces="not DRA: KAI counts it in reservation pods of its own, so nothing can be judged from devices",
    annotations={"gpu-fraction": "0.5"},
    cases=[
        Case(
            State("nothing is known against it", [node("n1")]),
            State("nothing is known against it", [node("n1")]),
            goes_to="worker1",
        ),
    ],
    note="only KAI reads the annotation; the job goes by quota and order alone",
)

KAI3 = Row(
    name="KAI-3",
    title="gang of two pods with a GPU and an IMEX channel each",
    forces="as N7, for all pods at once",
    everywhere=[
        device_class(_GPU),
        device_class(_IMEX),
        _ONE_GPU,
        template("imex-channel", exactly("channel", _IMEX)),
    ],
    pods=2,
    pod=by_template(gpu="single-gpu", channel="imex-channel"),
    cases=[
        Case(
            State(
                "two GPUs, one channel for both nodes",
                [
                    node("n1", {_CLIQUE: "a"}),
                    _gpus("n1", 1),
                    node("n2", {_CLIQUE: "a"}),
                    _gpus("n2", 1),
                    _channels(1),
                ],
                reasons=("NotEnoughDevices", "PodsDoNotFit"),
            ),
            State(
                "two GPUs, two channels",
                [
                    node("n1", {_CLIQUE: "a"}),
                    _gpus("n1", 1),
                    node("n2", {_CLIQUE: "a"}),
                    _gpus("n2", 1),
                    _channels(2),
                ],
                allocates=("gpu", "channel") * 2,
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job in place of PodGroup and ComputeDomain",
)

ROWS: Sequence[Row] = [KAI1, KAI2, KAI3]
