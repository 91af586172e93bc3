"""S1 to S8: the DRA tutorials of Google Kubernetes Engine, as published.

Source: site/content/docs/tutorials/dynamic-resource-allocation of github.com/ai-on-gke/website at fff3922, and of its
branches for S2 and S8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.resources import Object
from scenarios.rows.parts import (
    allocated,
    by_name,
    by_template,
    claim,
    counter_set,
    device,
    device_class,
    distinct,
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
from scenarios.rows.published import container, deployment, pod, service, tolerates
from scenarios.rows.row import Case, Row, State

_GPU, _CPU, _NIC, _TPU = "gpu.nvidia.com", "dra.cpu", "mrdma.google.com", "tpu.google.com"
_MIG, _NET = "mig.nvidia.com", "dra.net"
_IMAGES = "image-configurator.x-k8s.io"
_COMPUTE_CLASS = "cloud.google.com/compute-class"
_GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
_TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}
_NO_AUTOSCALER = "the ComputeClass itself, an object of GKE only, is not looked for"

# The tutorials make it of the reader's token.
_HF_SECRET: Object = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "hf-secret"},
    "stringData": {"hf_api_token": "none"},
}
_TOKEN: Object = {
    "name": "HF_TOKEN",
    "valueFrom": {"secretKeyRef": {"name": "hf-secret", "key": "hf_api_token"}},
}
_SHARED_MEMORY = [{"name": "dshm", "emptyDir": {"medium": "Memory"}}]
_MOUNTED = [{"name": "dshm", "mountPath": "/dev/shm"}]
_PROBE = {"tcpSocket": {"port": 8000}, "initialDelaySeconds": 15, "periodSeconds": 10}


def _server(name: str, image: str, claim_name: str, *arguments: str, **more: Any) -> Object:
    """The tutorials' container: a model server on port 8000."""
    return container(
        name,
        image,
        claim_name,
        **{
            "command": ["python3", "-m", "vllm.entrypoints.openai.api_server"],
            "args": ["--host=0.0.0.0", "--port=8000", *arguments],
            "env": [_TOKEN],
            "ports": [{"containerPort": 8000}],
            "volumeMounts": _MOUNTED,
            **more,
        },
    )


def _probed(name: str, image: str, claim_name: str, *arguments: str, **more: Any) -> Object:
    return _server(name, image, claim_name, *arguments, readinessProbe=_PROBE, **more)


def _served(name: str, server: Object, claims: Object, replicas: int = 1, **spec: Any) -> Object:
    return deployment(name, server, replicas=replicas, volumes=_SHARED_MEMORY, **claims, **spec)


def _gpus(node_name: str, memory: str, *names: str) -> list[Object]:
    return pool(
        _GPU, node_name, [device(name, {"type": "gpu"}, {"memory": memory}) for name in names]
    )


def _gpu_node(name: str) -> Object:
    return node(name, taints=[_GPU_TAINT])


def _ccc_node(name: str) -> Object:
    return node(name, {_COMPUTE_CLASS: "vllm-gpu-ccc"}, [_GPU_TAINT])


_FUNGIBLE = (
    "NUM_GPUS=$(nvidia-smi -L | wc -l); python3 -m vllm.entrypoints.openai.api_server --host=0.0.0.0 --port=8000 "
    "--model=google/gemma-4-31B-it --tensor-parallel-size=${NUM_GPUS} --max-model-len 65536"
)

