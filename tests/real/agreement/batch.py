"""Writes cases to a real cluster, lets its scheduler decide, and takes them away again.

Several cases live in the cluster at once, each with drivers, nodes and classes of its own. The pods are created
when the scheduler is known to have seen everything else: a canary, written last, has been scheduled, and a
scheduler sees the objects of one kind in the order in which they were written.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from real.agreement.dice import Json
from real.agreement.names import CASE_LABEL
from real.agreement.pod_case import PodCase
from scenarios.kube_client import ApiError, KubeClient
from scenarios.waiting import eventually

_BATCH_LABEL = "agreement.fedra.dev/batch"
_ADMIN_LABEL = "resource.kubernetes.io/admin-access"
_RULES = "/apis/resource.k8s.io/v1beta2/devicetaintrules"
_PATHS = {
    "Node": "/api/v1/nodes",
    "DeviceClass": "/apis/resource.k8s.io/v1/deviceclasses",
    "ResourceSlice": "/apis/resource.k8s.io/v1/resourceslices",
    "DeviceTaintRule": _RULES,
    "ResourceClaim": "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims",
    "ResourceClaimTemplate": "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaimtemplates",
    "Pod": "/api/v1/namespaces/{}/pods",
}
# Releases whose DeviceTaintRules are compared: older ones serve them as alpha only.
WITH_RULES = ("1.36", "1.37")
_DECISION_TIMEOUT = 60.0  # a search that gives up takes the scheduler 10 s


@dataclasses.dataclass
class Observation:
    """What became of one case. `line`: the world as the API server stored it, for pod-lines."""

    case: PodCase
    outcome: str = "undecided"  # fit, nofit, error, gave-up, refused, evicted, undecided
    message: str = ""
    node: str = ""
    devices: list[Json] = dataclasses.field(default_factory=list)
    line: Json = dataclasses.field(default_factory=dict)


class Batch:
    """One use: `Batch(...).run()`."""

    def __init__(self, client: KubeClient, pool: ThreadPoolExecutor, name: str, release: str):
        self._client, self._pool, self._namespace = client, pool, name
        self._release = release
        self._kinds = [k for k in _PATHS if release in WITH_RULES or k != "DeviceTaintRule"]

    def run(self, cases: list[PodCase]) -> list[Observation]:
        self._create_namespace()
        try:
            observations = list(self._pool.map(self._write, cases))
            self._wait_until_seen()
            pending = [o for o in observations if o.outcome == "undecided"]
            list(self._pool.map(self._write_pod, pending))
            self._observe([o for o in pending if o.outcome == "undecided"])
            return observations
        finally:
            self._clean_up()

    # ---- writing

    def _create_namespace(self) -> None:
        labels = {_ADMIN_LABEL: "true"}
        metadata = {"name": self._namespace, "labels": labels}
        self._client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})

    def _create(self, obj: Json) -> Json:
        metadata = {**obj["metadata"]}
        metadata["labels"] = {**metadata.get("labels", {}), _BATCH_LABEL: self._namespace}
        path = _PATHS[obj["kind"]].format(self._namespace)
        return self._client.call("POST", path, {**obj, "metadata": metadata})

    def _create_claim(self, claim: Json, reserved_for: list[Json] | None = None) -> Json:
        created = self._create({key: claim[key] for key in claim if key != "status"})
        if "status" not in claim:
            return created
        created["status"] = {**claim["status"], "reservedFor": reserved_for or []}
        path = _PATHS["ResourceClaim"].format(self._namespace)
        return self._client.call("PUT", f"{path}/{created['metadata']['name']}/status", created)

    def _write(self, case: PodCase) -> Observation:
        result = Observation(case)
        try:
            consumers = []
            if case.holder is not None:
                holder = self._create(case.holder)["metadata"]
                consumers = [{"resource": "pods", "name": holder["name"], "uid": holder["uid"]}]
            result.line = {
                "name": case.name,
                "k8s": self._release,
                "deviceTaintRules": self._release in WITH_RULES,
                "nodes": [self._create(node) for node in case.nodes],
                "classes": [self._create(device_class) for device_class in case.classes],
                "slices": [self._create(piece) for piece in case.slices],
                "taintRules": [self._create(rule) for rule in case.rules],
                "claims": [self._create_claim(claim) for claim in case.used]
                + [self._create_claim(claim, consumers) for claim in case.claims],
                "templates": [self._create(template) for template in case.templates],
            }
        except ApiError as error:
            result.outcome, result.message = "refused", str(error)
        return result

    def _write_pod(self, observation: Observation) -> None:
        try:
            observation.line["pod"] = self._create(observation.case.pod)
        except ApiError as error:
            observation.outcome, observation.message = "refused", str(error)

    def _wait_until_seen(self) -> None:
        """The canary's own objects are the last of their kinds."""
        name = f"canary-{self._namespace}"
        for obj in _canary(name):
            self._create(obj)
        path = f"{_PATHS['Pod'].format(self._namespace)}/{name}"
        eventually(
            "canary scheduled",
            lambda: _condition(self._client.call("GET", path)).get("status") == "True",
            60,
        )

    # ---- observing

    def _list(self, kind: str) -> dict[str, Json]:
        items = self._client.call("GET", _PATHS[kind].format(self._namespace))["items"]
        return {item["metadata"]["name"]: item for item in items}

    def _observe(self, observations: list[Observation]) -> None:
        deadline = time.monotonic() + _DECISION_TIMEOUT
        waiting = observations
        while waiting and time.monotonic() < deadline:
            pods = self._list("Pod")
            decided = [o for o in waiting if _decide(o, pods.get(o.case.pod["metadata"]["name"]))]
            waiting = [o for o in waiting if o not in decided]
            if any(o.outcome == "fit" for o in decided):
                claims = self._list("ResourceClaim")
                for observation in decided:
                    if observation.outcome == "fit":
                        pod = pods[observation.case.pod["metadata"]["name"]]
                        _note_devices(observation, pod, claims)
            elif not decided:
                self._make_ready(self._list("ResourceClaim").values())
                time.sleep(0.02)  # between two looks

    def _make_ready(self, claims: Iterable[Json]) -> None:
        """What a driver would do for devices with binding conditions."""
        for claim in claims:
            results = (
                claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results")
            )
            waiting = [r for r in results or [] if r.get("bindingConditions")]
            if not waiting or claim["status"].get("devices"):
                continue
            claim["status"]["devices"] = [_ready(result) for result in waiting]
            path = _PATHS["ResourceClaim"].format(self._namespace)
            try:
                self._client.call("PUT", f"{path}/{claim['metadata']['name']}/status", claim)
            except ApiError as error:
                if error.status != 409:  # changed meanwhile: the next look will see it
                    raise

    # ---- cleaning up

    def _clean_up(self) -> None:
        """Pods first, so that nothing is scheduled anew while the rest goes."""
        self._delete("Pod")
        kinds = [kind for kind in self._kinds if kind != "Pod"]
        list(self._pool.map(self._delete, kinds))

    def _delete(self, kind: str) -> None:
        path = _PATHS[kind].format(self._namespace)
        query = {"labelSelector": f"{_BATCH_LABEL}={self._namespace}"}
        self._client.call("DELETE", path, {"gracePeriodSeconds": 0}, query=query)


