"""deploy/kustomize: a base, a worker and components that say what the chart and deploy/*.yaml say."""

from __future__ import annotations

import json
import operator
import os
import re
import shutil
import tempfile
from pathlib import Path

import yaml

from packages.artefacts import Artefacts
from packages.chart import SOURCE, Document, of_kind
from packages.parts import ROOT, Skip, run
from real import tools as real_tools

FOLDER = ROOT / "deploy/kustomize"
_AGAIN = "by `make manifests`"
_HEADER = f"# Rendered from deploy/chart/fedra {_AGAIN}\n"
# Component -> the value that makes the chart render its object, and the object's kind.
_COMPONENTS = {
    "network-policy": ("networkPolicy.enabled", "NetworkPolicy"),
    "disruption-budget": ("podDisruptionBudget.enabled", "PodDisruptionBudget"),
    "service-monitor": ("metrics.serviceMonitor.enabled", "ServiceMonitor"),
    "alerts": ("metrics.rules.enabled", "PrometheusRule"),
}
_REPLICAS = "two-replicas"
_HEALTH = "health-port"
_SECURE = "secure-api"
_ROTATION = "token-rotation"
_FLOWS = "flow-schemas"
_LEADER = "--set=config.highAvailability.enabled=true"
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
    for name, (value, kind) in _COMPONENTS.items():
        found = _of_base(of_kind(_rendered(built, f"--set={value}=true"), kind))
        _write_component(name, "kubernetes.yaml", [found])
    two = _two_replicas(built)
    probed = _health_port(built)
    secured = _secure_api(built)
    _write_component(_ROTATION, "kubernetes.yaml", _rotation(built))
    _write_component(_FLOWS, "kubernetes.yaml", _flow_schemas(built))
    lists = (_REPLICAS, _HEALTH, _SECURE, _ROTATION, _FLOWS)
    written = {path.name for path in (FOLDER / "components").iterdir()}
    assert written == {*_COMPONENTS, *lists, *_worker_components()}, written
    documents = _with_components(*_COMPONENTS, *lists)
    kinds = {each["kind"] for each in documents}
    further = {"CronJob", "RoleBinding", "FlowSchema"}
    assert {*(kind for _, kind in _COMPONENTS.values()), *further} <= kinds, kinds
    _compare_replicas(two)
    _compare_health(probed)
    _compare_secure(secured)


def _write_component(name: str, file: str, documents: list[Document]) -> None:
    header = f"# Rendered from deploy/chart/fedra {_AGAIN}\n"
    _same(FOLDER / "components" / name / file, header + _manifests(documents))


def _two_replicas(built: Artefacts) -> list[Document]:
    """What the chart renders for two pods; what differs from one pod is written."""
    one = _of_base(of_kind(_rendered(built), "StatefulSet"))
    documents = [_of_base(each) for each in _rendered(built, _LEADER)]
    two = of_kind(documents, "StatefulSet")
    affinity = two["spec"]["template"]["spec"]["affinity"]
    changed = {"replicas": two["spec"]["replicas"], "template": {"spec": {"affinity": affinity}}}
    head = {key: two[key] for key in ("apiVersion", "kind")}
    patch = {**head, "metadata": {"name": two["metadata"]["name"]}, "spec": changed}
    _write_component(_REPLICAS, "stateful-set.yaml", [patch])
    assert one["spec"].keys() == two["spec"].keys(), "a key that no patch brings"
    before = {_key(each) for each in _rendered(built)}
    further = [each for each in documents if _key(each) not in before]
    _write_component(_REPLICAS, "kubernetes.yaml", further)
    return documents


def _health_port(built: Artefacts) -> Document:
    """The pod that the chart renders for a port of the probes' own; what differs from the base is written."""
    one = _container(_of_base(of_kind(_rendered(built), "StatefulSet")))
    stateful = _of_base(of_kind(_rendered(built, "--set=health.enabled=true"), "StatefulSet"))
    other = _container(stateful)
    changed: Document = {"name": other["name"]}
    changed["ports"] = [each for each in other["ports"] if each not in one["ports"]]
    for key in (key for key in other if key.endswith("Probe")):
        changed[key] = {"httpGet": {"port": other[key]["httpGet"]["port"]}}
    head = {key: stateful[key] for key in ("apiVersion", "kind")}
    template = {"template": {"spec": {"containers": [changed]}}}
    patch = {**head, "metadata": {"name": stateful["metadata"]["name"]}, "spec": template}
    _write_component(_HEALTH, "stateful-set.yaml", [patch])
    return other


