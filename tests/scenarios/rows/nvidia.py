"""N1 to N10: the demos of NVIDIA's DRA driver."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.resources import Object
from scenarios.rows.parts import (
    allocated,
    by_name,
    by_template,
    claim,
    device,
    device_class,
    exactly,
    held,
    in_steps,
    node,
    nodes_with,
    opaque,
    pool,
    same,
    shared,
    taken,
    template,
)
from scenarios.rows.row import YES, Case, Row, State

_GPU, _MIG, _IMEX = "gpu.nvidia.com", "mig.nvidia.com", "imex.nvidia.com"
_VFIO = "vfio.gpu.nvidia.com"
_ONE_GPU = template("single-gpu", exactly("gpu", _GPU))


def _gpus(node_name: str, count: int) -> list[Object]:
    return pool(
        _GPU, node_name, [device(f"gpu-{index}", {"type": "gpu"}) for index in range(count)]
    )


N1 = Row(
    name="N1",
    title="gpu-test1: two pods, one GPU each",
    forces="a claim per pod: the demand is pods × count",
    everywhere=[device_class(_GPU), _ONE_GPU],
    pods=2,
    pod=by_template(gpu="single-gpu"),
    cases=[
        Case(
            State(
                "one free GPU of two",
                [node("n1"), _gpus("n1", 2), taken(_GPU, "n1", "gpu-0")],
                reasons=("DevicesAllocated", "PodsDoNotFit"),
                says=(
                    "1 of 2 pods fit",
                    "1 allocated (",
                ),
            ),
            State(
                "one GPU on each of two nodes",
                [node("n1"), _gpus("n1", 1), node("n2"), _gpus("n2", 1)],
                allocates=("gpu", "gpu"),
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job of two pods in place of two Pods",
)

_TWO_CONTAINERS: Object = {
    "initContainers": [
        {
            "name": "prepare",
            "image": "registry.k8s.io/pause:3.10",
            "resources": {"claims": [{"name": "gpu"}]},
        }
    ],
    "containers": [
        {
            "name": name,
            "image": "registry.k8s.io/pause:3.10",
            "resources": {"requests": {"cpu": "1"}, "claims": [{"name": "gpu"}]},
        }
        for name in ("ctr0", "ctr1")
    ],
}

N2 = Row(
    name="N2",
    title="gpu-test2: one GPU shared by the containers of a pod",
    forces="a claim counts once per pod, however many containers and init containers use it",
    everywhere=[device_class(_GPU), _ONE_GPU],
    pod={**by_template(gpu="single-gpu"), **_TWO_CONTAINERS},
    cases=[
        Case(
            State(
                "a class without a driver",
                [node("n1")],
                reasons=("DriverMissing",),
                says=("no devices",),
            ),
            State("exactly one GPU", [node("n1"), _gpus("n1", 1)], allocates=("gpu",)),
            goes_to="worker2",
        ),
    ],
    note="an init container that shares the GPU was added, as the example driver's initcontainer-shared-gpu has it",
)

_NAMED = claim("single-gpu", exactly("gpu", _GPU))

N3 = Row(
    name="N3",
    title="gpu-test3: one named GPU claim for two pods",
    forces="as S3: the claim lives in one cluster and counts once",
    everywhere=[device_class(_GPU)],
    pods=2,
    pod=by_name(gpu="single-gpu"),
    cases=[
        Case(
            State(
                "two GPUs, no claim",
                [node("n1"), _gpus("n1", 2)],
                reasons=("ClaimMissing",),
                says=("/single-gpu does not exist",),
            ),
            State(
                "one GPU and the claim", [node("n1"), _gpus("n1", 1), _NAMED], allocates=("gpu",)
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job of two pods in place of two Pods",
)

_PROFILE = "device.attributes['gpu.nvidia.com'].profile == '{}'"
_FOUR_PARTITIONS = template(
    "mig-devices",
    exactly("mig-1g-5gb-0", _MIG, _PROFILE.format("1g.5gb")),
    exactly("mig-1g-5gb-1", _MIG, _PROFILE.format("1g.5gb")),
    exactly("mig-2g-10gb", _MIG, _PROFILE.format("2g.10gb")),
    exactly("mig-3g-20gb", _MIG, _PROFILE.format("3g.20gb")),
    constraints=[same("gpu.nvidia.com/parentUUID")],
)


def _partitions(parent: str, *profiles: str) -> list[Object]:
    return [
        device(
            f"{parent}-{index}-{profile.replace('.', '-')}",
            {"type": "mig", "profile": profile, "parentUUID": parent},
        )
        for index, profile in enumerate(profiles)
    ]


def _whole_parents(count: int) -> list[Object]:
    wanted = ("1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb")
    return [each for index in range(count) for each in _partitions(f"gpu-{index}", *wanted)]


def _mixed_parents() -> list[Object]:
    """As many of every profile as two jobs need, but no card has all four."""
    small = ("1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "2g.10gb")
    return _partitions("gpu-0", *small) + _partitions("gpu-1", "2g.10gb", "3g.20gb", "3g.20gb")


N4 = Row(
    name="N4",
    title="gpu-test4: four MIG partitions of one card, for each of four pods",
    forces="a constraint over all requests of a claim; counts per profile pass while no card has the set",
    everywhere=[
        device_class(
            _MIG, f"device.driver == '{_GPU}' && device.attributes['{_GPU}'].type == 'mig'"
        ),
        _FOUR_PARTITIONS,
    ],
    pods=4,
    pod=by_template(mig="mig-devices"),
    cases=[
        Case(
            State(
                "enough of every profile, spread over the cards",
                [node("n1"), pool(_GPU, "n1", _mixed_parents())],
                reasons=("ConstraintUnsatisfied",),
                says=("matchAttribute gpu.nvidia.com/parentUUID over all requests",),
            ),
            State(
                "four cards with the whole set",
                [node("n1"), pool(_GPU, "n1", _whole_parents(4))],
                allocates=("mig-1g-5gb-0", "mig-1g-5gb-1", "mig-2g-10gb", "mig-3g-20gb") * 4,
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "three cards with the whole set",
                [node("n1"), pool(_GPU, "n1", _whole_parents(3))],
                reasons=("NotEnoughDevices", "PodsDoNotFit"),
                says=("3 of 4 pods fit",),
            ),
            State("four cards", [node("n1"), pool(_GPU, "n1", _whole_parents(4))]),
            goes_to="worker2",
        ),
    ],
    note="a Job of four pods in place of the Deployment",
)

_SHARING = "resource.nvidia.com/v1beta1"


def _sharing(strategy: str, request: str) -> Object:
    parameters: Object = {
        "apiVersion": _SHARING,
        "kind": "GpuConfig",
        "sharing": {"strategy": strategy},
    }
    return opaque(_GPU, parameters, request)


N5 = Row(
    name="N5",
    title="gpu-test5: one GPU with time slicing and one with MPS",
    forces="a configuration per request; two devices of one claim on one node",
    everywhere=[
        device_class(_GPU),
        template(
            "multiple-gpus",
            exactly("ts-gpu", _GPU),
            exactly("mps-gpu", _GPU),
            config=[_sharing("TimeSlicing", "ts-gpu"), _sharing("MPS", "mps-gpu")],
        ),
    ],
    pod=by_template(gpus="multiple-gpus"),
    cases=[
        Case(
            State(
                "one GPU on each of two nodes",
                [node("n1"), _gpus("n1", 1), node("n2"), _gpus("n2", 1)],
                reasons=("NotEnoughDevices", "CapabilityUndeclared"),
                says=("request ts-gpu: 1 of 1, request mps-gpu: 1 of 1, each alone",),
            ),
            State(
                "two GPUs on one node",
                [node("n1"), _gpus("n1", 2)],
                reasons=("CapabilityUndeclared",),
                outcome=YES,
                allocates=("ts-gpu", "mps-gpu"),
            ),
            goes_to="worker2",
        ),
    ],
    note="that nobody has declared time slicing and MPS for the workers is a warning by default; S4 requires it",
)

_A100 = (
    f"device.attributes['{_GPU}'].productName.lowerAscii().matches('^.*a100.*$') && "
    f"(device.attributes['{_GPU}'].index == 0 || device.attributes['{_GPU}'].index == 6)"
)


def _indexed(node_name: str, product: str, *indexes: int) -> list[Object]:
    devices = [
        device(f"gpu-{index}", {"productName": product, "index": index}) for index in indexes
    ]
    return pool(_GPU, node_name, devices)


N6 = Row(
    name="N6",
    title="gpu-test6: an A100 by pattern and index",
    forces="regular expressions, strings and numbers in CEL; products that are spelled differently",
    everywhere=[device_class(_GPU), template("a100", exactly("gpu", _GPU, _A100))],
    pod=by_template(gpu="a100"),
    cases=[
        Case(
            State(
                "A100s with other indexes, and an H100",
                [
                    node("n1"),
                    _indexed("n1", "NVIDIA A100-SXM4-40GB", 1, 2, 3),
                    node("n2"),
                    _indexed("n2", "NVIDIA H100 80GB HBM3", 0),
                ],
                reasons=("NoMatchingDevice",),
                says=(
                    "4 devices: ",
                    "3 fail request selector",
                ),
            ),
            State(
                "an A100 with index 6",
                [node("n1"), _indexed("n1", "nvidia-a100-pcie", 5, 6)],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
    ],
)

_CLIQUE = "nvidia.com/gpu.clique"
_CHANNELS = template("imex-channel", exactly("channel", _IMEX))


def _channels(clique: str, count: int = 4) -> list[Object]:
    devices = [device(f"channel-{index}") for index in range(count)]
    return pool(_IMEX, nodes_with(_CLIQUE, clique), devices, name=f"clique-{clique}")


N7 = Row(
    name="N7",
    title="imex-test1: GPUs and network-attached IMEX channels, four pods",
    forces="slices for nodes with a label in place of one node; two claims of a pod on one node",
    everywhere=[device_class(_GPU), device_class(_IMEX), _ONE_GPU, _CHANNELS],
    pods=4,
    pod=by_template(gpu="single-gpu", channel="imex-channel"),
    cases=[
        Case(
            State(
                "channels for another clique than the GPUs'",
                [
                    node("n1", {_CLIQUE: "a"}),
                    _gpus("n1", 4),
                    node("n2", {_CLIQUE: "b"}),
                    _channels("b"),
                ],
                reasons=("NotEnoughDevices",),
                says=("request channel of claim channel (template imex-channel): 0 of 1",),
            ),
            State(
                "two nodes of one clique",
                [
                    node("n1", {_CLIQUE: "a"}),
                    _gpus("n1", 2),
                    node("n2", {_CLIQUE: "a"}),
                    _gpus("n2", 2),
                    _channels("a"),
                ],
                allocates=("gpu", "channel") * 4,
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job in place of the MPIJob; the template that a ComputeDomain's controller makes after dispatch is there from the start: one that is not there yet counts as missing",
)

_PARTITION = "gpu.nvidia.com/partition2"


def _fabric(node_name: str, *partitions: str) -> list[Object]:
    devices = [
        device(f"vfio-{index}", {"type": "vfio", "partition2": partition})
        for index, partition in enumerate(partitions)
    ]
    return pool(_GPU, node_name, devices)


N8 = Row(
    name="N8",
    title="gpu-test-vfiopci: two GPUs of one fabric partition",
    forces="a constraint inside of one request for several devices",
    everywhere=[
        device_class(
            _VFIO, f"device.driver == '{_GPU}' && device.attributes['{_GPU}'].type == 'vfio'"
        ),
        template(
            "vfio-pair", exactly("vfio", _VFIO, count=2), constraints=[same(_PARTITION, "vfio")]
        ),
    ],
    pod=by_template(vfio="vfio-pair"),
    cases=[
        Case(
            State(
                "three GPUs of three partitions",
                [node("n1"), _fabric("n1", "p0", "p1", "p2")],
                reasons=("ConstraintUnsatisfied",),
                says=("matchAttribute gpu.nvidia.com/partition2 over requests vfio",),
            ),
            State(
                "two of three GPUs in one partition",
                [node("n1"), _fabric("n1", "p0", "p1", "p1")],
                allocates=("vfio", "vfio"),
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job in place of the Pod",
)


def _sliceable(node_name: str) -> list[Object]:
    gpu = device(
        "gpu-0", {"type": "gpu"}, {"memory": in_steps("8Gi", "1Gi")}, allowMultipleAllocations=True
    )
    return pool(_GPU, node_name, [gpu])


_TWO_GIB_HELD = allocated(
    claim("somebody-else", exactly("gpu", _GPU, capacity={"requests": {"memory": "2Gi"}})),
    "n1",
    shared(held(_GPU, "n1", "gpu-0"), {"memory": "2Gi"}),
)

N9 = Row(
    name="N9",
    title="consumable shares: 4 GiB of a GPU for each of two pods",
    forces="devices that many may have: capacity is counted, not devices",
    everywhere=[
        device_class(_GPU),
        template("gpu-share", exactly("gpu", _GPU, capacity={"requests": {"memory": "4Gi"}})),
    ],
    pods=2,
    pod=by_template(gpu="gpu-share"),
    cases=[
        Case(
            State(
                "a GPU with 6 of 8 GiB left",
                [node("n1"), _sliceable("n1"), _TWO_GIB_HELD],
                reasons=("CapacityExhausted", "PodsDoNotFit"),
                says=(
                    "1 of 2 pods fit",
                    "need 4Gi of memory (2Gi left on gpu-0)",
                ),
            ),
            State(
                "one whole GPU of 8 GiB",
                [node("n1"), _sliceable("n1")],
                allocates=("gpu", "gpu"),
            ),
            goes_to="worker2",
        ),
    ],
)

_EXTENDED = "nvidia.com/gpu"

N10 = Row(
    name="N10",
    title="extended resource nvidia.com/gpu",
    forces="the same limit is devices by a DeviceClass on one worker and a device plugin's on another",
    resources={_EXTENDED: "1"},
    cases=[
        Case(
            State(
                "the class of that name, no device free",
                [
                    device_class(_GPU, extended=_EXTENDED),
                    node("n1"),
                    _gpus("n1", 1),
                    taken(_GPU, "n1", "gpu-0"),
                ],
                reasons=("DevicesAllocated",),
                says=("1 allocated (",),
            ),
            State("a device plugin", [node("n1", allocatable={_EXTENDED: "1"})]),
            goes_to="worker2",
        ),
        Case(
            State(
                "the class of that name, a free device",
                [device_class(_GPU, extended=_EXTENDED), node("n1"), _gpus("n1", 1)],
                allocates=("container-0-request-2",),
            ),
            State(
                "neither class nor plugin",
                [node("n1")],
                reasons=("ResourceMissing",),
                says=("nvidia.com/gpu",),
            ),
            goes_to="worker1",
        ),
    ],
    note="mig-1g-12gb is the same with another name",
)

ROWS: Sequence[Row] = [N1, N2, N3, N4, N5, N6, N7, N8, N9, N10]
