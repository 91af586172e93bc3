"""The life of a job: to a worker, running, to its end, and everything that can interrupt it."""

from __future__ import annotations

import time

from scenarios import objects
from scenarios.federated_job import (
    MANAGER_UID_ANNOTATION,
    PREBUILT_ANNOTATION,
    UID_ANNOTATION,
    FederatedJob,
)
from scenarios.fedra_process import Fedra
from scenarios.modes import ALL, COPYING, ORIGIN, ORIGIN_LABEL
from scenarios.objects import Quota, present
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.waiting import always
from scenarios.world import World

RACE = {"dispatch": {"policy": "race"}}


@scenario("job-without-managed-by", modes=COPYING)
def runs_without_managed_by(world: World) -> None:
    """A job that does not name managedBy: clones everywhere, the first to admit wins, the result comes back."""
    for worker in world.workers:
        world.close_queue(worker)
    world.start_fedra(RACE)
    job = world.submit("train", managed_by=not world.fleet.sets_managed_by)
    for worker in world.workers:
        _assert_is_copy(world, job, job.wait_clone(worker))
    world.set_quota(world.worker1, Quota())
    job.wait_running_on(world.worker1)
    assert job.clones() == [world.worker1], "the loser's clone must be gone before the job starts"
    _assert_remote_job(world, job, world.worker1)
    assert world.worker1 in job.check_message()
    job.finish(world.worker1)
    assert objects.is_true(job.manager_job(), "Complete")
    finished = objects.condition(job.workload(), "Finished")
    assert finished is not None and finished["reason"] == "Succeeded", finished
    told = {"Dispatched", "Placed", "Completed"}
    world.eventually("the events are there", lambda: told <= job.event_reasons())


def _assert_is_copy(world: World, job: FederatedJob, clone: Object) -> None:
    workload = job.workload()
    assert workload is not None
    assert objects.canonical(clone["spec"]) == objects.canonical(workload["spec"])
    assert clone["metadata"]["labels"][ORIGIN_LABEL] == world.mode.origin
    assert clone["metadata"]["annotations"][UID_ANNOTATION] == workload["metadata"]["uid"]
    assert not clone["metadata"].get("ownerReferences")


def _assert_remote_job(world: World, job: FederatedJob, worker: str) -> None:
    workload, remote = job.workload(), job.remote_job(worker)
    assert workload is not None and remote is not None
    assert remote["metadata"]["labels"][ORIGIN_LABEL] == world.mode.origin
    assert remote["metadata"]["annotations"][PREBUILT_ANNOTATION] == workload["metadata"]["name"]
    assert remote["metadata"]["annotations"][UID_ANNOTATION] == workload["metadata"]["uid"]
    assert "managedBy" not in remote["spec"], "the worker's own controller must run it"


@scenario("status-mirrored", modes=COPYING)
def mirrors_status_while_running(world: World) -> None:
    """A job with managedBy: resumed on the manager, start time and ready pods mirrored before it ends."""
    world.start_fedra()
    job = world.submit("train", pods=3)
    job.wait_running_on(world.worker1)
    world.eventually(
        "manager's job is resumed",
        lambda: present(job.manager_job())["spec"]["suspend"] is False,
    )
    world.eventually("ready pods mirrored", lambda: _status(job).get("ready") == 3)
    assert _status(job)["startTime"]
    assert not world.manager.list("Pod", world.ns), "no pod may start on the manager"
    job.finish(world.worker1)
    assert _status(job)["succeeded"] == 3
    assert _status(job)["completionTime"]


@scenario("evicted-on-worker", modes=ALL)
def evicted_by_the_worker(world: World) -> None:
    """Preempted on its worker: the placement is undone, and the job runs on the other worker."""
    world.set_quota(world.worker1, Quota(cpu="4"))
    world.start_fedra()
    job = world.submit("train", cpu="4")
    job.wait_running_on(world.worker1)
    world.preempt_on(world.worker1, job)
    job.wait_running_on(world.worker2)
    job.wait_gone_from(world.worker1)
    job.finish(world.worker2)


