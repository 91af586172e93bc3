"""How each real operator of a kind of jobs is started beside a cluster without a service network.

The versions are those of go/operators; what is said of a flag was read there, and seen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from real.control_plane import ControlPlane
from real.own_network import OwnNetwork
from real.ray_dashboard import RayDashboard
from scenarios.resources import Object


@dataclasses.dataclass(frozen=True)
class Place:
    """Of one operator on one cluster."""

    name: str  # the operator's
    cluster: ControlPlane
    webhook_port: int
    health_port: int

    def file(self, suffix: str) -> Path:
        """One of its own."""
        return self.cluster.folder / f"{self.name}{suffix}"


@dataclasses.dataclass(frozen=True)
class Launch:
    """What has been made for the start of an operator."""

    arguments: Sequence[object]
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    network: OwnNetwork | None = None  # in which it runs, and where its health port is not reached
    close: Callable[[], None] = lambda: None  # what it needs beside it


@dataclasses.dataclass(frozen=True)
class Program:
    """`launch` may write to the cluster, whose API server is ready."""

    kinds: tuple[str, ...]
    launch: Callable[[Place], Launch]
    webhooks: str | None = None  # the file below kinds.sources()
    # The label of the pods that its webhooks are for, which its kustomization adds to the file; None: it has none.
    pods_with: str | None = None
    needs: tuple[str, ...] = ()  # the operators of what it makes
    ready: str = "/readyz"


def _with_configuration(
    api_version: str, certificates: str, asks_folder: bool = False
) -> Callable[[Place], Launch]:
    """One of kubernetes-sigs' fashion.

    `certificates`: the key below which it would make its own. `asks_folder`: it must be told where its certificate is.
    """

    def launch(place: Place) -> Launch:
        configuration = place.file(".yaml")
        folder = {"certDir": str(place.cluster.folder / "webhook")} if asks_folder else {}
        content = {
            "apiVersion": api_version,
            "kind": "Configuration",
            "webhook": {"port": place.webhook_port, "host": "127.0.0.1", **folder},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{place.health_port}"},
            "leaderElection": {"leaderElect": False},
            certificates: {"enable": False},
        }
        configuration.write_text(yaml.safe_dump(content))
        return Launch([f"--config={configuration}", f"--kubeconfig={place.cluster.kubeconfig}"])

    return launch


def _kuberay(place: Place) -> Launch:
    """Its webhook only checks names, and is off by default."""
    dashboard = RayDashboard(place.cluster.client)
    arguments = [
        f"--kubeconfig={place.cluster.kubeconfig}",
        "--metrics-addr=0",
        f"--health-probe-bind-address=127.0.0.1:{place.health_port}",
        "--enable-leader-election=false",
        "--reconcile-concurrency=4",
    ]
    # The API server is HTTPS, for which this is no proxy.
    return Launch(arguments, {"HTTP_PROXY": dashboard.url}, close=dashboard.close)


_LOCK_NAMESPACE = "mpi-operator"


def _mpi_operator(place: Place) -> Launch:
    """Without webhooks. Its health port is fixed, 8080 (cmd/mpi-operator/app/server.go)."""
    _make_namespace(place, _LOCK_NAMESPACE)
    network = OwnNetwork(place.cluster.port, place.file(".socket"))
    arguments = [
        f"--kubeConfig={place.cluster.kubeconfig}",
        f"--lock-namespace={_LOCK_NAMESPACE}",
        "--kube-api-qps=100",
        "--kube-api-burst=200",
        "--controller-queue-rate-limit=100",
    ]
    return Launch(arguments, network=network)


_TRAINING_KINDS = ("TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob")
_TRAINING_NAMESPACE = "kubeflow"


def _training_operator(place: Place) -> Launch:
    """Without MPIJob: it runs the kinds that its flags name."""
    _make_namespace(place, _TRAINING_NAMESPACE)
    # It fills this Secret with a certificate for its Service, waits for any file at this path (pkg/cert/cert.go), and
    # serves what is in its temporary folder.
    place.cluster.client.apply(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": "training-operator-webhook-cert",
                "namespace": _TRAINING_NAMESPACE,
            },
        }
    )
    awaited = Path("/tmp/k8s-webhook-server/serving-certs/tls.crt")
    awaited.parent.mkdir(parents=True, exist_ok=True)
    awaited.touch()
    arguments = [
        f"--kubeconfig={place.cluster.kubeconfig}",
        "--metrics-bind-address=0",
        f"--health-probe-bind-address=127.0.0.1:{place.health_port}",
        f"--webhook-server-port={place.webhook_port}",
        "--kube-api-qps=100",
        "--kube-api-burst=200",
        *(f"--enable-scheme={kind.lower()}" for kind in _TRAINING_KINDS),
    ]
    return Launch(arguments)


_APPWRAPPER_NAMESPACE = "appwrapper-system"


def _app_wrapper(place: Place) -> Launch:
    """Without its webhooks, whose port is fixed (cmd/main.go): they check, and add the user's name."""
    _make_namespace(place, _APPWRAPPER_NAMESPACE)
    configuration = {
        "webhooksEnabled": False,
        "controllerManager": {
            "metrics": {"bindAddress": "0"},
            "health": {"bindAddress": f"127.0.0.1:{place.health_port}"},
            "leaderElection": False,
        },
    }
    place.cluster.client.apply(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "appwrapper-operator-config", "namespace": _APPWRAPPER_NAMESPACE},
            "data": {"config.yaml": yaml.safe_dump(configuration)},
        }
    )
    return Launch(
        [f"--kubeconfig={place.cluster.kubeconfig}"], {"NAMESPACE": _APPWRAPPER_NAMESPACE}
    )


def _make_namespace(place: Place, name: str) -> None:
    place.cluster.client.apply(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    )


PROGRAMS = {
    "jobset": Program(
        ("JobSet",),
        _with_configuration("config.jobset.x-k8s.io/v1alpha1", "internalCertManagement"),
        webhooks="jobset/config/components/webhook/manifests.yaml",
    ),
    "trainer": Program(
        ("TrainJob",),
        _with_configuration("config.trainer.kubeflow.org/v1alpha1", "certManagement"),
        webhooks="trainer/manifests/base/webhook/manifests.yaml",
        needs=("jobset",),
    ),
    "lws": Program(
        ("LeaderWorkerSet",),
        # Without a folder it takes one below /tmp (api/config/v1alpha1/defaults.go).
        _with_configuration(
            "config.lws.x-k8s.io/v1alpha1", "internalCertManagement", asks_folder=True
        ),
        webhooks="lws/config/webhook/manifests.yaml",
        pods_with="leaderworkerset.sigs.k8s.io/name",
    ),
    "kuberay": Program(("RayCluster", "RayJob", "RayService"), _kuberay),
    "mpi-operator": Program(("MPIJob",), _mpi_operator),
    "training-operator": Program(
        _TRAINING_KINDS,
        _training_operator,
        webhooks="training-operator/manifests/base/webhook/manifests.yaml",
    ),
    # Its /readyz starts the server of the webhooks, also when they are off (pkg/controller/setup.go).
    "appwrapper": Program(("AppWrapper",), _app_wrapper, ready="/healthz"),
}
