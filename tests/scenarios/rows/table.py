"""All rows, in the order of the page."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from scenarios.rows import articles, gke, kai, kubernetes, nvidia, traps
from scenarios.rows.diagnoses import DIAGNOSES, Diagnosis
from scenarios.rows.row import Row


@dataclasses.dataclass(frozen=True)
class Section:
    heading: str
    source: str  # for people: where its workloads are published
    rows: Sequence[Row]
    diagnoses: Sequence[Diagnosis] = ()


def _printed(initial: str) -> list[Diagnosis]:
    return [each for each in DIAGNOSES if each.name.startswith(initial)]


SECTIONS: Sequence[Section] = [
    Section(
        "Tutorials of Google Kubernetes Engine",
        "[gke-ai-labs.dev](https://gke-ai-labs.dev/docs/tutorials/dynamic-resource-allocation/), as in "
        "ai-on-gke/website. Its overview, *Dynamic Resource Allocation*, prints no manifest; the tutorials that it lists "
        "are {overview}.",
        gke.ROWS,
    ),
    Section(
        "Demos of NVIDIA's DRA driver",
        "`demo/specs` of [dra-driver-nvidia-gpu](https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu).",
        nvidia.ROWS,
    ),
    Section(
        "Examples of dra-example-driver and Kubernetes",
        "`demo/examples` of [dra-example-driver](https://github.com/kubernetes-sigs/dra-example-driver).",
        kubernetes.ROWS,
    ),
    Section(
        "Gangs of the KAI Scheduler",
        "`docs` of [KAI-Scheduler](https://github.com/NVIDIA/KAI-Scheduler).",
        kai.ROWS,
    ),
    Section(
        "Beyond Integer GPUs",
        "The article *Beyond Integer GPUs: Mastering DRA for ML Workloads* (Mind Of The Machine).",
        articles.BEYOND_INTEGERS,
        _printed("B"),
    ),
    Section(
        "Dynamic Resource Allocation goes GA",
        "The article *Dynamic Resource Allocation Goes GA: How to Run AI Workloads on Kubernetes the Right Way*.",
        articles.GOES_GA,
        _printed("G"),
    ),
    Section(
        "An introduction to DRA",
        "The article *Kubernetes DRA: Revolutionary GPU Resource Management* (RiseUnion, 2024).",
        articles.INTRODUCTION,
        _printed("I"),
    ),
    Section(
        "DRA in Kueue",
        "Kueue's page *Dynamic Resource Allocation*, whose text these follow. They run with Kueue's DRA support on and "
        "off. With it on, Kueue refuses the shapes that the page lists as its limits, and fedra waits: scenario `K3` shows "
        "it with a claim by name, `All` and `firstAvailable`. With it off all of them run: {limits}.",
        articles.KUEUE,
    ),
    Section(
        "Traps of the scheduler", "Seen with kube-scheduler; the jobs are made up.", traps.ROWS
    ),
]

# What a source's text says by placeholders: the article's words -> the row that runs it.
OVERVIEW = {
    "GPU fungibility": gke.S1,
    "time slicing": gke.S3,
    "MPS": gke.S4,
    "MIG": gke.S5,
    "alignment": gke.S6,
    "TPUs": gke.S7,
}
LIMITS = {
    "named claims": gke.S3,
    "All": gke.S7,
    "firstAvailable": kubernetes.E2,
    "selectors": kubernetes.E3,
    "constraints": nvidia.N4,
    "config": nvidia.N5,
    "adminAccess": kubernetes.E10,
    "partitionable devices": gke.S5,
    "taints": kubernetes.E8,
    "time slicing and MPS": gke.S4,
}

ROWS: Sequence[Row] = [row for section in SECTIONS for row in section.rows]