def _compare_health(rendered: Document) -> None:
    """Base and component are what the chart renders, and the file needs what the component's comment says."""
    ours = _container(of_kind(_with_components(_HEALTH), "StatefulSet"))
    by_name = operator.itemgetter("name")
    assert sorted(ours.pop("ports"), key=by_name) == sorted(rendered.pop("ports"), key=by_name)
    assert ours == rendered, f"{ours} for {rendered}"
    comment = (FOLDER / "components" / _HEALTH / "kustomization.yaml").read_text()
    assert '"0.0.0.0:8081"' in comment, comment


def _secure_api(built: Artefacts) -> list[Document]:
    """What the chart renders with secureApi; rights, and the port of pod and Service, are written."""
    plain = _rendered(built)
    documents = [_of_base(each) for each in _rendered(built, "--set=secureApi.enabled=true")]
    before = {_key(each) for each in plain}
    further = [each for each in documents if _key(each) not in before]
    _write_component(_SECURE, "kubernetes.yaml", further)
    container = _container(of_kind(documents, "StatefulSet"))
    ports = _https(container["ports"])
    template = {"template": {"spec": {"containers": [{"name": container["name"], "ports": ports}]}}}
    _write_component(_SECURE, "stateful-set.yaml", [_patch(documents, "StatefulSet", template)])
    listed = _https(of_kind(documents, "Service")["spec"]["ports"])
    _write_component(_SECURE, "service.yaml", [_patch(documents, "Service", {"ports": listed})])
    return documents


def _https(ports: list[Document]) -> list[Document]:
    return [each for each in ports if each["name"] == "https"]


def _patch(documents: list[Document], kind: str, spec: Document) -> Document:
    found = of_kind(documents, kind)
    head = {key: found[key] for key in ("apiVersion", "kind")}
    return {**head, "metadata": {"name": found["metadata"]["name"]}, "spec": spec}


def _compare_secure(rendered: list[Document]) -> None:
    """Base and component are what the chart renders, and the file needs what the component's comment says."""
    ours = _with_components(_SECURE)
    by_name = operator.itemgetter("name")
    for documents in (ours, rendered):
        for ports in _ports(documents):
            ports.sort(key=by_name)
    assert _ports(ours) == _ports(rendered), _ports(ours)
    for kind in ("ClusterRole", "ClusterRoleBinding"):
        assert _all_of(ours, kind) == _all_of(rendered, kind), kind
    comment = (FOLDER / "components" / _SECURE / "kustomization.yaml").read_text()
    line = re.search(r"^#   (api: .*)$", comment, re.MULTILINE)
    settings = yaml.safe_load(of_kind(rendered, "ConfigMap")["data"]["fedra.yaml"])
    assert line is not None and yaml.safe_load(line[1])["api"] == settings["api"], comment


def _ports(documents: list[Document]) -> tuple[list[Document], list[Document]]:
    """Of the pod and of the Service."""
    container = _container(of_kind(documents, "StatefulSet"))
    return container["ports"], of_kind(documents, "Service")["spec"]["ports"]


def _container(stateful: Document) -> Document:
    (container,) = stateful["spec"]["template"]["spec"]["containers"]
    found: Document = container
    return found


def _key(document: Document) -> tuple[str, str]:
    return document["kind"], document["metadata"]["name"]


def _compare_replicas(rendered: list[Document]) -> None:
    """Base and component are what the chart renders, but for the name of the configuration's ConfigMap."""
    built = _with_components(_REPLICAS)
    name = of_kind(built, "ConfigMap")["metadata"]["name"]
    for kind in ("StatefulSet", "Role", "RoleBinding", "ClusterRole", "CustomResourceDefinition"):
        ours = json.dumps(_all_of(built, kind), sort_keys=True)
        theirs = json.dumps(_all_of(rendered, kind), sort_keys=True)
        assert ours.replace(f'"{name}"', '"fedra"') == theirs, f"{kind}: {ours} for {theirs}"
    # What the component's comment asks for is all that the chart writes into the file.
    settings = yaml.safe_load(of_kind(rendered, "ConfigMap")["data"]["fedra.yaml"])
    leader = {"enabled": True, "leaseNamespace": "fedra-system", "leaseName": "fedra"}
    assert settings["highAvailability"] == leader, "not the defaults of docs/configuration.md"


def _all_of(documents: list[Document], kind: str) -> list[Document]:
    return sorted((each for each in documents if each["kind"] == kind), key=_key)


def _rotation(built: Artefacts) -> list[Document]:
    """With the workers of the example."""
    configuration = yaml.safe_load((FOLDER / "example/fedra.yaml").read_text())
    names = [worker["name"] for worker in configuration["workers"]]
    workers = [{"name": each, "secretName": f"fedra-worker-{each}"} for each in names]
    options = ("--set=tokenRotation.enabled=true", f"--set-json=workers={json.dumps(workers)}")
    documents = [_of_base(each) for each in _rendered(built, *options)]
    return [each for each in documents if each["metadata"]["name"] == "fedra-rotate"]


