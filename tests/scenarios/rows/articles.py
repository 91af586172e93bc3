"""Articles about DRA that are no vendor's examples: what they print, and what of it runs as printed.

B1 to B3: "Beyond Integer GPUs" (mindofthemachine). G1, G2: "Dynamic Resource Allocation Goes GA". I1: "Kubernetes DRA:
Revolutionary GPU Resource Management" (RiseUnion). K1, K2: "Dynamic Resource Allocation" of Kueue's concepts. What
cannot work as printed is in `diagnoses`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.resources import Object
from scenarios.rows.parts import (
    by_name,
    by_template,
    claim,
    device,
    device_class,
    exactly,
    node,
    pool,
    same,
    taken,
    template,
)
from scenarios.rows.published import container, deployment, grouped, job, pod
from scenarios.rows.row import Case, Row, State

_GPU, _MIG = "gpu.nvidia.com", "mig.nvidia.com"
_VLLM = "vllm/vllm-openai:latest"


def _cards(node_name: str, *cards: tuple[str, str]) -> list[Object]:
    """GPUs by product and memory."""
    devices = [
        device(f"gpu-{index}", {"type": "gpu", "productName": product}, {"memory": memory})
        for index, (product, memory) in enumerate(cards)
    ]
    return pool(_GPU, node_name, devices)


_A100, _T4 = ("NVIDIA A100-SXM4-80GB", "80Gi"), ("Tesla T4", "16Gi")
_SMALL_A100 = ("NVIDIA A100-SXM4-40GB", "40Gi")
_CLASS = f'device.driver == "{_GPU}" && device.capacity["{_GPU}"].memory'

# In each of these articles' manifests of v1.
_FLAT = "requests below exactly, where the article has the fields of v1beta1 in v1"
_ASK_TORCH = """\
import torch
print(f"CUDA available: {torch.cuda.is_available()}")
print(f"Device: {torch.cuda.get_device_name(0)}")
print(f"VRAM: {torch.cuda.get_device_properties(0).total_mem / 1e9:.1f} GB")
"""

B1 = Row(
    name="B1",
    title="pattern 1, a GPU by attributes: at least 40 GB, and that product",
    forces="selectors of a class and of a request; memory that is a quantity, a product that is a text",
    everywhere=[
        device_class("high-memory-gpu", f'{_CLASS}.compareTo(quantity("40Gi")) >= 0'),
        template(
            "training-gpu",
            exactly(
                "gpu",
                "high-memory-gpu",
                f'device.attributes["{_GPU}"].productName == "NVIDIA A100-SXM4-80GB"\n',
            ),
        ),
    ],
    workload=[
        job(
            "finetune-qwen",
            container(
                "trainer",
                _VLLM,
                "training-gpu",
                command=["python", "-c"],
                args=[_ASK_TORCH],
                resources={"requests": {"cpu": "1"}},
            ),
            **by_template(**{"training-gpu": "training-gpu"}),
        )
    ],
    cases=[
        Case(
            State(
                "a T4, and an A100 of 40 GB",
                [node("n1"), _cards("n1", _T4, _SMALL_A100)],
                reasons=("NoMatchingDevice",),
                says=("2 devices: 1 fail class selector", "1 fail request selector"),
            ),
            State(
                "a T4, and an A100 of 80 GB",
                [node("n1"), _cards("n1", _T4, _A100)],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
    ],
    note="compareTo in place of the printed >=, with which no API server takes the class: scenario B1-printed; "
    f"{_FLAT}: the same; "
    "one cpu is asked for, for Kueue 0.19.2 admits a Job that asks for no resource at once, without its check",
)


def _model(name: str, only: str, *arguments: str) -> Object:
    serving = container(only, _VLLM, "shared-gpu", command=["vllm"], args=["serve", *arguments])
    return pod(name, serving, **by_name(**{"shared-gpu": "shared-inference-gpu"}))


_QWEN = _model(
    "qwen-inference",
    "vllm",
    "Qwen/Qwen2.5-1.5B-Instruct",
    "--port",
    "8000",
    "--max-model-len",
    "2048",
    "--gpu-memory-utilization",
    "0.3",
)
_EMBEDDING = _model(
    "embedding-service",
    "embedder",
    "BAAI/bge-base-en-v1.5",
    "--port",
    "8001",
    "--gpu-memory-utilization",
    "0.2",
)

B2 = Row(
    name="B2",
    title="pattern 2, GPU sharing: two pods name one claim",
    forces="as S3, for two pods of different programs",
    everywhere=[device_class("any-nvidia-gpu", f'device.driver == "{_GPU}"')],
    workload=[_QWEN, _EMBEDDING],
    cases=[
        Case(
            State(
                "two GPUs, no claim",
                [node("n1"), _cards("n1", _A100, _A100)],
                reasons=("ClaimMissing",),
                says=("/shared-inference-gpu does not exist",),
            ),
            State(
                "one GPU and the claim",
                [
                    node("n1"),
                    _cards("n1", _A100),
                    claim("shared-inference-gpu", exactly("gpu", "any-nvidia-gpu")),
                ],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
    ],
    note="the class any-nvidia-gpu, which the article does not print, is made up; "
    f"{_FLAT}: scenario B2-printed",
)


def _slices(*cards: tuple[str, ...]) -> list[Object]:
    """MIG partitions, card by card."""
    devices = [
        device(
            f"gpu-{card}-mig-{index}",
            {"type": "mig", "profile": profile, "parentUUID": f"GPU-{card}"},
        )
        for card, profiles in enumerate(cards)
        for index, profile in enumerate(profiles)
    ]
    return pool(_GPU, "n1", devices)


_LARGE, _SMALL = "3g.40gb", "1g.10gb"
_PROFILE = f'device.attributes["{_GPU}"].profile == "{{}}"\n'

B3 = Row(
    name="B3",
    title="pattern 3, MIG: a large and a small slice of one card, for each of two replicas",
    forces="a constraint over two requests; counts by profile pass while no card has both",
    everywhere=[
        device_class(
            _MIG, f"device.driver == '{_GPU}' && device.attributes['{_GPU}'].type == 'mig'"
        ),
        template(
            "mig-mixed-workload",
            exactly("large-slice", _MIG, _PROFILE.format(_LARGE)),
            exactly("small-slice", _MIG, _PROFILE.format(_SMALL)),
            constraints=[same(f"{_GPU}/parentUUID", "large-slice", "small-slice")],
        ),
    ],
    workload=[
        deployment(
            "mig-inference",
            container(
                "primary-model",
                _VLLM,
                "mig-devices/large-slice",
                command=["vllm"],
                args=[
                    "serve",
                    "Qwen/Qwen2.5-7B-Instruct",
                    "--port",
                    "8000",
                    "--max-model-len",
                    "4096",
                ],
            ),
            container(
                "embedding-model",
                _VLLM,
                "mig-devices/small-slice",
                command=["vllm"],
                args=["serve", "BAAI/bge-base-en-v1.5", "--port", "8001"],
            ),
            replicas=2,
            **by_template(**{"mig-devices": "mig-mixed-workload"}),
        )
    ],
    cases=[
        Case(
            State(
                "two large slices on one card, two small ones on another",
                [node("n1"), _slices((_LARGE, _LARGE), (_SMALL, _SMALL))],
                reasons=("ConstraintUnsatisfied",),
                says=(f"matchAttribute {_GPU}/parentUUID over requests large-slice, small-slice",),
            ),
            State(
                "two of each on one card",
                [node("n1"), _slices((_LARGE, _LARGE, _SMALL, _SMALL))],
                allocates=("large-slice", "small-slice") * 2,
            ),
            goes_to="worker2",
        ),
    ],
    note=f"each replica is a job of its own; {_FLAT}: scenario B2-printed; the class mig.nvidia.com is NVIDIA's",
)


def _trainer(**claims: Any) -> Object:
    return container("trainer", "pytorch/pytorch:latest", "gpus", **claims)


_INSTANCE = "node.kubernetes.io/instance-type"


def _p4d(name: str, count: int) -> list[Object]:
    return [node(name, {_INSTANCE: "p4d.24xlarge"}), *_cards(name, *[_SMALL_A100] * count)]


G1 = Row(
    name="G1",
    title="shared GPUs: a pod that names a claim of four GPUs, on one type of machine",
    forces="the outdated claim in the present API: count, and the machine by the pod's nodeSelector",
    everywhere=[device_class(_GPU), claim("training-gpus", exactly("gpus", _GPU, count=4))],
    workload=[
        pod(
            "training-job",
            _trainer(),
            nodeSelector={_INSTANCE: "p4d.24xlarge"},
            **by_name(gpus="training-gpus"),
        )
    ],
    cases=[
        Case(
            State(
                "eight GPUs of another type of machine",
                [node("n1", {_INSTANCE: "g5.48xlarge"}), *_cards("n1", *[_SMALL_A100] * 8)],
                reasons=("NodeMismatch",),
            ),
            State("eight GPUs of that one", [*_p4d("n1", 8)], allocates=("gpus",) * 4),
            goes_to="worker2",
        ),
    ],
    note="resource.k8s.io/v1 in place of the printed v1alpha2, which no maintained Kubernetes serves: scenario G1-printed",
)

G2 = Row(
    name="G2",
    title="gang: eight pods at once",
    forces="the outdated PodGroup as Kueue has it: minMember is the group's total",
    everywhere=[device_class(_GPU), template("worker-gpu", exactly("gpus", _GPU))],
    workload=grouped(
        "distributed-training",
        *(
            pod(f"distributed-training-{index}", _trainer(), **by_template(gpus="worker-gpu"))
            for index in range(8)
        ),
    ),
    cases=[
        Case(
            State(
                "seven GPUs",
                _p4d("n1", 7),
                reasons=("NotEnoughDevices", "PodsDoNotFit"),
                says=("7 of 8 pods fit",),
            ),
            State(
                "eight GPUs on two nodes",
                [*_p4d("n1", 4), *_p4d("n2", 4)],
                allocates=("gpus",) * 8,
            ),
            goes_to="worker2",
        ),
    ],
    note="Kueue's group of pods in place of the PodGroup, whose pods the article does not print: these are made up",
)

_DRIVER, _EXAMPLE = "gpu-driver.example.com", "gpu.example.com"


def _at_least_16gi(memory: str) -> list[Object]:
    """The class, and the template of a GPU with that much memory; `memory`: CEL for the amount."""
    return [
        device_class(_EXAMPLE, f'device.driver == "{_DRIVER}"'),
        template(
            "gpu-claim-template",
            exactly("gpu-req", _EXAMPLE, f'{memory}.compareTo(quantity("16Gi")) >= 0'),
        ),
    ]


def _stock_gpus(*memory: str) -> list[Object]:
    devices = [
        device(f"gpu-{index}", {"model": "a"}, {"memory": amount})
        for index, amount in enumerate(memory)
    ]
    return pool(_DRIVER, "n1", devices)


I1 = Row(
    name="I1",
    title="a GPU with at least 16 Gi of memory",
    forces="memory as an amount: 8Gi is less than 16Gi, and 128Gi is more",
    everywhere=_at_least_16gi(f'device.capacity["{_DRIVER}"].memory'),
    workload=[
        pod(
            "stock-prediction-pod",
            container(
                "model-training",
                "tensorflow/tensorflow:2.9.1",
                "gpu-req",
                command=["python", "train.py"],
            ),
            **by_template(**{"gpu-req": "gpu-claim-template"}),
        )
    ],
    cases=[
        Case(
            State(
                "a GPU of 8 Gi",
                [node("n1"), _stock_gpus("8Gi")],
                reasons=("NoMatchingDevice",),
                says=("1 device: 1 fail request selector",),
            ),
            State("a GPU of 128 Gi", [node("n1"), _stock_gpus("128Gi")], allocates=("gpu-req",)),
            goes_to="worker2",
        ),
    ],
    note='resource.k8s.io/v1, and an amount in place of the printed attribute >= "16Gi", which compares letters: scenario I1-printed',
)


def _text_gpus(*memory: str) -> list[Object]:
    """A driver that publishes its memory as a text."""
    devices = [device(f"gpu-{index}", {"memory": amount}) for index, amount in enumerate(memory)]
    return pool(_DRIVER, "n1", devices)


B4 = Row(
    name="B4",
    title="memory that is published as a text",
    forces="quantity(text) makes an amount of it; without, 8Gi would do and 128Gi would not",
    everywhere=_at_least_16gi(f'quantity(device.attributes["{_DRIVER}"].memory)'),
    workload=I1.workload,
    cases=[
        Case(
            State(
                "a GPU of 8Gi",
                [node("n1"), _text_gpus("8Gi")],
                reasons=("NoMatchingDevice",),
            ),
            State("a GPU of 128Gi", [node("n1"), _text_gpus("128Gi")], allocates=("gpu-req",)),
            goes_to="worker2",
        ),
    ],
    note="the pod is I1's: the articles publish memory as an amount and as a text",
)

_KUEUE_GPU = "gpu.example.com"


def _plain_gpus(count: int) -> list[Object]:
    return pool(_KUEUE_GPU, "n1", [device(f"gpu-{index}") for index in range(count)])


_TRAIN = container(
    "main", "registry.k8s.io/pause:3.10", "gpu", resources={"requests": {"cpu": "1"}}
)

_SINGLE = template("single-gpu", exactly("gpu", _KUEUE_GPU))

K1 = Row(
    name="K1",
    title="ResourceClaimTemplate path: a class by name, one device",
    forces="what quota does not say: whether the template is on the worker, and a device free",
    everywhere=[device_class(_KUEUE_GPU)],
    workload=[job("train", _TRAIN, **by_template(gpu="single-gpu"))],
    cases=[
        Case(
            State(
                "a GPU, and no template: MultiKueue syncs none",
                [node("n1"), _plain_gpus(1)],
                reasons=("TemplateMissing",),
            ),
            State(
                "a GPU and the template",
                [node("n1"), _plain_gpus(1), _SINGLE],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "quota, and a device that another system has taken: the gap between admission and scheduling",
                [
                    node("n1"),
                    _plain_gpus(1),
                    taken(_KUEUE_GPU, "n1", "gpu-0"),
                    _SINGLE,
                ],
                reasons=("DevicesAllocated",),
            ),
            State(
                "a free GPU",
                [node("n1"), _plain_gpus(1), _SINGLE],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
    ],
    kueue_dra=(True, False),
    on_manager=[_SINGLE],
    note="the page prints no manifest: these are as its text says",
)

K2 = Row(
    name="K2",
    title="extended resource path: nvidia.com/gpu by a DeviceClass",
    forces="as N10",
    workload=[
        job(
            "train",
            container(
                "main",
                "registry.k8s.io/pause:3.10",
                resources={"requests": {"cpu": "1"}, "limits": {"nvidia.com/gpu": "1"}},
            ),
        )
    ],
    workers_since="1.36",  # DRAExtendedResource
    cases=[
        Case(
            State(
                "a GPU, but no class names the resource",
                [node("n1"), _cards("n1", _A100)],
                reasons=("ResourceMissing",),
            ),
            State(
                "a GPU, and the class with extendedResourceName",
                [device_class(_GPU, extended="nvidia.com/gpu"), node("n1"), _cards("n1", _A100)],
            ),
            goes_to="worker2",
        ),
    ],
    kueue_dra=(True, False),
    note="the page prints no manifest: these are as its text says",
)

BEYOND_INTEGERS: Sequence[Row] = [B1, B2, B3, B4]
GOES_GA: Sequence[Row] = [G1, G2]
INTRODUCTION: Sequence[Row] = [I1]
KUEUE: Sequence[Row] = [K1, K2]
