"""Mode multikueue: fedra in the place of Kueue's own MultiKueue, which is switched off on that manager."""

from __future__ import annotations

import json
from typing import Any

from real import multikueue
from scenarios import objects
from scenarios.federated_job import PREBUILT_ANNOTATION, FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.modes import MULTIKUEUE, ORIGIN_LABEL
from scenarios.multikueue_installation import (
    administrators,
    check_name,
    connect,
    installation,
    nominate,
    submit,
    wait_queue,
)
from scenarios.objects import Quota
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import World

_SETTINGS: dict[str, Any] = {
    "kueue": {"mode": "multikueue"},
    "workersFrom": {"multiKueueClusters": True},
    "workers": [],
}


@scenario("multikueue-runs-job", sets_up=MULTIKUEUE)
def in_place_of_multikueue(world: World) -> None:
    """From MultiKueueClusters and a MultiKueueConfig to a finished job, without Kueue's MultiKueue."""
    with installation(world):
        world.fleet.set_multikueue(False)
        connect(world, {worker: world.fleet.fedra_access(worker) for worker in world.workers})
        _start(world)
        job = submit(world, "train")
        job.wait_running_on(world.worker1)
        for worker in world.workers:
            assert _active(world, "MultiKueueCluster", worker) == ("True", "Active", "Connected")
        told = ("True", "Active", "The admission check is active")
        assert _active(world, "AdmissionCheck", check_name(world)) == told
        clone = objects.present(job.clone(world.worker1))
        metadata = objects.present(job.remote_job(world.worker1))["metadata"]
        assert metadata["labels"][ORIGIN_LABEL] == multikueue.ORIGIN
        assert metadata["annotations"][PREBUILT_ANNOTATION] == clone["metadata"]["name"]
        job.finish(world.worker1)


@scenario("multikueue-takes-over", sets_up=MULTIKUEUE)
def takes_over(world: World) -> None:
    """What MultiKueue has placed, or nominated, runs on as it is under fedra, and is finished and cleaned up by it."""
    world.close_queue(world.worker2)
    with installation(world):
        multikueue.connect_workers(world.manager, administrators(world))
        wait_queue(world)
        jobs = {name: submit(world, name) for name in ("running", "deleted", "waiting")}
        for name, job in jobs.items():
            nominate(world, job, world.worker2 if name == "waiting" else world.worker1)
        for name in ("running", "deleted"):
            jobs[name].wait_running_on(world.worker1)
        uid = _uid(jobs["running"].remote_job(world.worker1))
        clone = _uid(jobs["waiting"].wait_clone(world.worker2))
        world.fleet.set_multikueue(False)
        world.manager.delete("Job", world.ns, "deleted")
        fedra = _start(world)
        jobs["deleted"].wait_gone_from(world.worker1)
        job = jobs["running"]
        assert _uid(job.remote_job(world.worker1)) == uid, "its job was made again"
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
        waiting = jobs["waiting"]
        copies = [
            waiting.clone(world.worker2),
            job.clone(world.worker1),
            job.remote_job(world.worker1),
        ]
        names = {objects.present(copy)["metadata"]["name"] for copy in copies}
        orphans = [each["name"] for each in fedra.cli("orphans", "-o", "json").json()["items"]]
        assert not names.intersection(orphans), "MultiKueue's copies have their Workloads"
        job.finish(world.worker1)
        assert _uid(waiting.clone(world.worker2)) == clone, "its clone was made again"
        world.set_quota(world.worker2, Quota())
        waiting.wait_running_on(world.worker2)
        assert _uid(waiting.clone(world.worker2)) == clone, "its clone was made again"
        waiting.finish(world.worker2)


@scenario("multikueue-gives-back", sets_up=MULTIKUEUE)
def gives_back(world: World) -> None:
    """What fedra has placed runs on under MultiKueue, which ends it, moves it after an eviction, and cleans up."""
    with installation(world):
        fedra, job, evicted = _one_on_each_worker(world, "train", "evicted")
        uid = _uid(job.remote_job(world.worker1))
        fedra.stop()
        world.fleet.set_multikueue(True)
        world.set_quota(world.worker1, Quota())
        world.preempt_on(world.worker2, evicted)
        world.eventually("Kueue has taken the worker back", lambda: not evicted.cluster_name())
        nominate(world, evicted, world.worker1)
        evicted.wait_running_on(world.worker1)
        assert _uid(job.remote_job(world.worker1)) == uid, "its job was made again"
        job.finish(world.worker1)
        evicted.finish(world.worker1)