S1 = Row(
    name="S1",
    title="GPU fungibility: 1 × 80 GB, else 2 × any",
    forces="ordered alternatives, equality of quantities, two devices on one node, node selector and toleration",
    everywhere=[
        device_class(_GPU),
        _HF_SECRET,
        service("vllm-service", "vllm-gpu"),
        template(
            "gpu-claim",
            prefer(
                "gpu",
                **{
                    "a100-80gb": wish(
                        _GPU, f"device.capacity['{_GPU}'].memory == quantity('80Gi')"
                    ),
                    "a100-40gb-2x": wish(_GPU, count=2),
                },
            ),
        ),
    ],
    workload=[
        _served(
            "vllm-gpu",
            _probed(
                "vllm-gpu",
                "vllm/vllm-openai:gemma4",
                "gpu",
                command=["/bin/bash", "-c"],
                args=[_FUNGIBLE],
            ),
            by_template(gpu="gpu-claim"),
            nodeSelector={_COMPUTE_CLASS: "vllm-gpu-ccc"},
            **tolerates("nvidia.com/gpu"),
        )
    ],
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
                allocates=("gpu/a100-80gb",),
                alternatives=(0,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "two 40 GB cards",
                [_ccc_node("a40"), _gpus("a40", "40Gi", "gpu-0", "gpu-1")],
                allocates=("gpu/a100-40gb-2x", "gpu/a100-40gb-2x"),
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
                allocates=("gpu/a100-80gb",),
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
    note=_NO_AUTOSCALER,
)


def _fungible_node(name: str) -> Object:
    taint = {"key": _COMPUTE_CLASS, "value": "fungible-gpu-cpu", "effect": "NoSchedule"}
    return node(name, {_COMPUTE_CLASS: "fungible-gpu-cpu"}, [taint])


def _cpus(node_name: str, cores: str) -> list[Object]:
    capacity = {"dra.cpu/cpu": in_steps(cores, "1")}
    cpu = device(
        "cpudevnuma000", {"dra.cpu/numaNodeID": 0}, capacity, allowMultipleAllocations=True
    )
    return pool(_CPU, node_name, [cpu], name=f"{node_name}-cpu")


def _images() -> list[Object]:
    """One device for all nodes, which each claim has to wait for."""
    configurator = device(
        "image-configurator",
        bindingConditions=[f"{_IMAGES}/image-updated"],
        bindingFailureConditions=[f"{_IMAGES}/image-update-failed"],
    )
    return pool(_IMAGES, {"allNodes": True}, [configurator], name="all-nodes")


def _image(request: str, image: str) -> Object:
    parameters = {
        "apiVersion": f"{_IMAGES}/v1alpha1",
        "kind": "ImageConfig",
        "containerName": "vllm",
        "image": f"us-docker.pkg.dev/project/dra-drivers/{image}:latest",
    }
    return opaque(_IMAGES, parameters, request)


_ANY_TAINT = [
    {"key": _COMPUTE_CLASS, "operator": "Exists"},
    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "DeletionCandidateOfClusterAutoscaler", "operator": "Exists"},
]

