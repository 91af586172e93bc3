"""E1 to E15: the examples of dra-example-driver, as published.

Source: demo/examples of github.com/kubernetes-sigs/dra-example-driver at 31914ce.
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
    drawing,
    exactly,
    held,
    in_steps,
    node,
    opaque,
    pod_group,
    pool,
    prefer,
    shared,
    taint_rule,
    taken,
    template,
    wish,
)
from scenarios.rows.published import container, grouped, pod
from scenarios.rows.row import Case, Row, State

_GPU = "gpu.example.com"
_NET = "net.example.com"
_CPU = "cpu.example.com"
_IMPLICIT = "deviceclass.resource.kubernetes.io/"
_ONE_GPU = template("single-gpu", exactly("gpu", _GPU))
_SLEEPS = {
    "command": ["bash", "-c"],
    "args": ["export; trap 'exit 0' TERM; sleep 9999 & wait"],
}


def _gpus(node_name: str, *memory: str, **more: Any) -> list[Object]:
    """One GPU for each amount of memory."""
    devices = [
        device(
            f"gpu-{index}",
            {"model": "LATEST-GPU-MODEL", "index": index},
            {"memory": amount},
            **more,
        )
        for index, amount in enumerate(memory)
    ]
    return pool(_GPU, node_name, devices)


def _sleeper(name: str, *claims: str, **more: Any) -> Object:
    return container(name, "ubuntu:22.04", *claims, **{**_SLEEPS, **more})


def _example(name: str, claims: Object, *containers: Object, **spec: Any) -> Object:
    """The examples' pod. Without containers: one that uses the first of the claims."""
    used = containers or (_sleeper("ctr0", claims["resourceClaims"][0]["name"]),)
    return pod(name, *used, labels={"app": "pod"}, **claims, **spec)


def _asking(name: str, resource: str) -> Object:
    return _example(name, {}, _sleeper("ctr0", resources={"limits": {resource: "1"}}))


E1 = Row(
    name="E1",
    title="extended-resource-request: a class by its implicit name, and one by extendedResourceName",
    forces="a class needs no extendedResourceName for the first; but it must exist",
    workload=[_asking("pod0", f"{_IMPLICIT}{_GPU}"), _asking("pod1", "example.com/gpu")],
    cases=[
        Case(
            State(
                "a GPU, but not the class",
                [node("n1"), _gpus("n1", "80Gi")],
                reasons=("ResourceMissing",),
                says=(f"{_IMPLICIT}{_GPU}",),
            ),
            State(
                "two GPUs and the class",
                [
                    device_class(_GPU, extended="example.com/gpu"),
                    node("n1"),
                    _gpus("n1", "80Gi", "80Gi"),
                ],
                allocates=("container-0-request-0",) * 2,
            ),
            goes_to="worker2",
        ),
    ],
)

_MODEL = "device.attributes['gpu.example.com'].model == '{}'"
_MEMORY = f"device.capacity['{_GPU}'].memory.compareTo(quantity('{{}}')) >= 0"

