"""The other kinds of jobs on real control planes: their CRDs, and what Kueue must be told of them.

scripted_operator.py plays the operators that are not to be real (operators.py).
"""

from __future__ import annotations

import dataclasses
import functools
import subprocess
from pathlib import Path
from typing import Any

import yaml

from real.tools import ToolsMissing
from scenarios import objects
from scenarios.kube_client import KubeClient
from scenarios.resources import RESOURCES, Object
from scenarios.waiting import eventually

_OTHER_VERSION = "v99"  # that no program knows

_BUILD = Path(__file__).parent / "build_kinds.sh"

_JOBSET = "jobset/config/components/crd/bases"
_TRAINING = "training-operator/manifests/base/crds"
_RAY = "kuberay/config/crd/bases"
_TRAINER = "trainer/manifests/base/crds/trainer.kubeflow.org"
_LWS = "lws/config/crd/bases"


@dataclasses.dataclass(frozen=True)
class _Installed:
    kind: str
    crd: str  # file below the folder of build_kinds.sh
    # In the configuration of Kueue, whose webhooks are named like its last part; None: no kind of jobs.
    framework: str | None


# MPIJob is the MPI operator's: the training operator has a CRD of that name too, with an older version only.
_INSTALLED = (
    _Installed("JobSet", f"{_JOBSET}/jobset.x-k8s.io_jobsets.yaml", "jobset.x-k8s.io/jobset"),
    _Installed(
        "MPIJob", "mpi-operator/manifests/base/kubeflow.org_mpijobs.yaml", "kubeflow.org/mpijob"
    ),
    _Installed("TFJob", f"{_TRAINING}/kubeflow.org_tfjobs.yaml", "kubeflow.org/tfjob"),
    _Installed(
        "PyTorchJob", f"{_TRAINING}/kubeflow.org_pytorchjobs.yaml", "kubeflow.org/pytorchjob"
    ),
    _Installed(
        "XGBoostJob", f"{_TRAINING}/kubeflow.org_xgboostjobs.yaml", "kubeflow.org/xgboostjob"
    ),
    _Installed("PaddleJob", f"{_TRAINING}/kubeflow.org_paddlejobs.yaml", "kubeflow.org/paddlejob"),
    _Installed("JAXJob", f"{_TRAINING}/kubeflow.org_jaxjobs.yaml", "kubeflow.org/jaxjob"),
    _Installed("RayCluster", f"{_RAY}/ray.io_rayclusters.yaml", "ray.io/raycluster"),
    _Installed("RayJob", f"{_RAY}/ray.io_rayjobs.yaml", "ray.io/rayjob"),
    _Installed("RayService", f"{_RAY}/ray.io_rayservices.yaml", "ray.io/rayservice"),
    # Before TrainJob: its integration looks for them at the start.
    _Installed("TrainingRuntime", f"{_TRAINER}_trainingruntimes.yaml", None),
    _Installed("ClusterTrainingRuntime", f"{_TRAINER}_clustertrainingruntimes.yaml", None),
    _Installed("TrainJob", f"{_TRAINER}_trainjobs.yaml", "trainer.kubeflow.org/trainjob"),
    _Installed(
        "AppWrapper",
        "appwrapper/config/crd/bases/workload.codeflare.dev_appwrappers.yaml",
        "workload.codeflare.dev/appwrapper",
    ),
    _Installed(
        "SparkApplication",
        "spark-operator/config/crd/bases/sparkoperator.k8s.io_sparkapplications.yaml",
        "sparkoperator.k8s.io/sparkapplication",
    ),
    # LeaderWorkerSet's operator runs these, too.
    _Installed(
        "DisaggregatedSet", f"{_LWS}/disaggregatedset.x-k8s.io_disaggregatedsets.yaml", None
    ),
    _Installed(
        "LeaderWorkerSet",
        f"{_LWS}/leaderworkerset.x-k8s.io_leaderworkersets.yaml",
        "leaderworkerset.x-k8s.io/leaderworkerset",
    ),
)

