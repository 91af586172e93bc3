"""Shows whole jobs to a real cluster's scheduler and notes which of their pods it bound.

The pods of a job are created at once, with a scheduling gate each, and come one after another: the next gate is
opened when the scheduler has decided about the pod before. Those of a PodGroup come first, and together. Then
everything is left alone until nothing changes any more.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from real.agreement.cluster_writer import POD_GROUP_VERSIONS, ClusterWriter
from real.agreement.dice import Json
from real.agreement.job_case import KEPT, JobCase
from real.agreement.job_pods import pod_of
from real.agreement.job_seen import JobObservation, JobPod
from real.agreement.scheduled import scheduled_condition, timed_out
from scenarios.kube_client import ApiError, KubeClient

_GATE = "agreement.fedra.dev/turn"
_TIMEOUT = 120.0  # of all decisions: a search that gives up takes the scheduler 10 s
_LOOK = 0.25  # seconds between two looks, which list hundreds of pods


class JobBatch:
    """One use: `JobBatch(...).run()`. `settle`: for how many seconds nothing may change in the end."""

    def __init__(
        self,
        client: KubeClient,
        pool: ThreadPoolExecutor,
        name: str,
        release: str,
        settle: float,
    ):
        self._pool, self._settle = pool, settle
        has_groups = release in POD_GROUP_VERSIONS
        self._cluster = ClusterWriter(client, pool, name, release, has_groups)

    def run(self, cases: list[JobCase]) -> list[JobObservation]:
        namespace = self._cluster.create_namespace()
        try:
            observations = list(self._pool.map(self._write, cases))
            for observation in observations:
                observation.before["Namespace"] = [namespace]
            self._cluster.wait_until_seen()
            written = [o for o in observations if o.outcome == "undecided"]
            list(self._pool.map(self._write_pods, written))
            arrivals = [_Arrival(o) for o in written if o.outcome == "undecided"]
            self._let_come(arrivals)
            self._wait_until_settled(arrivals)
            self._note([arrival.observation for arrival in arrivals])
            return observations
        finally:
            self._release_claims()
            self._cluster.clean_up()

    # ---- writing

    def _write(self, case: JobCase) -> JobObservation:
        result = JobObservation(case)
        cluster = self._cluster
        try:
            runners = [cluster.create(runner) for runner in case.runners]
            result.before = {
                "Pod": runners,
                "Node": [cluster.create(node) for node in case.nodes],
                "DeviceClass": [cluster.create(device_class) for device_class in case.classes],
                "ResourceSlice": [cluster.create(piece) for piece in case.slices],
                "DeviceTaintRule": [cluster.create(rule) for rule in case.rules],
                "ResourceClaimTemplate": [cluster.create(each) for each in case.templates],
                "ResourceClaim": self._write_claims(case, runners),
                "PodGroup": [cluster.create(self._group(case))] if case.grouped else [],
            }
        except ApiError as error:
            result.outcome, result.message = "refused", str(error)
        return result

    def _write_claims(self, case: JobCase, runners: list[Json]) -> list[Json]:
        result = []
        for held in case.claims:
            users = []
            if held.runner is not None:
                metadata = runners[held.runner]["metadata"]
                users = [{"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}]
            created = self._cluster.create_claim(held.claim, users)
            if held.deleting:
                created = self._cluster.delete("ResourceClaim", held.name)
            result.append(created)
        return result

    def _write_pods(self, observation: JobObservation) -> None:
        case = observation.case
        try:
            for i, pod_set in enumerate(case.pod_sets):
                for j in range(pod_set.count):
                    name = f"{case.names.prefix}{pod_set.name}-{j}"
                    pod = pod_of(pod_set, name, case.group_of(i))
                    pod["spec"]["schedulingGates"] = [{"name": _GATE}]
                    observation.pods.append(JobPod(i, self._cluster.create(pod)))
        except ApiError as error:
            observation.outcome, observation.message = "refused", str(error)

    def _group(self, case: JobCase) -> Json:
        policy = {"gang": {"minCount": case.min_count}}
        return {
            "apiVersion": f"scheduling.k8s.io/{POD_GROUP_VERSIONS[self._cluster.release]}",
            "kind": "PodGroup",
            "metadata": {"name": case.group},
            "spec": {"schedulingPolicy": policy},
        }

    # ---- observing

    def _let_come(self, arrivals: list[_Arrival]) -> None:
        deadline = time.monotonic() + _TIMEOUT
        wait_for_drivers = any(a.observation.case.waits_for_drivers for a in arrivals)
        coming = arrivals
        while coming and time.monotonic() < deadline:
            pods = self._cluster.list("Pod")
            _note_timeouts(arrivals, pods)
            coming = [arrival for arrival in coming if arrival.look(pods)]
            ready = [arrival for arrival in coming if arrival.next is not None]
            list(self._pool.map(self._open, ready))
            if wait_for_drivers:
                self._cluster.make_ready(self._cluster.list("ResourceClaim").values())
            if not ready:
                time.sleep(_LOOK)

    def _open(self, arrival: _Arrival) -> None:
        """Lets the next pods of the job come."""
        for pod in arrival.start():
            self._cluster.patch("Pod", pod.name, {"spec": {"schedulingGates": None}})

    def _wait_until_settled(self, arrivals: list[_Arrival]) -> None:
        seen: dict[str, Json] = {}
        since = time.monotonic()
        deadline = since + _TIMEOUT
        while time.monotonic() < min(since + self._settle, deadline):
            pods, claims = self._cluster.list("Pod"), self._cluster.list("ResourceClaim")
            self._cluster.make_ready(claims.values())
            _note_timeouts(arrivals, pods)
            now = {name: pod["spec"].get("nodeName") for name, pod in pods.items()}
            now |= {f"/{name}": _allocation(claim) for name, claim in claims.items()}
            if now != seen:
                seen, since = now, time.monotonic()
            time.sleep(_LOOK)
        for arrival in arrivals:
            if arrival.is_over:
                arrival.observation.outcome = "decided"

    def _note(self, observations: list[JobObservation]) -> None:
        pods, claims = self._cluster.list("Pod"), self._cluster.list("ResourceClaim")
        for observation in observations:
            prefix = observation.case.names.prefix
            observation.claims = [c for name, c in claims.items() if name.startswith(prefix)]
            for pod in observation.pods:
                pod.final = pods.get(pod.name, {})
            runners = [pod["metadata"]["name"] for pod in observation.before["Pod"]]
            if not all(pod.final for pod in observation.pods) or not all(
                r in pods for r in runners
            ):
                observation.outcome = "evicted"
            elif any(pod.gave_up for pod in observation.pods):
                observation.outcome = "gave-up"

    # ---- cleaning up

    def _release_claims(self) -> None:
        for name, claim in self._cluster.list("ResourceClaim").items():
            if KEPT in claim["metadata"].get("finalizers", []):
                self._cluster.patch("ResourceClaim", name, {"metadata": {"finalizers": None}})


class _Arrival:
    """Where the pods of one job are: those that come together, one step after another."""

    def __init__(self, observation: JobObservation):
        self.observation = observation
        grouped = [p for p in observation.pods if p.stored["spec"].get("schedulingGroup")]
        rest = [p for p in observation.pods if not p.stored["spec"].get("schedulingGroup")]
        self._steps = ([grouped] if grouped else []) + [[pod] for pod in rest]
        self._waiting: list[JobPod] = []  # came, and are not decided
        self._prepared = False  # the claims from templates have been made

    @property
    def next(self) -> list[JobPod] | None:
        """Pods that can come now."""
        return self._steps[0] if self._prepared and not self._waiting and self._steps else None

    @property
    def is_over(self) -> bool:
        return not self._waiting and not self._steps

    def start(self) -> list[JobPod]:
        step = self._steps.pop(0)
        waits = self.observation.case.waits_in_queue
        self._waiting = [pod for pod in step if not waits(pod.pod_set)]
        return step

    def look(self, pods: dict[str, Json]) -> bool:
        """False: all have come, and are decided."""
        if not self._prepared:
            mine = (pods.get(pod.name, {}) for pod in self.observation.pods)
            self._prepared = all(_has_claims(pod) for pod in mine)
        self._waiting = [p for p in self._waiting if not _is_decided(pods.get(p.name))]
        return not self.is_over


def _note_timeouts(arrivals: list[_Arrival], pods: dict[str, Json]) -> None:
    for observation in (arrival.observation for arrival in arrivals):
        seen = (scheduled_condition(pods.get(pod.name, {})) for pod in observation.pods)
        observation.timed_out |= any(map(timed_out, seen))


def _has_claims(pod: Json) -> bool:
    entries = pod.get("spec", {}).get("resourceClaims", [])
    wanted = sum(1 for entry in entries if "resourceClaimTemplateName" in entry)
    return len(pod.get("status", {}).get("resourceClaimStatuses", [])) >= wanted


def _is_decided(pod: Json | None) -> bool:
    if pod is None:
        return True  # evicted
    condition = scheduled_condition(pod)
    if condition.get("status") == "True":
        return True
    if condition.get("reason") in (None, "SchedulingGated"):
        return False
    # It is tried again at once.
    return "deallocation of ResourceClaim completed" not in condition.get("message", "")


def _allocation(claim: Json) -> Json:
    status: Json = claim.get("status", {})
    return {key: status.get(key) for key in ("allocation", "reservedFor")}
