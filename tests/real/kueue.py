"""Kueue beside one real control plane, without a service network. Seen with Kueue 0.19.2."""

from __future__ import annotations

import dataclasses
import os
import ssl
import subprocess
import urllib.request
from pathlib import Path

import yaml

from real import kinds, webhooks
from real.control_plane import ControlPlane
from real.pki import Pki
from real.tools import Tools
from scenarios import objects
from scenarios.process import Process, free_ports
from scenarios.resources import Object
from scenarios.waiting import eventually

# Kueue opens a certificate at this fixed path whenever its internal certificate management is off, even with
# metrics switched off. Any certificate will do.
_METRICS_CERTIFICATES = Path("/etc/kueue/metrics/certs")

# Kinds whose webhooks are installed, beside those of KueueOptions.other_kinds. Those of yet other kinds would
# fail their requests: the integrations are off.
_WEBHOOK_KINDS = ("job", "workload", "clusterqueue", "cohort", "resourceflavor")

# Kueue accepts every shape of claim and leaves devices alone only with all four off: it refuses to start when
# a dependent gate stays on. 0.17 has one gate, off by default.
_DRA_OFF = {
    "KueueDRAIntegration": False,
    "KueueDRARejectWorkloadsWhenDRADisabled": False,
    "KueueDRAIntegrationExtendedResource": False,
    "KueueDRAIntegrationPartitionableDevices": False,
}
_DRA_ON_IN_0_17 = {"DynamicResourceAllocation": True}


@dataclasses.dataclass(frozen=True)
class KueueOptions:
    # Device classes that Kueue charges to the quota resource named first; empty: its DRA support is off.
    device_class_mappings: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    # The job kinds of kinds.py, whose CRDs must be there, beside batch/v1 Job.
    other_kinds: bool = False
    # Its MultiKueue controllers run.
    multikueue: bool = True
    # It serves its metrics, to `metrics`.
    metrics: bool = False
    # Merged over the configuration file's top level, for example {"multiKueue": {...}}.
    configuration: Object = dataclasses.field(default_factory=dict)


