"""Every row of docs/workloads.md: the workload goes where its devices are, and the schedulers agree."""

from __future__ import annotations

import functools
from typing import Any

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.job_kinds import POD
from scenarios.objects import DRIVER, QUEUE_LABEL
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.rows import compute_domain
from scenarios.rows.diagnoses import DIAGNOSES, Diagnosis
from scenarios.rows.nvidia import N7
from scenarios.rows.parts import (
    by_name,
    by_template,
    claim,
    device,
    every,
    exactly,
    node,
    pool,
    prefer,
    template,
    wish,
)
from scenarios.rows.row import Row
from scenarios.rows.stage import cover_resources, furnish, grant_pods, of_other_kinds, play
from scenarios.rows.submission import Submission, job_of, manifests
from scenarios.rows.table import ROWS
from scenarios.setup import GPU_CLASS
from scenarios.world import World

_OFF = (False,)


def _register(row: Row) -> None:
    def body(world: World) -> None:
        play(world, row)

    body.__doc__ = f"{row.title}."
    scenario(
        row.name,
        kueue_dra=row.kueue_dra,
        other_kinds=of_other_kinds(row),
        off_by_default=row.off_by_default,
        workers_since=row.workers_since,
    )(body)


for _row in ROWS:
    _register(_row)


def _diagnose(world: World, diagnosis: Diagnosis) -> None:
    for worker, state in zip(world.workers, diagnosis.states):
        furnish(world, worker, Row("", "", "", [], everywhere=diagnosis.everywhere), state)
    grant_pods(world)
    settings: dict[str, Any] = {"verification": {"devices": "Enforce"}, **POD.settings}
    fedra = world.start_fedra(settings, start=False)
    output = fedra.check(*(_here(each, world.ns) for each in diagnosis.printed))
    assert output.code == diagnosis.code, output
    report: Any = output.json()
    for wanted in diagnosis.found:
        # With the namespace between kind and name, where there is one.
        said = [
            each
            for each in report["findings"]
            if each["object"].replace(f"{world.ns}/", "") == wanted.object
            and wanted.says in each["message"]
            and wanted.hint in each.get("hint", "")
        ]
        assert said, f"{wanted} is not in {report['findings']}"
    for text in diagnosis.skipped:
        assert text in output.stderr, output
    judged: list[Object] = report["items"][0]["workers"] if diagnosis.states else []
    for answer, state in zip(judged, diagnosis.states):
        reasons = tuple(each["code"] for each in answer["reasons"])
        assert (answer["verdict"], reasons) == (state.verdict, state.reasons), answer


def _here(printed: Object, namespace: str) -> Object:
    """In the scenario's namespace, where it has one; a pod in a queue."""
    metadata = dict(printed["metadata"])
    if printed["kind"] not in ("DeviceClass", "ResourceClass"):
        metadata["namespace"] = namespace
    if printed["kind"] == "Pod":
        metadata["labels"] = {QUEUE_LABEL: "main"}
    return {**printed, "metadata": metadata}


def _register_diagnosis(diagnosis: Diagnosis) -> None:
    def body(world: World) -> None:
        _diagnose(world, diagnosis)

    body.__doc__ = f"fedra check says what is wrong with {diagnosis.title}."
    scenario(diagnosis.name, kueue_dra=_OFF)(body)


for _diagnosis in DIAGNOSES:
    _register_diagnosis(_diagnosis)


# Kueue's own counting of devices plays no part.
@scenario("compute-domain-later", kueue_dra=_OFF, other_kinds=True)
def compute_domain_later(world: World) -> None:
    """A job whose template a ComputeDomain's controller makes waits for it, and leaves for the worker where it is made."""
    without, with_domain = N7.cases[0].worker1, N7.cases[0].worker2
    documents = manifests(N7, world.ns, "")
    for worker in world.workers:
        furnish(world, worker, N7, without)
    cover_resources(world, documents)
    world.start_fedra({"verification": {"devices": "Enforce"}})
    submission = Submission(world, documents)
    job = submission.jobs[0]
    job.wait_message("no worker eligible")
    assert world.reasons(job) == {worker: ["TemplateMissing"] for worker in world.workers}
    for each in with_domain.objects:
        if isinstance(each, dict) and each["kind"] == compute_domain.KIND:
            compute_domain.create(world, world.worker2, each)
    job.wait_running_on(world.worker2)
    submission.end(world.worker2)


# What Kueue's page lists as limits, as far as 0.19.2 still has them: a claim, or a template, and the pods' use of it.
_REFUSED: tuple[tuple[Object, Object], ...] = (
    (claim("shared", exactly("gpu", GPU_CLASS)), by_name(gpu="shared")),
    (template("all-gpus", every("gpu", GPU_CLASS)), by_template(gpu="all-gpus")),
    (template("any-gpu", prefer("gpu", one=wish(GPU_CLASS))), by_template(gpu="any-gpu")),
)


@scenario("K3", kueue_dra=(True,))
def what_kueue_refuses(world: World) -> None:
    """With its DRA support on, Kueue refuses claims by name, All and firstAvailable, which the workers could run; fedra why has its words."""
    for worker in world.workers:
        world.supply.clear(worker)  # All of so many is refused by schedulers
        for each in (node("n1"), *pool(DRIVER, "n1", [device("gpu-0"), device("gpu-1")])):
            world.supply.put(worker, each)
    fedra = world.start_fedra({"verification": {"devices": "Enforce"}})
    for each, _ in _REFUSED:
        for cluster in world.fleet.clusters:
            world.supply.put(cluster, each)
    for number, (_, use) in enumerate(_REFUSED):
        manifest = job_of(Row("", "", "", [], pod=use), world.ns, f"train-{number}")
        outcomes = {each.outcome for each in fedra.checked(manifest).values()}
        assert outcomes == {"Yes"}, f"the workers can run it: {outcomes}"
        world.manager.create(manifest)
        job = world.job(f"train-{number}")
        world.eventually(f"Kueue refuses {use}", functools.partial(_refusal, job))
        job.stays_nowhere(1)
        # Kueue refuses it before it names the AdmissionChecks, and does not ask fedra.
        world.eventually("fedra why has Kueue's words", functools.partial(_says_so, world, job))
        listed = fedra.cli("status", "jobs", "--state", "Waiting", "-o", "name").stdout
        assert job.key in listed, listed
        if number == 0:
            words = "does not support use of resource claims"
            assert words in fedra.cli("why", job.key).stdout, words
        world.manager.delete("Job", world.ns, job.name)


def _says_so(world: World, job: FederatedJob) -> bool:
    assert world.fedra is not None
    answer = world.fedra.cli("why", job.key, "-o", "json")
    told: list[Object] = answer.json()["jobs"] if answer.code == 0 else []
    said = [(each["state"], each.get("waitsFor"), each["note"]) for each in told]
    return said == [("Waiting", "Kueue", _refusal(job))]


def _refusal(job: FederatedJob) -> str:
    reserved = objects.condition(job.workload(), "QuotaReserved")
    message = reserved["message"] if reserved is not None and reserved["status"] != "True" else ""
    return message if "support" in message else ""
