#!/usr/bin/python3
"""make demo: a federation of one manager and three workers on loopback, from submission to completion.

The clusters are simulated (tests/sim), fedra is the real program: a process of its own with real kubeconfigs
and TLS. Every step waits for what it announces and the demo fails when that does not happen. HOLD=1 keeps
everything running at the end.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from scenarios import objects  # noqa: E402
from scenarios.federated_job import FederatedJob  # noqa: E402
from scenarios.fedra_process import Fedra, default_binary  # noqa: E402
from scenarios.fleet import MANAGER  # noqa: E402
from scenarios.job_kinds import JOB_SET, RAY_JOB, JobKind  # noqa: E402
from scenarios.kube_client import KubeClient  # noqa: E402
from scenarios.objects import Quota  # noqa: E402
from scenarios.resources import Object  # noqa: E402
from scenarios.rows.parts import (  # noqa: E402
    device,
    device_class,
    exactly,
    node,
    pool,
    prefer,
    taint_rule,
    template,
    wish,
)
from scenarios.sim_fleet import SimFleet  # noqa: E402
from scenarios.supply import Supply  # noqa: E402
from scenarios.waiting import Timeout, eventually  # noqa: E402

_STORE_LAG = 2.0  # seconds; what the API servers show is in fedra's store a moment later
_NS, _QUEUE, _CHECK = "ml", "gpu", "fedra"
_EAST, _WEST, _LAB = "gpu-east", "gpu-west", "gpu-lab"
_CLASS = "gpu.example.com"
_ONE_GPU, _TWO_GPUS = "one-gpu", "two-gpus"
_OR_TWO, _ONLY_LARGE = "large-or-two", "large-only"
_80_GB = f"device.capacity['{_CLASS}'].memory.compareTo(quantity('80Gi')) >= 0"
_LARGE_OR_TWO = template(
    _OR_TWO, prefer("gpu", large=wish(_CLASS, _80_GB), two=wish(_CLASS, count=2))
)
_LARGE_ONLY = template(_ONLY_LARGE, exactly("gpu", _CLASS, _80_GB))

# What a job asks for with each template, for people.
_ASKS = {
    _ONE_GPU: f"1 device of class {_CLASS}",
    _TWO_GPUS: f"2 devices of class {_CLASS}",
    _OR_TWO: "firstAvailable: 1 device with 80Gi of memory or more, else 2 of any size",
    _ONLY_LARGE: "1 device with 80Gi of memory or more",
}

# Memory of the GPUs of each worker's only node.
_GPUS = {_EAST: ("40Gi",) * 4, _WEST: ("80Gi",), _LAB: ("24Gi",) * 2}
_DEVICES_ON: Object = {"verification": {"devices": "Enforce"}}
# Shorter than usual (15s, 10s, 2s), for those who watch.
_REPLICAS: Object = {
    "highAvailability": {
        "enabled": True,
        "leaseDuration": "3s",
        "renewDeadline": "2s",
        "retryPeriod": "500ms",
    }
}
_PATIENCE = 15.0


class Demo:
    """The fleet, one fedra, and the story. Main thread only."""

    def __init__(self, folder: Path):
        self._fleet = SimFleet(kueue_dra=False, workers=(_EAST, _WEST, _LAB))
        self._supply = Supply(self._fleet, _NS)
        self._folder = folder
        self._fedra: Fedra | None = None
        self._killed: Fedra | None = None  # the one that led before

    # --- The story.

    def run(self) -> None:
        self._fleet.start()
        self._prepare_clusters()
        self._meet_the_fleet()
        train = self._first_job()
        sweep = self._blocked_job()
        self._create_what_is_missing(sweep)
        late = self._survive_a_crash(train)
        self._ask_before_submitting()
        serve = self._better_alternative()
        embed = self._no_device_free()
        self._device_is_freed(serve, embed)
        rescued = self._take_over(embed)
        beside = self._other_kinds(late)
        self._finish([sweep, late, rescued, *beside])

    def stop(self) -> None:
        for fedra in (self._fedra, self._killed):
            if fedra is not None and fedra.process is not None:
                fedra.process.kill()
        self._fleet.stop()

    def report(self) -> str:
        return self._fedra.report() if self._fedra is not None else "fedra was not started"

    def _meet_the_fleet(self) -> None:
        _title("fedra starts next to Kueue, with one kubeconfig per cluster")
        for worker, memory in _GPUS.items():
            _say(f"{worker} has one node with GPUs of {', '.join(memory)} memory.")
        self._fedra = self._make_fedra("fedra", _DEVICES_ON)
        self._fedra.start()
        self._wait(
            "all workers connected",
            lambda: set(self._running().worker_states().values()) == {"Connected"},
        )
        self._wait("the admission check is Active", self._check_active)
        self._show("status", "workers")

    def _make_fedra(self, name: str, settings: Object) -> Fedra:
        accesses = {cluster: self._fleet.fedra_access(cluster) for cluster in self._fleet.clusters}
        return Fedra(default_binary(), self._folder / name, accesses, settings)

    def _first_job(self) -> FederatedJob:
        _title(f"A job that claims a device by template {_ONE_GPU}")
        _say(f"{_EAST} has all it needs; {_WEST} lacks the DeviceClass, {_LAB} the template.")
        job = self._submit("train", _ONE_GPU)
        job.wait_running_on(_EAST)
        self._show("status")
        self._show("why", job.key)
        return job

    def _blocked_job(self) -> FederatedJob:
        _title(f"A job whose template {_TWO_GPUS} exists on no worker")
        _say(
            "Kueue alone would dispatch it somewhere and let its pods hang. fedra says what is missing where."
        )
        job = self._submit("sweep", _TWO_GPUS)
        job.wait_message("no worker eligible")
        self._show("status")
        self._show("why", job.key)
        return job

    def _create_what_is_missing(self, job: FederatedJob) -> None:
        _title(f"An administrator creates the template on {_LAB}")
        _change(_LAB, f"template {_TWO_GPUS} is created: {_ASKS[_TWO_GPUS]}")
        started = time.monotonic()
        self._create_template(_LAB, _TWO_GPUS, count=2)
        self._wait("the clone", lambda: job.clone(_LAB))
        _say(
            f"The job was dispatched to {_LAB} after {(time.monotonic() - started) * 1000:.0f} ms, without any timer."
        )
        job.wait_running_on(_LAB)
        self._show("status", "jobs")

    def _survive_a_crash(self, running: FederatedJob) -> FederatedJob:
        _title("kill -9 of fedra; meanwhile one job ends and another is submitted")
        _change("manager", "fedra is killed")
        self._running().kill()
        late = self._submit("late", _ONE_GPU)
        _change(_EAST, f"the pods of {running.key} end")
        self._wait("train complete on its worker", lambda: self._ended(_EAST, running))
        _change("manager", "fedra is started again on the same store")
        self._running().start()
        self._wait("train complete on the manager", lambda: _complete(running))
        late.wait_running_on(_EAST)
        self._show("status")
        self._show("history", running.key)
        return late

    def _ask_before_submitting(self) -> None:
        _title("The same question before anything is submitted: fedra check")
        job = objects.job(_NS, "planned", _QUEUE, template=_ONE_GPU)
        file = self._folder / "planned.json"
        file.write_text(objects.canonical(job))
        self._show("check", "-f", str(file))

    def _better_alternative(self) -> FederatedJob:
        _title("A job that wants one 80 GB GPU, or else two of any size (firstAvailable)")
        _say(f"{_WEST} has one 80 GB GPU, {_EAST} has 40 GB ones.")
        _change(_WEST, f"DeviceClass {_CLASS} is created; it was missing until now")
        self._supply.put(_WEST, device_class(_CLASS))
        for worker in (_EAST, _WEST):
            _change(worker, f"template {_OR_TWO} is created")
            self._supply.put(worker, _LARGE_OR_TWO)
        job = self._submit("serve", _OR_TWO)
        job.wait_running_on(_WEST)
        _say(
            f"Both workers could run it. It went to {_WEST}: the better alternative, not the first worker."
        )
        self._show("why", job.key)
        return job

    def _no_device_free(self) -> FederatedJob:
        _title("A job that wants an 80 GB GPU and nothing else: the only one is in use")
        for worker in self._fleet.workers:
            _change(worker, f"template {_ONLY_LARGE} is created")
            self._supply.put(worker, _LARGE_ONLY)
        job = self._submit("embed", _ONLY_LARGE)
        job.wait_message("waits for a worker")
        _say(
            "Every object exists everywhere. fedra counts the devices as each worker's scheduler would:"
        )
        # Places in line are written once a second.
        self._wait("its place in line is told", lambda: self._running().line(job.key))
        self._show("why", job.key)
        return job

    def _device_is_freed(self, holder: FederatedJob, waiting: FederatedJob) -> None:
        _title(f"The job on {_WEST} ends, and its GPU is free")
        _change(_WEST, f"the pods of {holder.key} end, and their claim is given back")
        self._wait("its pods have ended", lambda: self._ended(_WEST, holder))
        started = time.monotonic()
        self._wait("the clone", lambda: waiting.clone(_WEST))
        _say(
            f"The waiting job was dispatched to {_WEST} {(time.monotonic() - started) * 1000:.0f} ms after that, without any timer."
        )
        waiting.wait_running_on(_WEST)
        self._show("status", "jobs")

    def _take_over(self, holder: FederatedJob) -> FederatedJob:
        _title("Two replicas; kill -9 of the one that leads, while a job waits")
        _change(
            "manager", "fedra is started again with highAvailability, and another one beside it"
        )
        self._admin(MANAGER).apply(objects.namespace("fedra-system"))
        leader = self._running()
        leader.stop()
        leader.change_settings(_REPLICAS)
        leader.start()
        self._wait("it leads", lambda: "REPLICA  leads" in leader.cli("status", "workers").stdout)
        self._show("status", "workers")
        waiting = self._submit("rescued", _ONLY_LARGE)
        waiting.wait_message("waits for a worker")
        self._killed, self._fedra = leader, self._make_fedra("standby", _DEVICES_ON | _REPLICAS)
        self._fedra.start()
        self._show("status", "workers")
        _change("manager", "the leader is killed")
        started = time.monotonic()
        leader.kill()
        _change(_WEST, f"the pods of {holder.key} end, and their claim is given back")
        self._wait("its pods have ended", lambda: self._ended(_WEST, holder))
        self._wait("the clone", lambda: waiting.clone(_WEST))
        _say(
            f"The standby has taken over, and dispatched the job {time.monotonic() - started:.1f} s after the kill."
        )
        self._wait("what ended meanwhile is told", lambda: _complete(holder))
        waiting.wait_running_on(_WEST)
        self._show("status")
        return waiting

    def _other_kinds(self, beside: FederatedJob) -> list[FederatedJob]:
        _title("A JobSet and a RayJob, beside the Job, as their users write them")
        _say(
            f"{_EAST} has 4 GPUs, and {beside.key} one of them. Of the RayJob only its worker needs one."
        )
        jobs = [
            self._submit_kind(JOB_SET, _job_set("simulate"), "2 pods"),
            self._submit_kind(RAY_JOB, _ray_job("tune"), "a head, 1 worker and what submits it"),
        ]
        for job in jobs:
            job.wait_running_on(_EAST)
        _say("All pods of a job are judged together, and every kind runs under its own operator.")
        self._show("status", "jobs")
        self._show("why", f"rayjob/{jobs[1].key}")
        return jobs

    def _finish(self, jobs: list[FederatedJob]) -> None:
        _title("The jobs end; their results are on the manager and nothing is left on the workers")
        for job in jobs:
            worker = job.remote_jobs()[0]
            _change(worker, f"the pods of {job.kind} {job.key} end")
            job.finish(worker)
        for job in jobs:
            finished = objects.condition(job.workload(), "Finished")
            assert finished and finished["reason"] == "Succeeded", f"{job.key}: {finished}"
        for worker in self._fleet.workers:
            for kind in {job.kind for job in jobs}:
                assert not self._admin(worker).list(kind, _NS), f"a {kind} is left on {worker}"
            assert not self._admin(worker).list("Workload", _NS), f"a clone is left on {worker}"
        self._show("status")

    def hold(self) -> None:
        """Everything keeps running until Ctrl-C; the lines that are printed can be pasted as they are."""
        dashboard = self._running().begin("dashboard")
        try:
            address = eventually(
                "the dashboard has an address",
                lambda: re.search(r"^http://\S+", dashboard.log_tail(5), re.M),
                _PATIENCE,
            )
            files = {name: self._write(name, each) for name, each in _to_paste()}
            print(self._lines_to_paste(files, address[0]), flush=True)
            ending = {signal.SIGINT, signal.SIGTERM}
            signal.pthread_sigmask(signal.SIG_BLOCK, ending)
            signal.sigwait(ending)
        finally:
            dashboard.kill()

    def _write(self, name: str, manifest: Object) -> Path:
        file = self._folder / f"{name}.json"
        file.write_text(objects.canonical(manifest))
        return file

    def _lines_to_paste(self, files: dict[str, Path], address: str) -> str:
        fedra = self._running()
        assert fedra.process is not None
        control = json.loads((self._fleet.folder / "control.json").read_text())["url"]
        fault = f"curl -s {control}/faults -d"
        create = "create --validate=false -f"
        east = "kubectl --kubeconfig $EAST"
        return f"""
