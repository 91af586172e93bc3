"""What one scenario does to the nodes, devices and claims of the workers, and how it is undone."""

from __future__ import annotations

from scenarios import objects, setup
from scenarios.fleet import Fleet
from scenarios.resources import RESOURCES, Object
from scenarios.waiting import eventually

# Claims first: devices that are in use cannot be told from devices that are free when their slices go.
_ORDER = (
    "ResourceClaim",
    "ResourceClaimTemplate",
    "DeviceTaintRule",
    "ResourceSlice",
    "DeviceClass",
    "Node",
)


class Supply:
    """Lifetime: that of a World, which calls `restore` at its end. Main thread only."""

    def __init__(self, fleet: Fleet, ns: str):
        self._fleet, self._ns = fleet, ns
        self._put: list[tuple[str, str, str | None, str]] = []  # worker, kind, namespace, name
        self._cleared: set[str] = set()

    def clear(self, worker: str) -> None:
        """Takes away the node and the devices that every worker has from the beginning."""
        client = self._fleet.admin(worker)
        for resource_slice in client.list("ResourceSlice"):
            client.delete("ResourceSlice", None, resource_slice["metadata"]["name"])
        for node in client.list("Node"):
            client.delete("Node", None, node["metadata"]["name"])
        self._cleared.add(worker)

    def put(self, worker: str, obj: Object) -> None:
        """Creates the object with its status; in the scenario's namespace, if its kind has one."""
        kind = obj["kind"]
        namespace = self._ns if RESOURCES[kind].namespaced else None
        metadata = {**obj["metadata"], **({"namespace": namespace} if namespace else {})}
        client = self._fleet.admin(worker)
        client.apply(
            {**obj, "metadata": metadata} if kind == "Node" else _without_status(obj, metadata)
        )
        if "status" in obj:
            client.patch(kind, namespace, metadata["name"], {"status": obj["status"]}, "status")
        self._put.append((worker, kind, namespace, metadata["name"]))

    def take(self, worker: str, kind: str, name: str) -> None:
        """Deletes what `put` has created."""
        entry = next(each for each in self._put if each[:2] == (worker, kind) and each[3] == name)
        self._delete(entry)
        self._put.remove(entry)

    def strip(self) -> None:
        """Deletes everything that `put` has created; the workers are bare."""
        for entry in sorted(
            self._put, key=lambda each: _ORDER.index(each[1]) if each[1] in _ORDER else 0
        ):
            self._delete(entry)
        self._put.clear()

    def restore(self) -> None:
        self.strip()
        for worker in self._cleared:
            setup.install_worker(self._fleet.admin(worker))
        self._cleared.clear()

    def attach(self, worker: str) -> None:
        """Plays the drivers: reports the devices of claims that wait for binding conditions as ready."""
        client = self._fleet.admin(worker)
        for claim in client.list("ResourceClaim", self._ns):
            status = claim.get("status", {})
            results = status.get("allocation", {}).get("devices", {}).get("results", [])
            devices = [_ready(each) for each in results if each.get("bindingConditions")]
            if devices and not status.get("devices"):
                patch = {"status": {"devices": devices}}
                client.patch("ResourceClaim", self._ns, claim["metadata"]["name"], patch, "status")

    def _delete(self, entry: tuple[str, str, str | None, str]) -> None:
        worker, kind, namespace, name = entry
        client = self._fleet.admin(worker)
        if kind == "PersistentVolumeClaim":
            # Real clusters protect it, and the controller that would let go of it does not run here.
            client.patch(kind, namespace, name, {"metadata": {"finalizers": None}})
        client.delete(kind, namespace, name)
        eventually(
            f"{kind} {name} of {worker} is gone",
            lambda: client.find(kind, namespace, name) is None,
            self._fleet.patience,
        )


def _without_status(obj: Object, metadata: Object) -> Object:
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}


def _ready(result: Object) -> Object:
    conditions = [
        {
            "type": name,
            "status": "True",
            "reason": "Attached",
            "message": "",
            "lastTransitionTime": objects.LONG_AGO,
        }
        for name in result["bindingConditions"]
    ]
    identity = {key: result[key] for key in ("driver", "pool", "device")}
    return {**identity, "conditions": conditions}
