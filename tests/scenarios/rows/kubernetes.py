"""E1 to E12: the examples of dra-example-driver and of Kubernetes itself."""

from __future__ import annotations

from collections.abc import Sequence

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
from scenarios.rows.row import Case, Row, State

_GPU = "gpu.example.com"
_NIC = "nic.example.com"
_CPU = "cpu.example.com"
_IMPLICIT = "deviceclass.resource.kubernetes.io/"
_ONE_GPU = template("single-gpu", exactly("gpu", _GPU))


def _gpus(node_name: str, *memory: str, **more: object) -> list[Object]:
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


E1 = Row(
    name="E1",
    title="extended-resource-request: a class by its implicit name",
    forces="a class needs no extendedResourceName for this; but it must exist",
    resources={f"{_IMPLICIT}special.example.com": "1"},
    cases=[
        Case(
            State(
                "a GPU, but not the class",
                [node("n1"), _gpus("n1", "80Gi")],
                reasons=("ResourceMissing",),
                says=("deviceclass.resource.kubernetes.io/special.example.com",),
            ),
            State(
                "a GPU and the class",
                [
                    device_class("special.example.com", f"device.driver == '{_GPU}'"),
                    node("n1"),
                    _gpus("n1", "80Gi"),
                ],
                allocates=("container-0-request-1",),
            ),
            goes_to="worker2",
        ),
    ],
    note="example.com/gpu by extendedResourceName is N10",
)

_MEMORY = f"device.capacity['{_GPU}'].memory.compareTo(quantity('{{}}')) >= 0"