HOLD=1: the federation is yours until Ctrl-C here. Paste into another terminal. The clusters are simulated: API
servers, queues, devices and jobs behave as real ones, and no container runs. Jobs, Deployments and pods of their own
have pods there; those of other kinds (JobSet, RayJob, StatefulSet, ...) have none, and `fedra logs` nothing to read. Lines with
kubectl need a kubectl, and --validate=false because the simulation serves no OpenAPI to validate by. What kubectl sends
in protobuf the simulation does not read: `kubectl create namespace` and its like fail, `kubectl create
--validate=false -f FILE` works.

The daemon that you ask is the replica that took over; the line REPLICA of its answers says so.

  export FEDRA_CONFIG={fedra.configuration_file} PATH={default_binary().resolve().parent}:$PATH
  export KUBECONFIG={self._fleet.admin_kubeconfig(MANAGER)}   # the manager
  export EAST={self._fleet.admin_kubeconfig(_EAST)}
  export WEST={self._fleet.admin_kubeconfig(_WEST)}
  export LAB={self._fleet.admin_kubeconfig(_LAB)}

look        fedra status --watch
browser     {address}
daemon      curl -s 'http://{fedra.http_address}/readyz?verbose'; curl -s http://{fedra.http_address}/metrics
            tail -f {fedra.log}
