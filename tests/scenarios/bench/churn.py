"""What goes on in large clusters without us: slices are replaced, nodes report, pods and claims come and go.

The simulation has no such actors. So this process writes through the workers' API servers, from one thread, at given
rates; it costs CPU beside what is measured, and says how much.
"""

from __future__ import annotations

import dataclasses
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping

from scenarios import objects, setup
from scenarios.bench.nodes import NAMESPACE, hold, node_name
from scenarios.bench.stock import Shape
from scenarios.kube_client import KubeClient
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet

# Writes a second, of the whole fleet.
Rates = Mapping[str, float]
KINDS = ("slices", "nodes", "pods", "claims")

# One write on the worker, as often as it is asked for.
_Writes = Iterator[Callable[[KubeClient], object]]


@dataclasses.dataclass
class Reached:
    writes: dict[str, int]
    seconds: float
    cpu: float  # seconds of this process

    def rates(self) -> dict[str, float]:
        return {kind: count / self.seconds for kind, count in self.writes.items()}

    @property
    def total(self) -> int:
        return sum(self.writes.values())


class Churn:
    """Begins when it is made. `measure` says what has been written since it was asked last; `stop` ends it."""

    def __init__(self, fleet: SimFleet, workers: tuple[str, ...], shape: Shape, rates: Rates):
        """On these of the fleet's workers: one that does not answer would hold up the only thread."""
        self._fleet, self._workers = fleet, workers
        self._rates = {kind: rate for kind, rate in rates.items() if rate > 0}
        self._writers = {
            kind: {worker: _WRITERS[kind](shape) for worker in workers} for kind in KINDS
        }
        self._written = dict.fromkeys(KINDS, 0)
        self._counted = dict(self._written)
        self._since, self._cpu = time.monotonic(), time.process_time()
        self._failure: BaseException | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def measure(self) -> Reached:
        now, cpu, written = time.monotonic(), time.process_time(), dict(self._written)
        new = {kind: written[kind] - self._counted[kind] for kind in KINDS}
        reached = Reached(new, now - self._since, cpu - self._cpu)
        self._since, self._cpu, self._counted = now, cpu, written
        return reached

    def stop(self) -> None:
        """Raises what the thread has died of."""
        self._stopping.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._write_all()
        except Exception as error:
            self._failure = error

    def _write_all(self) -> None:
        """Each kind goes round the workers. What is more than a second late is left out: the rate that was reached says so."""
        workers = {kind: itertools.cycle(self._workers) for kind in KINDS}
        due = dict.fromkeys(self._rates, time.monotonic())
        while due and not self._stopping.is_set():
            kind = min(due, key=due.__getitem__)
            if self._stopping.wait(max(0.0, due[kind] - time.monotonic())):
                return
            worker = next(workers[kind])
            next(self._writers[kind][worker])(self._fleet.admin(worker))
            self._written[kind] += 1
            due[kind] = max(due[kind] + 1 / self._rates[kind], time.monotonic() - 1)


def _slices(shape: Shape) -> _Writes:
    """A driver publishes a pool again, with one attribute changed."""
    for generation in itertools.count(2):
        name = node_name(generation % shape.nodes)
        (made,) = objects.resource_slices(name, shape.devices)
        made["spec"]["pool"]["generation"] = generation
        made["spec"]["devices"][0]["attributes"]["health"] = {"string": f"seen-{generation}"}
        spec = {"pool": made["spec"]["pool"], "devices": made["spec"]["devices"]}
        yield _patch("ResourceSlice", None, f"{name}-0", {"spec": spec})


def _nodes(shape: Shape) -> _Writes:
    """A kubelet reports."""
    for count in itertools.count():
        beat = {
            "type": "Ready",
            "status": "True",
            "reason": "KubeletReady",
            "message": "",
            "lastTransitionTime": objects.LONG_AGO,
            "lastHeartbeatTime": f"2026-01-01T00:{count // 60 % 60:02}:{count % 60:02}Z",
        }
        status = {"status": {"conditions": [beat]}}
        yield _patch("Node", None, node_name(count % shape.nodes), status, "status")


def _pods(shape: Shape) -> _Writes:
    """Somebody's pod comes, and goes with the next write."""
    while True:
        yield lambda client: client.create(_pod("other"))
        yield lambda client: client.delete("Pod", NAMESPACE, "other")


def _claims(shape: Shape) -> _Writes:
    """Somebody's claim comes, gets a device of the last node, which the simulated scheduler takes last, and goes."""
    pool = node_name(shape.nodes - 1)
    device = f"gpu-{shape.devices - 1}"
    while True:
        yield lambda client: client.create(objects.claim(NAMESPACE, "other", setup.GPU_CLASS))
        yield lambda client: hold(client, "other", objects.DRIVER, pool, [device])
        yield lambda client: client.delete("ResourceClaim", NAMESPACE, "other")


_WRITERS: dict[str, Callable[[Shape], _Writes]] = {
    "slices": _slices,
    "nodes": _nodes,
    "pods": _pods,
    "claims": _claims,
}


def _patch(
    kind: str, namespace: str | None, name: str, patch: Object, subresource: str = ""
) -> Callable[[KubeClient], object]:
    return lambda client: client.patch(kind, namespace, name, patch, subresource)


def _pod(name: str) -> Object:
    container = {
        "name": "main",
        "image": "registry.k8s.io/pause:3.10",
        "resources": {"requests": {"cpu": "1"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"containers": [container]},
    }


def parse_rates(text: str) -> Rates:
    """ "slices=20,nodes=20": what is not named does not happen. Raises ValueError."""
    rates = {
        kind: float(rate) for kind, _, rate in (part.partition("=") for part in text.split(","))
    }
    if unknown := set(rates) - set(KINDS):
        raise ValueError(
            f"no such churn: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}"
        )
    return rates
