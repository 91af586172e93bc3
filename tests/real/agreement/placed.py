"""Does fedra say the same as the scheduler of each pod alone, with the others where the scheduler put them?

Which of several nodes a pod gets is decided by scores, which fedra does not know: so two right answers about a whole
job can differ. Here scores decide nothing. A pod that was bound must fit on its node among all others that were, and
with what they hold; a pod that was not bound must fit nowhere.
"""

from __future__ import annotations

import copy

from real.agreement.dice import Json
from real.agreement.fedra_check import Answer, FedraCheck, job_set
from real.agreement.job_batch import JobObservation, JobPod, Objects, names_of_claims


def contradictions(seen: JobObservation, release: str, fedra: FedraCheck) -> list[str]:
    """A line for each pod of which fedra says something else."""
    questions = [(_without(seen, pod), _alone(seen, pod)) for pod in seen.pods]
    answers = fedra.ask(release, questions)
    return [_line(pod, a) for pod, a in zip(seen.pods, answers) if not _agree(pod, a)]


def _agree(pod: JobPod, answer: Answer) -> bool:
    return answer.verdict == ("Yes" if pod.node else "No")


def _line(pod: JobPod, answer: Answer) -> str:
    said = pod.node or f"not bound ({pod.message[:200]})"
    return f"{pod.name}: {said}, but fedra {answer.verdict} {'; '.join(answer.reasons)[:300]}"


def _alone(seen: JobObservation, pod: JobPod) -> Json:
    spec = copy.deepcopy(seen.case.pod_sets[pod.pod_set].spec)
    if pod.node:
        spec["nodeSelector"]["kubernetes.io/hostname"] = pod.node
    namespace = pod.stored["metadata"]["namespace"]
    return job_set(pod.name, namespace, [("pod", 1, spec, seen.case.group_of(pod.pod_set))])


def _without(seen: JobObservation, pod: JobPod) -> Objects:
    """The cluster in the end, had the pod not come."""
    others = [other.final for other in seen.pods if other is not pod]
    dropped = {name for name, own in names_of_claims(pod.final) if own}
    shared = {name for name, own in names_of_claims(pod.final) if not own}
    uid = pod.stored["metadata"]["uid"]
    before = {claim["metadata"]["name"]: claim for claim in seen.before["ResourceClaim"]}
    claims = []
    for claim in seen.claims:
        name = claim["metadata"]["name"]
        if name in dropped:
            continue
        claims.append(_unused(claim, uid, before[name]) if name in shared else claim)
    return {**seen.before, "Pod": seen.before["Pod"] + others, "ResourceClaim": claims}


def _unused(claim: Json, uid: str, before: Json) -> Json:
    """A claim that several pods may use, without this one; the last of them has had it allocated.

    An allocation of before that is there no more was taken back by the scheduler's PostFilter, because some pod fitted
    nowhere: then this pod met a claim without one.
    """
    users = [u for u in claim.get("status", {}).get("reservedFor", []) if u["uid"] != uid]
    if users:
        return {**claim, "status": {**claim["status"], "reservedFor": users}}
    if _allocation(claim) == _allocation(before):
        return before
    return {key: value for key, value in before.items() if key != "status"}


def _allocation(claim: Json) -> Json | None:
    return claim.get("status", {}).get("allocation")
