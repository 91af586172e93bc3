"""A job on two nodes as it was seen, and a fedra and an allocator library that answer about it from tables."""

from __future__ import annotations

from typing import Any

from real.agreement.dice import Json
from real.agreement.fedra_check import Answer
from real.agreement.job_case import JobCase
from real.agreement.job_pods import PodSet
from real.agreement.job_seen import JobObservation, JobPod, Objects
from real.agreement.names import Names

NO = Answer("No", None, ["NotEnoughDevices: x"])
YES = Answer("Yes", None, [])
BY_ORDER = Answer("Unknown", [0], ["ReleaseUnverified: it takes pools in an order that is chance"])


def no(*fitting: int) -> Answer:
    return Answer("No", list(fitting), ["NotEnoughDevices: x"])


# Each pod of a set has a claim of its own, `of-POD`, and those of `shared`.
def small_job(*sets: tuple[str, int], grouped: int = 0, shared: str = "") -> JobCase:
    entries: list[Json] = [{"name": "own", "resourceClaimTemplateName": "one"}]
    if shared:
        entries.append({"name": "shared", "resourceClaimName": shared})
    container = {"resources": {"claims": [{"name": "own"}]}}
    spec: Json = {"containers": [container], "nodeSelector": {}, "resourceClaims": entries}
    return bare_case([PodSet(name, count, spec) for name, count in sets], grouped, min_count=1)


def bare_case(pod_sets: list[PodSet], grouped: int, min_count: int, prefix: str = "") -> JobCase:
    """A job in an empty cluster."""
    return JobCase(
        number=1,
        names=Names.make(prefix, 2),
        nodes=[],
        classes=[],
        slices=[],
        rules=[],
        runners=[],
        claims=[],
        templates=[],
        pod_sets=pod_sets,
        grouped=grouped,
        min_count=min_count,
    )


def small_seen(case: JobCase, *nodes: str, slices: list[Json] | None = None) -> JobObservation:
    """`nodes`: of each pod, in order; empty: not bound. Bound pods have a device of their node, `dev-POD`."""
    seen = JobObservation(case, "decided")
    named = [(i, f"{s.name}-{j}") for i, s in enumerate(case.pod_sets) for j in range(s.count)]
    for (pod_set, name), node in zip(named, nodes, strict=True):
        entries = case.pod_sets[pod_set].spec["resourceClaims"]
        final: Json = {
            "metadata": {"name": name, "namespace": "ns", "uid": name},
            "spec": {"resourceClaims": entries, **({"nodeName": node} if node else {})},
            "status": {
                "resourceClaimStatuses": [{"name": "own", "resourceClaimName": f"of-{name}"}]
            },
        }
        claim = claim_of(f"of-{name}")
        seen.claims.append(allocated(claim, node, f"dev-{name}", name) if node else claim)
        seen.pods.append(JobPod(pod_set, final, final))
    seen.before = {kind: [] for kind in ("Pod", "DeviceClass", "ResourceClaim", "PodGroup")}
    seen.before["Namespace"] = [{"metadata": {"name": "ns"}}]
    seen.before["Node"] = [{"metadata": {"name": name, "labels": {}}} for name in ("n1", "n2")]
    seen.before["ResourceSlice"] = slices or []
    return seen


def claim_of(name: str) -> Json:
    requests = [{"name": "r", "exactly": {"deviceClassName": "any"}}]
    metadata = {"name": name, "namespace": "ns"}
    return {"metadata": metadata, "spec": {"devices": {"requests": requests}}}


def allocated(claim: Json, node: str, device: str, *users: str) -> Json:
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    allocation = {
        "devices": {"results": [{"request": "r", "driver": "d", "pool": node, "device": device}]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [field]}]},
    }
    return {
        **claim,
        "status": {"allocation": allocation, "reservedFor": [{"uid": user} for user in users]},
    }


def slice_of(pool: str, *devices: str, node: str = "", generation: int = 1) -> Json:
    """Without a node: of all nodes."""
    where: Json = {"nodeName": node} if node else {"allNodes": True}
    pool_of: Json = {"name": pool, "generation": generation, "resourceSliceCount": 1}
    named = [{"name": device} for device in devices]
    return {
        "metadata": {"name": pool},
        "spec": {"driver": "d", "pool": pool_of, **where, "devices": named},
    }


class TableFedra:
    """Answers what asked() calls the question; one that the table lacks is a mistake of the test."""

    def __init__(self, table: dict[str, Answer]):
        self._table = table
        self.questions: list[tuple[Objects, Json]] = []

    def ask(self, release: str, questions: list[tuple[Objects, Json]]) -> list[Answer]:
        self.questions += questions
        return [self._table[asked_as(cluster, job)] for cluster, job in questions]


def asked_as(cluster: Objects, job: Json) -> str:
    """The job's name, its pod sets with their nodes, and which claims are held: "a-0: pod@n1 | of-a-1"."""
    parts = [f'{each["name"]}@{_node(each)}' for each in job["spec"]["replicatedJobs"]]
    held = [c["metadata"]["name"] for c in cluster["ResourceClaim"] if c.get("status")]
    text = f'{job["metadata"]["name"]}: {" ".join(parts)}'
    return f'{text} | {" ".join(sorted(held))}' if held else text


def _node(part: Json) -> str:
    spec = part["template"]["spec"]["template"]["spec"]
    claims = [entry.get("resourceClaimTemplateName") for entry in spec["resourceClaims"]]
    probe = "probe-" if "agreement-probe" in claims else ""
    if "kubernetes.io/hostname" in spec["nodeSelector"]:
        return probe + str(spec["nodeSelector"]["kubernetes.io/hostname"])
    affinity = spec.get("affinity", {}).get("nodeAffinity", {})
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {})
    for term in required.get("nodeSelectorTerms", []):
        return f'not-{term["matchExpressions"][0]["values"][0]}'
    return "any"


def first_fit(questions: list[Json]) -> list[Json]:
    """An allocator that gives each claim the first device that is free, in the order of the slices. A claim or a
    device called "slow" takes too long, and a device called "broken" ends the search with an error.
    """
    return [_first_fit(question) for question in questions]


def _first_fit(question: Json) -> Json:
    node = question["node"]["metadata"]["name"]
    taken = {
        (result["pool"], result["device"])
        for claim in question["allocatedClaims"]
        for result in claim["status"]["allocation"]["devices"]["results"]
    }
    results: list[dict[str, Any]] = []
    for claim in question["claims"]:
        if claim["metadata"]["name"] == "slow":
            return {"outcome": "budget"}
        free = (
            (piece["spec"]["pool"]["name"], device["name"])
            for piece in question["slices"]
            if piece["spec"].get("nodeName", node) == node
            for device in piece["spec"]["devices"]
        )
        found = next((each for each in free if each not in taken), None)
        if found is None:
            return {"outcome": "nofit"}
        if found[1] in ("broken", "slow"):
            return {"outcome": "error" if found[1] == "broken" else "budget"}
        taken.add(found)
        name = f'ns/{claim["metadata"]["name"]}'
        device = {"driver": "d", "pool": found[0], "device": found[1]}
        results.append({"claim": name, "request": "r", **device})
    return {"outcome": "fit", "results": results}
