"""What the workers of a large fleet have, and the jobs that are put on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from scenarios import objects
from scenarios.bench import crowd
from scenarios.bench.limit import Limit
from scenarios.bench.nodes import NAMESPACE, hold, node_name
from scenarios.fleet import MANAGER
from scenarios.kube_client import KubeClient
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet

QUEUE = "gpu"  # of a furnished simulation, in NAMESPACE
_FURNISHERS = 4  # threads; the simulation is what holds them up
_CHUNK = 1000  # jobs of one load
_UNCOPIED = "uncopied"  # a template that no cluster has

# Devices that another claim holds all the time. Every worker has them, and a class for them.
SCARCE = "scarce.example.com"
_HOLDER = "held"


@dataclasses.dataclass(frozen=True)
class Shape:
    """Of each worker."""

    nodes: int  # with a slice each
    devices: int  # of each slice
    demands: int  # so many different ones have the jobs that wait
    pods: int = 0  # of others, on all nodes
    claims: int = 0  # of others, with a device each beside those of the nodes
    own_jobs: int = 0  # of the worker's own users, with a Workload and a pod each

    @property
    def all_devices(self) -> int:
        return self.nodes * self.devices


def furnish(fleet: SimFleet, shape: Shape, limit: Limit) -> None:
    """Nodes, devices and templates on all workers; each has quota for as many pods as it has devices."""
    with ThreadPoolExecutor(_FURNISHERS) as pool:
        ready = pool.map(lambda name: _furnish(fleet.admin(name), shape, limit), fleet.workers)
        for count, _ in enumerate(ready, 1):
            if count % 100 == 0 or count == len(fleet.workers):
                limit.say(f"{count} of {len(fleet.workers)} workers are furnished")


def _furnish(client: KubeClient, shape: Shape, limit: Limit) -> None:
    limit.check("the workers are furnished")
    for index in range(shape.nodes):
        client.create(objects.node(node_name(index)))
        (made,) = objects.resource_slices(node_name(index), shape.devices)
        client.create(made)
    client.create(objects.device_class(SCARCE, driver=SCARCE))
    client.create(_scarce_slice(shape.demands))
    client.create(objects.claim(NAMESPACE, _HOLDER, SCARCE))
    held = [f"gpu-{index}" for index in range(shape.demands)]
    hold(client, _HOLDER, SCARCE, SCARCE, held)
    for index in range(shape.demands):
        client.create(objects.claim_template(NAMESPACE, _demand(index), SCARCE, index + 1))
    client.patch(
        "ClusterQueue", None, QUEUE, _pods_quota(client, shape.all_devices + shape.own_jobs)
    )
    crowd.furnish(client, NAMESPACE, shape.nodes, shape.pods, shape.claims)
    crowd.add_jobs(client, NAMESPACE, QUEUE, shape.own_jobs)


def _scarce_slice(devices: int) -> Object:
    (made,) = objects.resource_slices(node_name(0), devices)
    made["metadata"]["name"] = "scarce"
    made["spec"]["driver"] = SCARCE
    made["spec"]["pool"]["name"] = SCARCE
    return made


def _pods_quota(client: KubeClient, pods: int) -> Object:
    groups = client.get("ClusterQueue", None, QUEUE)["spec"]["resourceGroups"]
    for resource in groups[0]["flavors"][0]["resources"]:
        if resource["name"] == "pods":
            resource["nominalQuota"] = str(pods)
    return {"spec": {"resourceGroups": groups}}


def _demand(index: int) -> str:
    """The template that asks for index + 1 of the devices that are held."""
    return f"scarce-{index}"


@dataclasses.dataclass(frozen=True)
class Jobs:
    """How many of each sort."""

    waiting: int
    finished: int
    running: int

    @property
    def moving(self) -> int:
        return self.finished + self.running


def jobs_of(workloads: int, waiting_share: int, running_share: int, most_running: int) -> Jobs:
    """Shares in per cent; what neither waits nor runs is finished."""
    waiting = workloads * waiting_share // 100
    running = min(workloads * running_share // 100, most_running)
    return Jobs(waiting, workloads - waiting - running, running)


def add_waiting(fleet: SimFleet, jobs: int, shape: Shape, for_devices: bool, limit: Limit) -> None:
    """Jobs that wait for ever: for devices that others hold, or for a template that no cluster has."""
    templates = [_demand(index) for index in range(shape.demands)] if for_devices else [_UNCOPIED]
    for index, template in enumerate(templates):
        share = jobs // len(templates) + (index < jobs % len(templates))
        for begin, count in _chunks(share):
            limit.check("the jobs that wait are made")
            prefix = f"stuck-{index:02}-{begin:06}-"
            fleet.load(jobs=count, prefix=prefix, template=template, timeoutSeconds=0)


def first_waiting() -> str:
    """One of them, as commands take it."""
    return f"{NAMESPACE}/stuck-00-000000-000000"


@dataclasses.dataclass
class Dispatched:
    """How quickly jobs got to a worker."""

    jobs: int = 0
    seconds: float = 0.0  # without the waiting for their ends
    rates: list[float] = dataclasses.field(default_factory=list)  # of each thousand

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds if self.seconds else 0.0


def add_moving(fleet: SimFleet, jobs: Jobs, limit: Limit) -> Dispatched:
    """By the thousand, the next when all have been dispatched and those that end have ended; until `limit`."""
    done = Dispatched()
    for sort, total, run_for in (
        ("done", jobs.finished, "0s"),
        ("train", jobs.running, "forever"),
    ):
        for begin, count in _chunks(total):
            seconds = int(limit.left())
            if seconds == 0:
                return done
            result = fleet.load(
                jobs=count,
                prefix=f"{sort}-{begin:06}-",
                runFor=run_for,
                waitFinished=sort == "done",
                timeoutSeconds=seconds,
            )
            done.jobs += result["dispatched"]
            done.seconds += result["dispatchSeconds"]
            done.rates.append(result["dispatchPerSecond"])
            limit.say(
                f"{done.jobs} of {jobs.moving} jobs are dispatched, {result['dispatchPerSecond']:.0f} a second"
            )
            if result["dispatched"] < count:
                return done
    return done


def _chunks(total: int) -> Iterator[tuple[int, int]]:
    """(the first, how many)."""
    for begin in range(0, total, _CHUNK):
        yield begin, min(_CHUNK, total - begin)


def check_is_active(fleet: SimFleet) -> bool:
    """Kueue lets nothing into the queue before."""
    return objects.is_true(fleet.admin(MANAGER).get("ClusterQueue", None, QUEUE), "Active")
