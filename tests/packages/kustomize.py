"""deploy/kustomize: a base that says what the chart says."""

from __future__ import annotations

import os

import yaml

from packages.artefacts import Artefacts
from packages.chart import SOURCE, Document, of_kind
from packages.parts import ROOT, run

FOLDER = ROOT / "deploy/kustomize"
_BASE = FOLDER / "base"
_HEADER = "# Rendered from deploy/chart/fedra by FEDRA_WRITE_DOCS=1 tests/packages/run.py --only kustomize-base\n"
_OF_HELM = ("app.kubernetes.io/managed-by", "helm.sh/chart")


def base(built: Artefacts) -> None:
    """With FEDRA_WRITE_DOCS=1 it is written."""
    command = [built.helm, "template", "fedra", SOURCE, "--namespace=fedra-system"]
    # What helm remarks on stderr about the links to deploy/ is no YAML.
    text = run("sh", "-c", '"$@" 2>/dev/null', "sh", *command, "--set=image.repository=fedra")
    documents = [each for each in yaml.safe_load_all(text) if each is not None]
    objects = [_of_base(each) for each in documents if each["kind"] not in ("ConfigMap", "Pod")]
    configuration = of_kind(documents, "ConfigMap")["data"]["fedra.yaml"]
    manifests = yaml.safe_dump_all(objects, sort_keys=False, width=120)
    _same("kubernetes.yaml", _HEADER + manifests)
    _same("fedra.yaml", configuration)


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


def _same(name: str, text: str) -> None:
    path = _BASE / name
    if os.environ.get("FEDRA_WRITE_DOCS"):
        path.write_text(text)
    assert path.read_text() == text, f"{path} is not what the chart renders: {_HEADER}"
