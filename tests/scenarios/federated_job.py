"""One job as it appears on the manager and on every worker. Reads the API servers anew at every question."""

from __future__ import annotations

from collections.abc import Callable

from scenarios import objects
from scenarios.fleet import MANAGER, Fleet
from scenarios.job_kinds import JobKind
from scenarios.modes import ORIGIN, ORIGIN_LABEL
from scenarios.resources import Object
from scenarios.waiting import T, always, eventually

UID_ANNOTATION = "fedra.dev/workload-uid"
MANAGER_UID_ANNOTATION = "fedra.dev/manager-uid"
PREBUILT_ANNOTATION = "kueue.x-k8s.io/prebuilt-workload-name"
PART_ANNOTATION = "kueue.x-k8s.io/component-workload-index"


class FederatedJob:
    def __init__(
        self,
        fleet: Fleet,
        ns: str,
        name: str,
        check: str,
        kind: JobKind | None = None,
        origin: str = ORIGIN,
    ):
        """`origin`: of the copies that are ours."""
        self._origin = origin
        self.ns, self.name = ns, name
        self.key = f"{ns}/{name}"
        self._fleet, self._check = fleet, check
        self._kind = kind  # None: batch/v1 Job
        self.kind = kind.kind if kind else "Job"
        self._workload_name: str | None = None  # does not change while the job exists

    # --- What is there now.

    def manager_job(self) -> Object | None:
        return self._fleet.admin(MANAGER).find(self.kind, self.ns, self.name)

    def workload(self) -> Object | None:
        """The manager's Workload of this job."""
        if self._workload_name is not None:
            return self._fleet.admin(MANAGER).find("Workload", self.ns, self._workload_name)
        for workload in self._fleet.admin(MANAGER).list("Workload", self.ns):
            owners = workload["metadata"].get("ownerReferences", [])
            # Of several Workloads of one job the first.
            if workload["metadata"].get("annotations", {}).get(PART_ANNOTATION, "0") != "0":
                continue
            if any(owner["kind"] == self.kind and owner["name"] == self.name for owner in owners):
                self._workload_name = workload["metadata"]["name"]
                return workload
        return None

    def clone(self, worker: str) -> Object | None:
        """Our copy of the Workload there; somebody else's of the same name does not count."""
        workload = self._known_workload_name()
        return (
            self._if_ours(self._fleet.admin(worker).find("Workload", self.ns, workload))
            if workload
            else None
        )

    def remote_job(self, worker: str) -> Object | None:
        """Our copy of the job there."""
        return self._if_ours(self._fleet.admin(worker).find(self.kind, self.ns, self.name))

    def clones(self) -> list[str]:
        """The workers that have a clone."""
        return [worker for worker in self._fleet.workers if self.clone(worker) is not None]

    def remote_uid(self, worker: str) -> str:
        """Of our copy there, which must exist."""
        return str(objects.present(self.remote_job(worker))["metadata"]["uid"])

    def remote_jobs(self) -> list[str]:
        """The workers that have our job."""
        return [worker for worker in self._fleet.workers if self.remote_job(worker) is not None]

    def check_state(self) -> str:
        return self._check_entry().get("state", "")

    def check_message(self) -> str:
        return self._check_entry().get("message", "")

    def cluster_name(self) -> str | None:
        workload = self.workload()
        return workload.get("status", {}).get("clusterName") if workload else None

    def events(self) -> list[Object]:
        """Those on the manager about the job or its Workload."""
        names = {self.name, self._known_workload_name()}
        events = self._fleet.admin(MANAGER).list("Event", self.ns)
        return [event for event in events if event["regarding"]["name"] in names]

    def event_reasons(self) -> set[str]:
        return {event["reason"] for event in self.events()}

    # --- What must become or stay true.

    def wait_message(self, *parts: str) -> str:
        """Waits until the check's message contains every part."""

        def look() -> str | None:
            message = self.check_message()
            return message if all(part in message for part in parts) else None

        try:
            return eventually(f"check message with {parts}", look, self._fleet.patience)
        except AssertionError as error:
            raise AssertionError(f"{error}; message: {self.check_message()!r}") from None

    def wait_event(self, reason: str, part: str) -> None:
        """Waits for an event of this reason whose note contains the part."""
        self._eventually(
            f"event {reason} with {part!r}",
            lambda: any(
                event["reason"] == reason and part in event["note"] for event in self.events()
            )
            or None,
        )

    def wait_clone(self, worker: str) -> Object:
        return self._eventually(f"clone on {worker}", lambda: self.clone(worker))

    def wait_running_on(self, worker: str) -> None:
        """The remote job runs there, and the manager says so in every place."""
        self._eventually(f"clusterName is {worker}", lambda: self.cluster_name() == worker)
        state = "Pending" if self._kind is not None and self._kind.holds_check else "Ready"
        self._eventually(f"check is {state}", lambda: self.check_state() == state)
        self._eventually(f"active pods on {worker}", lambda: self._active(self.remote_job(worker)))
        if self._kind is None or self._kind.mirrors_whole:
            self._eventually("active pods mirrored", lambda: self._active(self.manager_job()))

    def wait_running_anywhere(self) -> None:
        """Also where it may be moved meanwhile."""
        workers = self._fleet.workers
        self._eventually(
            "active pods on a worker",
            lambda: any(self._active(self.remote_job(w)) for w in workers),
        )

    def finish(self, worker: str, phase: str = "Succeeded") -> None:
        """Lets the pods end and waits for the result on the manager and for the clean-up of the worker."""

        def pods_ended() -> bool:
            if self._kind is None:
                self._fleet.end_pods(worker, self.ns, self.name, phase)
            else:
                self._fleet.end_job(worker, self._kind, self.ns, self.name, phase)
            return objects.is_true(self.workload(), "Finished")

        self._eventually(f"{self.key} finished", pods_ended)
        self._eventually("nothing left on the workers", self.nowhere)

    def wait_gone_from(self, worker: str) -> None:
        self._eventually(
            f"nothing of {self.key} on {worker}",
            lambda: self.clone(worker) is None and self.remote_job(worker) is None,
        )

    def nowhere(self) -> bool:
        return not self.clones() and not self.remote_jobs()

    def stays_nowhere(self, seconds: float = 2.0) -> None:
        always(f"{self.key} on no worker", self.nowhere, seconds)

    def _if_ours(self, obj: Object | None) -> Object | None:
        labels = obj["metadata"].get("labels", {}) if obj else {}
        return obj if labels.get(ORIGIN_LABEL) == self._origin else None

    def _active(self, job: Object | None) -> bool:
        status: Object = job.get("status", {}) if job else {}
        return self._kind.active(status) if self._kind else status.get("active", 0) > 0

    def _check_entry(self) -> Object:
        workload = self.workload() or {}
        checks = workload.get("status", {}).get("admissionChecks", [])
        return next((entry for entry in checks if entry["name"] == self._check), {})

    def _known_workload_name(self) -> str | None:
        if self._workload_name is None:
            self.workload()
        return self._workload_name

    def _eventually(self, what: str, look: Callable[[], T | None]) -> T:
        return eventually(what, look, self._fleet.patience)