@scenario("migration-foretold", sets_up=MULTIKUEUE)
def the_switch_is_foretold(world: World) -> None:
    """`fedra migrate --check` says what becomes of each job of MultiKueue's; after the switch it is as it said."""
    world.close_queue(world.worker2)
    world.fleet.grant(MANAGER, "manager-rbac-discovery.yaml")
    world.fleet.withhold(MANAGER, "manager-rbac-multikueue.yaml")
    with installation(world):
        multikueue.connect_workers(world.manager, administrators(world))
        wait_queue(world)
        fedra = world.start_fedra(_SETTINGS, start=False)
        placed = {"running": world.worker1, "stray": world.worker1, "waiting": world.worker2}
        jobs = {name: submit(world, name) for name in placed}
        for name, worker in placed.items():
            nominate(world, jobs[name], worker)
        waiting = _uid(jobs["waiting"].wait_clone(world.worker2))
        for name in ("running", "stray"):
            jobs[name].wait_running_on(world.worker1)
        jobs["unsent"] = submit(world, "unsent")
        world.eventually(
            "it has quota",
            lambda: objects.is_true(jobs["unsent"].workload() or {}, "QuotaReserved"),
        )
        running, stray = (_uid(jobs[n].remote_job(world.worker1)) for n in ("running", "stray"))

        code, report = _foretell(fedra)
        blocking = [each["text"] for each in report["before"] if each["blocks"]]
        assert code == 1 and len(blocking) == 1, report
        assert (
            "multikueueclusters" in blocking[0] and "manager-rbac-multikueue" in blocking[0]
        ), report
        world.fleet.grant(MANAGER, "manager-rbac-multikueue.yaml")
        code, report = _foretell(fedra)
        assert code == 0 and not any(each["blocks"] for each in report["before"]), report
        assert _foretold(report) == {
            "running": ("GoesOn", world.worker1),
            "stray": ("GoesOn", world.worker1),
            "waiting": ("Waits", world.worker2),
            "unsent": ("Dispatched", world.worker1),
        }, report
        assert _copy_uids(report, "running") == {world.worker1: running}, report

        # Now somebody gives one of them another origin.
        client, elsewhere = world.admin(world.worker1), {
            "metadata": {"labels": {ORIGIN_LABEL: "x"}}
        }
        clone = objects.present(jobs["stray"].clone(world.worker1))["metadata"]["name"]
        client.patch("Workload", world.ns, clone, elsewhere)
        client.patch("Job", world.ns, "stray", elsewhere)
        code, report = _foretell(fedra)
        assert code == 1 and _foretold(report)["stray"] == ("RunsTwice", world.worker1), report
        assert _foretold(report)["running"] == ("GoesOn", world.worker1), report
        table = fedra.cli("migrate", "--check").stdout
        assert "runs twice" in table and "two places at once" in table, table
        [told] = [each for each in report["workloads"] if each["name"] == "stray"]
        advice = f"delete Job {world.ns}/stray on {world.worker1} first"
        assert advice in told["why"], told

        world.fleet.set_multikueue(False)
        fedra.start()
        wait_queue(world)
        jobs["unsent"].wait_running_on(world.worker1)
        world.eventually(
            "the stray is queued again", lambda: jobs["stray"].check_state() != "Ready"
        )
        assert _uid(client.find("Job", world.ns, "stray")) == stray, "it is left where it was"
        assert _uid(jobs["running"].remote_job(world.worker1)) == running, "it was made again"
        assert _uid(jobs["waiting"].clone(world.worker2)) == waiting, "it was made again"
        world.manager.delete("Job", world.ns, "stray")
        client.delete("Job", world.ns, "stray")
        client.delete("Workload", world.ns, clone)
        world.set_quota(world.worker2, Quota())
        jobs["waiting"].wait_running_on(world.worker2)
        for name, worker in {**placed, "unsent": world.worker1}.items():
            if name != "stray":
                jobs[name].finish(worker)


@scenario("migration-back-foretold", sets_up=MULTIKUEUE)
def the_way_back_is_foretold(world: World) -> None:
    """`fedra migrate --check --back` says what becomes of each job of fedra's; MultiKueue then does so."""
    with installation(world):
        fedra, running, outside = _one_on_each_worker(world, "running", "outside")
        waiting = submit(world, "waiting", cpu="4")
        clone = _uid(waiting.wait_clone(world.worker2))
        placed = {running: world.worker1, outside: world.worker2}
        uids = {job: _uid(job.remote_job(worker)) for job, worker in placed.items()}

        code, report = _foretell(fedra, "--back")
        expected = {
            "running": ("GoesOn", world.worker1),
            "outside": ("GoesOn", world.worker2),
            "waiting": ("Waits", world.worker2),
        }
        assert code == 0 and _foretold(report) == expected, report
        fedra.stop()
        # Without this worker in its MultiKueueConfig MultiKueue would not look there.
        world.manager.apply(objects.multikueue_config(check_name(world), [world.worker1]))
        code, report = _foretell(fedra, "--back")
        assert code == 1 and _foretold(report) == {
            "running": ("GoesOn", world.worker1),
            "outside": ("RunsTwice", world.worker2),
            "waiting": ("LeftBehind", world.worker2),
        }, report
        world.manager.apply(objects.multikueue_config(check_name(world), list(world.workers)))

        world.fleet.set_multikueue(True)
        for worker in world.workers:
            world.set_quota(worker, Quota())
        waiting.wait_running_on(world.worker2)
        assert _uid(waiting.clone(world.worker2)) == clone, "its clone was made again"
        for job, worker in placed.items():
            assert _uid(job.remote_job(worker)) == uids[job], f"{job.key} was made again"
            job.finish(worker)
        waiting.finish(world.worker2)