def _flow_schemas(built: Artefacts) -> list[Document]:
    documents = [_of_base(each) for each in _rendered(built, "--set=flowSchemas.enabled=true")]
    return [each for each in documents if each["kind"] == "FlowSchema"]


def _with_components(*names: str) -> list[Document]:
    with tempfile.TemporaryDirectory(dir=FOLDER, prefix=".all-") as folder:
        listed = [f"../components/{name}" for name in names]
        overlay = {"resources": ["../base"], "components": listed}
        (Path(folder) / "kustomization.yaml").write_text(yaml.safe_dump(overlay))
        return _built(Path(folder))


def example(_: Artefacts) -> None:
    """A copy elsewhere can be built, as it is and with all that stands in it as comments."""
    with tempfile.TemporaryDirectory(prefix="fedra-kustomize-") as folder:
        copy = Path(folder) / "kustomize"
        shutil.copytree(FOLDER, copy)
        as_it_is = _kinds(copy)
        assert "MutatingAdmissionPolicy" in as_it_is and "CronJob" not in as_it_is, as_it_is
        file = copy / "example/kustomization.yaml"
        head, begin, tail = file.read_text().partition("\npatches:\n")
        # What is a sentence stays a comment.
        tail = re.sub(r"^# (?=- |  |components:)", "", tail, flags=re.MULTILINE)
        file.write_text(head + begin + tail)
        kinds = _kinds(copy)
        assert "CronJob" in kinds, kinds
        assert not {kind for kind in kinds if kind.startswith("MutatingAdmissionPolicy")}, kinds


def component_patches(_: Artefacts) -> None:
    """What the comments of two components say to patch, onto both and the port that they name."""
    patches = [
        yaml.safe_load(re.sub("^#   ?", "", _patch_told(name), flags=re.MULTILINE))["patches"]
        for name in ("service-monitor", "network-policy")
    ]
    with tempfile.TemporaryDirectory(dir=FOLDER, prefix=".all-") as folder:
        names = (_SECURE, "service-monitor", "network-policy")
        overlay: Document = {
            "resources": ["../base"],
            "components": [f"../components/{name}" for name in names],
            "patches": sum(patches, []),
        }
        (Path(folder) / "kustomization.yaml").write_text(yaml.safe_dump(overlay))
        built = _built(Path(folder))
    (scraped,) = of_kind(built, "ServiceMonitor")["spec"]["endpoints"]
    assert (scraped["port"], scraped["scheme"]) == ("https", "https"), scraped
    assert scraped["port"] in {each["name"] for each in of_kind(built, "Service")["spec"]["ports"]}
    (let_in,) = of_kind(built, "NetworkPolicy")["spec"]["ingress"]
    ports = {each["name"] for each in _container(of_kind(built, "StatefulSet"))["ports"]}
    assert {each["port"] for each in let_in["ports"]} <= ports, let_in


def _patch_told(component: str) -> str:
    text = (FOLDER / "components" / component / "kustomization.yaml").read_text()
    told = re.search(r"^#   patches:\n(?:#   .*\n)+", text, re.MULTILINE)
    assert told is not None, f"{component} tells no patch"
    return told[0]


def _kinds(copy: Path) -> set[str]:
    return {each["kind"] for each in _built(copy / "example")}


def worker(_: Artefacts) -> None:
    """kustomize reads no file outside of its folder: the rights are copies, and the example has those it names."""
    _same(FOLDER / "worker/rights.yaml", _copy_of("worker-rbac.yaml"))
    for component, manifest in _worker_components().items():
        _same(FOLDER / "components" / component / "rights.yaml", _copy_of(manifest))
    built = _built(FOLDER / "example-worker")
    roles = {each["metadata"]["name"] for each in built if each["kind"] == "ClusterRole"}
    wanted = {
        "fedra-worker",
        "fedra-worker-writing",
        "fedra-worker-template-sync",
        "fedra-worker-logs",
    }
    assert roles == wanted, roles


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
        for name in ("checksum/configuration", "helm.sh/resource-policy"):
            annotations.pop(name, None)
        if not annotations:
            each.get("metadata", {}).pop("annotations", None)
    return document


def _same(path: Path, text: str) -> None:
    if os.environ.get("FEDRA_WRITE_DOCS"):
        path.write_text(text)
    assert path.read_text() == text, f"{path} is not what it is made from; it is written {_AGAIN}"