def _canary(name: str) -> list[Json]:
    """A node with one device of its own, and a pod that wants it."""
    driver = f"{name}.example.com"
    amounts = {"cpu": "1", "memory": "1Gi", "pods": "10"}
    selector = {"cel": {"expression": f'device.driver == "{driver}"'}}
    request = {"name": "r", "exactly": {"deviceClassName": name}}
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    devices = {"driver": driver, "pool": pool, "nodeName": name, "devices": [{"name": "d"}]}
    pod = {
        "nodeSelector": {CASE_LABEL: name},
        "containers": [{"name": "c", "image": "none"}],
        "terminationGracePeriodSeconds": 0,
        "resourceClaims": [{"name": "c", "resourceClaimName": name}],
    }
    dra = "resource.k8s.io/v1"
    contents: list[tuple[str, str, Json]] = [
        ("Node", "v1", {"status": {"allocatable": amounts, "capacity": amounts}}),
        ("DeviceClass", dra, {"spec": {"selectors": [selector]}}),
        ("ResourceSlice", dra, {"spec": devices}),
        ("ResourceClaim", dra, {"spec": {"devices": {"requests": [request]}}}),
        ("Pod", "v1", {"spec": pod}),
    ]
    metadata = {"name": name, "labels": {CASE_LABEL: name}}
    return [
        {"apiVersion": version, "kind": kind, "metadata": metadata, **content}
        for kind, version, content in contents
    ]


def _condition(pod: Json) -> Json:
    conditions = pod.get("status", {}).get("conditions", [])
    found: Callable[[Json], bool] = lambda c: c["type"] == "PodScheduled"
    return next(filter(found, conditions), {})


def _decide(observation: Observation, pod: Json | None) -> bool:
    if pod is None:
        observation.outcome = "evicted"
        return True
    condition = _condition(pod)
    if not condition:
        return False
    observation.message = condition.get("message", "")
    if condition["status"] == "True":
        observation.outcome, observation.node = "fit", pod["spec"]["nodeName"]
    elif condition["reason"] == "Unschedulable":
        observation.outcome = "nofit"
    elif "timed out trying to allocate devices" in observation.message:
        observation.outcome = "gave-up"
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


def _ready(result: Json) -> Json:
    condition = {
        "type": result["bindingConditions"][0],
        "status": "True",
        "reason": "Ready",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    entry = {key: result[key] for key in ("driver", "pool", "device")}
    if "shareID" in result:
        entry["shareID"] = result["shareID"]
    return {**entry, "conditions": [condition]}