@scenario("multikueue-cluster-inactive", sets_up=MULTIKUEUE)
def says_what_is_wrong(world: World) -> None:
    """MultiKueueClusters and the check say which worker cannot be used and why, and when it can again."""
    with installation(world):
        world.fleet.set_multikueue(False)
        connect(world, {worker: world.fleet.fedra_access(worker) for worker in world.workers})
        world.manager.delete("Secret", multikueue.NAMESPACE, world.worker1)
        _start(world)
        _wait_inactive(world, world.worker1, "BadKubeConfig", "does not exist")
        inactive = ("True", "SomeActiveClusters", f"Inactive clusters: [{world.worker1}]")
        world.eventually(
            "the check says so",
            lambda: _active(world, "AdmissionCheck", check_name(world)) == inactive,
        )
        access = world.fleet.fedra_access(world.worker1)
        multikueue.put_kubeconfig(world.manager, world.worker1, multikueue.insecure(access))
        _wait_inactive(world, world.worker1, "InsecureKubeConfig", "insecure-skip-tls-verify")
        job = submit(world, "train")
        job.wait_running_on(world.worker2)
        multikueue.put_kubeconfig(world.manager, world.worker1, access.to_kubeconfig())
        _wait_active(world, world.worker1)
        world.stop_api_server(world.worker1)
        try:
            _wait_inactive(world, world.worker1, "ClientConnectionFailed", "")
        finally:
            world.start_api_server(world.worker1)
        _wait_active(world, world.worker1)
        told = ("True", "Active", "The admission check is active")
        world.eventually(
            "the check is as it was",
            lambda: _active(world, "AdmissionCheck", check_name(world)) == told,
        )
        job.finish(world.worker2)


def _one_on_each_worker(
    world: World, first: str, second: str
) -> tuple[Fedra, FederatedJob, FederatedJob]:
    """Fedra in MultiKueue's place, and two jobs that it has placed: on worker1, and on worker2, whose quota the
    second one has. Then neither worker has any left."""
    world.fleet.set_multikueue(False)
    connect(world, administrators(world))
    fedra = _start(world)
    world.set_quota(world.worker2, Quota(cpu="0"))
    on_first = submit(world, first)
    on_first.wait_running_on(world.worker1)
    world.set_quota(world.worker1, Quota(cpu="0"))
    world.set_quota(world.worker2, Quota(cpu="4"))
    on_second = submit(world, second, cpu="4")
    on_second.wait_running_on(world.worker2)
    return fedra, on_first, on_second


def _foretell(fedra: Fedra, *options: str) -> tuple[int, dict[str, Any]]:
    answer = fedra.cli("migrate", "--check", *options, "-o", "json")
    assert answer.stdout, answer
    return answer.code, dict(json.loads(answer.stdout))


def _foretold(report: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {each["name"]: (each["outcome"], each["worker"]) for each in report["workloads"]}


def _copy_uids(report: dict[str, Any], job: str) -> dict[str, str]:
    [workload] = [each for each in report["workloads"] if each["name"] == job]
    return {copy["worker"]: copy["job"]["uid"] for copy in workload["copies"]}


def _start(world: World) -> Fedra:
    for rights in ("manager-rbac-discovery.yaml", "manager-rbac-multikueue.yaml"):
        world.fleet.grant(MANAGER, rights)
    fedra = world.start_fedra(_SETTINGS, check_active=False)
    wait_queue(world)
    return fedra


def _uid(obj: Object | None) -> str:
    return str(objects.present(obj)["metadata"]["uid"])


def _active(world: World, kind: str, name: str) -> tuple[str, str, str]:
    status = world.manager.get(kind, None, name).get("status", {})
    for condition in status.get("conditions", []):
        if condition["type"] == "Active":
            return condition["status"], condition["reason"], condition["message"]
    return "", "", ""


def _wait_active(world: World, worker: str) -> None:
    world.eventually(
        f"{worker} is Active",
        lambda: _active(world, "MultiKueueCluster", worker) == ("True", "Active", "Connected"),
        world.fleet.patience + 30,
    )


def _wait_inactive(world: World, worker: str, reason: str, words: str) -> None:
    def look() -> bool:
        status, why, message = _active(world, "MultiKueueCluster", worker)
        return (status, why) == ("False", reason) and words in message

    # A Secret is read every 30 s while all workers can be used (manager/discovery/worker_discovery.cc).
    world.eventually(f"{worker} is inactive: {reason}", look, world.fleet.patience + 30)
