"""Does fedra say the same as the scheduler of each pod alone, with the others where the scheduler put them?

Which of several nodes a pod gets is decided by scores, and of equal ones by chance; fedra does not know all of them: so two
right answers about a whole job can differ. Here scores decide nothing. A pod that was bound must fit on its node among all others that were, and
with what they hold; a pod that was not bound must fit nowhere. And scores explain nothing where no pod could have gone
to another node than it did.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

from real.agreement.dice import Json
from real.agreement.fedra_check import Answer, Fedra, job_set
from real.agreement.lanes import extended_resources
from real.agreement.job_seen import JobObservation, JobPod, Objects, names_of_claims


def contradictions(seen: JobObservation, release: str, fedra: Fedra) -> tuple[list[str], bool]:
    """A line for each pod of which fedra says something else. With: of some it says Unknown, because the order of the
    pools decides. Of a pod without devices fedra looks at no nodes."""
    pods = [pod for pod in seen.pods if _shows_something(seen, pod)]
    questions = [(_without(seen, pod), _alone(seen, pod)) for pod in pods]
    answers = fedra.ask(release, questions) if pods else []
    lines = [
        _line(pod, answer)
        for pod, answer in zip(pods, answers)
        if not _agree(pod, answer) and not answer.is_by_order
    ]
    return lines, any(answer.is_by_order for answer in answers)


def placed_as_they_were(
    seen: JobObservation,
    release: str,
    fedra: Fedra,
    leave_out: frozenset[int] = frozenset(),
    nowhere: frozenset[int] = frozenset(),
    in_cluster: Sequence[JobPod] = (),
) -> list[str]:
    """A line for each pod of which fedra says something else when the whole job is judged with its bound pods where
    they are: each pod a pod set of its own, in the order in which they came. So no scores are left, and what pods take
    from those behind them counts. `leave_out`: pod sets that the job lacks; `nowhere`: whose pods get no node;
    `in_cluster`: pods that the job lacks, for what they hold in the end is held from the start.
    """
    pods = [pod for pod in _but(seen, in_cluster) if pod.pod_set not in leave_out]
    if not pods:
        return []
    answer = _pinned(seen, pods, release, fedra, nowhere, in_cluster)
    # Of pods without devices alone nothing is counted.
    fitting = [1] * len(pods) if answer.verdict == "Yes" else answer.fitting
    whole = [f"with its pods where they are: {answer.verdict} {'; '.join(answer.reasons)[:300]}"]
    if fitting is None:
        return whole
    lines = [
        f"{pod.name}: {pod.node or 'not bound'}, but fedra counts {fits} with all others where they are"
        for pod, fits in zip(pods, fitting, strict=True)
        if fits != bool(pod.node)
    ]
    # It counts in one order of the pools, and its verdict is for all of them.
    if not lines and all(pod.node for pod in pods) and answer.verdict != "Yes":
        return whole
    return lines


def order_decides_as_placed(seen: JobObservation, release: str, fedra: Fedra) -> bool:
    """Whether fedra says so of the job with its bound pods where they are."""
    answer = _pinned(seen, seen.pods, release, fedra)
    return answer.is_by_order or answer.counts_are_by_order


def _pinned(
    seen: JobObservation,
    pods: Sequence[JobPod],
    release: str,
    fedra: Fedra,
    nowhere: frozenset[int] = frozenset(),
    in_cluster: Sequence[JobPod] = (),
) -> Answer:
    parts = [
        (f"pod-{i}", 1, _spec_on_its_node(seen, pod, nowhere), seen.case.group_of(pod.pod_set))
        for i, pod in enumerate(pods)
    ]
    job = job_set(seen.case.name, seen.namespace, parts)
    return fedra.ask(release, [(_without_minimum(_holding(seen, in_cluster)), job)])[0]


def never_run(seen: JobObservation, release: str, fedra: Fedra, pod_set: int) -> bool:
    """Whether fedra says No to this pod set without the others."""
    one = seen.case.pod_sets[pod_set]
    part = (one.name, one.count, one.spec, seen.case.group_of(pod_set))
    job = job_set(seen.case.name, seen.namespace, [part])
    return fedra.ask(release, [(seen.before, job)])[0].verdict == "No"


def devices_were_kept(seen: JobObservation, release: str, fedra: Fedra) -> bool:
    """Whether some pod that was not bound would fit without the claims that another such pod keeps."""
    keepers = [pod for pod in seen.pods if seen.keeps_claims(pod)]
    others = [pod for pod in seen.pods if not pod.node and pod not in keepers]
    questions = [(_lacking(seen, [*keepers, pod]), _alone(seen, pod)) for pod in others]
    return bool(questions) and any(a.verdict == "Yes" for a in fedra.ask(release, questions))


def had_choice(seen: JobObservation, release: str, fedra: Fedra) -> bool:
    """Whether the scheduler could have put some pod elsewhere than it did, with those before it where it put them.
    Where it could not, its scores have decided nothing."""
    bound = [i for i, pod in enumerate(seen.pods) if pod.node]
    questions = [(_without_minimum(until(seen, i)), _elsewhere(seen, seen.pods[i])) for i in bound]
    return bool(questions) and any(
        answer.verdict == "Yes" for answer in fedra.ask(release, questions)
    )


def _shows_something(seen: JobObservation, pod: JobPod) -> bool:
    spec = seen.case.pod_sets[pod.pod_set].spec
    has_devices = "resourceClaims" in spec or bool(extended_resources(spec))
    return has_devices and not pod.failed_with_gang and not seen.is_bound_elsewhere(pod)


def _agree(pod: JobPod, answer: Answer) -> bool:
    return answer.verdict == ("Yes" if pod.node else "No")


def _line(pod: JobPod, answer: Answer) -> str:
    said = pod.node or f"not bound ({pod.message[:200]})"
    return f"{pod.name}: {said}, but fedra {answer.verdict} {'; '.join(answer.reasons)[:300]}"


def _spec_on_its_node(
    seen: JobObservation, pod: JobPod, nowhere: frozenset[int] = frozenset()
) -> Json:
    spec: Json = copy.deepcopy(seen.case.pod_sets[pod.pod_set].spec)
    node = "nowhere" if pod.pod_set in nowhere else pod.node
    if node:
        spec["nodeSelector"]["kubernetes.io/hostname"] = node
    return spec


def _without_minimum(cluster: Objects) -> Objects:
    """A PodGroup waits for so many pods; where they went is known."""
    groups = copy.deepcopy(cluster.get("PodGroup", []))
    for group in groups:
        group["spec"]["schedulingPolicy"]["gang"]["minCount"] = 1
    return {**cluster, "PodGroup": groups}


def _alone(seen: JobObservation, pod: JobPod) -> Json:
    return _one(seen, pod, _spec_on_its_node(seen, pod))


def alone_on(seen: JobObservation, pod: JobPod, spec: Json, node: str) -> Json:
    """The pod alone, but with this spec, on this node: one of several questions about it."""
    selector = {**spec.get("nodeSelector", {}), "kubernetes.io/hostname": node}
    return _one(seen, pod, {**spec, "nodeSelector": selector}, f"{pod.name}-{node}")


def _one(seen: JobObservation, pod: JobPod, spec: Json, name: str = "") -> Json:
    namespace = pod.stored["metadata"]["namespace"]
    return job_set(name or pod.name, namespace, [("pod", 1, spec, seen.case.group_of(pod.pod_set))])


def _elsewhere(seen: JobObservation, pod: JobPod) -> Json:
    """The pod alone, for any node but the one that it got."""
    spec = copy.deepcopy(seen.case.pod_sets[pod.pod_set].spec)
    other = {"key": "kubernetes.io/hostname", "operator": "NotIn", "values": [pod.node]}
    affinity = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
    required = affinity.setdefault("requiredDuringSchedulingIgnoredDuringExecution", {})
    for term in required.setdefault("nodeSelectorTerms", [{}]):
        term.setdefault("matchExpressions", []).append(other)
    return _one(seen, pod, spec)


def _without(seen: JobObservation, pod: JobPod) -> Objects:
    """The cluster in the end, had the pod not come."""
    return _lacking(seen, [pod])


def until(seen: JobObservation, number: int) -> Objects:
    """The cluster when this pod came: they come one after another, those of a PodGroup first."""
    return _lacking(seen, seen.pods[number:])


def _but(seen: JobObservation, pods: Sequence[JobPod]) -> list[JobPod]:
    return [other for other in seen.pods if all(other is not pod for pod in pods)]


def _holding(seen: JobObservation, pods: Sequence[JobPod]) -> Objects:
    """The cluster before the job came, with these pods, if they run, and what claims that no other pod uses hold in the
    end for them."""
    named = {name for pod in pods for name, _ in names_of_claims(pod.final)}
    uids = {pod.stored["metadata"]["uid"] for pod in pods}
    claims = {claim["metadata"]["name"]: claim for claim in seen.before["ResourceClaim"]}
    for claim in seen.claims:
        name, users = claim["metadata"]["name"], claim.get("status", {}).get("reservedFor", [])
        if name in named and uids.issuperset(user["uid"] for user in users):
            claims[name] = claim
    return {
        **seen.before,
        "Pod": seen.before["Pod"] + [pod.final for pod in pods if pod.node],
        "ResourceClaim": list(claims.values()),
    }


def _lacking(seen: JobObservation, pods: Sequence[JobPod]) -> Objects:
    """The cluster in the end, had these pods not come."""
    others = [other.final for other in _but(seen, pods)]
    names = [name for pod in pods for name in names_of_claims(pod.final)]
    dropped = {name for name, own in names if own}
    shared = {name for name, own in names if not own}
    uids = {pod.stored["metadata"]["uid"] for pod in pods}
    before = {claim["metadata"]["name"]: claim for claim in seen.before["ResourceClaim"]}
    claims = []
    for claim in seen.claims:
        name = claim["metadata"]["name"]
        if name in dropped:
            continue
        claims.append(_unused(claim, uids, before[name]) if name in shared else claim)
    return {**seen.before, "Pod": seen.before["Pod"] + others, "ResourceClaim": claims}


def _unused(claim: Json, uids: set[str], before: Json) -> Json:
    """A claim that several pods may use, without these; the last of them has had it allocated.

    An allocation of before that is there no more was taken back by the scheduler's PostFilter, because some pod fitted
    nowhere: then this pod met a claim without one.
    """
    users = [u for u in claim.get("status", {}).get("reservedFor", []) if u["uid"] not in uids]
    if users:
        return {**claim, "status": {**claim["status"], "reservedFor": users}}
    if _allocation(claim) == _allocation(before):
        return before
    return {key: value for key, value in before.items() if key != "status"}


def _allocation(claim: Json) -> Json | None:
    return claim.get("status", {}).get("allocation")
