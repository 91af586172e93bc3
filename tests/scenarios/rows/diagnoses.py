"""What articles print and no cluster takes, or takes and does not do: `fedra check` says why, before anything is applied."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from scenarios.fedra_process import CHECK_ERROR, CHECK_NOWHERE
from scenarios.resources import Object
from scenarios.rows.articles import I1
from scenarios.rows.parts import (
    by_name,
    cel,
    device,
    device_class,
    exactly,
    node,
    pool,
    same,
    template,
)
from scenarios.rows.published import container, pod
from scenarios.rows.row import State


@dataclasses.dataclass(frozen=True)
class Found:
    """One finding of `fedra check`."""

    object: str  # "DeviceClass high-memory-gpu", without a namespace
    says: str
    hint: str = ""


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    name: str  # of the scenario
    title: str
    printed: Sequence[Object]
    code: int  # of `fedra check`
    found: Sequence[Found]
    answer: str  # for people: what it says
    skipped: Sequence[str] = ()  # what it says of documents that it does not judge
    # Of the workers, where the article's job is judged.
    states: Sequence[State] = ()
    everywhere: Sequence[Object] = ()


def _class(version: str, name: str, expression: str) -> Object:
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [cel(expression)]},
    }


_GPU = "gpu.nvidia.com"
_AT_LEAST_40 = (
    f'device.driver == "{_GPU}" && device.capacity["{_GPU}"].memory >= quantity("40Gi")\n'
)

_A100 = f'device.attributes["{_GPU}"].productName == "NVIDIA A100-SXM4-80GB"\n'


def _flat(name: str, class_name: str, *selectors: str) -> Object:
    """A request with the fields that v1 has below exactly."""
    made: Object = {"name": name, "deviceClassName": class_name}
    if selectors:
        made["selectors"] = [cel(each) for each in selectors]
    return made


def _v1(kind: str, name: str, spec: Object) -> Object:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }


_B1 = Diagnosis(
    name="B1-printed",
    title="DeviceClass high-memory-gpu, with >= between quantities, and a template of v1 with the fields of v1beta1",
    printed=[
        _class("v1", "high-memory-gpu", _AT_LEAST_40),
        _v1(
            "ResourceClaimTemplate",
            "training-gpu",
            {"spec": {"devices": {"requests": [_flat("gpu", "high-memory-gpu", _A100)]}}},
        ),
    ],
    code=CHECK_ERROR,
    found=[
        Found(
            "DeviceClass high-memory-gpu",
            "found no matching overload for '_>=_'",
            f'write device.capacity["{_GPU}"].memory.compareTo(quantity("40Gi")) >= 0',
        ),
        Found("ResourceClaimTemplate training-gpu", "exactly", "exactly:"),
    ],
    answer="errors: no API server takes the class, nor the template; and what to write",
)

_MIG = "mig.nvidia.com"


def _slice(name: str, profile: str) -> Object:
    return _flat(name, _MIG, f'device.attributes["{_GPU}"].profile == "{profile}"\n')


_B2 = Diagnosis(
    name="B2-printed",
    title="a claim and a template of v1 with the fields of v1beta1: patterns 2 and 3",
    printed=[
        _v1(
            "ResourceClaim",
            "shared-inference-gpu",
            {"devices": {"requests": [_flat("gpu", "any-nvidia-gpu")]}},
        ),
        _v1(
            "ResourceClaimTemplate",
            "mig-mixed-workload",
            {
                "spec": {
                    "devices": {
                        "requests": [
                            _slice("large-slice", "3g.40gb"),
                            _slice("small-slice", "1g.10gb"),
                        ],
                        "constraints": [same(f"{_GPU}/parentUUID", "large-slice", "small-slice")],
                    }
                }
            },
        ),
    ],
    code=CHECK_ERROR,
    found=[
        Found("ResourceClaim shared-inference-gpu", "exactly", "exactly:"),
        Found("ResourceClaimTemplate mig-mixed-workload", "exactly", "exactly:"),
    ],
    answer="errors: no API server takes them; and what to write",
)

_OLD = "resource.k8s.io/v1alpha2"
_G1 = Diagnosis(
    name="G1-printed",
    title="ResourceClass and ResourceClaim of resource.k8s.io/v1alpha2, and a PodGroup",
    printed=[
        {
            "apiVersion": _OLD,
            "kind": "ResourceClass",
            "metadata": {"name": _GPU},
            "structuredParameters": {
                "generatedFrom": {"nodeName": None, "driverName": _GPU},
            },
        },
        {
            "apiVersion": _OLD,
            "kind": "ResourceClaim",
            "metadata": {"name": "training-gpus"},
            "spec": {
                "resourceClassName": _GPU,
                "parameters": {
                    "apiVersion": "gpu.resource.nvidia.com/v1alpha1",
                    "kind": "GpuClaimParameters",
                    "count": 4,
                    "sharing": {},
                    "selector": {},
                },
                "constraints": [
                    {"nodeSelector": {"node.kubernetes.io/instance-type": "p4d.24xlarge"}}
                ],
            },
        },
        pod(
            "training-job",
            container("trainer", "pytorch/pytorch:latest", "gpus"),
            **by_name(gpus="training-gpus"),
        ),
        {
            "apiVersion": "scheduling.x-k8s.io/v1alpha1",
            "kind": "PodGroup",
            "metadata": {"name": "distributed-training"},
            "spec": {"minMember": 8, "scheduleTimeoutSeconds": 300},
        },
    ],
    code=CHECK_ERROR,
    found=[
        Found("ResourceClass gpu.nvidia.com", "Kubernetes 1.27 to 1.30", "kind: DeviceClass"),
        Found("ResourceClaim training-gpus", "Kubernetes 1.27 to 1.30", "deviceClassName"),
    ],
    answer="errors with the age of the API and the present way (a DeviceClass; requests below spec.devices), and of the "
    "PodGroup what a gang is in Kueue",
    skipped=["kueue.x-k8s.io/pod-group-name"],
)

_DRIVER, _EXAMPLE = "gpu-driver.example.com", "gpu.example.com"
_COMPARED = f'device.attributes["{_DRIVER}"].memory >= "16Gi"\n'


def _with_text(memory: str) -> list[Object]:
    return [node("n1"), *pool(_DRIVER, "n1", [device("gpu-0", {"memory": memory})])]


_I1 = Diagnosis(
    name="I1-printed",
    title='a selector that compares memory >= "16Gi", of v1beta1',
    printed=[
        _class("v1beta1", _EXAMPLE, f'device.driver == "{_DRIVER}"'),
        {
            "apiVersion": "resource.k8s.io/v1beta1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "gpu-claim-template"},
            "spec": {
                "spec": {
                    "devices": {
                        "requests": [
                            {
                                "name": "gpu-req",
                                "deviceClassName": _EXAMPLE,
                                "selectors": [cel(_COMPARED)],
                            }
                        ]
                    }
                }
            },
        },
        *I1.workload,
    ],
    code=CHECK_NOWHERE,
    found=[
        Found(
            f"DeviceClass {_EXAMPLE}", "v1 is served since Kubernetes 1.34", "resource.k8s.io/v1"
        ),
        Found(
            "ResourceClaimTemplate gpu-claim-template",
            'compares as text ("8Gi" is more than "16Gi", "128Gi" is less)',
        ),
    ],
    answer="a warning that it compares as text, and what to write; where drivers publish an amount it is an error on every "
    "device",
    everywhere=[
        device_class(_EXAMPLE, f'device.driver == "{_DRIVER}"'),
        template("gpu-claim-template", exactly("gpu-req", _EXAMPLE, _COMPARED)),
    ],
    states=[
        State(
            "a GPU of 128 Gi, memory published as an amount",
            [
                node("n1"),
                *pool(_DRIVER, "n1", [device("gpu-0", {"model": "a"}, {"memory": "128Gi"})]),
            ],
            reasons=("SelectorError",),
        ),
        State(
            "a GPU of 128Gi, memory published as a text",
            _with_text("128Gi"),
            reasons=("NoMatchingDevice",),
        ),
    ],
)

DIAGNOSES: Sequence[Diagnosis] = [_B1, _B2, _G1, _I1]