E2 = Row(
    name="E2",
    title="prioritized-alternatives: the newest model, else 1 Ti, else anything",
    forces="which alternative fits, the last one having no selector",
    everywhere=[
        device_class(_GPU),
        template(
            "prioritized-gpu",
            prefer(
                "gpu",
                **{
                    "bleeding-edge-gpu": wish(_GPU, _MODEL.format("BLEEDING-EDGE-GPU")),
                    "huge-gpu": wish(_GPU, _MEMORY.format("1Ti")),
                    "older-gpu": wish(_GPU),
                },
            ),
        ),
        template(
            "preferred-gpu",
            prefer(
                "gpu",
                **{
                    "latest-gpu": wish(_GPU, _MODEL.format("LATEST-GPU-MODEL")),
                    "older-gpu": wish(_GPU),
                },
            ),
        ),
    ],
    workload=[_example("pod0", by_template(gpu="prioritized-gpu"))],
    cases=[
        Case(
            State(
                "80 Gi; pod1 prefers that model",
                [node("n1"), _gpus("n1", "80Gi")],
                alternatives=(2,),
            ),
            State(
                "80 Gi and 1 Ti",
                [node("n1"), _gpus("n1", "80Gi", "1Ti"), taken(_GPU, "n1", "gpu-0")],
                allocates=("gpu/huge-gpu",),
                alternatives=(1,),
            ),
            goes_to="worker2",
            also=[(_example("pod1", by_template(gpu="preferred-gpu")), "worker1")],
        ),
        Case(
            State(
                "80 Gi",
                [node("n1"), _gpus("n1", "80Gi")],
                allocates=("gpu/older-gpu",),
                alternatives=(2,),
            ),
            State(
                "1 Ti, in use",
                [node("n1"), _gpus("n1", "1Ti"), taken(_GPU, "n1", "gpu-0")],
                reasons=("DevicesAllocated",),
                says=(
                    "older-gpu: 1 device of class gpu.example.com (DevicesAllocated; 1 device: 1 allocated",
                ),
            ),
            goes_to="worker1",
        ),
    ],
)

