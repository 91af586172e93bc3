"""What every scenario may ask of a fleet, simulated or real.

A fleet is one manager and two or more workers, each an API server with Kueue (or something that behaves like
it) behind it. A scenario uses only this interface, so it cannot tell which kind it runs on; the few true
differences are the properties below.
"""

from __future__ import annotations

import abc
from collections.abc import Collection

from scenarios.job_kinds import JobKind
from scenarios.kube_client import KubeClient
from scenarios.kubeconfig import Access

MANAGER = "manager"


class Fleet(abc.ABC):
    """Lifetime: `start` once, `stop` once, also after a failed start. Not thread-safe; clients are.

    Of the workers only the first serves DeviceTaintRules and PodGroups, which Kubernetes 1.36 does not by default.
    """

    kind: str  # "sim" or "real"
    workers: tuple[str, ...]
    # Kueue charges devices by deviceClassMappings; otherwise it leaves them to fedra.
    kueue_dra: bool
    # The manager has deploy/managed-by-policy.yaml; otherwise jobs must name managedBy themselves.
    sets_managed_by: bool
    # How long a condition may take that depends on controllers, in seconds.
    patience: float
    # How long the controllers of a cluster may need to find an API server again that was away, in seconds.
    recovery: float

    @property
    def clusters(self) -> tuple[str, ...]:
        return (MANAGER, *self.workers)

    @abc.abstractmethod
    def start(self) -> None:
        """Returns when every cluster answers and its controllers run."""

    def announce(self, namespaces: Collection[str]) -> None:  # noqa: B027
        """Creates the namespaces of scenarios that are about to be played, where that is better done early."""

    @abc.abstractmethod
    def stop(self) -> None:
        ...

    @abc.abstractmethod
    def admin(self, cluster: str) -> KubeClient:
        """May do everything."""

    @abc.abstractmethod
    def admin_access(self, cluster: str) -> Access:
        """Credentials that may do everything."""

    @abc.abstractmethod
    def fedra_access(self, cluster: str) -> Access:
        """Credentials with exactly the rights of deploy/*-rbac.yaml."""

    @abc.abstractmethod
    def dispatcher_access(self, cluster: str) -> Access:
        """Credentials with no more rights than deploy/dispatcher-*-rbac.yaml give."""

    @abc.abstractmethod
    def restricted_access(self, worker: str, without: Collection[str]) -> Access:
        """As `fedra_access`, but nothing at all may be done with the resources in `without` (plural names)."""

    @abc.abstractmethod
    def access_without_jobs_in(self, worker: str, namespace: str) -> Access:
        """As `fedra_access`, but in this namespace nothing may be created, as `fedra join --in` of others leaves it."""

    @abc.abstractmethod
    def grant(self, worker: str, manifest: str) -> None:
        """Gives fedra the further rights of a file in deploy/, until `reset`."""

    @abc.abstractmethod
    def withhold(self, worker: str, manifest: str) -> None:
        """fedra does not have the further rights of a file in deploy/, until `grant` or `reset`."""

    @abc.abstractmethod
    def set_multikueue(self, on: bool) -> None:
        """Whether the manager's Kueue has its MultiKueue controllers, until `reset`; at first it has, or as the fleet was made."""

    @abc.abstractmethod
    def foreign_ca(self) -> str:
        """A CA certificate (PEM) that has signed nothing here."""

    @abc.abstractmethod
    def stop_api_server(self, cluster: str) -> None:
        """The API server is gone for everybody."""

    @abc.abstractmethod
    def start_api_server(self, cluster: str) -> None:
        """It answers again, at the same address and with the same objects."""

    @abc.abstractmethod
    def end_pods(
        self, worker: str, namespace: str, job: str | None = None, phase: str = "Succeeded"
    ) -> None:
        """Lets the pods that run now end with `phase` (or Failed), as their programs would; None: of every job."""

    @abc.abstractmethod
    def end_pod(self, worker: str, namespace: str, name: str, phase: str = "Succeeded") -> None:
        """The same with one pod that no Job has made."""

    @abc.abstractmethod
    def end_job(self, worker: str, kind: JobKind, namespace: str, name: str, phase: str) -> None:
        """The same with all pods of a job of another kind; `phase` counts where there are pods."""

    def makes_pods(self, kind: str) -> bool:
        """Whether an operator makes pods of jobs of this other kind on workers; one that is played makes none."""
        return False

    @abc.abstractmethod
    def preempt(self, worker: str, namespace: str, workload: str) -> None:
        """The worker's Kueue takes the quota of this Workload, which has all of its queue's, for somebody else."""

    @abc.abstractmethod
    def evict(self, cluster: str, namespace: str, workload: str) -> None:
        """The cluster's Kueue evicts this Workload, gives back its quota, and has quota for it again at once."""

    @abc.abstractmethod
    def forget_kind(self, cluster: str, kind: str) -> None:
        """The cluster serves this kind of jobs no more (its CRD and all objects are gone), until `install_kind` or `reset`."""

    @abc.abstractmethod
    def change_version(self, cluster: str, kind: str) -> None:
        """The cluster serves this kind, whose objects it keeps, in no version that fedra knows, until `install_kind` or `reset`."""

    @abc.abstractmethod
    def install_kind(self, cluster: str, kind: str) -> None:
        """Takes back `forget_kind` and `change_version`."""

    @abc.abstractmethod
    def reset(self) -> None:
        """Takes back what has been done by `restricted_access`, `grant`, `withhold`, `set_multikueue`, `stop_api_server`, `forget_kind`, `change_version`."""
