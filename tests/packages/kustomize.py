"""deploy/kustomize: a base, a worker and components that say what the chart and deploy/*.yaml say."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import yaml

from packages.artefacts import Artefacts
from packages.chart import SOURCE, Document, of_kind
from packages.parts import ROOT, Skip, run
from real import tools as real_tools

FOLDER = ROOT / "deploy/kustomize"
_AGAIN = "by FEDRA_WRITE_DOCS=1 tests/packages/run.py --only"
_HEADER = f"# Rendered from deploy/chart/fedra {_AGAIN} kustomize-base\n"
# Component -> the value that makes the chart render its object, and the object's kind.
_COMPONENTS = {
    "network-policy": ("networkPolicy.enabled", "NetworkPolicy"),
    "disruption-budget": ("podDisruptionBudget.enabled", "PodDisruptionBudget"),
    "service-monitor": ("metrics.serviceMonitor.enabled", "ServiceMonitor"),
    "alerts": ("metrics.rules.enabled", "PrometheusRule"),
}
_OF_HELM = ("app.kubernetes.io/managed-by", "helm.sh/chart")


def base(built: Artefacts) -> None:
    """With FEDRA_WRITE_DOCS=1 it is written."""
    documents = _rendered(built)
    objects = [_of_base(each) for each in documents if each["kind"] not in ("ConfigMap", "Pod")]
    configuration = of_kind(documents, "ConfigMap")["data"]["fedra.yaml"]
    _same(FOLDER / "base/kubernetes.yaml", _HEADER + _manifests(objects))
    _same(FOLDER / "base/fedra.yaml", configuration)


def components(built: Artefacts) -> None:
    """What the chart has as options, and that all of them together can be put onto the base."""
    header = f"# Rendered from deploy/chart/fedra {_AGAIN} kustomize-components\n"
    for name, (value, kind) in _COMPONENTS.items():
        found = _of_base(of_kind(_rendered(built, f"--set={value}=true"), kind))
        _same(FOLDER / "components" / name / "kubernetes.yaml", header + _manifests([found]))
    written = {path.name for path in (FOLDER / "components").iterdir()}
    assert written == {*_COMPONENTS, *_worker_components()}, written
    with tempfile.TemporaryDirectory(dir=FOLDER, prefix=".all-") as folder:
        listed = [f"../components/{name}" for name in _COMPONENTS]
        overlay = {"resources": ["../base"], "components": listed}
        (Path(folder) / "kustomization.yaml").write_text(yaml.safe_dump(overlay))
        kinds = [each["kind"] for each in _built(Path(folder))]
    assert {kind for _, kind in _COMPONENTS.values()} <= set(kinds), kinds


def worker(_: Artefacts) -> None:
    """kustomize reads no file outside of its folder: the rights are copies, and the example has those it names."""
    _same(FOLDER / "worker/rights.yaml", _copy_of("worker-rbac.yaml"))
    for component, manifest in _worker_components().items():
        _same(FOLDER / "components" / component / "rights.yaml", _copy_of(manifest))
    built = _built(FOLDER / "example-worker")
    roles = {each["metadata"]["name"] for each in built if each["kind"] == "ClusterRole"}
    assert roles == {"fedra-worker", "fedra-worker-template-sync", "fedra-worker-logs"}, roles


def _built(folder: Path) -> list[Document]:
    """As `kubectl apply -k` would apply it."""
    try:
        kubectl = real_tools.build().program("kubectl")
    except real_tools.ToolsMissing as missing:
        raise Skip(str(missing)) from None
    return list(yaml.safe_load_all(run(kubectl, "kustomize", folder)))


def _worker_components() -> dict[str, str]:
    """Component -> the file of deploy/ that it is a copy of."""
    names = [path.name for path in (ROOT / "deploy").glob("worker-rbac-*.yaml")]
    return {f"worker-{name[len('worker-rbac-'):-len('.yaml')]}": name for name in sorted(names)}


def _copy_of(manifest: str) -> str:
    return (
        f"# A copy of deploy/{manifest}, {_AGAIN} kustomize-worker\n"
        + (ROOT / "deploy" / manifest).read_text()
    )


def _rendered(built: Artefacts, *values: str) -> list[Document]:
    command = [built.helm, "template", "fedra", SOURCE, "--namespace=fedra-system"]
    # What helm remarks on stderr about the links to deploy/ is no YAML.
    quiet = ("sh", "-c", '"$@" 2>/dev/null', "sh")
    text = run(*quiet, *command, "--set=image.repository=fedra", *values)
    return [each for each in yaml.safe_load_all(text) if each is not None]


def _manifests(objects: list[Document]) -> str:
    return yaml.safe_dump_all(objects, sort_keys=False, width=120)


def _of_base(document: Document) -> Document:
    """Without what is Helm's, and without a checksum of a ConfigMap whose name changes."""
    for each in (document, document["spec"].get("template", {}) if "spec" in document else {}):
        labels = each.get("metadata", {}).get("labels", {})
        for name in _OF_HELM:
            labels.pop(name, None)
        annotations = each.get("metadata", {}).get("annotations", {})
        annotations.pop("checksum/configuration", None)
        if not annotations:
            each.get("metadata", {}).pop("annotations", None)
    return document


def _same(path: Path, text: str) -> None:
    if os.environ.get("FEDRA_WRITE_DOCS"):
        path.write_text(text)
    assert (
        path.read_text() == text
    ), f"{path} is not what it is made from: {_AGAIN} kustomize-base kustomize-components kustomize-worker"
