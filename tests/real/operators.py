"""Real operators of kinds of jobs, beside real control planes."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Collection
from pathlib import Path

from real import kinds, webhooks
from real.control_plane import ControlPlane
from real.operator_programs import PROGRAMS, Launch, Place
from real.pki import Pki
from real.tools import ToolsMissing
from scenarios.process import Process, free_ports
from scenarios.waiting import eventually

_BUILD = Path(__file__).parent / "build_operator.sh"

NAMES = tuple(PROGRAMS)


def kinds_of(names: Collection[str]) -> frozenset[str]:
    """Of jobs that these operators run."""
    return frozenset(kind for name in names for kind in PROGRAMS[name].kinds)


def with_needed(names: Collection[str]) -> tuple[str, ...]:
    """These, and those of what they make, first."""
    needed = {other for name in names for other in PROGRAMS[name].needs}
    return tuple(name for name in NAMES if name in names or name in needed)


class Operator:
    """One of `NAMES` on one cluster.

    Started by the constructor, from the main thread (see Process); the CRDs and the folder `webhook` of the cluster's
    Kueue must be there.
    """

    def __init__(self, name: str, cluster: ControlPlane, pki: Pki):
        self._program, self._pki = PROGRAMS[name], pki
        self._place = Place(name, cluster, *free_ports(2))
        self._launch = self._program.launch(self._place)
        command = [_built(name), *self._launch.arguments]
        if self._launch.network is not None:
            command = self._launch.network.command(command)
        environment = {"TMPDIR": str(self._temporary_folder()), **self._launch.environment}
        self._process = Process(command, self._place.file(".log"), environment)

    def wait_ready(self) -> None:
        place = self._place
        if self._launch.network is None:
            eventually(f"{place.name} of {place.cluster.name} ready", self._is_ready, 60)
        if self._program.webhooks is None:
            return
        manifests = kinds.sources() / self._program.webhooks
        url = f"https://127.0.0.1:{place.webhook_port}"
        for each in webhooks.at_url(manifests, url, self._pki, f"{place.name}-", lambda hook: True):
            if self._program.pods_with is not None:
                webhooks.select_pods(each, self._program.pods_with)
            place.cluster.client.apply(each)

    def stop(self) -> None:
        self._process.kill()
        self._launch.close()

    def _is_ready(self) -> bool:
        assert self._process.running(), f"it has ended:\n{self._process.log_tail(20)}"
        return webhooks.is_ready(self._place.health_port, self._program.ready)

    def _temporary_folder(self) -> Path:
        """TMPDIR of the operator. One that no flag tells of another folder looks for its certificate below it."""
        folder = self._place.file("-tmp")
        certificates = folder / "k8s-webhook-server/serving-certs"
        certificates.parent.mkdir(parents=True)
        certificates.symlink_to(self._place.cluster.folder / "webhook")
        return folder


@functools.cache  # a fleet asks for each of its clusters
def _built(name: str) -> Path:
    result = subprocess.run([str(_BUILD), name], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise ToolsMissing(f"{_BUILD.name} failed; its message is above")
    return Path(result.stdout.splitlines()[-1])
