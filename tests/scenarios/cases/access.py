"""Credentials, certificates and rights: what fedra may see, and what it says when it may not."""

from __future__ import annotations

import dataclasses
import signal
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scenarios import objects
from scenarios.certificates import make_ca
from scenarios.fedra_process import CHECK_NOWHERE, CHECK_PLACEABLE, Fedra
from scenarios.fleet import MANAGER
from scenarios.kube_client import ApiError, KubeClient
from scenarios.kubeconfig import Access
from scenarios.registry import scenario
from scenarios.world import IMPATIENT, QUEUE, TEMPLATE, World

_BURST, _SOME = 40, 8


# The simulation has no service accounts; there is nothing of ours to verify.
@scenario("least-privilege", fleets=("real",))
def rights_are_minimal(world: World) -> None:
    """deploy/*-rbac.yaml grants what fedra needs and refuses what it must never do."""
    manager = KubeClient(world.fleet.fedra_access(MANAGER))
    worker = KubeClient(world.fleet.fedra_access(world.worker1))
    assert manager.may("patch", "kueue.x-k8s.io", "workloads", "status")
    assert manager.may("patch", "batch", "jobs", "status")
    assert worker.may("create", "batch", "jobs")
    assert worker.may("list", "resource.k8s.io", "resourceclaimtemplates")
    for group, resource in (
        ("", "secrets"),
        ("", "configmaps"),
        ("rbac.authorization.k8s.io", "clusterroles"),
    ):
        assert not manager.may("get", group, resource)
        assert not worker.may("get", group, resource)
    for verb in ("create", "update", "patch", "delete"):
        assert not manager.may(verb, "batch", "jobs"), f"{verb} jobs on the manager"
        assert not manager.may(
            verb, "kueue.x-k8s.io", "workloads"
        ), f"{verb} workloads on the manager"
        assert not worker.may(
            verb, "resource.k8s.io", "deviceclasses"
        ), f"{verb} classes on a worker"
        assert not worker.may(verb, "", "nodes"), f"{verb} nodes on a worker"


@scenario("forbidden-templates")
def may_not_read_templates(world: World) -> None:
    """A worker that forbids reading templates is Forbidden, never Missing, and the other worker gets the job. Its document
    names the right."""
    world.add_template_everywhere()
    access = world.fleet.restricted_access(world.worker1, without=["resourceclaimtemplates"])
    _assert_forbidden(access, world)
    fedra = world.start_fedra(accesses={world.worker1: access})
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["Forbidden"]

    def missing() -> dict[str, list[str]]:
        workers = fedra.cli("status", "workers", "-o", "json").json()["workers"]
        assert all("Job" in each["capabilities"]["jobKinds"] for each in workers), workers
        return {each["name"]: each["capabilities"]["missingRights"] for each in workers}

    wanted = {each: list[str]() for each in world.workers}
    wanted[world.worker1] = ["resourceclaimtemplates.resource.k8s.io"]
    world.eventually("the missing right is named", lambda: missing() == wanted)
    job.finish(world.worker2)


def _assert_forbidden(access: Access, world: World) -> None:
    try:
        KubeClient(access).get("ResourceClaimTemplate", world.ns, TEMPLATE)
    except ApiError as error:
        assert error.status == 403, error
    else:
        raise AssertionError("the restricted credentials can read templates")


@scenario("forbidden-everywhere")
def may_not_read_templates_anywhere(world: World) -> None:
    """Unknown is not No: with unknown: Never the job waits and says Forbidden; with TryLast it is tried."""
    world.add_template_everywhere()
    accesses = {
        worker: world.fleet.restricted_access(worker, without=["resourceclaimtemplates"])
        for worker in world.workers
    }
    fedra = world.start_fedra({"verification": {"unknown": "Never"}}, accesses=accesses)
    job = world.submit("train", template=TEMPLATE)
    message = job.wait_message("no worker eligible")
    assert world.reasons(job) == {worker: ["Forbidden"] for worker in world.workers}, message
    assert "does not exist" not in message, message
    fedra.stop()
    fedra.change_settings({"verification": {"unknown": "TryLast"}})
    fedra.start()
    # On the worker that is connected first.
    worker = world.eventually("it is tried", job.remote_jobs)[0]
    job.wait_running_on(worker)
    job.finish(worker)


@scenario("forbidden-namespace")
def may_not_make_jobs_in_this_namespace(world: World) -> None:
    """A worker where fedra may make jobs in other namespaces only refuses this one's; that is said, and another gets it."""
    for cluster in (MANAGER, world.worker1):  # Kueue with DRA support reads the manager's
        world.add_template(cluster)
    access = world.fleet.access_without_jobs_in(world.worker1, world.ns)
    world.start_fedra(accesses={world.worker1: access})
    job = world.submit("train", template=TEMPLATE)
    message = job.wait_message(f"{world.worker1} refused the copy: create workloads")
    assert "forbidden" in message, message
    world.add_template(world.worker2)
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)


