"""Writes objects of cases to a real cluster, knows when its scheduler has seen them, and takes them away again.

Several cases live in the cluster at once, each with drivers, nodes and classes of its own. The pods are created
when the scheduler is known to have seen everything else: a canary, written last, has been scheduled, and a
scheduler sees the objects of one kind in the order in which they were written.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from real.agreement.dice import Json
from real.agreement.names import CASE_LABEL
from real.agreement.scheduled import scheduled_condition
from scenarios.kube_client import ApiError, KubeClient
from scenarios.waiting import eventually

BATCH_LABEL = "agreement.fedra.dev/batch"
_MERGE_PATCH = "application/merge-patch+json"
_ADMIN_LABEL = "resource.kubernetes.io/admin-access"
# PodGroups are scheduling.k8s.io/v1alpha2 of 1.36 and v1beta1 of 1.37; older ones are not compared.
POD_GROUP_VERSIONS = {"1.36": "v1alpha2", "1.37": "v1beta1"}
_PATHS = {
    "Node": "/api/v1/nodes",
    "DeviceClass": "/apis/resource.k8s.io/v1/deviceclasses",
    "ResourceSlice": "/apis/resource.k8s.io/v1/resourceslices",
    "DeviceTaintRule": "/apis/resource.k8s.io/v1beta2/devicetaintrules",
    "ResourceClaim": "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims",
    "ResourceClaimTemplate": "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaimtemplates",
    "Pod": "/api/v1/namespaces/{}/pods",
}
# Releases whose DeviceTaintRules are compared: older ones serve them as alpha only.
WITH_RULES = ("1.36", "1.37")


class ClusterWriter:
    """One namespace, `name`. Whoever uses it calls clean_up() in the end."""

    def __init__(
        self,
        client: KubeClient,
        pool: ThreadPoolExecutor,
        name: str,
        release: str,
        pod_groups: bool = False,
    ):
        self.client, self.pool, self.namespace, self.release = client, pool, name, release
        self._paths = {k: v for k, v in _PATHS.items() if self.has_rules or k != "DeviceTaintRule"}
        if pod_groups:
            group = f"/apis/scheduling.k8s.io/{POD_GROUP_VERSIONS[release]}"
            self._paths["PodGroup"] = group + "/namespaces/{}/podgroups"

    @property
    def has_rules(self) -> bool:
        return self.release in WITH_RULES

    # ---- writing

    def create_namespace(self) -> Json:
        metadata = {"name": self.namespace, "labels": {_ADMIN_LABEL: "true"}}
        return self.client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})

    def create(self, obj: Json) -> Json:
        metadata = {**obj["metadata"]}
        metadata["labels"] = {**metadata.get("labels", {}), BATCH_LABEL: self.namespace}
        return self.client.call("POST", self._path(obj["kind"]), {**obj, "metadata": metadata})

    def create_claim(self, claim: Json, reserved_for: list[Json] | None = None) -> Json:
        created = self.create({key: claim[key] for key in claim if key != "status"})
        if "status" not in claim:
            return created
        created["status"] = {**claim["status"], "reservedFor": reserved_for or []}
        return self.client.call(
            "PUT", self._path("ResourceClaim", created["metadata"]["name"]) + "/status", created
        )

    def patch(self, kind: str, name: str, patch: Json) -> Json:
        return self.client.call("PATCH", self._path(kind, name), patch, _MERGE_PATCH)

    def delete(self, kind: str, name: str) -> Json:
        """What the API server answers: an object with finalizers stays."""
        return self.client.call("DELETE", self._path(kind, name))

    def wait_until_seen(self) -> None:
        """The canary's own objects are the last of their kinds."""
        name = f"canary-{self.namespace}"
        for obj in _canary(name):
            self.create(obj)
        path = self._path("Pod", name)
        eventually(
            "canary scheduled",
            lambda: scheduled_condition(self.client.call("GET", path)).get("status") == "True",
            60,
        )

    def make_ready(self, claims: Iterable[Json]) -> None:
        """What a driver would do for devices with binding conditions."""
        for claim in claims:
            results = (
                claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results")
            )
            waiting = [r for r in results or [] if r.get("bindingConditions")]
            if not waiting or claim["status"].get("devices"):
                continue
            claim["status"]["devices"] = [_ready(result) for result in waiting]
            path = self._path("ResourceClaim", claim["metadata"]["name"])
            try:
                self.client.call("PUT", f"{path}/status", claim)
            except ApiError as error:
                if error.status != 409:  # changed meanwhile: the next look will see it
                    raise

    # ---- observing

    def list(self, kind: str) -> dict[str, Json]:
        items = self.client.call("GET", self._path(kind))["items"]
        return {item["metadata"]["name"]: item for item in items}

    # ---- cleaning up

    def clean_up(self) -> None:
        """Pods first, so that nothing is scheduled anew while the rest goes."""
        self._delete_all("Pod")
        kinds = [kind for kind in self._paths if kind != "Pod"]
        list(self.pool.map(self._delete_all, kinds))

    def _delete_all(self, kind: str) -> None:
        query = {"labelSelector": f"{BATCH_LABEL}={self.namespace}"}
        body = {"gracePeriodSeconds": 0}
        # Hundreds of objects in one call: on a busy machine it may take longer than the client waits.
        eventually(
            f"objects of kind {kind} deleted",
            lambda: self.client.call("DELETE", self._path(kind), body, query=query),
            180,
        )

    def _path(self, kind: str, name: str = "") -> str:
        path = self._paths[kind].format(self.namespace)
        return f"{path}/{name}" if name else path


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
