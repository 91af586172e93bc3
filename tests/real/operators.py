"""Real operators of kinds of jobs, beside real control planes."""

from __future__ import annotations

import dataclasses
import functools
import os
import subprocess
from pathlib import Path

import yaml

from real import kinds, webhooks
from real.control_plane import ControlPlane
from real.pki import Pki
from real.tools import ToolsMissing
from scenarios.process import Process, free_ports
from scenarios.resources import Object
from scenarios.waiting import eventually

_BUILD = Path(__file__).parent / "build_operator.sh"


@dataclasses.dataclass(frozen=True)
class _Program:
    """One that is configured as controller-runtime's are, with webhooks on which it relies."""

    name: str  # as build_operator.sh knows it
    api_version: str  # of its configuration
    without_certificates: str  # the key below which it would make its own
    webhooks: str  # the file below kinds.sources()


# By the kind of jobs. TrainJob's makes JobSets.
_PROGRAMS = {
    "JobSet": _Program(
        "jobset",
        "config.jobset.x-k8s.io/v1alpha1",
        "internalCertManagement",
        "jobset/config/components/webhook/manifests.yaml",
    ),
    "TrainJob": _Program(
        "trainer-controller-manager",
        "config.trainer.kubeflow.org/v1alpha1",
        "certManagement",
        "trainer/manifests/base/webhook/manifests.yaml",
    ),
}

# The kinds that can have one.
KINDS = tuple(_PROGRAMS)


class Operator:
    """Of one kind on one cluster.

    Started by the constructor, from the main thread (see Process); the CRDs and the folder `webhook` of the cluster's
    Kueue must be there.
    """

    def __init__(self, kind: str, cluster: ControlPlane, pki: Pki):
        self._program, self._cluster, self._pki = _PROGRAMS[kind], cluster, pki
        self._webhook_port, self._health_port = free_ports(2)
        name = self._program.name
        configuration = cluster.folder / f"{name}.yaml"
        configuration.write_text(yaml.safe_dump(self._configuration()))
        self._process = Process(
            [_built(name), f"--config={configuration}", f"--kubeconfig={cluster.kubeconfig}"],
            cluster.folder / f"{name}.log",
            {**os.environ, "TMPDIR": str(self._folder())},
        )

    def wait_ready(self) -> None:
        eventually(
            f"{self._program.name} of {self._cluster.name} ready",
            lambda: webhooks.is_ready(self._health_port),
            60,
        )
        manifests = kinds.sources() / self._program.webhooks
        url = f"https://127.0.0.1:{self._webhook_port}"
        prefix = f"{self._program.name}-"
        for each in webhooks.at_url(manifests, url, self._pki, prefix, lambda hook: True):
            self._cluster.client.apply(each)

    def stop(self) -> None:
        self._process.kill()

    def _folder(self) -> Path:
        """Its temporary one, below which a program that is told of no other looks for its certificate."""
        folder = self._cluster.folder / f"{self._program.name}-tmp"
        certificates = folder / "k8s-webhook-server/serving-certs"
        if not certificates.exists():
            certificates.parent.mkdir(parents=True)
            certificates.symlink_to(self._cluster.folder / "webhook")
        return folder

    def _configuration(self) -> Object:
        return {
            "apiVersion": self._program.api_version,
            "kind": "Configuration",
            "webhook": {"port": self._webhook_port, "host": "127.0.0.1"},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self._health_port}"},
            "leaderElection": {"leaderElect": False},
            self._program.without_certificates: {"enable": False},
        }


@functools.cache  # a fleet asks for each of its clusters
def _built(name: str) -> Path:
    result = subprocess.run([str(_BUILD), name], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise ToolsMissing(f"{_BUILD.name} failed; its message is above")
    return Path(result.stdout.splitlines()[-1])
