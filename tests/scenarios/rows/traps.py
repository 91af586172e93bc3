"""T1 to T7: what surprises those who do not ask the scheduler itself."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.resources import Object
from scenarios.rows.parts import (
    allocated,
    by_template,
    claim,
    device,
    device_class,
    distinct,
    every,
    exactly,
    held,
    in_steps,
    node,
    pool,
    shared,
    template,
)
from scenarios.rows.row import Case, Row, State

_GPU, _NIC, _CPU = "gpu.example.com", "nic.example.com", "cpu.example.com"
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


def _cores(node_name: str, cores: str) -> list[Object]:
    capacity = {"cores": in_steps(cores, "1")}
    cpus = device("cpus", {"numaNode": 0}, capacity, allowMultipleAllocations=True)
    return pool(_CPU, node_name, [cpus])


T5 = Row(
    name="T5",
    title="CPUs as devices beside ordinary CPU requests",
    forces="one node must have both: the device's capacity and allocatable cpu",
    everywhere=[
        device_class(_CPU),
        template("cores", exactly("cores", _CPU, capacity={"requests": {"cores": "4"}})),
    ],
    pod=by_template(cores="cores"),
    workers_since="1.36",  # DRAConsumableCapacity
    cases=[
        Case(
            State(
                "cores on a node with too little cpu, cpu on a node without cores",
                [node("n1", allocatable={"cpu": "500m"}), _cores("n1", "16"), node("n2")],
                reasons=("NodesTooSmall", "NotEnoughDevices"),
                says=(
                    "no node with the devices is large enough: each pod asks for",
                    "request cores: 0 of 1",
                ),
            ),
            State("both on one node", [node("n1"), _cores("n1", "16")], allocates=("cores",)),
            goes_to="worker2",
        ),
    ],
)


def _cards(node_name: str, count: int) -> list[Object]:
    devices = [
        device(
            f"nic-{index}",
            {"ifName": f"eth{index}"},
            {"bandwidth": in_steps("10G", "1G")},
            allowMultipleAllocations=True,
        )
        for index in range(count)
    ]
    return pool(_NIC, node_name, devices)


_TWO_LINKS = template(
    "links",
    exactly("first", _NIC, capacity={"requests": {"bandwidth": "2G"}}),
    exactly("second", _NIC, capacity={"requests": {"bandwidth": "2G"}}),
    constraints=[distinct(f"{_NIC}/ifName", "first", "second")],
)
_NINE_OF_TEN = allocated(
    claim("somebody-else", exactly("gpu", _NIC, capacity={"requests": {"bandwidth": "9G"}})),
    "n1",
    shared(held(_NIC, "n1", "nic-0"), {"bandwidth": "9G"}),
)

T6 = Row(
    name="T6",
    title="bandwidth on two different cards",
    forces="shared capacity and distinctAttribute together",
    everywhere=[device_class(_NIC), _TWO_LINKS],
    pod=by_template(links="links"),
    workers_since="1.36",  # DRAConsumableCapacity
    cases=[
        Case(
            State(
                "one card with room for both",
                [node("n1"), _cards("n1", 1)],
                reasons=("ConstraintUnsatisfied",),
                says=("distinctAttribute nic.example.com/ifName over requests first, second",),
            ),
            State("two cards", [node("n1"), _cards("n1", 2)], allocates=("first", "second")),
            goes_to="worker2",
        ),
        Case(
            State(
                "two cards, one nearly full",
                [node("n1"), _cards("n1", 2), _NINE_OF_TEN],
                reasons=("ConstraintUnsatisfied",),
                says=("distinctAttribute nic.example.com/ifName over requests first, second",),
            ),
            State("two cards", [node("n1"), _cards("n1", 2)], allocates=("first", "second")),
            goes_to="worker2",
        ),
    ],
)

T7 = Row(
    name="T7",
    title="a GPU and a network card",
    forces="requests of different classes in one claim",
    everywhere=[
        device_class(_GPU),
        device_class(_NIC),
        template(
            "pair",
            exactly("gpu", _GPU),
            exactly("nic", _NIC),
        ),
    ],
    pod=by_template(pair="pair"),
    cases=[
        Case(
            State(
                "GPUs, no network cards",
                [node("n1"), _gpus("n1", 1)],
                reasons=("DriverMissing",),
                says=("class nic.example.com: 1 device: 1 other driver",),
            ),
            State(
                "both on one node",
                [node("n1"), _gpus("n1", 1), _cards("n1", 1)],
                allocates=("gpu", "nic"),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "a GPU on one node, a card on another",
                [node("n1"), _gpus("n1", 1), node("n2"), _cards("n2", 1)],
                reasons=("NotEnoughDevices",),
                says=("request gpu: 0 of 1, request nic: 1 of 1",),
            ),
            State("both on one node", [node("n1"), _gpus("n1", 1), _cards("n1", 1)]),
            goes_to="worker2",
        ),
    ],
)

ROWS: Sequence[Row] = [T1, T2, T3, T4, T5, T6, T7]