@scenario("priority-follows", modes=COPYING)
def priority_follows(world: World) -> None:
    """The job's priority class is changed while it waits on a worker, and while it runs: the clone follows, and keeps it when a pod fails."""
    low, high = f"{world.ns}-low", f"{world.ns}-high"
    for cluster in world.fleet.clusters:
        world.admin(cluster).apply(objects.priority_class(low, 10))
        world.admin(cluster).apply(objects.priority_class(high, 1000))
    world.close_queue(world.worker1)
    world.start_fedra()
    job = world.submit("train", priority=low, retries=6)
    clone = job.wait_clone(world.worker1)
    assert _priority(clone) == (low, 10), clone["spec"]
    _set_priority(world, job, high)
    world.eventually(
        "the waiting clone follows",
        lambda: _priority(job.clone(world.worker1)) == (high, 1000),
    )
    world.set_quota(world.worker1, Quota())
    job.wait_running_on(world.worker1)
    _set_priority(world, job, low)
    world.eventually(
        "the running clone follows",
        lambda: _priority(job.clone(world.worker1)) == (low, 10),
    )
    world.eventually("a running pod fails", lambda: _fail_pod(world, job))
    world.eventually("the failure is mirrored", lambda: _status(job).get("failed") == 1)
    assert _priority(job.clone(world.worker1)) == (low, 10)
    assert _priority(job.workload()) == (low, 10)
    job.finish(world.worker1)


def _set_priority(world: World, job: FederatedJob, name: str) -> None:
    labels = {"kueue.x-k8s.io/priority-class": name}
    world.manager.patch("Job", world.ns, job.name, {"metadata": {"labels": labels}})


def _priority(clone: Object | None) -> tuple[str, int]:
    spec = present(clone)["spec"]
    return spec["priorityClassRef"]["name"], spec["priority"]


@scenario("progress-in-batches")
def mirrors_progress_in_batches(world: World) -> None:
    """Many pods end one after the other: the manager's job is written twice a second, not once for each."""
    pods = 40
    fedra = world.start_fedra()
    job = world.submit("train", pods=pods, retries=pods)
    job.wait_running_on(world.worker1)
    world.eventually("ready pods mirrored", lambda: _status(job).get("ready") == pods)
    writes, start = _writes_to_manager(fedra), time.monotonic()
    for _ in range(pods):
        assert _fail_pod(world, job)
        time.sleep(0.1)
    world.eventually("all failures are mirrored", lambda: _status(job).get("failed") == pods)
    written = _writes_to_manager(fedra) - writes
    assert written <= 3 + 2 * (time.monotonic() - start), written


def _writes_to_manager(fedra: Fedra) -> int:
    name = "fedra_cluster_requests_total"
    mine = (f'{name}{{cluster="manager"', 'verb="PATCH"')
    lines = fedra.page("/metrics").splitlines()
    return sum(int(line.split()[-1]) for line in lines if all(part in line for part in mine))


@scenario("moved-after-a-failed-pod")
def counts_survive_a_move(world: World) -> None:
    """A pod fails and is retried, then the job is evicted: it runs elsewhere, and its result is taken over."""
    world.start_fedra()
    job = world.submit("train", retries=6)
    job.wait_running_on(world.worker1)
    world.eventually("a running pod fails", lambda: _fail_pod(world, job))
    world.eventually("the failure is mirrored", lambda: _status(job).get("failed") == 1)
    world.drain(world.worker1)
    job.wait_running_on(world.worker2)
    job.finish(world.worker2)
    assert (_status(job)["failed"], _status(job)["succeeded"]) == (1, 1), _status(job)


def _fail_pod(world: World, job: FederatedJob) -> bool:
    worker = world.admin(world.worker1)
    for pod in worker.list("Pod", world.ns, f"batch.kubernetes.io/job-name={job.name}"):
        if pod["status"].get("phase") == "Running":
            failed = {"status": {"phase": "Failed"}}
            worker.patch("Pod", world.ns, pod["metadata"]["name"], failed, "status")
            return True
    return False


