"""What was seen of a whole job that was shown to a real cluster's scheduler."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from real.agreement.dice import Json
from real.agreement.job_case import JobCase
from real.agreement.scheduled import gave_up, scheduled_condition

Objects = dict[str, list[Json]]  # by kind, as the API server stored them


@dataclasses.dataclass
class JobPod:
    pod_set: int
    stored: Json  # as it was created
    final: Json = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.stored["metadata"]["name"])

    @property
    def node(self) -> str | None:
        name = self.final.get("spec", {}).get("nodeName")
        return str(name) if name else None

    @property
    def message(self) -> str:
        return str(scheduled_condition(self.final).get("message", ""))

    @property
    def gave_up(self) -> bool:
        """The scheduler, of this pod."""
        return gave_up(scheduled_condition(self.final))

    @property
    def failed_at_binding(self) -> bool:
        return 'running PreBind plugin "DynamicResources"' in self.message

    @property
    def failed_with_gang(self) -> bool:
        """Another pod of its PodGroup ended the attempt of all with an error: of this one nothing is known."""
        return "failed to schedule other pod from a pod group" in self.message


@dataclasses.dataclass
class JobObservation:
    case: JobCase
    outcome: str = "undecided"  # decided, refused, evicted, gave-up, undecided
    message: str = ""
    timed_out: bool = False  # the scheduler has said of some pod, once, that it gave up
    before: Objects = dataclasses.field(default_factory=dict)
    pods: list[JobPod] = dataclasses.field(default_factory=list)  # in the order of their pod sets
    claims: list[Json] = dataclasses.field(default_factory=list)  # of the case, in the end

    @property
    def namespace(self) -> str:
        return str(self.before["Namespace"][0]["metadata"]["name"])

    def bound(self, pod_set: int) -> int:
        return sum(1 for pod in self.pods if pod.pod_set == pod_set and pod.node)

    @property
    def all_bound(self) -> bool:
        return all(pod.node for pod in self.pods)

    def is_bound_elsewhere(self, pod: JobPod) -> bool:
        """The pod is bound, and has reserved a claim that cannot be used on its node: a mistake of the scheduler."""
        if not pod.node:
            return False
        uid = pod.stored["metadata"]["uid"]
        status = [claim.get("status", {}) for claim in self.claims]
        mine = [s for s in status if any(u["uid"] == uid for u in s.get("reservedFor", []))]
        return any(pod.node not in _nodes_of(each["allocation"], pod.node) for each in mine)

    def keeps_claims(self, pod: JobPod) -> bool:
        """The pod runs nowhere, and a claim of its own has devices: of an attempt that failed behind it."""
        own = {name for name, is_own in names_of_claims(pod.final) if is_own}
        kept = (c for c in self.claims if c["metadata"]["name"] in own)
        return not pod.node and any("allocation" in c.get("status", {}) for c in kept)


def names_of_claims(pod: Json) -> Iterable[tuple[str, bool]]:
    """With: it is the pod's own."""
    for entry in pod["spec"].get("resourceClaims", []):
        if "resourceClaimName" in entry:
            yield entry["resourceClaimName"], False
    status = pod.get("status", {})
    for entry in status.get("resourceClaimStatuses", []):
        if entry.get("resourceClaimName"):
            yield entry["resourceClaimName"], True
    extended = status.get("extendedResourceClaimStatus")
    if extended:
        yield extended["resourceClaimName"], True


def _nodes_of(allocation: Json, otherwise: str | None) -> list[str | None]:
    """Those that it names; `otherwise`: by other things than names, or not at all."""
    terms = allocation.get("nodeSelector", {}).get("nodeSelectorTerms", [])
    fields = [field for term in terms for field in term.get("matchFields", [])]
    return [name for field in fields for name in field["values"]] or [otherwise]