class Kueue:
    """Call in this order: install_crds, start (from the main thread, see Process), wait_ready."""

    def __init__(self, cluster: ControlPlane, tools: Tools, pki: Pki, options: KueueOptions):
        self._cluster, self._tools, self._pki = cluster, tools, pki
        self._webhook_kinds = _WEBHOOK_KINDS + (kinds.WEBHOOK_KINDS if options.other_kinds else ())
        self._webhook_port, self._health_port, self._metrics_port = free_ports(3)
        self._process: Process | None = None
        certificates = cluster.folder / "webhook"
        certificates.mkdir()
        (certificates / "tls.crt").write_bytes(pki.server_certificate.read_bytes())
        (certificates / "tls.key").write_bytes(pki.server_key.read_bytes())
        self._configuration_file = cluster.folder / "kueue.yaml"
        self._options, self._certificates = options, certificates
        self._configure({})

    def install_crds(self) -> None:
        client = self._cluster.client
        client.apply(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}}
        )
        names = []
        for file in sorted(
            (self._tools.kueue_source / "config/components/crd/bases").glob("*.yaml")
        ):
            crd = yaml.safe_load(file.read_text())
            crd["spec"].pop("conversion", None)  # only the storage version is used here
            names.append(crd["metadata"]["name"])
            client.apply(crd)
        for name in names:
            eventually(f"CRD {name} established", lambda: self._established(name), 60)

    def start(self) -> None:
        self._process = Process(
            [
                self._tools.program("kueue"),
                f"--config={self._configuration_file}",
                f"--kubeconfig={self._cluster.kubeconfig}",
                "--zap-log-level=2",
            ],
            self._cluster.folder / "kueue.log",
        )

    def restart(self, gates: Object) -> None:
        """With these feature gates beside the usual ones. From the main thread; returns when it is ready."""
        self.stop()
        self._configure(gates)
        self.start()
        self.wait_ready()

    def _configure(self, gates: Object) -> None:
        configuration = self._configuration(self._options, self._certificates)
        configuration["featureGates"] |= gates
        self._configuration_file.write_text(yaml.safe_dump(configuration))

    def cpu_seconds(self) -> float:
        assert self._process is not None
        return self._process.cpu_seconds()

    def metrics(self) -> str:
        """Prometheus' text format; KueueOptions.metrics must be on."""
        # By the certificate that lies in _METRICS_CERTIFICATES, of whatever fleet put it there.
        unverified = ssl._create_unverified_context()
        request = urllib.request.Request(
            f"https://127.0.0.1:{self._metrics_port}/metrics",
            headers={"Authorization": f"Bearer {self._pki.admin_token}"},
        )
        with urllib.request.urlopen(request, timeout=30, context=unverified) as response:
            return str(response.read().decode())

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()

    def wait_ready(self, timeout: float = 60) -> None:
        eventually(
            f"Kueue of {self._cluster.name} ready",
            lambda: webhooks.is_ready(self._health_port),
            timeout,
        )
        for configuration in self._webhooks():
            self._cluster.client.apply(configuration)

    def _configuration(self, options: KueueOptions, certificates: Path) -> Object:
        gates: Object = {
            "VisibilityOnDemand": False
        }  # else it wants a certificate under /visibility
        if options.other_kinds:
            gates |= kinds.GATES
        configuration: Object = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self._health_port}"},
            "metrics": {
                "bindAddress": f"127.0.0.1:{self._metrics_port}" if options.metrics else "0"
            },
            "webhook": {
                "port": self._webhook_port,
                "host": "127.0.0.1",
                "certDir": str(certificates),
            },
            "leaderElection": {"leaderElect": False},
            "internalCertManagement": {"enable": False},
            "clientConnection": {"qps": 1000, "burst": 1000},
            "integrations": {
                "frameworks": ["batch/job", *(kinds.FRAMEWORKS if options.other_kinds else ())]
            },
            "controller": {"groupKindConcurrency": {"Job.batch": 5, "Workload.kueue.x-k8s.io": 10}},
        }
        if not options.multikueue:
            gates |= {"MultiKueue": False}
        if options.device_class_mappings:
            configuration["resources"] = {
                "deviceClassMappings": [
                    {"name": name, "deviceClassNames": classes}
                    for name, classes in options.device_class_mappings.items()
                ]
            }
            if self._tools.kueue == "0.17":
                gates |= _DRA_ON_IN_0_17
        elif self._tools.kueue != "0.17":
            gates |= _DRA_OFF
        return {**configuration, "featureGates": gates, **options.configuration}

    def _established(self, name: str) -> bool:
        return objects.is_true(
            self._cluster.client.get("CustomResourceDefinition", None, name), "Established"
        )

    def _webhooks(self) -> list[Object]:
        """Kueue's own, of the kinds that it runs."""
        return webhooks.at_url(
            self._tools.kueue_source / "config/components/webhook/manifests.yaml",
            f"https://127.0.0.1:{self._webhook_port}",
            self._pki,
            "kueue-",
            self._is_served,
        )

    def _is_served(self, hook: Object) -> bool:
        # Names are "m" or "v" (mutating, validating), the kind, and this suffix.
        return hook["name"][1:].removesuffix(".kb.io") in self._webhook_kinds


def ensure_metrics_certificate(pki: Pki) -> None:
    if (_METRICS_CERTIFICATES / "tls.key").exists():
        return
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    for source, name in ((pki.server_certificate, "tls.crt"), (pki.server_key, "tls.key")):
        command = [
            *sudo,
            "install",
            "-D",
            "-m",
            "0644",
            str(source),
            str(_METRICS_CERTIFICATES / name),
        ]
        subprocess.run(command, check=True)
