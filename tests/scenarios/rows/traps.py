"""T1 to T4: what surprises those who do not ask the scheduler itself."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.resources import Object
from scenarios.rows.parts import (
    by_template,
    device,
    device_class,
    every,
    exactly,
    node,
    pool,
    template,
)
from scenarios.rows.row import Case, Row, State

_GPU, _NIC = "gpu.example.com", "nic.example.com"
_ONE_GPU = template("one", exactly("gpu", _GPU))


def _gpus(node_name: str, count: int, slices: int | None = None) -> list[Object]:
    devices = [device(f"gpu-{index}", {"size": index}) for index in range(count)]
    return pool(_GPU, node_name, devices, slices=slices)


T1 = Row(
    name="T1",
    title="a selector that fails on some device",
    forces="an error on one node ends the attempt for the pod, although another node fits",
    everywhere=[
        device_class(_GPU),
        template("one", exactly("gpu", _GPU, f"device.attributes['{_GPU}'].size >= 0")),
    ],
    pod=by_template(gpu="one"),
    cases=[
        Case(
            State(
                "a GPU that matches, and one without the attribute on another node",
                [node("n1"), _gpus("n1", 1), node("n2"), pool(_GPU, "n2", [device("gpu-0")])],
                reasons=("SelectorError",),
                says=("n2/gpu-0: CEL runtime error: no such key: size",),
            ),
            State("a GPU that matches", [node("n1"), _gpus("n1", 1)], allocates=("gpu",)),
            goes_to="worker2",
        ),
        Case(
            State(
                "GPUs of which none has the attribute",
                [node("n1"), pool(_GPU, "n1", [device("gpu-0", {"model": "x"})])],
                reasons=("SelectorError",),
                says=("; no device has attribute `size`; published are: model",),
            ),
            State("a GPU that matches", [node("n1"), _gpus("n1", 1)], allocates=("gpu",)),
            goes_to="worker2",
        ),
    ],
)

T2 = Row(
    name="T2",
    title="all GPUs of a node, while another driver is publishing",
    forces="All is an error as long as any pool that the node sees is incomplete, whosever it is",
    everywhere=[device_class(_GPU), template("all", every("gpu", _GPU))],
    pod=by_template(gpu="all"),
    cases=[
        Case(
            State(
                "free GPUs, and a pool of network cards with one of two slices",
                [
                    node("n1"),
                    _gpus("n1", 2),
                    pool(_NIC, "n1", [device("nic-0")], slices=2, name="n1-nic"),
                ],
                reasons=("PoolIncomplete",),
                says=("n1-nic is currently being updated: it has 1 of 2 slices",),
            ),
            State("free GPUs", [node("n1"), _gpus("n1", 2)], allocates=("gpu", "gpu")),
            goes_to="worker2",
        ),
    ],
)

T3 = Row(
    name="T3",
    title="a GPU of a pool that is not published completely",
    forces="devices of an incomplete pool do not exist yet",
    everywhere=[device_class(_GPU), _ONE_GPU],
    pod=by_template(gpu="one"),
    cases=[
        Case(
            State(
                "two GPUs in one of two slices",
                [node("n1"), _gpus("n1", 2, slices=2)],
                reasons=("PoolIncomplete",),
                says=("2 in incomplete or invalid pools (gpu.example.com/n1: has 1 of 2 slices",),
            ),
            State("one GPU", [node("n1"), _gpus("n1", 1)], allocates=("gpu",)),
            goes_to="worker2",
        ),
    ],
)

T4 = Row(
    name="T4",
    title="sixteen equal GPUs where fifteen are free",
    forces="kube-scheduler tries the combinations; the answer is known from the count",
    everywhere=[device_class(_GPU), template("sixteen", exactly("gpu", _GPU, count=16))],
    pod=by_template(gpu="sixteen"),
    cases=[
        Case(
            State(
                "fifteen GPUs",
                [node("n1"), _gpus("n1", 15)],
                reasons=("NotEnoughDevices",),
                says=("15 devices: 15 free",),
            ),
            State("sixteen GPUs", [node("n1"), _gpus("n1", 16)], allocates=("gpu",) * 16),
            goes_to="worker2",
        ),
    ],
)

ROWS: Sequence[Row] = [T1, T2, T3, T4]