@scenario("forbidden-manager-queues")
def may_not_read_queues_of_the_manager(world: World) -> None:
    """A manager that forbids reading ClusterQueues stays in use: jobs are dispatched, and what has no effect is said."""
    queues = "clusterqueues.kueue.x-k8s.io"
    what = f"not allowed to list or watch {queues} (403): annotations fedra.dev/order and "
    world.add_template_everywhere()
    access = world.fleet.restricted_access(MANAGER, without=["clusterqueues"])
    fedra = world.start_fedra(accesses={MANAGER: access})
    lines = fedra.page("/readyz?verbose").splitlines()
    assert any(line.startswith(f"[!]manager/{queues} {what}") for line in lines), lines
    assert "[+]manager ok" in lines and lines[-1] == "readyz check passed", lines
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    world.eventually("status says it", lambda: what in _manager_line(fedra))
    assert _manager_line(fedra).startswith("MANAGER  Connected for "), _manager_line(fedra)
    said = fedra.logged("something of the manager cannot be read")
    assert said == 1, f"{said} lines in the log"
    job.finish(world.worker1)


def _manager_line(fedra: Fedra) -> str:
    """The first line of `fedra status`, which is the manager's when something is to be said of it."""
    return fedra.cli("status").stdout.partition("\n")[0]


@scenario("http1-worker")
def worker_behind_http1(world: World) -> None:
    """A worker that is spoken to in HTTP/1.1 only (httpVersion), as behind a proxy that cannot do 2, runs a job."""
    world.add_template_everywhere()
    world.start_fedra(
        workers={world.worker1: {"httpVersion": "1.1"}},
        links=(world.worker1, world.worker2),
    )
    job = world.submit("train", template=TEMPLATE)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)
    assert world.link(world.worker1).offered() == {"http/1.1"}
    assert world.link(world.worker2).offered() == {"h2/http/1.1"}


@scenario("wrong-ca")
def untrusted_certificate(world: World) -> None:
    """A worker whose certificate our CA did not sign is refused, said so, and used once the file is corrected."""
    good = world.fleet.fedra_access(world.worker1)
    bad = dataclasses.replace(good, ca=world.fleet.foreign_ca())
    fedra = world.start_fedra(IMPATIENT, accesses={world.worker1: bad}, ignore_quota=True)
    job = world.submit("train")
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["CertificateUntrusted"]
    job.finish(world.worker2)
    fedra.set_access(world.worker1, good)
    _next_job_runs_on_worker1(world)


@scenario("rejected-token")
def rejected_credentials(world: World) -> None:
    """A token that the worker rejects: CredentialsRejected; a new kubeconfig is used without a restart."""
    good = world.fleet.fedra_access(world.worker1)
    bad = dataclasses.replace(good, token="no-such-token")
    fedra = world.start_fedra(IMPATIENT, accesses={world.worker1: bad}, ignore_quota=True)
    job = world.submit("train")
    job.wait_running_on(world.worker2)
    assert world.reasons(job)[world.worker1] == ["CredentialsRejected"]
    job.finish(world.worker2)
    fedra.set_access(world.worker1, good)
    _next_job_runs_on_worker1(world)


@scenario("credentials-swapped-in-a-burst")
def credentials_change_in_a_burst(world: World) -> None:
    """All clusters reject the credentials, then accept others, during a burst of jobs: each runs once, none moves."""
    world.add_template_everywhere()
    fedra = world.start_fedra()
    good = {cluster: world.fleet.fedra_access(cluster) for cluster in world.fleet.clusters}

    def submit(index: int) -> None:
        world.submit(f"train-{index:02}", template=TEMPLATE)

    with ThreadPoolExecutor(4) as pool:
        submitted = pool.map(submit, range(_BURST))
        world.eventually("some jobs are placed", lambda: len(_remote_uids(world)) >= _SOME)
        before = _remote_uids(world)
        for cluster, access in good.items():
            fedra.set_access(cluster, dataclasses.replace(access, token="no-such-token"))
        world.eventually(
            "the rejection is seen",
            lambda: all(fedra.cluster_trouble(cluster) for cluster in world.workers),
        )
        for cluster in good:
            fedra.set_access(cluster, world.fleet.admin_access(cluster))
        list(submitted)
    world.note(f"{len(before)} of {_BURST} placed before")
    world.eventually("all jobs are placed", lambda: len(_remote_uids(world)) == _BURST)
    after = _remote_uids(world)
    assert {name: after[name] for name in before} == before, "a job was made again"
    copies = [len(world.admin(worker).list("Job", world.ns)) for worker in world.workers]
    assert sum(copies) == _BURST, copies


