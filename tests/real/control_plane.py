"""One real Kubernetes cluster without machines: API server, controllers, scheduler, and kwok as its kubelets.

Flags and their reasons come from running Kubernetes 1.36.3 and kwok 0.8.0 on loopback.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from real.pki import Pki
from real.tools import Tools
from scenarios.kube_client import KubeClient
from scenarios.kubeconfig import Access
from scenarios.process import Process, free_ports
from scenarios.waiting import eventually

# The controllers that jobs, claims and clean-up need; KubeRay counts the endpoints of a RayService's Service. Without the node lifecycle controller nobody marks a
# node unreachable, which is right: no kubelet ever reports.
_CONTROLLERS = (
    "namespace,job,deployment-controller,replicaset-controller,statefulset-controller,resourceclaim-controller,garbage-collector-controller,ttl-after-finished-controller,"
    "endpointslice-controller,serviceaccount-controller,pod-garbage-collector-controller,device-taint-eviction-controller"
)
_CONTROLLERS_SINCE_1_36 = ",podgroup-protection-controller"

# What Kubernetes 1.36 does not serve by default: DeviceTaintRules and PodGroups with claims. The API needs both,
# scheduler and controllers the gates. Other releases have other versions of these APIs.
_ALPHA_GATES = (
    "--feature-gates=DRADeviceTaintRules=true,GenericWorkload=true,DRAWorkloadResourceClaims=true"
)
_ALPHA_APIS = "--runtime-config=resource.k8s.io/v1beta2=true,scheduling.k8s.io/v1alpha2=true"
_HAS_ALPHA = "1.36"

# pod-complete.yaml is left out: it ends every pod of a Job at once. Here a job runs until a scenario ends it.
_KWOK_STAGES = (
    "node/fast/node-initialize.yaml",
    "node/heartbeat/node-heartbeat.yaml",
    "pod/fast/pod-ready.yaml",
    "pod/fast/pod-delete.yaml",
)


class Etcd:
    """One etcd for several clusters, each of which uses a key prefix. Started by the constructor."""

    def __init__(self, tools: Tools, folder: Path, name: str = "etcd"):
        client, peer = free_ports(2)
        self.url = f"http://127.0.0.1:{client}"
        self._data, self._log = folder / name, folder / f"{name}.log"
        peer_url = f"http://127.0.0.1:{peer}"
        self._command = [
            tools.program("etcd"),
            f"--data-dir={self._data}",
            f"--listen-client-urls={self.url}",
            f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls={peer_url}",
            f"--initial-advertise-peer-urls={peer_url}",
            f"--initial-cluster=default={peer_url}",
            "--unsafe-no-fsync",  # nothing here must survive the machine
            "--quota-backend-bytes=4294967296",
        ]
        self.start()

    def start(self) -> None:
        """Again after `stop`, with the data that are there."""
        self._process = Process(self._command, self._log)

    def stop(self) -> None:
        self._process.kill()

    def copy_to(self, folder: Path) -> None:
        """All data; it must be stopped."""
        shutil.copytree(self._data, folder)

    def copy_from(self, folder: Path) -> None:
        """All data are those of `copy_to`, with the revisions of then; it must be stopped."""
        shutil.rmtree(self._data)
        shutil.copytree(folder, self._data)


class ControlPlane:
    """One cluster. The API server is started by the constructor, the rest by `start_controllers`.

    `more_flags`: program -> flags after ours. `alpha`: it knows DeviceTaintRules and PodGroups, if it is 1.36.
    """

    def __init__(
        self,
        name: str,
        tools: Tools,
        pki: Pki,
        etcd: Etcd,
        folder: Path,
        more_flags: Mapping[str, Sequence[str]] | None = None,
        alpha: bool = False,
    ):
        self.name = name
        self._more_flags = more_flags or {}
        self._alpha = alpha
        self.folder = folder / name
        self.folder.mkdir()
        self.kubeconfig = folder / f"{name}.kubeconfig"
        self._tools, self._pki, self._etcd = tools, pki, etcd
        self._port, self._controllers_port, self._scheduler_port, self._kwok_port = free_ports(4)
        self._controllers: list[Process] = []
        self._kwok: Process | None = None
        self.access = Access(f"https://127.0.0.1:{self._port}", pki.ca.read_text(), pki.admin_token)
        self.access.write_kubeconfig(self.kubeconfig)
        self.client = KubeClient(self.access)
        self._api_server = self._start_api_server()

    def wait_ready(self, timeout: float = 90) -> None:
        eventually(
            f"API server of {self.name} ready", lambda: self.client.call("GET", "/readyz"), timeout
        )

    def start_controllers(self, kubelets: bool = True) -> None:
        """Controllers, scheduler and, as kubelets, kwok. The API server must be ready."""
        self._start_own_controllers()
        if kubelets:
            self._kwok = self._start_kwok()

    @property
    def port(self) -> int:
        """Of the API server, at 127.0.0.1."""
        return self._port

    @property
    def release(self) -> str:
        """ "1.36" """
        return self._tools.release

    def change_release(self, tools: Tools) -> None:
        """API server, controllers and scheduler end, and those of `tools` begin, on the same objects."""
        self.stop_own_programs()
        self._tools = tools
        self.start_own_programs()

    def stop_own_programs(self) -> None:
        """API server, controllers and scheduler."""
        for process in (*self._controllers, self._api_server):
            process.kill()

    def start_own_programs(self) -> None:
        self.start_api_server()
        self._start_own_controllers()

    def api_server_cpu_seconds(self) -> float:
        """What the API server has used since it was started."""
        return self._api_server.cpu_seconds()

    def api_server_resident_bytes(self) -> int:
        return self._api_server.resident_bytes()

    def stop_api_server(self) -> None:
        """The API server is gone, as in a crash; everything else runs on."""
        self._api_server.kill()

    def start_api_server(self) -> None:
        """At the same address as before. Other programs find it again only after their own back-off."""
        self._api_server = self._start_api_server()
        self.wait_ready()

    def ensure_api_server(self) -> None:
        if not self._api_server.running():
            self.start_api_server()

    def stop(self) -> None:
        for process in (self._kwok, *self._controllers, self._api_server):
            if process is not None:
                process.kill()

    def _start_own_controllers(self) -> None:
        self._controllers = [self._start_controller_manager(), self._start_scheduler()]

    def _start_api_server(self) -> Process:
        pki = self._pki
        return self._spawn(
            "kube-apiserver",
            f"--etcd-servers={self._etcd.url}",
            f"--etcd-prefix=/{self.name}",
            f"--secure-port={self._port}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--tls-cert-file={pki.server_certificate}",
            f"--tls-private-key-file={pki.server_key}",
            f"--client-ca-file={pki.ca}",
            f"--token-auth-file={pki.tokens}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={pki.service_account_key}",
            f"--service-account-signing-key-file={pki.service_account_key}",
            "--service-cluster-ip-range=10.0.0.0/16",
            "--endpoint-reconciler-type=none",
            # With TaintNodesByCondition a node keeps its not-ready taint, since no node controller runs.
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            "--allow-privileged=true",  # published workloads have such pods; kwok runs them
            "--max-requests-inflight=2000",
            "--max-mutating-requests-inflight=1000",
            *self._gates(),
            *([_ALPHA_APIS] if self._gates() else []),
        )

    def _start_controller_manager(self) -> Process:
        # No --authentication-kubeconfig here and for the scheduler: they would wait for a request-header CA
        # that is not there.
        return self._spawn(
            "kube-controller-manager",
            f"--kubeconfig={self.kubeconfig}",
            "--leader-elect=false",
            f"--secure-port={self._controllers_port}",
            "--bind-address=127.0.0.1",
            f"--service-account-private-key-file={self._pki.service_account_key}",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
            f"--controllers={self._controller_names()}",
            *self._gates(),
        )

    def _gates(self) -> list[str]:
        return [_ALPHA_GATES] if self._alpha and self.release == _HAS_ALPHA else []

    def _controller_names(self) -> str:
        """A name that the release does not know is refused."""
        newer = self.release not in ("1.34", "1.35")
        return _CONTROLLERS + (_CONTROLLERS_SINCE_1_36 if newer else "")

    def _start_scheduler(self) -> Process:
        return self._spawn(
            "kube-scheduler",
            f"--kubeconfig={self.kubeconfig}",
            "--leader-elect=false",
            f"--secure-port={self._scheduler_port}",
            "--bind-address=127.0.0.1",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
            *self._gates(),
        )

    def _start_kwok(self) -> Process:
        # Without a Node stage kwok 0.8.0 does nothing for pods either.
        stages = [
            f"--config={self._tools.kwok_source / 'kustomize/stage' / stage}"
            for stage in _KWOK_STAGES
        ]
        return self._spawn(
            "kwok",
            f"--kubeconfig={self.kubeconfig}",
            "--manage-all-nodes=true",
            f"--server-address=127.0.0.1:{self._kwok_port}",
            *stages,
        )

    def _spawn(self, program: str, *arguments: str) -> Process:
        flags = [*arguments, *self._more_flags.get(program, ())]
        return Process([self._tools.program(program), *flags], self.folder / f"{program}.log")