files       cat $FEDRA_CONFIG   # the workers' kubeconfigs, the store; all is below {self._folder}
devices     fedra devices; fedra devices -o wide
ask first   fedra check -f {files["either"]}
submit      kubectl {create} {files["mine"]}   # {_ASKS[_ONE_GPU]}
either-or   kubectl {create} {files["either"]}   # {_ASKS[_OR_TWO]}
logs        KUBECONFIG=$KUBECONFIG:$EAST:$WEST:$LAB fedra logs {_NS}/mine   # read on the worker, as its user there
ask         fedra why {_NS}/mine; fedra why {_NS}/either; fedra history {_NS}/mine
template    kubectl {create} {files["later"]}   # a job that is blocked: its template is nowhere
            fedra why {_NS}/later
            {east} {create} {files["template"]}   # and here it is: the job is dispatched at once
taint       {east} {create} {files["taint"]}   # a DeviceTaintRule on all its GPUs
            fedra devices; sed s/mine/other/ {files["mine"]} | fedra check -f -
untaint     {east} delete devicetaintrule maintenance
            (only {_EAST} serves DeviceTaintRules: it is a beta API, which not every cluster has switched on)
break       {fault} '{{"cluster": "{_EAST}", "fault": "refuse"}}'   # its API server
repair      {fault} '{{"cluster": "{_EAST}", "fault": "none"}}'
fail        kubectl {create} {files["failing"]}   # it fails after 2 seconds
            fedra why {_NS}/failing; fedra history {_NS}/failing
