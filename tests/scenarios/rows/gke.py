"""S1 to S8: the DRA tutorials of Google Kubernetes Engine, each with the claims of the original."""

from __future__ import annotations

from scenarios.rows.parts import (
    allocated,
    by_name,
    by_template,
    claim,
    counter_set,
    device,
    device_class,
    drawing,
    every,
    exactly,
    held,
    in_steps,
    node,
    opaque,
    pool,
    prefer,
    same,
    taken,
    template,
    wish,
)
from scenarios.resources import Object
from scenarios.rows.row import Case, Row, State

_GPU, _CPU, _NIC, _TPU = "gpu.nvidia.com", "dra.cpu", "mrdma.google.com", "tpu.google.com"
_MIG = "mig.nvidia.com"
_IMAGES = "image-configurator.x-k8s.io"
_COMPUTE_CLASS = {"cloud.google.com/compute-class": "vllm-gpu-ccc"}
_GPU_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def _gpus(node_name: str, memory: str, *names: str) -> list[Object]:
    return pool(
        _GPU, node_name, [device(name, {"type": "gpu"}, {"memory": memory}) for name in names]
    )


def _ccc_node(name: str) -> Object:
    return node(name, _COMPUTE_CLASS, [_GPU_TAINT])


S1 = Row(
    name="S1",
    title="GPU fungibility: 1 × 80 GB, else 2 × any",
    forces="ordered alternatives, equality of quantities, two devices on one node, node selector and toleration",
    everywhere=[
        device_class(_GPU),
        template(
            "gpu-claim",
            prefer(
                "gpu",
                large=wish(_GPU, f"device.capacity['{_GPU}'].memory == quantity('80Gi')"),
                small=wish(_GPU, count=2),
            ),
        ),
    ],
    pod={
        **by_template(gpu="gpu-claim"),
        "nodeSelector": _COMPUTE_CLASS,
        "tolerations": [_GPU_TOLERATION],
    },
    cases=[
        Case(
            State(
                "two 40 GB cards",
                [_ccc_node("a40"), _gpus("a40", "40Gi", "gpu-0", "gpu-1")],
                alternatives=(1,),
            ),
            State(
                "one 80 GB card",
                [_ccc_node("a80"), _gpus("a80", "80Gi", "gpu-0")],
                allocates=("gpu/large",),
                alternatives=(0,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "two 40 GB cards",
                [_ccc_node("a40"), _gpus("a40", "40Gi", "gpu-0", "gpu-1")],
                allocates=("gpu/small", "gpu/small"),
                alternatives=(1,),
            ),
            State(
                "its only 80 GB card is in use",
                [_ccc_node("a80"), _gpus("a80", "80Gi", "gpu-0"), taken(_GPU, "a80", "gpu-0")],
                reasons=("DevicesAllocated",),
            ),
            goes_to="worker1",
        ),
        Case(
            State(
                "two 40 GB cards on the first node, an 80 GB card on the second",
                [
                    _ccc_node("a40"),
                    _gpus("a40", "40Gi", "gpu-0", "gpu-1"),
                    _ccc_node("b80"),
                    _gpus("b80", "80Gi", "gpu-0"),
                ],
                allocates=("gpu/large",),
                alternatives=(0,),
            ),
            State(
                "two 40 GB cards",
                [_ccc_node("a40"), _gpus("a40", "40Gi", "gpu-0", "gpu-1")],
                alternatives=(1,),
            ),
            goes_to="worker1",
        ),
        Case(
            State(
                "an 80 GB card on a node of another compute class",
                [node("other"), _gpus("other", "80Gi", "gpu-0")],
                reasons=("NodeMismatch",),
            ),
            State(
                "two 40 GB cards",
                [_ccc_node("a40"), _gpus("a40", "40Gi", "gpu-0", "gpu-1")],
                alternatives=(1,),
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job in place of the Deployment; the ComputeClass itself, an object of GKE only, is not looked for",
)


def _cpus(node_name: str, cores: str) -> list[Object]:
    capacity = {"cpu": in_steps(cores, "1")}
    cpu = device("cpu-0", {"numaNode": 0}, capacity, allowMultipleAllocations=True)
    return pool(_CPU, node_name, [cpu], name=f"{node_name}-cpu")


def _images(node_name: str) -> list[Object]:
    return pool(_IMAGES, node_name, [device("image-0")], name=f"{node_name}-image")


S2 = Row(
    name="S2",
    title="GPU or CPU, with an image for either",
    forces="alternatives of different drivers, all drivers of a claim on one node, consumable capacity, sub-request names in the configuration",
    everywhere=[
        device_class(_GPU),
        device_class(_CPU),
        device_class(_IMAGES),
        template(
            "gpu-or-cpu",
            prefer(
                "device",
                gpu=wish(_GPU),
                cpu=wish(_CPU, capacity={"requests": {"cpu": "12"}}),
            ),
            exactly("image", _IMAGES),
            config=[
                opaque(_IMAGES, {"image": "llama-gpu"}, "image"),
                opaque(_GPU, {"kind": "GpuConfig"}, "device/gpu"),
            ],
        ),
    ],
    pod=by_template(device="gpu-or-cpu"),
    cases=[
        Case(
            State(
                "a GPU, but nobody configures images",
                [node("gpu"), _gpus("gpu", "80Gi", "gpu-0")],
                reasons=("DriverMissing",),
            ),
            State(
                "no GPU, CPUs and images",
                [node("cpu"), _cpus("cpu", "64"), _images("cpu")],
                allocates=("device/cpu", "image"),
                alternatives=(1,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "no GPU, too few CPUs",
                [node("cpu"), _cpus("cpu", "8"), _images("cpu")],
                reasons=("CapacityExhausted",),
            ),
            State(
                "a GPU, CPUs and images",
                [node("all"), _gpus("all", "80Gi", "gpu-0"), _cpus("all", "64"), _images("all")],
                allocates=("device/gpu", "image"),
                alternatives=(0,),
            ),
            goes_to="worker2",
        ),
    ],
    note="the image device has no bindingConditions here; E7 has",
)

_TIME_SLICING = opaque(
    _GPU,
    {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "GpuConfig",
        "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}},
    },
    "gpu",
)
_SLICING, _MPS = f"{_GPU}/TimeSlicingSettings", f"{_GPU}/MPSSupport"
_SHARED_CLAIM = claim("gpu-claim", exactly("gpu", _GPU), config=[_TIME_SLICING])

S3 = Row(
    name="S3",
    title="Time slicing: two pods share one claim",
    forces="a claim by name: where it exists, and first where it is allocated; a configuration is passed, not judged",
    everywhere=[device_class(_GPU)],
    pods=2,
    pod=by_name(gpu="gpu-claim"),
    cases=[
        Case(
            State(
                "a GPU, but no claim",
                [node("n1"), _gpus("n1", "80Gi", "gpu-0")],
                reasons=("ClaimMissing",),
            ),
            State(
                "a GPU and the claim",
                [node("n1"), _gpus("n1", "80Gi", "gpu-0"), _SHARED_CLAIM],
                allocates=("gpu",),
                capabilities=(_SLICING,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "the claim, free",
                [node("n1"), _gpus("n1", "80Gi", "gpu-0"), _SHARED_CLAIM],
                allocates=("gpu",),
                capabilities=(_SLICING,),
            ),
            State(
                "the claim, allocated",
                [
                    node("n1"),
                    _gpus("n1", "80Gi", "gpu-0"),
                    allocated(_SHARED_CLAIM, "n1", held(_GPU, "n1", "gpu-0")),
                ],
                allocates=("gpu",),
                capabilities=(_SLICING,),
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job of two pods in place of the Deployment",
)

S4 = Row(
    name="S4",
    title="MPS: half a GPU for each of two pods, by one claim",
    forces="as S3; whether the driver has MPS switched on is not visible in the API and must be declared",
    everywhere=[
        device_class(_GPU),
        claim(
            "gpu-mps-claim",
            exactly("gpu", _GPU),
            config=[
                opaque(
                    _GPU,
                    {
                        "apiVersion": "resource.nvidia.com/v1beta1",
                        "kind": "GpuConfig",
                        "sharing": {
                            "strategy": "MPS",
                            "mpsConfig": {
                                "defaultActiveThreadPercentage": 50,
                                "defaultPinnedDeviceMemoryLimit": "15Gi",
                            },
                        },
                    },
                    "gpu",
                )
            ],
        ),
    ],
    pods=2,
    pod=by_name(gpu="gpu-mps-claim"),
    verification={"capabilities": "Require"},
    cases=[
        Case(
            State(
                "a free GPU, MPS not declared",
                [node("n1"), _gpus("n1", "80Gi", "gpu-0")],
                reasons=("CapabilityUndeclared",),
                starts=True,
                but="a scheduler does not know: the driver there would fail the pods",
            ),
            State(
                "a free GPU, MPS declared",
                [node("n1"), _gpus("n1", "80Gi", "gpu-0")],
                allocates=("gpu",),
                capabilities=(_MPS,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "MPS declared, the only GPU is in use",
                [node("n1"), _gpus("n1", "80Gi", "gpu-0"), taken(_GPU, "n1", "gpu-0")],
                reasons=("DevicesAllocated",),
                capabilities=(_MPS,),
            ),
            State(
                "a free GPU, MPS declared",
                [node("n1"), _gpus("n1", "80Gi", "gpu-0")],
                allocates=("gpu",),
                capabilities=(_MPS,),
            ),
            goes_to="worker2",
        ),
    ],
    note="capabilities: Require, so that a worker without the declaration is refused and not only warned of",
)


def _mig(name: str, profile: str, memory: str, slices: str) -> Object:
    return device(
        name,
        {"profile": profile, "type": "mig"},
        {"memory": memory},
        consumesCounters=drawing("gpu-0-counters", memory=memory, slices=slices),
    )


_H100_PARTITIONS = [
    _mig("mig-7g-0", "7g.80gb", "80Gi", "7"),
    _mig("mig-3g-0", "3g.40gb", "40Gi", "3"),
    _mig("mig-3g-1", "3g.40gb", "40Gi", "3"),
    *(_mig(f"mig-1g-{index}", "1g.10gb", "10Gi", "1") for index in range(7)),
]


def _h100(node_name: str) -> list[Object]:
    """Every partition that the card can be cut into; the counters say which of them fit together."""
    counters = [counter_set("gpu-0-counters", memory="80Gi", slices="7")]
    return pool(_GPU, node_name, _H100_PARTITIONS, counters)


S5 = Row(
    name="S5",
    title="Dynamic MIG: a 3g.40gb partition",
    forces="partitions are published side by side: only the shared counters say which can exist together",
    everywhere=[
        device_class(
            _MIG, f"device.driver == '{_GPU}' && device.attributes['{_GPU}'].type == 'mig'"
        ),
        template(
            "mig-prod", exactly("mig", _MIG, f"device.attributes['{_GPU}'].profile == '3g.40gb'")
        ),
    ],
    pod=by_template(mig="mig-prod"),
    cases=[
        Case(
            State(
                "two such partitions published, but the card is one 7g.80gb now",
                [node("n1"), _h100("n1"), taken(_GPU, "n1", "mig-7g-0")],
                reasons=("CountersExhausted",),
            ),
            State(
                "one 3g.40gb in use, room for another",
                [node("n1"), _h100("n1"), taken(_GPU, "n1", "mig-3g-0")],
                allocates=("mig",),
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job in place of the Deployment",
)

_PCIE_ROOT, _NUMA = "resource.kubernetes.io/pcieRoot", "dra.net/numaNode"


def _aligned(node_name: str, gpu_root: str, nic_root: str) -> list[Object]:
    """A GPU, a network card and CPUs; only the first two have to share a PCIe root."""
    capacity = {"dra.cpu/cpu": in_steps("32", "1")}
    cpus = device("cpu-0", {_NUMA: 0}, capacity, allowMultipleAllocations=True)
    return [
        *pool(_GPU, node_name, [device("gpu-0", {_PCIE_ROOT: gpu_root})]),
        *pool(
            _NIC,
            node_name,
            [device("nic-0", {_PCIE_ROOT: nic_root, _NUMA: 0})],
            name=f"{node_name}-nic",
        ),
        *pool(_CPU, node_name, [cpus], name=f"{node_name}-cpu"),
    ]


S6 = Row(
    name="S6",
    title="GPU, network card and CPUs side by side",
    forces="constraints over drivers on one node; attributes that other domains define",
    everywhere=[
        device_class(_GPU),
        device_class(_NIC),
        device_class(_CPU),
        claim(
            "aligned",
            exactly("gpu", _GPU),
            exactly("nic", _NIC),
            exactly("cpu", _CPU, capacity={"requests": {"dra.cpu/cpu": "4"}}),
            constraints=[same(_PCIE_ROOT, "gpu", "nic"), same(_NUMA, "cpu", "nic")],
        ),
    ],
    pod=by_name(devices="aligned"),
    cases=[
        Case(
            State(
                "all free, GPU and card on different PCIe roots",
                [node("n1"), _aligned("n1", "pci0000:00", "pci0000:80")],
                reasons=("ConstraintUnsatisfied",),
            ),
            State(
                "GPU and card on one PCIe root",
                [node("n1"), _aligned("n1", "pci0000:00", "pci0000:00")],
                allocates=("gpu", "nic", "cpu"),
            ),
            goes_to="worker2",
        ),
    ],
    note="a Job in place of the bare pod",
)


def _tpus(node_name: str, generation: str = "v6e", chips: int = 4) -> list[Object]:
    return pool(
        _TPU, node_name, [device(f"tpu-{index}", {"tpuGen": generation}) for index in range(chips)]
    )


S7 = Row(
    name="S7",
    title="All TPU chips of a node",
    forces="All means every matching chip: none may be in use, none unpublished, and there must be one",
    everywhere=[device_class(_TPU), template("all-tpus", every("tpu", _TPU))],
    pod=by_template(tpu="all-tpus"),
    cases=[
        Case(
            State(
                "three of four chips free",
                [node("n1"), _tpus("n1"), taken(_TPU, "n1", "tpu-3")],
                reasons=("DevicesAllocated",),
            ),
            State("four free chips", [node("n1"), _tpus("n1")], allocates=("tpu",) * 4),
            goes_to="worker2",
        ),
        Case(
            State("no chips", [node("n1")], reasons=("DriverMissing",)),
            State("four free chips", [node("n1"), _tpus("n1")], allocates=("tpu",) * 4),
            goes_to="worker2",
        ),
    ],
    note="a Job in place of Deployment and Service",
)

S8 = Row(
    name="S8",
    title="TPU v6e, else v5p, all chips of a node",
    forces="alternatives that exist in different clusters, each All",
    everywhere=[
        device_class(_TPU),
        template(
            "tpu-choice",
            prefer(
                "tpu",
                v6e=wish(_TPU, f"device.attributes['{_TPU}'].tpuGen == 'v6e'", count=0),
                v5p=wish(_TPU, f"device.attributes['{_TPU}'].tpuGen == 'v5p'", count=0),
            ),
        ),
    ],
    pod=by_template(tpu="tpu-choice"),
    cases=[
        Case(
            State("v5p", [node("n1"), _tpus("n1", "v5p")], alternatives=(1,)),
            State(
                "v6e",
                [node("n1"), _tpus("n1", "v6e")],
                allocates=("tpu/v6e",) * 4,
                alternatives=(0,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "v5p",
                [node("n1"), _tpus("n1", "v5p")],
                allocates=("tpu/v5p",) * 4,
                alternatives=(1,),
            ),
            State(
                "v6e, one chip in use",
                [node("n1"), _tpus("n1", "v6e"), taken(_TPU, "n1", "tpu-0")],
                reasons=("DevicesAllocated",),
            ),
            goes_to="worker1",
        ),
    ],
)

ROWS = [S1, S2, S3, S4, S5, S6, S7, S8]