E2 = Row(
    name="E2",
    title="prioritized-alternatives: 1 Ti, else 40 Gi, else anything",
    forces="which alternative fits, the last one having no selector",
    everywhere=[
        device_class(_GPU),
        template(
            "choice",
            prefer(
                "gpu",
                large=wish(_GPU, _MEMORY.format("1Ti")),
                medium=wish(_GPU, _MEMORY.format("40Gi")),
                any=wish(_GPU),
            ),
        ),
    ],
    pod=by_template(gpu="choice"),
    cases=[
        Case(
            State("10 Gi", [node("n1"), _gpus("n1", "10Gi")], alternatives=(2,)),
            State(
                "10 Gi and 80 Gi",
                [node("n1"), _gpus("n1", "10Gi", "80Gi")],
                allocates=("gpu/medium",),
                alternatives=(1,),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "10 Gi",
                [node("n1"), _gpus("n1", "10Gi")],
                allocates=("gpu/any",),
                alternatives=(2,),
            ),
            State(
                "80 Gi, in use",
                [node("n1"), _gpus("n1", "80Gi"), taken(_GPU, "n1", "gpu-0")],
                reasons=("DevicesAllocated",),
                says=(
                    "any: 1 device of class gpu.example.com (DevicesAllocated; 1 device: 1 allocated",
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
            "selected",
            exactly(
                "gpu",
                _GPU,
                f"device.attributes['{_GPU}'].model == 'LATEST-GPU-MODEL'",
                _MEMORY.format("40Gi"),
            ),
        ),
    ],
    pod=by_template(gpu="selected"),
    cases=[
        Case(
            State(
                "the model with less memory",
                [node("n1"), _gpus("n1", "10Gi", "20Gi")],
                reasons=("NoMatchingDevice",),
                says=("2 devices: 2 fail request selector",),
            ),
            State(
                "one of two has enough",
                [node("n1"), _gpus("n1", "10Gi", "40Gi")],
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
    everywhere=[device_class(_GPU), template("partitions", exactly("gpu", _GPU, count=2))],
    pod=by_template(gpu="partitions"),
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
                allocates=("gpu", "gpu"),
            ),
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

E5 = Row(
    name="E5",
    title="net-consumable-capacity: bandwidth on two different cards",
    forces="shared capacity and distinctAttribute together",
    everywhere=[device_class(_NIC), _TWO_LINKS],
    pod=by_template(links="links"),
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


def _cores(node_name: str, cores: str) -> list[Object]:
    capacity = {"cores": in_steps(cores, "1")}
    cpus = device("cpus", {"numaNode": 0}, capacity, allowMultipleAllocations=True)
    return pool(_CPU, node_name, [cpus])


E6 = Row(
    name="E6",
    title="native-resource-request: CPUs as devices beside ordinary CPU requests",
    forces="one node must have both: the device's capacity and allocatable cpu",
    everywhere=[
        device_class(_CPU),
        template("cores", exactly("cores", _CPU, capacity={"requests": {"cores": "4"}})),
    ],
    pod=by_template(cores="cores"),
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
    pod=by_template(gpu="single-gpu"),
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
    title="device-taints-tolerations: a rule taints the GPUs of a pool",
    forces="rules change what can be had without a change of any slice",
    everywhere=[device_class(_GPU), _ONE_GPU],
    pod=by_template(gpu="single-gpu"),
    cases=[
        Case(
            State(
                "two free GPUs, tainted by a DeviceTaintRule",
                [
                    node("n1"),
                    _gpus("n1", "80Gi", "80Gi"),
                    taint_rule("maintenance", _GPU, "example.com/maintenance", pool="n1"),
                ],
                reasons=("DeviceTainted",),
                says=(
                    "2 tainted NoSchedule example.com/maintenance",
                    "(DeviceTaintRule maintenance)",
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
    everywhere=[device_class(_GPU), _ONE_GPU],
    pods=2,
    pod={**by_template(gpu="single-gpu"), "schedulingGroup": {"podGroupName": "training"}},
    cases=[
        Case(
            State(
                "one GPU, and the PodGroup with its claim",
                [node("n1"), _gpus("n1", "80Gi"), pod_group("training", gpu="single-gpu")],
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
                says=("/training",),
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
    note="scheduling.k8s.io/v1alpha2 and its gates (GenericWorkload, DRAWorkloadResourceClaims) are off by default "
    "in 1.36; here the manager and worker1 have them. Without them the pods' schedulingGroup has no effect",
)

_ADMIN_LABEL = {"resource.kubernetes.io/admin-access": "true"}
_ADMIN_TEMPLATE = template("admin-gpu", exactly("gpu", _GPU, adminAccess=True))
_LABELLED = State(
    "the GPU is in use, the namespace labelled",
    [_ADMIN_TEMPLATE, node("n1"), _gpus("n1", "80Gi"), taken(_GPU, "n1", "gpu-0")],
    allocates=("gpu",),
    namespace_labels=_ADMIN_LABEL,
)

E10 = Row(
    name="E10",
    title="admin-access: looking at a device that somebody uses",
    forces="takes no device; is allowed in namespaces with a label only",
    everywhere=[device_class(_GPU)],
    pod=by_template(gpu="admin-gpu"),
    cases=[
        Case(
            State(
                "the GPU is free, but the namespace has no label, so nobody could create the template",
                [node("n1"), _gpus("n1", "80Gi")],
                reasons=("TemplateMissing",),
                says=("/admin-gpu does not exist",),
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

_SHARED = claim("shared-gpu", exactly("gpu", _GPU), users_together=True)

E11 = Row(
    name="E11",
    title="basic-shared-claim-across-pods: three pods, one claim",
    forces="as S3, with the claim allocated on the worker that would come first",
    everywhere=[device_class(_GPU)],
    pods=3,
    pod=by_name(gpu="shared-gpu"),
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
                says=("/shared-gpu",),
                starts=True,
                but="the pods would start there without what the others share",
            ),
            goes_to="worker1",
        ),
    ],
    note="a Job of three pods in place of Pods",
)

E12 = Row(
    name="E12",
    title="basic-multiple-requests with opaque configuration: a GPU and a network card",
    forces="requests of different classes in one claim; configuration is passed on",
    everywhere=[
        device_class(_GPU),
        device_class(_NIC),
        template(
            "pair",
            exactly("gpu", _GPU),
            exactly("nic", _NIC),
            config=[
                opaque(
                    _GPU,
                    {"apiVersion": "gpu.resource.example.com/v1alpha1", "kind": "GpuConfig"},
                    "gpu",
                )
            ],
        ),
    ],
    pod=by_template(pair="pair"),
    cases=[
        Case(
            State(
                "GPUs, no network cards",
                [node("n1"), _gpus("n1", "80Gi")],
                reasons=("DriverMissing",),
                says=("class nic.example.com: 1 device: 1 other driver",),
            ),
            State(
                "both on one node",
                [node("n1"), _gpus("n1", "80Gi"), _cards("n1", 1)],
                allocates=("gpu", "nic"),
            ),
            goes_to="worker2",
        ),
        Case(
            State(
                "a GPU on one node, a card on another",
                [node("n1"), _gpus("n1", "80Gi"), node("n2"), _cards("n2", 1)],
                reasons=("NotEnoughDevices",),
                says=("request gpu: 0 of 1, request nic: 1 of 1",),
            ),
            State("both on one node", [node("n1"), _gpus("n1", "80Gi"), _cards("n1", 1)]),
            goes_to="worker2",
        ),
    ],
)

ROWS: Sequence[Row] = [E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12]