# Of the cluster itself, without CRDs and operators of their own.
_BUILT_IN = {"Pod": "pod", "Deployment": "deployment", "StatefulSet": "statefulset"}

KINDS = tuple(each.kind for each in _INSTALLED if each.framework is not None)
FRAMEWORKS = (
    *(each.framework for each in _INSTALLED if each.framework is not None),
    *_BUILT_IN.values(),
)
# Integrations that are alpha, of every release of Kueue that is tried.
GATES = {"SparkApplicationIntegration": True}
WEBHOOK_KINDS = tuple(kind.lower() for kind in (*KINDS, *_BUILT_IN))


@functools.cache
def sources() -> Path:
    """The folder with the operators' modules."""
    result = subprocess.run([str(_BUILD)], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise ToolsMissing(f"{_BUILD.name} failed; its message is above")
    return Path(result.stdout.splitlines()[-1])


class KindCrds:
    """Read once and applied to every cluster. The clusters may be different threads' after the constructor."""

    def __init__(self) -> None:
        self._crds = {each.kind: _read(sources() / each.crd) for each in _INSTALLED}

    def install(self, client: KubeClient) -> None:
        for each in _INSTALLED:
            self.install_one(client, each.kind)

    def install_one(self, client: KubeClient, kind: str) -> None:
        """Returns when the kind is served."""
        crd = self._crds[kind]
        name = crd["metadata"]["name"]
        eventually(
            f"CRD {name} of before is gone",
            lambda: not objects.is_going(client.find("CustomResourceDefinition", None, name)),
            60,
        )
        # An apply would keep books of every field: seconds for each CRD.
        client.create(crd)
        eventually(
            f"CRD {name} established",
            lambda: objects.is_true(
                client.get("CustomResourceDefinition", None, name), "Established"
            ),
            60,
        )

    def remove(self, client: KubeClient, kind: str) -> None:
        """With every object of the kind. Returns when it is served no more."""
        client.delete("CustomResourceDefinition", None, str(self._crds[kind]["metadata"]["name"]))
        path = RESOURCES[kind].path(None)
        eventually(f"{kind} is not served", lambda: _is_missing(client, path), 60)

    def change_version(self, client: KubeClient, kind: str) -> None:
        """Serves the kind in another version alone. The objects stay. Returns when that is so."""
        known = self._crds[kind]["spec"]["versions"]
        served = RESOURCES[kind].api_version.partition("/")[2]
        other = next(each for each in known if each["name"] == served)
        renamed = {**other, "name": _OTHER_VERSION, "served": True, "storage": False}
        self._serve(client, kind, [*({**each, "served": False} for each in known), renamed])
        path = RESOURCES[kind].path(None)
        eventually(f"{kind} is not served", lambda: _is_missing(client, path), 60)

    def restore_version(self, client: KubeClient, kind: str) -> None:
        """Takes that back. Returns when the kind is served as before."""
        self._serve(client, kind, self._crds[kind]["spec"]["versions"])
        path = RESOURCES[kind].path(None)
        eventually(f"{kind} is served", lambda: not _is_missing(client, path), 60)

    def _serve(self, client: KubeClient, kind: str, versions: list[Object]) -> None:
        name = str(self._crds[kind]["metadata"]["name"])
        client.patch("CustomResourceDefinition", None, name, {"spec": {"versions": versions}})


def _read(file: Path) -> Object:
    crd: Object = yaml.load(file.read_text(), yaml.CSafeLoader)
    crd["metadata"].pop("creationTimestamp", None)
    crd.pop("status", None)
    for version in crd["spec"]["versions"]:
        _strip(version["schema"]["openAPIV3Schema"])
    return crd


def _strip(schema: Any) -> None:
    """Takes out the texts: two thirds of a schema, and API servers read it many times."""
    if isinstance(schema, list):
        for each in schema:
            _strip(each)
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            del schema["description"]
        for each in schema.values():
            _strip(each)


def _is_missing(client: KubeClient, path: str) -> bool:
    try:
        client.call("GET", path)
    except RuntimeError as error:
        return getattr(error, "status", None) == 404
    return False