@scenario("another-manager")
def another_manager_of_one_origin(world: World) -> None:
    """Copies that another fedra of the same origin made on the worker are left alone; ours without a job go."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    clone = present(job.clone(world.worker1))
    own = clone["metadata"]["annotations"][MANAGER_UID_ANNOTATION]
    kube_system = world.manager.get("Namespace", None, "kube-system")
    assert own == kube_system["metadata"]["uid"]
    worker = world.admin(world.worker1)
    theirs = worker.create(_copy_of(clone, "theirs", manager="another-cluster"))
    worker.create(_copy_of(clone, "ours", manager=own))
    world.eventually("ours goes", lambda: worker.find("Workload", world.ns, "ours") is None)
    kept = present(worker.find("Workload", world.ns, "theirs"))["metadata"]
    assert kept["uid"] == theirs["metadata"]["uid"] and "deletionTimestamp" not in kept
    assert "theirs" not in fedra.cli("orphans").stdout
    worker.patch("Workload", world.ns, "theirs", {"metadata": {"finalizers": None}})
    worker.delete("Workload", world.ns, "theirs")
    job.finish(world.worker1)


def _copy_of(clone: Object, name: str, manager: str) -> Object:
    """As if it were the clone of a Workload that the manager does not have."""
    annotations = {
        UID_ANNOTATION: "of-no-workload-here",
        MANAGER_UID_ANNOTATION: manager,
    }
    metadata = {
        "name": name,
        "namespace": clone["metadata"]["namespace"],
        "labels": {ORIGIN_LABEL: ORIGIN},
        "annotations": annotations,
    }
    return {
        **{k: clone[k] for k in ("apiVersion", "kind", "spec")},
        "metadata": metadata,
    }


@scenario("failed-job")
def failure_comes_back(world: World) -> None:
    """A job whose program fails is failed on the manager, and is not tried elsewhere."""
    world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    job.finish(world.worker1, phase="Failed")
    assert objects.is_true(job.manager_job(), "Failed")
    finished = objects.condition(job.workload(), "Finished")
    assert finished is not None and finished["reason"] == "Failed", finished
    job.stays_nowhere()


@scenario("failed-job-kept")
def failure_stays_on_the_worker(world: World) -> None:
    """dispatch.keepFailed: a failed job stays on its worker, over a restart, holds nothing, and goes in time."""
    fedra = world.start_fedra({"dispatch": {"keepFailed": "1h"}})
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.fleet.end_pods(world.worker1, world.ns, job.name, "Failed")
    world.eventually("it failed", lambda: objects.is_true(job.manager_job(), "Failed"))
    told = f"its job and pods stay on {world.worker1} until "
    world.eventually(
        "why says so", lambda: told in fedra.cli("why", f"{world.ns}/{job.name}").stdout
    )
    history = fedra.cli("history", f"{world.ns}/{job.name}").stdout
    assert told in history and "JobFailed" in history, history
    fedra.restart()
    next_job = world.submit("next")
    next_job.wait_running_on(world.worker1)
    assert job.clones() == job.remote_jobs() == [world.worker1], "a restart must not remove it"
    fedra.stop()
    fedra.change_settings({"dispatch": {"keepFailed": "1s"}})
    fedra.start()
    job.wait_gone_from(world.worker1)
    next_job.finish(world.worker1)


# kwok's nodes have no kubelet that could be asked for a log.
@scenario("failure-log", fleets=("sim",))
def failed_pod_leaves_its_last_words(world: World) -> None:
    """dispatch.failureLogLines: the history has the last lines of a failed pod, once, and no Event has them."""
    settings = {"failureLogLines": 3, "keepFailed": "1h"}
    fedra = world.start_fedra({"verification": {"devices": "Enforce"}, "dispatch": settings})
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.fleet.end_pods(world.worker1, world.ns, job.name, "Failed")
    last = "line 98 of main\n       line 99 of main\n       line 100 of main\n"
    world.eventually("why has the log", lambda: last in fedra.cli("why", job.key).stdout)
    fedra.restart()
    next_job = world.submit("next")
    next_job.wait_running_on(world.worker1)
    history = fedra.cli("history", job.key).stdout
    assert history.count("line 100 of main") == 1 and "line 97" not in history, history
    reasons = [
        event["reason"]
        for event in fedra.cli("history", job.key, "-o", "json").json()["jobs"][0]["events"]
    ]
    assert reasons.count("PodLog") == 1, reasons
    assert "JobFailed" in job.event_reasons() and "PodLog" not in job.event_reasons()
    next_job.finish(world.worker1)


@scenario("deleted-while-waiting")
def deleted_before_admission(world: World) -> None:
    """A job deleted on the manager before any worker admitted it: its clone goes."""
    world.close_queue(world.worker1)
    world.start_fedra()
    job = world.submit("train")
    job.wait_clone(world.worker1)
    world.manager.delete("Job", world.ns, job.name)
    job.wait_gone_from(world.worker1)
    job.stays_nowhere()


@scenario("deleted-while-running", modes=COPYING)
def deleted_after_start(world: World) -> None:
    """A job deleted on the manager while it runs: job, pods and clone on the worker go."""
    world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.manager.delete("Job", world.ns, job.name)
    job.wait_gone_from(world.worker1)
    world.eventually("no pods left", lambda: not world.admin(world.worker1).list("Pod", world.ns))
    job.stays_nowhere()


@scenario("two-jobs-of-one-name")
def deleted_and_created_anew(world: World) -> None:
    """A running job is deleted and one of the same name created at once: its copies are new ones, on one worker; the first
    is among the deleted jobs."""
    fedra = world.start_fedra()
    first = world.submit("train")
    first.wait_running_on(world.worker1)
    before = present(first.workload())["metadata"]["uid"]
    world.manager.delete("Job", world.ns, first.name)
    world.eventually("the first is gone", lambda: first.manager_job() is None)
    second = world.submit("train")

    def first_workload_gone() -> bool:
        now = first.workload()
        return now is None or now["metadata"]["uid"] != before

    # Until then `second` could take it for its own: both belong to a job of that name.
    world.eventually("its Workload is gone", first_workload_gone)
    worker = world.eventually("the second is placed", second.cluster_name)
    second.wait_running_on(worker)
    uid = present(second.workload())["metadata"]["uid"]
    assert uid != before, "Kueue made a new Workload"
    for copy in (second.clone(worker), second.remote_job(worker)):
        assert present(copy)["metadata"]["annotations"][UID_ANNOTATION] == uid
    assert second.remote_jobs() == [worker]

    def deleted() -> list[str]:
        listed = fedra.cli("status", "jobs", "--state", "Deleted", "-o", "json").json()
        return [job["uid"] for job in listed["jobs"] if "removedAt" in job]

    world.eventually("the first is listed as deleted", lambda: deleted() == [before])
    second.finish(worker)


@scenario("successor-of-one-name")
def clean_up_spares_the_successor(world: World) -> None:
    """A deleted job's clone stays on its worker because of somebody's finalizer: the new job of that name is spared."""
    world.start_fedra()
    first = world.submit("train")
    first.wait_running_on(world.worker1)
    clone = present(first.clone(world.worker1))["metadata"]["name"]
    worker1 = world.admin(world.worker1)
    finalizers = ["kueue.x-k8s.io/resource-in-use", "example.com/hold"]
    worker1.patch("Workload", world.ns, clone, {"metadata": {"finalizers": finalizers}})
    world.manager.delete("Job", world.ns, first.name)
    world.eventually(
        "the first is gone, and its Workload",
        lambda: world.manager.find("Workload", world.ns, clone) is None,
    )
    second = world.submit("train")
    worker = world.eventually("the second is placed", second.cluster_name)
    second.wait_running_on(worker)
    uid = present(second.remote_job(worker))["metadata"]["uid"]

    def keeps_its_job() -> bool:
        return present(second.remote_job(worker))["metadata"]["uid"] == uid

    for value in ("one", "two"):  # fedra looks at the first again
        touched = {"metadata": {"annotations": {"example.com/touched": value}}}
        worker1.patch("Workload", world.ns, clone, touched)
        always("the second keeps its job", keeps_its_job, 1)
    worker1.patch("Workload", world.ns, clone, {"metadata": {"finalizers": None}})
    world.eventually(
        "the clone of the first is gone",
        lambda: worker1.find("Workload", world.ns, clone) is None,
    )
    assert keeps_its_job()
    second.finish(worker)


@scenario("deleted-while-unreachable", modes=COPYING)
def deleted_during_an_outage(world: World) -> None:
    """A job deleted while its worker is unreachable: the worker is cleaned up when it returns."""
    world.start_fedra(links=[world.worker1])
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.cut(world.worker1)
    world.manager.delete("Job", world.ns, job.name)
    world.eventually("gone from the manager", lambda: job.workload() is None)
    assert job.remote_job(world.worker1) is not None
    world.restore(world.worker1)
    job.wait_gone_from(world.worker1)


@scenario("suspended-by-user")
def deactivated_and_activated(world: World) -> None:
    """spec.active false takes a running job back from its worker; true lets it run again."""
    world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    _set_active(world, job, False)
    job.wait_gone_from(world.worker1)
    world.eventually(
        "manager's job suspended",
        lambda: present(job.manager_job())["spec"]["suspend"] is True,
    )
    world.eventually(
        "quota given back", lambda: not objects.is_true(job.workload(), "QuotaReserved")
    )
    job.stays_nowhere()
    assert not objects.is_true(job.workload(), "Finished")
    _set_active(world, job, True)
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("deactivation")
def no_clone_during_deactivation(world: World) -> None:
    """While a job is being deactivated its check is Pending with quota still reserved; no clone then."""
    world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    _set_active(world, job, False)

    def given_back() -> bool:
        assert not _inactive_clones(world, job), "a clone of a job that is being deactivated"
        return not objects.is_true(job.workload(), "QuotaReserved")

    world.eventually("quota given back", given_back)
    job.wait_gone_from(world.worker1)
    job.stays_nowhere(1)


def _inactive_clones(world: World, job: FederatedJob) -> list[str]:
    clones = {worker: job.clone(worker) for worker in world.workers}
    return [
        worker for worker, clone in clones.items() if clone and clone["spec"].get("active") is False
    ]


def _set_active(world: World, job: FederatedJob, active: bool) -> None:
    name = present(job.workload())["metadata"]["name"]
    world.manager.patch("Workload", world.ns, name, {"spec": {"active": active}})


def _status(job: FederatedJob) -> Object:
    return present(job.manager_job()).get("status", {})
