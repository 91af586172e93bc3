"""A group of pods, which is one job: its members share a Workload of the group's name."""

from __future__ import annotations

from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.fleet import MANAGER
from scenarios.job_kinds import POD
from scenarios.resources import Object
from scenarios.world import QUEUE, World

_NAME = "kueue.x-k8s.io/pod-group-name"
_TOTAL = "kueue.x-k8s.io/pod-group-total-count"


class PodGroup:
    """Created on the manager with its first pods, `NAME-0` and so on. fedra must have been started."""

    def __init__(self, world: World, name: str, size: int, template: str | None = None):
        self.name = name
        self._world, self._size, self._template = world, size, template
        self.members: dict[str, FederatedJob] = {}
        for index in range(size):
            self.add(f"{name}-{index}")

    def add(self, pod: str) -> FederatedJob:
        """One more pod of the group: a replacement, once as many as it has are there."""
        made = POD.make(self._world.ns, pod, QUEUE, self._template)
        made["metadata"]["labels"][_NAME] = self.name
        made["metadata"]["annotations"][_TOTAL] = str(self._size)
        self.members[pod] = self._world.submit_object(POD, made)
        return self.members[pod]

    def workload(self) -> Object:
        return self._world.manager.get("Workload", self._world.ns, self.name)

    def finished(self) -> Object | None:
        return objects.condition(self.workload(), "Finished")

    def phase(self, pod: str) -> str:
        """As the manager shows it."""
        status = objects.present(self.members[pod].manager_job()).get("status", {})
        return str(status.get("phase", ""))

    def wait_running_on(self, worker: str) -> None:
        """All pods run there."""
        for job in self.members.values():
            job.wait_running_on(worker)

    def end(self, worker: str, pod: str, phase: str = "Succeeded") -> None:
        """Lets one pod end there, and waits until the manager says so."""

        def has_ended() -> bool:
            self._world.fleet.end_pod(worker, self._world.ns, pod, phase)
            return self.phase(pod) == phase

        self._world.eventually(f"{pod} has {phase}", has_ended)

    def wait_gone_from(self, worker: str) -> None:
        for job in self.members.values():
            job.wait_gone_from(worker)

    def finish(self, worker: str) -> None:
        """Lets the pods that run succeed, and waits for the end of the group and the clean-up."""
        for pod in self.members:
            if self.phase(pod) == "Running":
                self.end(worker, pod)
        finished = self._world.eventually("the group is finished", self.finished)
        assert finished["reason"] == "Succeeded", finished
        assert finished["message"] == f"Pods succeeded: {self._size}/{self._size}.", finished
        for each in self._world.workers:
            self.wait_gone_from(each)

    def uid_on(self, worker: str, pod: str) -> str:
        copy = objects.present(self.members[pod].remote_job(worker))
        return str(copy["metadata"]["uid"])

    def take_away(self, worker: str, pod: str) -> None:
        """One copy goes, with Kueue's finalizer: as if its node had gone, and a garbage collector come."""
        client = self._world.admin(worker)
        client.patch("Pod", self._world.ns, pod, {"metadata": {"finalizers": None}})
        client.delete("Pod", self._world.ns, pod)

    def evict_here(self) -> None:
        """The manager's Kueue takes its quota back, and gives it again."""
        self._world.fleet.evict(MANAGER, self._world.ns, self.name)