def _remote_uids(world: World) -> dict[str, str]:
    return {
        job["metadata"]["name"]: job["metadata"]["uid"]
        for worker in world.workers
        for job in world.admin(worker).list("Job", world.ns)
    }


def _next_job_runs_on_worker1(world: World) -> None:
    """Only there is quota; a clone that went to the other worker a moment too early is taken back soon."""
    world.close_queue(world.worker2)
    job = world.submit("later")
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("credential-expiry")
def tells_when_a_certificate_ends(world: World) -> None:
    """/metrics says when the token or client certificate of a worker's kubeconfig ends, also of one that came later."""
    fedra = world.start_fedra()
    name = f'fedra_cluster_credential_expiry_timestamp_seconds{{cluster="{world.worker1}"}}'

    def days_left() -> list[float]:
        lines = [line for line in fedra.page("/metrics").splitlines() if line.startswith(name)]
        return [(float(line.split()[-1]) - time.time()) / 86400 for line in lines]

    # Real API servers issue tokens for a day, the simulated ones opaque ones.
    assert all(0 < days < 2 for days in days_left()), days_left()
    with tempfile.TemporaryDirectory() as folder:
        certificate = make_ca(Path(folder), "client", "fedra")
        access = dataclasses.replace(
            world.fleet.fedra_access(world.worker1),
            token="an-opaque-one",
            client_certificate=certificate.read_text(),
            client_key=certificate.with_suffix(".key").read_text(),
        )
    fedra.set_access(world.worker1, access)
    world.eventually("the end is told", lambda: [29 < days < 31 for days in days_left()] == [True])


@scenario("config-rejected")
def tells_of_a_configuration_that_is_not_used(world: World) -> None:
    """A changed configuration with a mistake: the daemon goes on, and /metrics says so until it is mended."""
    fedra = world.start_fedra()

    def is_used() -> bool:
        return _gauge(fedra, "fedra_config_last_reload_successful") == 1

    assert is_used()
    fedra.change_settings({"dispatch": {"policy": "fastest"}})
    world.eventually("the mistake is told", lambda: not is_used())
    fedra.change_settings({"dispatch": {"policy": "best"}})
    world.eventually("it is used again", is_used)
    assert _gauge(fedra, "fedra_config_last_reload_success_timestamp_seconds") > time.time() - 60
    fedra.change_settings({"dispatch": {"policy": "race"}})
    # What needs a restart is said when it is changed, and again to those who ask with a signal.
    needs_restart = "parts that need a restart"
    world.eventually("a restart is needed", lambda: fedra.logged(needs_restart) == 1)
    fedra.signal(signal.SIGHUP)
    world.eventually("it is said again", lambda: fedra.logged(needs_restart) == 2)


@scenario("blocked-longest")
def tells_how_long_a_job_is_blocked(world: World) -> None:
    """/metrics says for how long the first blocked job has held its quota, also after a restart."""
    world.add_template(MANAGER)
    fedra = world.start_fedra()
    name = 'fedra_blocked_longest_seconds{reason="TemplateMissing"}'
    job = world.submit("train", template=TEMPLATE)
    submitted = time.time()
    # API servers tell times in whole seconds.
    world.eventually("it is told", lambda: _gauge(fedra, name) >= 2)
    fedra.restart()
    world.eventually("it is told again", lambda: _gauge(fedra, name) > 0)
    assert abs(_gauge(fedra, name) - (time.time() - submitted)) < 3
    world.add_template(world.worker1)
    job.wait_running_on(world.worker1)
    world.eventually("none is blocked", lambda: _gauge(fedra, name) == 0)


def _gauge(fedra: Fedra, name: str) -> float:
    """The value of one series; 0 where there is none."""
    lines = [line for line in fedra.page("/metrics").splitlines() if line.startswith(f"{name} ")]
    return float(lines[0].split()[-1]) if lines else 0.0


@scenario("check-before-submit")
def preflight(world: World) -> None:
    """fedra check answers before anything is submitted, with exit codes for yes and for nowhere."""
    fedra = world.start_fedra()
    job = objects.job(world.ns, "planned", QUEUE, template=TEMPLATE)
    nowhere = fedra.check(job)
    assert nowhere.code == CHECK_NOWHERE, nowhere
    assert "TemplateMissing" in nowhere.stdout, nowhere
    world.add_template(world.worker2)
    placeable = fedra.check(job)
    assert placeable.code == CHECK_PLACEABLE, placeable
    assert not world.manager.list("Job", world.ns), "check must write nothing"