S2 = Row(
    name="S2",
    title="GPU or CPU, with an image for either",
    forces="alternatives of different drivers, all drivers of a claim on one node, consumable capacity, sub-request names in the configuration, a device that is bound later",
    everywhere=[
        device_class(_GPU),
        device_class(_CPU),
        device_class(_IMAGES),
        _HF_SECRET,
        service("vllm-service", "vllm-fungible", kind="ClusterIP"),
        template(
            "gpu-or-cpu",
            prefer(
                "device",
                gpu=wish(_GPU),
                cpu=wish(_CPU, capacity={"requests": {"dra.cpu/cpu": "12"}}),
            ),
            exactly("image-config", _IMAGES),
            config=[
                _image("device/gpu", "vllm-gemma4-gpu"),
                _image("device/cpu", "vllm-gemma4-cpu"),
            ],
        ),
    ],
    workload=[
        deployment(
            "vllm-fungible",
            container(
                "vllm",
                "registry.k8s.io/pause:3.10",
                "device",
                imagePullPolicy="Always",
                env=[_TOKEN],
                ports=[{"containerPort": 8000}],
                readinessProbe=_PROBE,
                volumeMounts=_MOUNTED,
            ),
            volumes=_SHARED_MEMORY,
            nodeSelector={_COMPUTE_CLASS: "fungible-gpu-cpu"},
            tolerations=_ANY_TAINT,
            **by_template(device="gpu-or-cpu"),
        )
    ],
    cases=[
        Case(
            State(
                "a GPU, but nobody configures images",
                [_fungible_node("gpu"), _gpus("gpu", "24Gi", "gpu-0")],
                reasons=("DriverMissing",),
            ),
            State(
                "no GPU, CPUs and images",
                [_fungible_node("cpu"), _cpus("cpu", "64"), _images()],
                allocates=("device/cpu", "image-config"),
                alternatives=(1,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "no GPU, too few CPUs",
                [_fungible_node("cpu"), _cpus("cpu", "8"), _images()],
                reasons=("CapacityExhausted",),
            ),
            State(
                "a GPU, CPUs and images",
                [
                    _fungible_node("all"),
                    _gpus("all", "24Gi", "gpu-0"),
                    _cpus("all", "64"),
                    _images(),
                ],
                allocates=("device/gpu", "image-config"),
                alternatives=(0,),
            ),
            goes_to="worker2",
        ),
    ],
    note=f"the scenario plays the image configurator, and no image is changed; {_NO_AUTOSCALER}",
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


def _sharing(*arguments: str) -> Object:
    """Two replicas that name one claim."""
    server = _probed(
        "vllm-gpu", "vllm/vllm-openai:v0.21.0", "gpu", "--model=google/gemma-3-1b-it", *arguments
    )
    claims = by_name(gpu="gpu-claim")
    return _served("vllm-gpu", server, claims, replicas=2, **tolerates("nvidia.com/gpu"))


S3 = Row(
    name="S3",
    title="Time slicing: two pods share one claim",
    forces="a claim by name: where it exists, and first where it is allocated; a configuration is passed, not judged",
    everywhere=[device_class(_GPU), _HF_SECRET, service("vllm-service", "vllm-gpu")],
    workload=[_sharing("--gpu-memory-utilization=0.42")],
    cases=[
        Case(
            State(
                "a GPU, but no claim",
                [_gpu_node("n1"), _gpus("n1", "80Gi", "gpu-0")],
                reasons=("ClaimMissing",),
            ),
            State(
                "a GPU and the claim",
                [_gpu_node("n1"), _gpus("n1", "80Gi", "gpu-0"), _SHARED_CLAIM],
                allocates=("gpu",),
                capabilities=(_SLICING,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "the claim, free",
                [_gpu_node("n1"), _gpus("n1", "80Gi", "gpu-0"), _SHARED_CLAIM],
                allocates=("gpu",),
                capabilities=(_SLICING,),
            ),
            State(
                "the claim, allocated",
                [
                    _gpu_node("n1"),
                    _gpus("n1", "80Gi", "gpu-0"),
                    allocated(_SHARED_CLAIM, "n1", held(_GPU, "n1", "gpu-0")),
                ],
                allocates=("gpu",),
                capabilities=(_SLICING,),
            ),
            goes_to="worker2",
        ),
    ],
    note="each replica is a job of its own: that both go to one worker is the claim's doing",
)

S4 = Row(
    name="S4",
    title="MPS: half a GPU for each of two pods, by one claim",
    forces="as S3; whether the driver has MPS switched on is not visible in the API and must be declared",
    everywhere=[
        device_class(_GPU),
        _HF_SECRET,
        service("vllm-service", "vllm-gpu"),
        claim(
            "gpu-claim",
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
    workload=[_sharing("--gpu-memory-utilization=0.35")],
    verification={"capabilities": "Require"},
    cases=[
        Case(
            State(
                "a free GPU, MPS not declared",
                [_gpu_node("n1"), _gpus("n1", "80Gi", "gpu-0")],
                reasons=("CapabilityUndeclared",),
                starts=True,
                but="a scheduler does not know: the driver there would fail the pods",
            ),
            State(
                "a free GPU, MPS declared",
                [_gpu_node("n1"), _gpus("n1", "80Gi", "gpu-0")],
                allocates=("gpu",),
                capabilities=(_MPS,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "MPS declared, the only GPU is in use",
                [_gpu_node("n1"), _gpus("n1", "80Gi", "gpu-0"), taken(_GPU, "n1", "gpu-0")],
                reasons=("DevicesAllocated",),
                capabilities=(_MPS,),
            ),
            State(
                "a free GPU, MPS declared",
                [_gpu_node("n1"), _gpus("n1", "80Gi", "gpu-0")],
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


def _of_profile(name: str, profile: str) -> Object:
    selector = f'device.attributes["{_GPU}"].profile == "{profile}"'
    return template(name, exactly("gpu", _MIG, selector))


def _on_mig(name: str, template_name: str, *arguments: str) -> Object:
    server = _probed(
        "vllm-gpu", "vllm/vllm-openai:v0.21.0", "gpu", "--model=google/gemma-3-1b-it", *arguments
    )
    return _served(name, server, by_template(gpu=template_name), **tolerates("nvidia.com/gpu"))


S5 = Row(
    name="S5",
    title="Dynamic MIG: a 3g.40gb partition",
    forces="partitions are published side by side: only the shared counters say which can exist together",
    everywhere=[
        device_class(
            _MIG, f"device.driver == '{_GPU}' && device.attributes['{_GPU}'].type == 'mig'"
        ),
        _HF_SECRET,
        service("vllm-prod-service", "vllm-prod"),
        service("vllm-dev-service", "vllm-dev"),
        _of_profile("gpu-claim-template-prod", "3g.40gb"),
        _of_profile("gpu-claim-template-dev", "1g.10gb"),
    ],
    workload=[_on_mig("vllm-prod", "gpu-claim-template-prod")],
    cases=[
        Case(
            State(
                "two such partitions published, but the card is one 7g.80gb now",
                [_gpu_node("n1"), _h100("n1"), taken(_GPU, "n1", "mig-7g-0")],
                reasons=("CountersExhausted",),
            ),
            State(
                "one 3g.40gb in use, room for another",
                [_gpu_node("n1"), _h100("n1"), taken(_GPU, "n1", "mig-3g-0")],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "the card is one 7g.80gb now",
                [_gpu_node("n1"), _h100("n1"), taken(_GPU, "n1", "mig-7g-0")],
                reasons=("CountersExhausted",),
            ),
            State(
                "a whole card, for vllm-prod and then vllm-dev",
                [_gpu_node("n1"), _h100("n1")],
                allocates=("gpu",),
            ),
            goes_to="worker2",
            also=[
                (
                    _on_mig("vllm-dev", "gpu-claim-template-dev", "--max-model-len=2048"),
                    "worker2",
                )
            ],
        ),
    ],
)

_PCIE_ROOT, _NUMA = "resource.kubernetes.io/pcieRoot", "dra.net/numaNode"


def _aligned(node_name: str, *roots: tuple[str, str]) -> list[Object]:
    """For each socket the PCIe roots of its GPU and of its network card, and CPUs."""
    gpus = [device(f"gpu-{numa}", {_PCIE_ROOT: gpu}) for numa, (gpu, _) in enumerate(roots)]
    cards = [
        device(f"pci-{numa}", {_PCIE_ROOT: card, _NUMA: numa, "dra.net/rdma": True})
        for numa, (_, card) in enumerate(roots)
    ]
    cpus = [
        device(
            f"cpudevnuma00{numa}",
            {"dra.cpu/numaNodeID": numa, _NUMA: numa},
            {"dra.cpu/cpu": in_steps("112", "1")},
            allowMultipleAllocations=True,
        )
        for numa in range(len(roots))
    ]
    return [
        *pool(_GPU, node_name, gpus),
        *pool(_NET, node_name, cards, name=f"{node_name}-net"),
        *pool(_CPU, node_name, cpus, name=f"{node_name}-cpu"),
    ]


def _three(name: str, constraint: Object) -> Object:
    return claim(
        name,
        exactly("gpu-req", _GPU),
        exactly("nic-req", _NIC),
        exactly("cpu-req", _CPU, capacity={"requests": {"dra.cpu/cpu": "4"}}),
        constraints=[same(_PCIE_ROOT, "gpu-req", "nic-req"), constraint],
    )


def _bandwidth(name: str, claim_key: str, claim_name: str) -> Object:
    """The pod that measures; its script builds nvbandwidth."""
    amounts = {"cpu": "4", "memory": "8Gi"}
    measuring = container(
        "workload-container",
        "nvidia/cuda:12.6.0-devel-ubuntu22.04",
        claim_key,
        command=["/bin/sh", "-c"],
        args=["sleep infinity"],
        resources={"requests": amounts, "limits": amounts},
    )
    return pod(
        name,
        measuring,
        **by_name(**{claim_key: claim_name}),
        **tolerates("nvidia.com/gpu", "present"),
    )


_ONE_ROOT, _TWO_ROOTS = ("pci0000:8c", "pci0000:8c"), ("pci0000:8c", "pci0000:c8")

S6 = Row(
    name="S6",
    title="GPU, network card and CPUs side by side",
    forces="constraints over drivers on one node; attributes that other domains define",
    everywhere=[
        device_class(_GPU),
        device_class(_NIC, f"device.driver == '{_NET}'"),
        device_class(_CPU),
        _three("aligned-resource-claim", same(_NUMA, "cpu-req", "nic-req")),
        _three("misaligned-resource-claim", distinct(_NUMA, "cpu-req", "nic-req")),
    ],
    workload=[_bandwidth("aligned-gpu-nic-cpu-pod", "aligned-devices", "aligned-resource-claim")],
    cases=[
        Case(
            State(
                "all free, GPU and card on different PCIe roots",
                [_gpu_node("n1"), _aligned("n1", _TWO_ROOTS)],
                reasons=("ConstraintUnsatisfied",),
            ),
            State(
                "GPU and card on one PCIe root",
                [_gpu_node("n1"), _aligned("n1", _ONE_ROOT)],
                allocates=("gpu-req", "nic-req", "cpu-req"),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "two sockets, of each the GPU and the card on different roots",
                [
                    _gpu_node("n1"),
                    _aligned("n1", _TWO_ROOTS, ("pci0000:a7", "pci0000:e1")),
                ],
                reasons=("ConstraintUnsatisfied",),
            ),
            State(
                "two sockets; then the misaligned pod, with CPUs of the other one",
                [_gpu_node("n1"), _aligned("n1", _ONE_ROOT, ("pci0000:c8", "pci0000:c8"))],
                allocates=("gpu-req", "nic-req", "cpu-req"),
            ),
            goes_to="worker2",
            also=[
                (
                    _bandwidth(
                        "misaligned-gpu-nic-cpu-pod",
                        "misaligned-devices",
                        "misaligned-resource-claim",
                    ),
                    "worker2",
                )
            ],
        ),
    ],
    note="the script that builds and measures is left out",
)


def _tpu_node(name: str) -> Object:
    return node(name, taints=[_TPU_TAINT])


def _tpus(node_name: str, generation: str = "v6e", chips: int = 4) -> list[Object]:
    return pool(
        _TPU, node_name, [device(f"tpu-{index}", {"tpuGen": generation}) for index in range(chips)]
    )


def _on_tpus(name: str, template_name: str, **more: Any) -> Object:
    server = _server(
        "vllm-tpu",
        "vllm/vllm-tpu:v0.19.0",
        "tpus",
        "--model=google/gemma-3-1b-it",
        "--max-model-len=8192",
        **more,
    )
    return _served(name, server, by_template(tpus=template_name), **tolerates("google.com/tpu"))


S7 = Row(
    name="S7",
    title="All TPU chips of a node",
    forces="All means every matching chip: none may be in use, none unpublished, and there must be one",
    everywhere=[
        device_class(_TPU),
        _HF_SECRET,
        service("vllm-dra-tpu-service", "vllm-dra-tpu"),
        template("tpu-claim-template", every("tpus", _TPU)),
    ],
    workload=[_on_tpus("vllm-dra-tpu", "tpu-claim-template")],
    cases=[
        Case(
            State(
                "three of four chips free",
                [_tpu_node("n1"), _tpus("n1"), taken(_TPU, "n1", "tpu-3")],
                reasons=("DevicesAllocated",),
            ),
            State("four free chips", [_tpu_node("n1"), _tpus("n1")], allocates=("tpus",) * 4),
            goes_to="worker2",
        ),
        Case(
            State("no chips", [_tpu_node("n1")], reasons=("DriverMissing",)),
            State("four free chips", [_tpu_node("n1"), _tpus("n1")], allocates=("tpus",) * 4),
            goes_to="worker2",
        ),
    ],
)


def _generation(name: str) -> Object:
    return wish(_TPU, f'device.attributes["{_TPU}"].tpuGen == "{name}"', count=0)


def _privileged(name: str) -> Object:
    return _on_tpus(name, "tpu-prioritized-claim-template", securityContext={"privileged": True})


S8 = Row(
    name="S8",
    title="TPU v6e, else v5p, all chips of a node",
    forces="alternatives that exist in different clusters, each All",
    everywhere=[
        device_class(_TPU),
        _HF_SECRET,
        service("vllm-preferred-service", "vllm-preferred"),
        service("vllm-fallback-service", "vllm-fallback"),
        template(
            "tpu-prioritized-claim-template",
            prefer("tpus", **{"tpu-v6e": _generation("v6e"), "tpu-v5p": _generation("v5p")}),
        ),
    ],
    workload=[_privileged("vllm-preferred")],
    cases=[
        Case(
            State(
                "v5p; vllm-fallback, which comes next, gets it",
                [_tpu_node("n1"), _tpus("n1", "v5p")],
                alternatives=(1,),
            ),
            State(
                "v6e",
                [_tpu_node("n1"), _tpus("n1", "v6e")],
                allocates=("tpus/tpu-v6e",) * 4,
                alternatives=(0,),
            ),
            goes_to="worker2",
            also=[(_privileged("vllm-fallback"), "worker1")],
        ),
        Case(
            State(
                "v5p",
                [_tpu_node("n1"), _tpus("n1", "v5p")],
                allocates=("tpus/tpu-v5p",) * 4,
                alternatives=(1,),
            ),
            State(
                "v6e, one chip in use",
                [_tpu_node("n1"), _tpus("n1", "v6e"), taken(_TPU, "n1", "tpu-0")],
                reasons=("DevicesAllocated",),
            ),
            goes_to="worker1",
        ),
    ],
)

ROWS: Sequence[Row] = [S1, S2, S3, S4, S5, S6, S7, S8]