wait        kubectl {create} {files["large"]}; kubectl {create} {files["next"]}   # {_ASKS[_ONLY_LARGE]}: there is one
            fedra why {_NS}/next; fedra status --sort-by line
gang        kubectl {create} {files["gang"]}   # 6 pods with a device each, more than any worker has
            fedra why {_NS}/gang
kinds       kubectl {create} {files["jobset"]}; kubectl {create} {files["rayjob"]}   # of the same name as the Job
            fedra status jobs -o wide; fedra why rayjob/{_NS}/mine
order       kubectl annotate clusterqueue {_NS} fedra.dev/order=Strict   # or Backfill, BestEffort
            fedra why {_NS}/next   # docs/ordering.md
end a job   {east} -n {_NS} annotate job mine sim.fedra.dev/run-for=0s
            ($EAST, $WEST or $LAB: the worker that fedra status shows)
delete it   kubectl -n {_NS} delete job mine
stop fedra  kill {fedra.process.pid}   # kill -9 does no harm either
start it    fedra run
            (in the foreground; its log so far: {fedra.log}; end it with Ctrl-C there before you press
            Ctrl-C here, which ends and removes everything else)
"""

    # --- The clusters.

    def _prepare_clusters(self) -> None:
        manager = self._admin(MANAGER)
        for cluster in self._fleet.clusters:
            client = self._admin(cluster)
            client.apply(objects.namespace(_NS))
            client.apply(
                objects.cluster_queue(_NS, Quota(), _CHECK if cluster == MANAGER else None)
            )
            client.apply(objects.local_queue(_NS, _QUEUE, _NS))
        manager.apply(objects.admission_check(_CHECK))
        for worker in self._fleet.workers:
            self._give_gpus(worker, _GPUS[worker])
        self._admin(_WEST).delete("DeviceClass", None, _CLASS)
        for worker in (_EAST, _WEST):
            self._create_template(worker, _ONE_GPU)

    def _give_gpus(self, worker: str, memory: Sequence[str]) -> None:
        self._supply.clear(worker)
        gpus = [device(f"gpu-{i}", None, {"memory": size}) for i, size in enumerate(memory)]
        for each in (node("node-1"), *pool(_CLASS, "node-1", gpus)):
            self._supply.put(worker, each)

    def _create_template(self, worker: str, name: str, count: int = 1) -> None:
        self._admin(worker).apply(objects.claim_template(_NS, name, _CLASS, count))

    def _submit(self, name: str, template: str) -> FederatedJob:
        _line(
            "submit",
            f"Job {_NS}/{name}: queue {_QUEUE}, 1 pod, template {template} ({_ASKS[template]})",
        )
        self._admin(MANAGER).create(objects.job(_NS, name, _QUEUE, template=template))
        return FederatedJob(self._fleet, _NS, name, _CHECK)

    def _submit_kind(self, kind: JobKind, made: Object, pods: str) -> FederatedJob:
        name = made["metadata"]["name"]
        asks = f"template {_ONE_GPU} ({_ASKS[_ONE_GPU]})"
        _line("submit", f"{kind.kind} {_NS}/{name}: queue {_QUEUE}, {pods}, {asks}")
        self._admin(MANAGER).create(made)
        return FederatedJob(self._fleet, _NS, name, _CHECK, kind)

    def _ended(self, worker: str, job: FederatedJob) -> bool:
        self._fleet.end_pods(worker, _NS, job.name)
        # fedra may have taken the remote job away before anybody here has seen it complete.
        return objects.is_true(job.remote_job(worker), "Complete") or _complete(job)

    def _check_active(self) -> bool:
        return objects.is_true(self._admin(MANAGER).get("AdmissionCheck", None, _CHECK), "Active")

    def _admin(self, cluster: str) -> KubeClient:
        return self._fleet.admin(cluster)

    def _running(self) -> Fedra:
        assert self._fedra is not None
        return self._fedra

    # --- The screen.

    def _show(self, *arguments: str) -> None:
        """Prints a command and its output; the --config that every one needs is left out of the print."""
        deadline = time.monotonic() + _STORE_LAG
        while arguments[0] == "status" and not self._settled() and time.monotonic() < deadline:
            time.sleep(_STORE_LAG / 20)
        output = self._running().cli(*arguments)
        while output.code != 0 and time.monotonic() < deadline:
            output = self._running().cli(*arguments)
        print(
            f"\n$ fedra {' '.join(arguments)}\n{output.stdout}{output.stderr}", end="", flush=True
        )
        assert output.code == 0, f"fedra {' '.join(arguments)} ended with {output.code}"

    def _settled(self) -> bool:
        """Whether jobs, devices and queues are of one moment: the latter are counted once a second.

        A standby that has never led knows no jobs.
        """
        output = self._running().cli("status", "-o", "json")
        if output.code != 0:
            return False
        status = json.loads(output.stdout)
        stopped = status.get("manager", {}).get("queues", {})
        return stopped.get("active") == stopped.get("total") and all(
            "jobs" not in worker
            or (worker.get("devices", {}).get("inUse", 0) > 0) == (worker["jobs"] > 0)
            for worker in status["workers"]
        )

    def _wait(self, what: str, look: Callable[[], object]) -> None:
        eventually(what, look, _PATIENCE)


def _to_paste() -> list[tuple[str, Object]]:
    """Manifests for those who go on by themselves, by file."""
    failing = objects.job(_NS, "failing", _QUEUE, template=_ONE_GPU)
    failing["metadata"].setdefault("annotations", {}).update(
        {"sim.fedra.dev/result": "failure", "sim.fedra.dev/run-for": "2s"}
    )
    return [
        ("mine", objects.job(_NS, "mine", _QUEUE, template=_ONE_GPU)),
        ("either", objects.job(_NS, "either", _QUEUE, template=_OR_TWO)),
        ("large", objects.job(_NS, "large", _QUEUE, template=_ONLY_LARGE)),
        ("next", objects.job(_NS, "next", _QUEUE, template=_ONLY_LARGE)),
        ("failing", failing),
        ("gang", objects.job(_NS, "gang", _QUEUE, template=_ONE_GPU, pods=6)),
        ("jobset", _job_set("mine")),
        ("rayjob", _ray_job("mine")),
        ("later", objects.job(_NS, "later", _QUEUE, template="later")),
        ("template", objects.claim_template(_NS, "later", _CLASS)),
        ("taint", taint_rule("maintenance", _CLASS, "example.com/maintenance")),
    ]


def _job_set(name: str) -> Object:
    """Of one Job with two pods."""
    made = JOB_SET.make(_NS, name, _QUEUE, _ONE_GPU, managed_by=False)
    made["spec"]["replicatedJobs"][0]["replicas"] = 1
    return made


def _ray_job(name: str) -> Object:
    """Whose worker has a device, and whose head has none."""
    made = RAY_JOB.make(_NS, name, _QUEUE, managed_by=False)
    with_device = objects.job(_NS, name, _QUEUE, template=_ONE_GPU)["spec"]["template"]
    group = made["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]
    group.update({"replicas": 1, "template": with_device})
    return made


def _complete(job: FederatedJob) -> bool:
    return objects.is_true(job.manager_job(), "Complete")


def _title(text: str) -> None:
    print(f"\n=== {text}", flush=True)


def _say(text: str) -> None:
    print(f"    {text}", flush=True)


def _change(where: str, what: str) -> None:
    """What the demo does to the fleet."""
    _line("change", f"{where}: {what}")


def _line(kind: str, text: str) -> None:
    print(f"  {kind}  {text}", flush=True)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # fedra writes into a pipe, where it would not break lines.
    os.environ.setdefault("COLUMNS", str(shutil.get_terminal_size((120, 24)).columns))
    folder = Path(tempfile.mkdtemp(prefix="fedra-demo-"))
    demo = Demo(folder)
    started = time.monotonic()
    try:
        demo.run()
        print(f"\ndemo passed in {time.monotonic() - started:.0f} s", flush=True)
        if os.environ.get("HOLD") == "1":
            demo.hold()
        else:
            print("next: make demo HOLD=1 keeps the fleet up for you; docs/tour.md", flush=True)
        return 0
    except Timeout as error:
        hint = "on a busy machine: FEDRA_TEST_SLOWNESS=5 make demo waits five times as long"
        print(f"\ndemo FAILED: {error}\n{demo.report()}\n{hint}", file=sys.stderr)
        return 1
    except Exception as error:
        print(f"\ndemo FAILED: {error}\n{demo.report()}", file=sys.stderr)
        return 1
    finally:
        demo.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
