"""Shows single pods to a real cluster's scheduler and notes what it made of them."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from real import tools as real_tools
from real.agreement.cluster_writer import ClusterWriter
from real.agreement.dice import Json
from real.agreement.pod_case import PodCase
from real.agreement.scheduled import gave_up, scheduled_condition, timed_out
from scenarios.kube_client import ApiError, KubeClient

_DECISION_TIMEOUT = 60.0  # a search that gives up takes the scheduler 10 s


@dataclasses.dataclass
class Observation:
    """What became of one case. `line`: the world as the API server stored it, for pod-lines."""

    case: PodCase
    release: str
    outcome: str = "undecided"  # fit, nofit, error, gave-up, refused, evicted, undecided
    message: str = ""
    timed_out: bool = (
        False  # fits nowhere, and of some node the scheduler does not know: up to 1.35
    )
    node: str = ""
    devices: list[Json] = dataclasses.field(default_factory=list)
    line: Json = dataclasses.field(default_factory=dict)


class Batch:
    """One use: `Batch(...).run()`."""

    def __init__(self, client: KubeClient, pool: ThreadPoolExecutor, name: str, release: str):
        self._pool = pool
        self._cluster = ClusterWriter(client, pool, name, release)

    def run(self, cases: list[PodCase]) -> list[Observation]:
        self._cluster.create_namespace()
        try:
            observations = list(self._pool.map(self._write, cases))
            self._cluster.wait_until_seen()
            pending = [o for o in observations if o.outcome == "undecided"]
            list(self._pool.map(self._write_pod, pending))
            self._observe([o for o in pending if o.outcome == "undecided"])
            return observations
        finally:
            self._cluster.clean_up()

    def _write(self, case: PodCase) -> Observation:
        cluster = self._cluster
        result = Observation(case, cluster.release)
        try:
            consumers = []
            if case.holder is not None:
                holder = cluster.create(case.holder)["metadata"]
                consumers = [{"resource": "pods", "name": holder["name"], "uid": holder["uid"]}]
            result.line = {
                "name": case.name,
                "k8s": real_tools.kubernetes_version(cluster.release),
                "deviceTaintRules": cluster.has_rules,
                "nodes": [cluster.create(node) for node in case.nodes],
                "classes": [cluster.create(device_class) for device_class in case.classes],
                "slices": [cluster.create(piece) for piece in case.slices],
                "taintRules": [cluster.create(rule) for rule in case.rules],
                "claims": [cluster.create_claim(claim) for claim in case.used]
                + [cluster.create_claim(claim, consumers) for claim in case.claims],
                "templates": [cluster.create(template) for template in case.templates],
            }
        except ApiError as error:
            result.outcome, result.message = "refused", str(error)
        return result

    def _write_pod(self, observation: Observation) -> None:
        try:
            observation.line["pod"] = self._cluster.create(observation.case.pod)
        except ApiError as error:
            observation.outcome, observation.message = "refused", str(error)

    def _observe(self, observations: list[Observation]) -> None:
        deadline = time.monotonic() + _DECISION_TIMEOUT
        waiting = observations
        while waiting and time.monotonic() < deadline:
            pods = self._cluster.list("Pod")
            decided = [o for o in waiting if decide(o, pods.get(o.case.pod["metadata"]["name"]))]
            waiting = [o for o in waiting if o not in decided]
            if any(o.outcome == "fit" for o in decided):
                claims = self._cluster.list("ResourceClaim")
                for observation in decided:
                    if observation.outcome == "fit":
                        pod = pods[observation.case.pod["metadata"]["name"]]
                        _note_devices(observation, pod, claims)
            elif not decided:
                self._cluster.make_ready(self._cluster.list("ResourceClaim").values())
                time.sleep(0.02)  # between two looks


def decide(observation: Observation, pod: Json | None) -> bool:
    if pod is None:
        observation.outcome = "evicted"
        return True
    condition = scheduled_condition(pod)
    if not condition:
        return False
    observation.message = condition.get("message", "")
    if condition["status"] == "True":
        observation.outcome, observation.node = "fit", pod["spec"]["nodeName"]
    elif gave_up(condition):
        observation.outcome = "gave-up"  # on one node, whatever the others are
    elif condition["reason"] == "Unschedulable":
        observation.outcome, observation.timed_out = "nofit", timed_out(condition)
    else:
        observation.outcome = "error"
    return True


def _note_devices(observation: Observation, pod: Json, claims: dict[str, Json]) -> None:
    """A NoExecute taint may evict the pod, and free its claims, before anybody has looked at them."""
    try:
        observation.devices = list(_devices(pod, claims))
    except KeyError as missing:
        observation.outcome, observation.message = "evicted", f"its claim has no {missing}"


def _devices(pod: Json, claims: dict[str, Json]) -> Iterable[Json]:
    """In pod-lines' words: claims made from templates are called as the pod calls them."""
    names = {}
    for entry in pod["spec"].get("resourceClaims", []):
        if "resourceClaimName" in entry:
            names[entry["resourceClaimName"]] = entry["resourceClaimName"]
    for entry in pod["status"].get("resourceClaimStatuses", []):
        names[entry["resourceClaimName"]] = entry["name"]
    extended = pod["status"].get("extendedResourceClaimStatus")
    if extended:
        names[extended["resourceClaimName"]] = "<extended-resources>"
    for name, known_as in names.items():
        if known_as.endswith("-held"):
            continue  # it was allocated before
        for result in claims[name]["status"]["allocation"]["devices"].get("results", []):
            keys = ("request", "driver", "pool", "device")
            yield {"claim": known_as, **{key: result[key] for key in keys}}
