"""The modes of fedra (`kueue.mode`) in which a scenario can be played, and what each wants around it."""

from __future__ import annotations

from collections.abc import Mapping

from real import multikueue
from scenarios import objects
from scenarios.fleet import MANAGER, Fleet
from scenarios.kube_client import KubeClient
from scenarios.kubeconfig import Access
from scenarios.resources import Object

# The label of copies, and its value in the mode admissionCheck.
ORIGIN_LABEL = "kueue.x-k8s.io/multikueue-origin"
ORIGIN = "fedra"


def copies_of(origin: str) -> str:
    """The label selector of copies."""
    return f"{ORIGIN_LABEL}={origin}"


class Mode:
    """admissionCheck: checks of fedra's own, and workers that its configuration lists."""

    name = "admissionCheck"
    controller = objects.FEDRA_CONTROLLER
    origin = ORIGIN
    settings: Object = {}
    # The check of a job that nothing else holds on the manager stays Pending (JobKind.holds_check).
    holds_checks = True

    def check(self, name: str, workers: list[str]) -> list[Object]:
        """An AdmissionCheck of that name which may use all workers."""
        return [objects.admission_check(name)]

    def restricted_check(self, name: str, workers: list[str]) -> list[Object]:
        """One that may use these workers, in this order."""
        return [
            objects.multikueue_config(name, workers),
            objects.admission_check(name, config=name, controller=self.controller),
        ]

    def access(self, fleet: Fleet, cluster: str) -> Access:
        """Credentials with the rights that fedra has in this mode."""
        return fleet.fedra_access(cluster)

    def connect(self, fleet: Fleet, workers: Mapping[str, Access]) -> None:
        """What must be on the manager before fedra starts, for workers that it reaches like this."""

    def disconnect(self, manager: KubeClient, workers: tuple[str, ...]) -> None:
        """Takes it away again."""


class _MultiKueue(Mode):
    """fedra in the place of Kueue's MultiKueue: its checks, and workers from its MultiKueueClusters."""

    name = "multikueue"
    controller = multikueue.CONTROLLER
    origin = multikueue.ORIGIN
    settings = {
        "kueue": {"mode": "multikueue"},
        "workersFrom": {"multiKueueClusters": True},
        "workers": [],
    }

    def check(self, name: str, workers: list[str]) -> list[Object]:
        return self.restricted_check(name, workers)

    def connect(self, fleet: Fleet, workers: Mapping[str, Access]) -> None:
        for rights in ("manager-rbac-discovery.yaml", "manager-rbac-multikueue.yaml"):
            fleet.grant(MANAGER, rights)
        for worker, access in workers.items():
            multikueue.add_cluster(fleet.admin(MANAGER), worker, access)

    def disconnect(self, manager: KubeClient, workers: tuple[str, ...]) -> None:
        for worker in workers:
            multikueue.remove_cluster(manager, worker)


class _Dispatcher(_MultiKueue):
    """Kueue's MultiKueue does all but choose, and is connected to the workers by itself.

    Its copies have no marks of fedra's: the invariants say nothing of them.
    """

    name = "dispatcher"
    settings = {"kueue": {"mode": "dispatcher"}}
    holds_checks = False

    def access(self, fleet: Fleet, cluster: str) -> Access:
        return fleet.dispatcher_access(cluster)

    def connect(self, fleet: Fleet, workers: Mapping[str, Access]) -> None:
        own = {worker: fleet.admin_access(worker) for worker in workers}
        multikueue.connect_workers(fleet.admin(MANAGER), own)


ADMISSION_CHECK, MULTIKUEUE, DISPATCHER = (each.name for each in (Mode, _MultiKueue, _Dispatcher))
MODES: dict[str, Mode] = {each.name: each() for each in (Mode, _MultiKueue, _Dispatcher)}
# Those in which fedra itself makes the copies and mirrors.
COPYING = (ADMISSION_CHECK, MULTIKUEUE)
ALL = tuple(MODES)
