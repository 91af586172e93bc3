"""N1 to N11: the demos of NVIDIA's DRA driver, as published.

Source: demo/specs of github.com/kubernetes-sigs/dra-driver-nvidia-gpu at 95932046.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.resources import Object
from scenarios.rows import compute_domain
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
from scenarios.rows.published import (
    container,
    deployment,
    of_kubeflow,
    pod,
    roles,
    tolerates,
)
from scenarios.rows.row import YES, Case, Row, State

_GPU, _MIG, _IMEX = "gpu.nvidia.com", "mig.nvidia.com", "imex.nvidia.com"
_VFIO = "vfio.gpu.nvidia.com"
_UBUNTU = "ubuntu:22.04"
_SLEEPS = {
    "command": ["bash", "-c"],
    "args": ["nvidia-smi -L; trap 'exit 0' TERM; sleep 9999 & wait"],
}
_GPU_TAINT = tolerates("nvidia.com/gpu")
_ONE_GPU = template("single-gpu", exactly("gpu", _GPU))


def _gpus(node_name: str, count: int) -> list[Object]:
    return pool(
        _GPU, node_name, [device(f"gpu-{index}", {"type": "gpu"}) for index in range(count)]
    )


def _sleeper(name: str, *claims: str) -> Object:
    return container(name, _UBUNTU, *claims, **_SLEEPS)


def _demo_pod(name: str, claims: Object, *containers: Object) -> Object:
    return pod(name, *containers, labels={"app": "pod"}, **claims, **_GPU_TAINT)


N1 = Row(
    name="N1",
    title="gpu-test1: two pods, one GPU each",
    forces="a claim per pod, and what the pods before this one have taken",
    everywhere=[device_class(_GPU), _ONE_GPU],
    workload=[
        _demo_pod(name, by_template(gpu="single-gpu"), _sleeper("ctr", "gpu"))
        for name in ("pod1", "pod2")
    ],
    cases=[
        Case(
            State(
                "one free GPU of two",
                [node("n1"), _gpus("n1", 2), taken(_GPU, "n1", "gpu-0")],
                allocates=("gpu",),
            ),
            State(
                "one GPU on each of two nodes: more to spare for the first pod, as much for the second",
                [node("n1"), _gpus("n1", 1), node("n2"), _gpus("n2", 1)],
                allocates=("gpu",),
            ),
            spread=(1, 1),
        ),
        Case(
            State(
                "both GPUs are in use",
                [node("n1"), _gpus("n1", 2), taken(_GPU, "n1", "gpu-0", "gpu-1")],
                reasons=("DevicesAllocated",),
                says=("2 allocated (",),
            ),
            State(
                "one GPU on each of two nodes",
                [node("n1"), _gpus("n1", 1), node("n2"), _gpus("n2", 1)],
                allocates=("gpu", "gpu"),
            ),
            goes_to="worker2",
        ),
    ],
)

N2 = Row(
    name="N2",
    title="gpu-test2: one GPU shared by the containers of a pod",
    forces="a claim counts once per pod, however many containers use it",
    everywhere=[device_class(_GPU), _ONE_GPU],
    workload=[
        _demo_pod(
            "pod",
            {"resourceClaims": [{"name": "shared-gpu", "resourceClaimTemplateName": "single-gpu"}]},
            _sleeper("ctr0", "shared-gpu"),
            _sleeper("ctr1", "shared-gpu"),
        )
    ],
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
)

_NAMED = claim("single-gpu", exactly("gpu", _GPU))
_BY_NAME: Object = {"resourceClaims": [{"name": "shared-gpu", "resourceClaimName": "single-gpu"}]}

N3 = Row(
    name="N3",
    title="gpu-test3: one named GPU claim for two pods",
    forces="as S3: the claim lives in one cluster and counts once",
    everywhere=[device_class(_GPU)],
    workload=[
        _demo_pod(name, _BY_NAME, _sleeper("ctr", "shared-gpu")) for name in ("pod1", "pod2")
    ],
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
)

_PROFILE = "device.attributes['gpu.nvidia.com'].profile == '{}'"
_PARTITIONS = ("mig-1g-5gb-0", "mig-1g-5gb-1", "mig-2g-10gb", "mig-3g-20gb")
_FOUR_PARTITIONS = template(
    "mig-devices",
    exactly("mig-1g-5gb-0", _MIG, _PROFILE.format("1g.5gb")),
    exactly("mig-1g-5gb-1", _MIG, _PROFILE.format("1g.5gb")),
    exactly("mig-2g-10gb", _MIG, _PROFILE.format("2g.10gb")),
    exactly("mig-3g-20gb", _MIG, _PROFILE.format("3g.20gb")),
    constraints=[{"requests": [], **same("gpu.nvidia.com/parentUUID")}],
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
    """As many of every profile as two pods need, but no card has all four."""
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
    workload=[
        deployment(
            "pod",
            *(
                _sleeper(f"ctr{index}", f"mig-devices/{name}")
                for index, name in enumerate(_PARTITIONS)
            ),
            replicas=4,
            labels={"app": "gpu-test4-pod"},
            **by_template(**{"mig-devices": "mig-devices"}),
            **_GPU_TAINT,
        )
    ],
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
                allocates=_PARTITIONS * 4,
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "three cards with the whole set",
                [node("n1"), pool(_GPU, "n1", _whole_parents(3))],
                allocates=_PARTITIONS * 3,
            ),
            State(
                "one card", [node("n1"), pool(_GPU, "n1", _whole_parents(1))], allocates=_PARTITIONS
            ),
            spread=(3, 1),
        ),
    ],
    note="each replica is a job of its own, so the four spread where no worker has room for all",
)

_SHARING = "resource.nvidia.com/v1beta1"


def _sharing(strategy: str, request: str, **settings: Any) -> Object:
    parameters: Object = {
        "apiVersion": _SHARING,
        "kind": "GpuConfig",
        "sharing": {"strategy": strategy, **settings},
    }
    return opaque(_GPU, parameters, request)


_LONG = {"timeSlicingConfig": {"interval": "Long"}}
_HALF = {
    "mpsConfig": {
        "defaultActiveThreadPercentage": 50,
        "defaultPinnedDeviceMemoryLimit": "10Gi",
    }
}


def _benchmark(name: str, request: str) -> Object:
    return container(
        name,
        "nvcr.io/nvidia/k8s/cuda-sample:nbody-cuda11.6.0-ubuntu18.04",
        f"shared-gpus/{request}",
        command=["bash", "-c"],
        args=["trap 'exit 0' TERM; /tmp/sample --benchmark --numbodies=4226000 & wait"],
    )


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
            config=[
                _sharing("TimeSlicing", "ts-gpu", **_LONG),
                _sharing("MPS", "mps-gpu", **_HALF),
            ],
        ),
    ],
    workload=[
        pod(
            "pod0",
            _benchmark("ts-ctr0", "ts-gpu"),
            _benchmark("ts-ctr1", "ts-gpu"),
            _benchmark("mps-ctr0", "mps-gpu"),
            _benchmark("mps-ctr1", "mps-gpu"),
            **by_template(**{"shared-gpus": "multiple-gpus"}),
            **_GPU_TAINT,
        )
    ],
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
    note="that no worker declares time slicing and MPS is a warning by default; S4 requires it",
)

_INDEX = f"device.attributes['{_GPU}'].index"
_A100 = (
    f"device.attributes['{_GPU}'].productName.lowerAscii().matches('^.*a100.*$')\n&&\n"
    f"({_INDEX} == 0 ||\n{_INDEX} == 2 ||\n{_INDEX} == 4 ||\n{_INDEX} == 6)\n"
)


def _indexed(node_name: str, product: str, *indexes: int) -> list[Object]:
    devices = [
        device(f"gpu-{index}", {"productName": product, "index": index}) for index in indexes
    ]
    return pool(_GPU, node_name, devices)


N6 = Row(
    name="N6",
    title="gpu-test6: A100s by pattern and index",
    forces="regular expressions, strings and numbers in CEL; products that are spelled differently",
    everywhere=[
        device_class(_GPU),
        template(
            "a100",
            exactly("gpu", _GPU, _A100),
            config=[_sharing("TimeSlicing", "gpu", **_LONG)],
        ),
    ],
    workload=[
        deployment(
            "pod",
            _sleeper("ctr", "a100"),
            replicas=4,
            labels={"app": "gpu-test6-pod"},
            **by_template(a100="a100"),
            **_GPU_TAINT,
        )
    ],
    cases=[
        Case(
            State(
                "A100s with odd indexes, and an H100",
                [
                    node("n1"),
                    _indexed("n1", "NVIDIA A100-SXM4-40GB", 1, 3, 5),
                    node("n2"),
                    _indexed("n2", "NVIDIA H100 80GB HBM3", 0),
                ],
                reasons=("NoMatchingDevice", "CapabilityUndeclared"),
                says=(
                    "4 devices: ",
                    "3 fail request selector",
                ),
            ),
            State(
                "eight A100s, spelled differently",
                [node("n1"), _indexed("n1", "nvidia-a100-pcie", *range(8))],
                reasons=("CapabilityUndeclared",),
                outcome=YES,
                allocates=("gpu",) * 4,
            ),
            goes_to="worker2",
        ),
    ],
)


def _nvbandwidth(name: str, nodes: int, template_name: str) -> Object:
    """The MPIJob of nvbandwidth-test-job.yaml and its kin."""
    image = "ghcr.io/nvidia/k8s-samples:nvbandwidth-v0.7-8d103163"
    as_user = {"securityContext": {"runAsUser": 1000}}
    options = ["--bind-to", "core", "--map-by", "ppr:2:node", "-np", str(2 * nodes)]
    what = ["--report-bindings", "-q", "nvbandwidth", "-t"]
    launcher = container(
        "mpi-launcher",
        image,
        command=["mpirun"],
        args=[*options, *what, "multinode_device_to_device_memcpy_read_ce"],
        **as_user,
    )
    worker = container(
        "mpi-worker",
        image,
        "compute-domain-channel",
        command=["/usr/sbin/sshd"],
        args=["-De", "-f", "/home/mpiuser/.sshd_config"],
        resources={"limits": {"nvidia.com/gpu": "2"}},
        **as_user,
    )
    spec = {
        "slotsPerWorker": 2,
        "launcherCreationPolicy": "WaitForWorkersReady",
        "runPolicy": {"cleanPodPolicy": "Running"},
        "sshAuthMountPath": "/home/mpiuser/.ssh",
        **roles(
            "mpiReplicaSpecs",
            Launcher=(1, _role("mpi-launcher", launcher, affinity=_ON_CONTROL_PLANE)),
            Worker=(
                nodes,
                _role(
                    "mpi-worker",
                    worker,
                    **by_template(**{"compute-domain-channel": template_name}),
                ),
            ),
        ),
    }
    return of_kubeflow("kubeflow.org/v2beta1", "MPIJob", name, spec)


def _role(label: str, only: Object, **spec: Any) -> Object:
    return {
        "metadata": {"labels": {"mpi-memcpy-dra-test-replica": label}},
        "spec": {"containers": [only], **spec},
    }


_CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
_ON_CONTROL_PLANE: Object = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchExpressions": [{"key": _CONTROL_PLANE, "operator": "Exists"}]}
            ]
        }
    }
}
_EXTENDED = "nvidia.com/gpu"
_DOMAIN = compute_domain.domain(
    "nvbandwidth-test-compute-domain", 4, "nvbandwidth-test-compute-domain-channel"
)


def _nvl_rack(nodes: int) -> list[Object]:
    """A node for the launcher, and nodes with two GPUs of a device plugin and a channel each."""
    made = [node("control-plane", {_CONTROL_PLANE: ""})]
    for index in range(nodes):
        name = f"n{index}"
        made += [node(name, allocatable={_EXTENDED: "2"}), *compute_domain.channels(name)]
    return made


N7 = Row(
    name="N7",
    title="nvbandwidth-test-job: an MPIJob over four nodes, with the channels of a ComputeDomain",
    forces="a template that a controller makes; pod sets of different needs, judged as one gang; a device plugin's GPUs beside a claim",
    everywhere=[compute_domain.channel_class()],
    workload=[_nvbandwidth("nvbandwidth-test", 4, "nvbandwidth-test-compute-domain-channel")],
    cases=[
        Case(
            State(
                "four nodes, no ComputeDomain, so no template",
                _nvl_rack(4),
                reasons=("TemplateMissing",),
                says=("/nvbandwidth-test-compute-domain-channel does not exist",),
            ),
            State(
                "four nodes and the ComputeDomain",
                [_DOMAIN, _nvl_rack(4)],
                allocates=("channel",) * 4,
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "the ComputeDomain, three nodes",
                [_DOMAIN, _nvl_rack(3)],
                reasons=("NotEnoughDevices", "NodeResources", "PodsDoNotFit"),
                says=("3 of 4 pods fit", "4 pods need 4 devices, only 3 are there in all"),
            ),
            State(
                "the ComputeDomain, four nodes",
                [_DOMAIN, _nvl_rack(4)],
                allocates=("channel",) * 4,
            ),
            goes_to="worker2",
        ),
    ],
    note="the driver's controller and the MPI operator are played; the ComputeDomain is not copied but applied on the "
    "workers. Scenario compute-domain-later shows a job that waits for its template",
)

N8 = Row(
    name="N8",
    title="fabric-manager-partitioning: two GPUs of one fabric partition",
    forces="a constraint inside of one request for several devices",
    everywhere=[
        device_class(
            _VFIO, f"device.driver == '{_GPU}' && device.attributes['{_GPU}'].type == 'vfio'"
        ),
        template(
            "fm-partition-2gpu",
            exactly("gpus", _VFIO, count=2),
            constraints=[same("gpu.nvidia.com/partition2", "gpus")],
        ),
    ],
    workload=[
        pod(
            "fm-partition-pod",
            container(
                "ctr",
                "nvidia/cuda:12.0.0-base-ubuntu22.04",
                "gpus",
                command=["bash", "-c"],
                args=["sleep infinity"],
            ),
            labels={"app": "fm-partition-sample"},
            **by_template(gpus="fm-partition-2gpu"),
        )
    ],
    cases=[
        Case(
            State(
                "three GPUs of three partitions",
                [
                    node("n1"),
                    pool(
                        _GPU,
                        "n1",
                        [
                            device(f"vfio-{index}", {"type": "vfio", "partition2": index})
                            for index in (4, 5, 6)
                        ],
                    ),
                ],
                reasons=("ConstraintUnsatisfied",),
                says=("matchAttribute gpu.nvidia.com/partition2 over requests gpus",),
            ),
            State(
                "two of three GPUs in one partition",
                [
                    node("n1"),
                    pool(
                        _GPU,
                        "n1",
                        [
                            device(f"vfio-{index}", {"type": "vfio", "partition2": partition})
                            for index, partition in enumerate((4, 5, 5))
                        ],
                    ),
                ],
                allocates=("gpus", "gpus"),
            ),
            goes_to="worker2",
        ),
    ],
    note="gpu-test-vfiopci is the same with one GPU and no constraint",
)


def _sliceable(node_name: str) -> list[Object]:
    gpu = device(
        "gpu-0", {"type": "gpu"}, {"memory": in_steps("8Gi", "1Gi")}, allowMultipleAllocations=True
    )
    return pool(_GPU, node_name, [gpu])


def _memory_held(amount: str) -> Object:
    request = exactly("gpu", _GPU, capacity={"requests": {"memory": amount}})
    share = shared(held(_GPU, "n1", "gpu-0"), {"memory": amount})
    return allocated(claim("somebody-else", request), "n1", share)


N9 = Row(
    name="N9",
    title="consumable-shares, memory-sharing: 4 GiB of a GPU for each of two pods",
    forces="devices that many may have: capacity is counted, not devices",
    everywhere=[
        device_class(_GPU),
        template("gpu-4gi", exactly("gpu", _GPU, capacity={"requests": {"memory": "4Gi"}})),
    ],
    workload=[
        deployment(
            "memory-sharing",
            container(
                "ctr",
                _UBUNTU,
                "gpu",
                command=["bash", "-c"],
                args=["nvidia-smi -L; echo 'running with 4Gi memory claim'; sleep 3600"],
            ),
            replicas=2,
            labels={"app": "memory-sharing"},
            **by_template(gpu="gpu-4gi"),
            **_GPU_TAINT,
        )
    ],
    cases=[
        Case(
            State(
                "a GPU with 2 of 8 GiB left",
                [node("n1"), _sliceable("n1"), _memory_held("6Gi")],
                reasons=("CapacityExhausted",),
                says=("need 4Gi of memory (2Gi left on gpu-0)",),
            ),
            State(
                "one whole GPU of 8 GiB",
                [node("n1"), _sliceable("n1")],
                allocates=("gpu", "gpu"),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "a GPU with 6 of 8 GiB left",
                [node("n1"), _sliceable("n1"), _memory_held("2Gi")],
                allocates=("gpu",),
            ),
            State(
                "a GPU with 4 of 8 GiB left",
                [node("n1"), _sliceable("n1"), _memory_held("4Gi")],
                allocates=("gpu",),
            ),
            spread=(1, 1),
        ),
    ],
    note="integer-sharing and unlimited-sharing ask for the whole device without an amount: for fedra as for a scheduler "
    "they are the same with other numbers",
)

N10 = Row(
    name="N10",
    title="extended-resources, gpu-full: nvidia.com/gpu",
    forces="the same limit is devices by a DeviceClass on one worker and a device plugin's on another",
    workload=[
        pod(
            "gpu-full-pod",
            container(
                "cuda-container",
                "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0",
                resources={"limits": {_EXTENDED: "1"}},
            ),
            restartPolicy="Never",
            **_GPU_TAINT,
        )
    ],
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
                allocates=("container-0-request-0",),
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

_CLIQUE = "nvidia.com/gpu.clique"


def _channels(clique: str, count: int = 4) -> list[Object]:
    devices = [device(f"channel-{index}") for index in range(count)]
    return pool(_IMEX, nodes_with(_CLIQUE, clique), devices, name=f"clique-{clique}")


N11 = Row(
    name="N11",
    title="imex-test1: two pods of a Deployment with a GPU each and one network-attached IMEX channel",
    forces="slices for nodes with a label in place of one node; a shared claim beside one of each pod",
    everywhere=[
        device_class(_GPU),
        device_class(_IMEX),
        template("node-gpus", exactly("gpu", _GPU)),
        claim("deployment0-imex-channel", exactly("channel", _IMEX)),
    ],
    workload=[
        deployment(
            "deployment0",
            container(
                "ctr",
                _UBUNTU,
                "gpus",
                "imex-channel",
                command=["bash", "-c"],
                args=["trap 'exit 0' TERM; sleep 9999 & wait"],
            ),
            replicas=2,
            labels={"app": "imex-test1-deployment0"},
            resourceClaims=[
                {"name": "gpus", "resourceClaimTemplateName": "node-gpus"},
                {"name": "imex-channel", "resourceClaimName": "deployment0-imex-channel"},
            ],
        )
    ],
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
            ),
            State(
                "two nodes of one clique",
                [
                    node("n1", {_CLIQUE: "a"}),
                    _gpus("n1", 1),
                    node("n2", {_CLIQUE: "a"}),
                    _gpus("n2", 1),
                    _channels("a"),
                ],
                allocates=("gpu", "gpu", "channel"),
            ),
            goes_to="worker2",
        ),
    ],
    note="the other three Deployments are the same with names of their own",
)

ROWS: Sequence[Row] = [N1, N2, N3, N4, N5, N6, N7, N8, N9, N10, N11]
