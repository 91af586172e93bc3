"""One real kube-apiserver behind many names: connections and watches as of a large fleet, on a small machine.

fedra does not use two kubeconfigs of one server (config/load.cc), which it knows by its address. So each worker has a host
name of its own, NAME.localhost, which libcurl takes for loopback (RFC 6761, curl issue 9192); the certificate is for
localhost, as the kubeconfig's tls-server-name says. Connections and watches are each name's own, as those of so many
clusters would be. Nothing runs there: a job would be seen under every name, and each name would remove the others' copies.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import tempfile
import time
from pathlib import Path

from real import tools as real_tools
from real.accounts import account_access
from real.control_plane import ControlPlane, Etcd
from real.kueue import Kueue, KueueOptions, ensure_metrics_certificate
from real.pki import Pki
from scenarios import setup
from scenarios.bench.limit import CutOff, Limit, connected, wait_connected, wait_ready
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.kube_client import KubeClient
from scenarios.resources import Object

_SHARED = "shared"
_ESTABLISHED = "01"  # of /proc/net/tcp


@dataclasses.dataclass
class _Seen:
    """What there is at one moment."""

    connections: int  # of fedra, to the shared API server
    watches: int  # that this one serves, beside its own
    memory: int
    descriptors: int
    threads: int
    server_memory: int


class _Servers:
    """The manager's API server and the shared one, with one etcd. No controller and no Kueue runs. Main thread only."""

    def __init__(self, folder: Path):
        tools = real_tools.build()
        pki = Pki(folder / "pki")
        ensure_metrics_certificate(pki)
        self._etcd = Etcd(tools, folder)
        self.manager, self.shared = (
            ControlPlane(name, tools, pki, self._etcd, folder) for name in (MANAGER, _SHARED)
        )
        for plane in (self.manager, self.shared):
            plane.wait_ready()
            Kueue(plane, tools, pki, KueueOptions()).install_crds()
            for document in setup.rights_of(plane.name):
                plane.client.apply(document)
        for document in setup.deploy_manifests("placement-records.yaml"):
            self.manager.client.apply(document)
        setup.install_manager(self.manager.client)
        setup.install_worker(self.shared.client)

    def stop(self) -> None:
        for plane in (self.manager, self.shared):
            plane.stop()
        self._etcd.stop()


def bench_names(names: int, seconds: float, limit_seconds: float, binary: Path) -> None:
    """`seconds`: how long it is looked at while nothing happens. `limit_seconds`: from fedra's start; then it is cut off."""
    with tempfile.TemporaryDirectory(prefix="fedra-names-") as name:
        servers = _Servers(Path(name))
        try:
            limit = Limit(limit_seconds)
            limit.say("the API servers are ready")
            _measure(servers, names, seconds, limit, binary, Path(name) / "fedra")
        except CutOff as over:
            print(f"\ncut off after {limit.spent():.0f} s, waiting for: {over}")
        finally:
            servers.stop()


def _measure(
    servers: _Servers, names: int, seconds: float, limit: Limit, binary: Path, folder: Path
) -> None:
    shared = account_access(servers.shared, setup.FEDRA_ACCOUNT)
    accesses = {
        name: dataclasses.replace(
            shared,
            server=f"https://{name}.localhost:{servers.shared.port}",
            tls_server_name="localhost",
        )
        for name in (f"name-{index:04}" for index in range(names))
    }
    manager = account_access(servers.manager, setup.FEDRA_ACCOUNT)
    settings: Object = {"logging": {"level": "warn"}, "verification": {"devices": "Enforce"}}
    fedra = Fedra(binary, folder, {MANAGER: manager, **accesses}, settings)
    own_watches = _watches(servers.shared.client)
    begun = time.monotonic()
    fedra.start(ready=False)
    try:
        wait_ready(fedra, limit)
        ready = time.monotonic() - begun
        limit.say(f"ready after {ready:.1f} s")
        try:
            wait_connected(fedra, names, limit)
        except CutOff as over:
            raise CutOff(f"{over}; {connected(fedra)} of {names} are") from None
        all_there = time.monotonic() - begun
        cpu_until_then = fedra.cpu_seconds()
        limit.say(f"all names are connected after {all_there:.1f} s")
        first = _look(fedra, servers, own_watches)
        cpu, server_cpu = fedra.cpu_seconds(), servers.shared.api_server_cpu_seconds()
        rested = time.monotonic()
        time.sleep(seconds)  # what is measured
        rested = time.monotonic() - rested
        idle = (fedra.cpu_seconds() - cpu) / rested
        server_idle = (servers.shared.api_server_cpu_seconds() - server_cpu) / rested
        last = _look(fedra, servers, own_watches)
    finally:
        fedra.kill()
    print(f"\n{names} names of one kube-apiserver, then and {rested:.0f} s later:\n")
    cells = {
        "names": f"{names}",
        "ready": f"{ready:.1f} s",
        "all connected": f"{all_there:.1f} s, {cpu_until_then:.1f} s of CPU",
        "connections": f"{first.connections}, {last.connections}",
        "watches": f"{first.watches}, {last.watches}",
        "memory": f"{first.memory / 1e6:.0f} MB, {last.memory / 1e6:.0f} MB",
        "descriptors": f"{first.descriptors}, {last.descriptors}",
        "threads": f"{first.threads}, {last.threads}",
        "idle CPU": f"{idle * 100:.1f} %",
        "memory of the API server": f"{first.server_memory / 1e6:.0f} MB, {last.server_memory / 1e6:.0f} MB",
        "its CPU": f"{server_idle * 100:.1f} %",
    }
    print(f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}\n| {' | '.join(cells.values())} |")


def _look(fedra: Fedra, servers: _Servers, own_watches: int) -> _Seen:
    return _Seen(
        connections=_connections(fedra, servers.shared.port),
        watches=_watches(servers.shared.client) - own_watches,
        memory=fedra.resident_bytes(),
        descriptors=fedra.open_descriptors(),
        threads=fedra.threads(),
        server_memory=servers.shared.api_server_resident_bytes(),
    )


def _watches(client: KubeClient) -> int:
    """That the API server serves now, as its own metric says."""
    page = str(client.call("GET", "/metrics")["text"])
    pattern = r'^apiserver_longrunning_requests{.*verb="WATCH".*} (\S+)$'
    return int(sum(map(float, re.findall(pattern, page, re.MULTILINE))))


def _connections(fedra: Fedra, port: int) -> int:
    """Established ones of the daemon to this port of 127.0.0.1."""
    assert fedra.process is not None
    sockets = set()
    for descriptor in Path(f"/proc/{fedra.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            sockets.add(os.readlink(descriptor))
    lines = Path(f"/proc/{fedra.process.pid}/net/tcp").read_text().splitlines()[1:]
    # sl, local and remote address, state, ..., inode.
    fields = [line.split() for line in lines]
    return sum(
        each[3] == _ESTABLISHED
        and int(each[2].rpartition(":")[2], 16) == port
        and f"socket:[{each[9]}]" in sockets
        for each in fields
    )