E3 = Row(
    name="E3",
    title="cel-selector: two selectors in one request",
    forces="all selectors of class and request must hold",
    everywhere=[
        device_class(_GPU),
        template(
            "single-gpu-cel",
            exactly("gpu", _GPU, _MODEL.format("LATEST-GPU-MODEL"), _MEMORY.format("4Gi")),
        ),
    ],
    workload=[_example("pod0", by_template(gpu="single-gpu-cel"))],
    cases=[
        Case(
            State(
                "the model with less memory",
                [node("n1"), _gpus("n1", "1Gi", "2Gi")],
                reasons=("NoMatchingDevice",),
                says=("2 devices: 2 fail request selector",),
            ),
            State(
                "one of two has enough",
                [node("n1"), _gpus("n1", "1Gi", "4Gi")],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
    ],
)


def _partitionable(node_name: str, partitions: int, slots: str) -> list[Object]:
    devices = [
        device(
            f"partition-{index}",
            {"model": "LATEST-GPU-MODEL"},
            consumesCounters=drawing("gpu-0", slots="1"),
        )
        for index in range(partitions)
    ]
    return pool(_GPU, node_name, devices, [counter_set("gpu-0", slots=slots)])


E4 = Row(
    name="E4",
    title="partitionable-devices: two partitions",
    forces="as S5, for a request of several devices",
    everywhere=[
        device_class(_GPU),
        template("gpu-partitions", exactly("gpu-partition", _GPU, count=2)),
    ],
    workload=[
        pod(
            "pod0",
            _sleeper("ctr0", "gpu-partitions"),
            restartPolicy="Never",
            **by_template(**{"gpu-partitions": "gpu-partitions"}),
        )
    ],
    cases=[
        Case(
            State(
                "three partitions free, counters for one",
                [node("n1"), _partitionable("n1", 4, "2"), taken(_GPU, "n1", "partition-0")],
                reasons=("CountersExhausted",),
                says=("need 1 each of gpu-0/slots (1 left for all)",),
            ),
            State(
                "counters for two",
                [node("n1"), _partitionable("n1", 4, "3"), taken(_GPU, "n1", "partition-0")],
                allocates=("gpu-partition", "gpu-partition"),
            ),
            goes_to="worker2",
        ),
    ],
)


def _card(node_name: str) -> list[Object]:
    """One network card for all, 100G in each direction."""
    capacity = {
        "ingressBandwidth": in_steps("100G", "1G"),
        "egressBandwidth": in_steps("100G", "1G"),
    }
    card = device("nic-0", {"ifName": "eth0"}, capacity, allowMultipleAllocations=True)
    return pool(_NET, node_name, [card])


def _bandwidth(name: str, ingress: str, egress: str) -> Object:
    requests = {"ingressBandwidth": ingress, "egressBandwidth": egress}
    return template(name, exactly("nic", _NET, capacity={"requests": requests}))


_MOST_OF_IT = allocated(
    claim(
        "somebody-else",
        exactly(
            "gpu",
            _NET,
            capacity={"requests": {"ingressBandwidth": "97G", "egressBandwidth": "1G"}},
        ),
    ),
    "n1",
    shared(held(_NET, "n1", "nic-0"), {"ingressBandwidth": "97G", "egressBandwidth": "1G"}),
)

E5 = Row(
    name="E5",
    title="net-consumable-capacity: bandwidth of one network card for two pods",
    forces="two capacities of one device at once",
    everywhere=[
        device_class(_NET),
        _bandwidth("nic-10g-in-5g-out", "10G", "5G"),
        _bandwidth("nic-5g-in-5g-out", "5G", "5G"),
    ],
    workload=[
        _example("pod0", by_template(nic="nic-10g-in-5g-out")),
        _example("pod1", by_template(nic="nic-5g-in-5g-out")),
    ],
    cases=[
        Case(
            State(
                "a card with 3G in and 99G out left",
                [node("n1"), _card("n1"), _MOST_OF_IT],
                reasons=("CapacityExhausted",),
                says=("need 10G of ingressBandwidth (3G left on nic-0)",),
            ),
            State("a whole card", [node("n1"), _card("n1")], allocates=("nic", "nic")),
            goes_to="worker2",
        ),
    ],
)


# The range of a policy must have room for two steps (1.36).
_ONE_CORE: Object = {"value": "1", "requestPolicy": {"default": "1", "validValues": ["1"]}}


def _cores(node_name: str, cores: Object) -> list[Object]:
    capacity = {"cpu.example.com/cpu": cores}
    cpus = device("numa-0", {"numaNode": 0}, capacity, allowMultipleAllocations=True)
    return pool(_CPU, node_name, [cpus])


def _core(name: str) -> Object:
    return exactly(name, _CPU, capacity={"requests": {"cpu.example.com/cpu": "1"}})


E6 = Row(
    name="E6",
    title="native-resource-request: two CPUs of one device",
    forces="two requests of a claim share a device's capacity",
    everywhere=[device_class(_CPU), template("two-cpus", _core("cpu0"), _core("cpu1"))],
    workload=[_example("pod0", by_template(cpus="two-cpus"))],
    cases=[
        Case(
            State(
                "a device of one CPU",
                [node("n1"), _cores("n1", _ONE_CORE)],
                reasons=("CapacityExhausted",),
            ),
            State(
                "a device of two CPUs",
                [node("n1"), _cores("n1", in_steps("2", "1"))],
                allocates=("cpu0", "cpu1"),
            ),
            goes_to="worker2",
        ),
    ],
    note="without nodeAllocatableResourceMappings (KEP-5517, alpha and off in 1.36); where a driver publishes them, devices take cpu of the node (dra/judge/node_share.h)",
)

_BINDING: Object = {
    "bindsToNode": True,
    "bindingConditions": ["example.com/attached"],
    "bindingFailureConditions": ["example.com/attach-failed"],
}

E7 = Row(
    name="E7",
    title="binding-conditions: a device that is attached first",
    forces="feasible is not bound: the scheduler waits for the driver after it has chosen",
    everywhere=[device_class(_GPU), _ONE_GPU],
    workload=[_example("pod0", by_template(gpu="single-gpu"))],
    cases=[
        Case(
            State(
                "a GPU in use",
                [node("n1"), _gpus("n1", "80Gi"), taken(_GPU, "n1", "gpu-0")],
                reasons=("DevicesAllocated",),
                says=("1 allocated (",),
            ),
            State(
                "a GPU that must be attached",
                [node("n1"), _gpus("n1", "80Gi", **_BINDING)],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
    ],
    note="the scenario plays the driver and reports the device as attached",
)

E8 = Row(
    name="E8",
    title="device-taints-tolerations, pod-noschedule: a rule taints all GPUs of a driver",
    forces="rules change what can be had without a change of any slice",
    everywhere=[device_class(_GPU), _ONE_GPU],
    workload=[
        pod(
            "pod-no-schedule",
            _sleeper("ctr0", "gpu"),
            labels={"app": "pod-no-schedule"},
            **by_template(gpu="single-gpu"),
        )
    ],
    cases=[
        Case(
            State(
                "two free GPUs, tainted by a DeviceTaintRule",
                [
                    node("n1"),
                    _gpus("n1", "80Gi", "80Gi"),
                    taint_rule("example", _GPU, f"{_GPU}/unhealthy", "true"),
                ],
                reasons=("DeviceTainted",),
                says=(
                    "2 tainted NoSchedule gpu.example.com/unhealthy=true",
                    "(DeviceTaintRule example)",
                ),
            ),
            State("a free GPU", [node("n1"), _gpus("n1", "80Gi")], allocates=("gpu",)),
            goes_to="worker2",
        ),
        Case(
            State(
                "tainted NoExecute by its driver",
                [
                    node("n1"),
                    _gpus(
                        "n1", "80Gi", taints=[{"key": "example.com/broken", "effect": "NoExecute"}]
                    ),
                ],
                reasons=("DeviceTainted",),
                says=("1 tainted NoExecute example.com/broken (by its driver)",),
            ),
            State(
                "tainted None, for information only",
                [
                    node("n1"),
                    _gpus("n1", "80Gi", taints=[{"key": "example.com/old", "effect": "None"}]),
                ],
                allocates=("gpu",),
            ),
            goes_to="worker2",
        ),
    ],
    off_by_default=True,
    note="scenario taint-rule shows a rule that comes and goes while a job waits",
)

E9 = Row(
    name="E9",
    title="podgroup-resourceclaimtemplate: two pods of one PodGroup",
    forces="a group has one claim (KEP-5729) only where that API is on; elsewhere each pod has its own",
    everywhere=[device_class(_GPU), template("one-gpu", exactly("gpu", _GPU))],
    workload=grouped(
        "group-1",
        *(
            pod(
                f"group-1-{index}",
                _sleeper("ctr0", "gpu"),
                labels={"app": "group-1"},
                schedulingGroup={"podGroupName": "group-1"},
                **by_template(gpu="one-gpu"),
            )
            for index in range(2)
        ),
    ),
    cases=[
        Case(
            State(
                "one GPU, and the PodGroup with its claim",
                [node("n1"), _gpus("n1", "80Gi"), pod_group("group-1", gpu="one-gpu")],
                allocates=("gpu",),
            ),
            State(
                "one GPU, and no API for PodGroups",
                [node("n1"), _gpus("n1", "80Gi")],
                reasons=("NotEnoughDevices", "PodsDoNotFit"),
                says=("1 of 2 pods fit",),
            ),
            goes_to="worker1",
        ),
        Case(
            State(
                "two GPUs, and no PodGroup of that name",
                [node("n1"), _gpus("n1", "80Gi", "80Gi")],
                reasons=("DependencyMissing",),
                says=("/group-1",),
            ),
            State(
                "two GPUs, and no API for PodGroups",
                [node("n1"), _gpus("n1", "80Gi", "80Gi")],
                allocates=("gpu", "gpu"),
            ),
            goes_to="worker2",
        ),
    ],
    off_by_default=True,
    note="a group of Kueue in place of the Deployment, whose replicas fedra would place one by one; the PodGroup is not "
    "copied but on the worker. scheduling.k8s.io/v1alpha2 and its gates (GenericWorkload, DRAWorkloadResourceClaims) are "
    "off by default in 1.36; here the manager and worker1 have them, with the policy basic in place of gang. Without them "
    "the pods' schedulingGroup has no effect",
)

_ADMIN_LABEL = {"resource.kubernetes.io/admin-access": "true"}
_ADMIN_TEMPLATE = template(
    "multiple-gpus-admin",
    {
        "name": "admin-gpu",
        "exactly": {"deviceClassName": _GPU, "allocationMode": "All", "adminAccess": True},
    },
)
_LABELLED = State(
    "one of two GPUs is in use, the namespace labelled",
    [_ADMIN_TEMPLATE, node("n1"), _gpus("n1", "80Gi", "80Gi"), taken(_GPU, "n1", "gpu-0")],
    allocates=("admin-gpu", "admin-gpu"),
    namespace_labels=_ADMIN_LABEL,
)

E10 = Row(
    name="E10",
    title="admin-access: looking at all GPUs of a node, used or not",
    forces="takes no device, so All is content with those in use; is allowed in namespaces with a label only",
    everywhere=[device_class(_GPU)],
    workload=[_example("pod0", by_template(**{"admin-gpus": "multiple-gpus-admin"}))],
    cases=[
        Case(
            State(
                "the GPU is free, but the namespace has no label, so nobody could create the template",
                [node("n1"), _gpus("n1", "80Gi")],
                reasons=("TemplateMissing",),
                says=("/multiple-gpus-admin does not exist",),
            ),
            _LABELLED,
            goes_to="worker2",
        ),
        Case(
            State(
                "the GPU is free, the template is there, but the namespace has lost its label",
                [_ADMIN_TEMPLATE, node("n1"), _gpus("n1", "80Gi")],
                reasons=("DependencyMissing",),
                says=("resource.kubernetes.io/admin-access",),
                namespace_labels=_ADMIN_LABEL,
                unlabelled_later=True,
            ),
            _LABELLED,
            goes_to="worker2",
        ),
    ],
)

_SHARED = claim("single-gpu", exactly("gpu", _GPU), users_together=True)
_SHARING: Object = {"resourceClaims": [{"name": "shared-gpu", "resourceClaimName": "single-gpu"}]}

E11 = Row(
    name="E11",
    title="basic-shared-claim-across-pods: two pods, one claim",
    forces="as S3, with the claim allocated on the worker that would come first",
    everywhere=[device_class(_GPU)],
    workload=[_example("pod0", _SHARING), _example("pod1", _SHARING)],
    cases=[
        Case(
            State(
                "the claim, allocated",
                [
                    node("n1"),
                    _gpus("n1", "80Gi"),
                    allocated(_SHARED, "n1", held(_GPU, "n1", "gpu-0")),
                ],
                allocates=("gpu",),
            ),
            State(
                "the claim, free, with more GPUs",
                [node("n1"), _gpus("n1", "80Gi", "80Gi"), _SHARED],
                reasons=("ClaimElsewhere",),
                says=("/single-gpu",),
                starts=True,
                but="the pods would start there without what the others share",
            ),
            goes_to="worker1",
        ),
    ],
    note="the claim has the annotation fedra.dev/shared: RequireTogether, without which the second worker would be eligible, and come last",
)

E12 = Row(
    name="E12",
    title="basic-multiple-requests: two GPUs for one container",
    forces="two requests of one claim, on one node",
    everywhere=[
        device_class(_GPU),
        template("multiple-gpus", exactly("gpu-1", _GPU), exactly("gpu-2", _GPU)),
    ],
    workload=[_example("pod0", by_template(gpus="multiple-gpus"))],
    cases=[
        Case(
            State(
                "one GPU on each of two nodes",
                [node("n1"), _gpus("n1", "80Gi"), node("n2"), _gpus("n2", "80Gi")],
                reasons=("NotEnoughDevices",),
                says=("request gpu-1: 1 of 1, request gpu-2: 1 of 1, each alone",),
            ),
            State(
                "two GPUs on one node",
                [node("n1"), _gpus("n1", "80Gi", "80Gi")],
                allocates=("gpu-1", "gpu-2"),
            ),
            goes_to="worker2",
        ),
    ],
)


def _config(request: str, strategy: str, **settings: Any) -> Object:
    parameters = {
        "apiVersion": "gpu.resource.example.com/v1alpha1",
        "kind": "GpuConfig",
        "sharing": {"strategy": strategy, **settings},
    }
    return opaque(_GPU, parameters, request)


E13 = Row(
    name="E13",
    title="basic-resourceclaim-opaque-config: a configuration for each of two GPUs, four containers",
    forces="configuration is passed on; containers that use one request of a claim",
    everywhere=[
        device_class(_GPU),
        template(
            "multiple-gpus",
            exactly("ts-gpu", _GPU),
            exactly("sp-gpu", _GPU),
            config=[
                _config("ts-gpu", "TimeSlicing", timeSlicingConfig={"interval": "Long"}),
                _config(
                    "sp-gpu", "SpacePartitioning", spacePartitioningConfig={"partitionCount": 10}
                ),
            ],
        ),
    ],
    workload=[
        pod(
            "pod0",
            *(
                _sleeper(f"{kind}-ctr{index}", f"shared-gpus/{kind}-gpu")
                for kind in ("ts", "sp")
                for index in range(2)
            ),
            **by_template(**{"shared-gpus": "multiple-gpus"}),
        )
    ],
    cases=[
        Case(
            State(
                "one of two GPUs is in use",
                [node("n1"), _gpus("n1", "80Gi", "80Gi"), taken(_GPU, "n1", "gpu-0")],
                reasons=("DevicesAllocated",),
            ),
            State(
                "two free GPUs",
                [node("n1"), _gpus("n1", "80Gi", "80Gi")],
                allocates=("ts-gpu", "sp-gpu"),
            ),
            goes_to="worker2",
        ),
    ],
)


def _share_of(pod_name: str) -> Object:
    requests = {"memory": "16Gi", "compute": "20"}
    return claim(f"shared-gpu-{pod_name}", exactly("gpu", _GPU, capacity={"requests": requests}))


def _shareable(node_name: str, memory: str) -> list[Object]:
    capacity = {"memory": in_steps(memory, "1Gi"), "compute": in_steps("100", "1")}
    gpu = device("gpu-0", {"model": "LATEST-GPU-MODEL"}, capacity, allowMultipleAllocations=True)
    return pool(_GPU, node_name, [gpu])


E14 = Row(
    name="E14",
    title="gpu-allow-multiple-allocations: two claims share a GPU",
    forces="capacity by claims that are named, one for each pod",
    everywhere=[device_class(_GPU), _share_of("pod0"), _share_of("pod1")],
    workload=[_example(name, by_name(gpu=f"shared-gpu-{name}")) for name in ("pod0", "pod1")],
    cases=[
        Case(
            State(
                "a GPU of 8 Gi",
                [node("n1"), _shareable("n1", "8Gi")],
                reasons=("CapacityExhausted",),
            ),
            State(
                "a GPU of 80 Gi",
                [node("n1"), _shareable("n1", "80Gi")],
                allocates=("gpu", "gpu"),
            ),
            goes_to="worker2",
        ),
    ],
    note="gpu-allow-multiple-allocations-partitionable is the same over E4's devices",
)

E15 = Row(
    name="E15",
    title="initcontainer-shared-gpu: one GPU for a container and the one before it",
    forces="a claim counts once, init containers included",
    everywhere=[device_class(_GPU), _ONE_GPU],
    workload=[
        pod(
            "pod0",
            _sleeper("ctr0", "shared-gpu"),
            initContainers=[_sleeper("init0", "shared-gpu", args=["export"])],
            **by_template(**{"shared-gpu": "single-gpu"}),
        )
    ],
    cases=[
        Case(
            State("a class without a driver", [node("n1")], reasons=("DriverMissing",)),
            State("exactly one GPU", [node("n1"), _gpus("n1", "80Gi")], allocates=("gpu",)),
            goes_to="worker2",
        ),
    ],
)

ROWS: Sequence[Row] = [E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13, E14, E15]
