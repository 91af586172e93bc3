"""The Helm chart without a cluster: lint, values, what it renders, and that rendering run as a kubelet would."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from packages import bundle
from packages.artefacts import Artefacts
from packages.bundle import STORE, USER, Bundle
from packages.parts import ROOT, run
from packages.traced_thread import held
from scenarios.fleet import MANAGER
from scenarios.kubeconfig import Access
from scenarios.process import free_ports
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import eventually

Document = dict[str, Any]

SOURCE = ROOT / "deploy/chart/fedra"
CASES = sorted((SOURCE / "ci").glob("*-values.yaml"))
_README = ROOT / "README.md"
PROGRAM = ROOT / "build/release/manager/fedra"
_LIMIT = 4  # seconds in which every part of the daemon must get something done
MINIMAL = SOURCE / "ci/minimal-values.yaml"

_DEFINITION = "CustomResourceDefinition"

# Arguments -> what helm must say, with the path of what is wrong.
_WRONG = {
    "--set=replicas=2": "at '': additional properties 'replicas' not allowed",
    "--set=image.repositry=x": "at '/image': additional properties 'repositry' not allowed",
    "--set-string=http.port=80": "at '/http/port': got string, want integer",
    "--set=http.port=80": "at '/http/port': minimum: got 80, want 1,024",
    "--set=persistence.enabled=yes": "at '/persistence/enabled': got string, want boolean",
    "--set-json=workers=[{\"name\":\"a\"}]": "at '/workers/0': missing property 'secretName'",
    "--set-json=workers=[{\"name\":\"A\",\"secretName\":\"a\"}]": "at '/workers/0/name': 'A' does not match",
    "--set-json=workers=[{\"name\":\"a\",\"secretName\":\"a\",\"kubeconfig\":\"x\"}]": "at '/workers/0': additional",
    "--set=config.workers=x": "at '/config': additional properties 'workers' not allowed",
    "--set=config.store.path=x": "at '/config/store': additional properties 'path' not allowed",
    "--set=config.dispatch.policy=worst": "at '/config/dispatch/policy': value must be one of 'best', 'race'",
    "--set=config.dispatch.admissionTimeout=2": "at '/config/dispatch/admissionTimeout': got number, want string",
    "--set=config.dispatch.backfill.maxPasses=200000": "at '/config/dispatch/backfill/maxPasses': maximum",
    "--set=image.repository=": "image.repository: where is the image",
    "--kube-version=1.35.0": "managedByPolicy.enabled: needs Kubernetes 1.36",
    "--kube-version=1.31.0": "chart requires kubeVersion: >=1.32.0-0",
    "--set=serviceAccount.create=false": "serviceAccount.name: which account",
    "--set=tokenRotation.enabled=true": "tokenRotation.enabled: no worker has the Secret fedra-worker-NAME",
    "--set-json=metrics={\"serviceMonitor\":{\"enabled\":true,\"secure\":true}}": "secure: needs secureApi.enabled",
    "--set=http.address=127.0.0.1": "http.address: no kubelet can ask",
    "--set-json=http={\"address\":\"[::1]\"}": "http.address: no kubelet can ask",
    "--set=health.enabled=true,health.address=127.0.0.1": "health.address: no kubelet can ask",
    "--set-json=http={\"address\":\"127.0.0.1\"},health={\"enabled\":true},metrics={\"serviceMonitor\":{\"enabled\":true}}": "http.address is on loopback",
    "--set-json=secureApi={\"enabled\":true},metrics={\"serviceMonitor\":{\"enabled\":true,\"secure\":true}}": "tlsConfig: how is the",
    "--set=tokenRotation.enabled=true,tokenRotation.serviceAccount.create=false,workers[0].name=a,workers[0].secretName=fedra-worker-a": "tokenRotation.serviceAccount.name: which account",
    "--set=tokenRotation.tokenLifetime=ever": "at '/tokenRotation/tokenLifetime': 'ever' does not match",
}  # fmt: skip


def render(built: Artefacts, *arguments: object, namespace: str = "fedra-system") -> list[Document]:
    """The objects of a release called fedra. Fails with what helm says."""
    command = [built.helm, "template", "fedra", built.chart, f"--namespace={namespace}"]
    text = run(*command, *arguments)
    warnings = re.findall(r"^(?:W|level=W|Warn|WARN).*$", text, re.MULTILINE)
    assert not warnings, warnings
    return [document for document in yaml.safe_load_all(text) if document is not None]


def of_kind(documents: list[Document], kind: str) -> Document:
    found = [document for document in documents if document["kind"] == kind]
    assert len(found) == 1, f"{len(found)} of kind {kind}"
    return found[0]


def lint(built: Artefacts) -> None:
    assert len(CASES) >= 5, CASES
    for case in CASES:
        text = run(built.helm, "lint", "--strict", built.chart, "--values", case)
        assert "1 chart(s) linted, 0 chart(s) failed" in text, text
        documents = render(built, "--values", case)
        kinds = {document["kind"] for document in documents}
        assert {"StatefulSet", "ConfigMap", "Service", "Pod"} <= kinds, kinds
        _check_names(documents)
        text = case.read_text()
        _check_accounts(documents, set(re.findall(r"create: false, name: (\w+)", text)))
        for pod in filter(None, map(_pod_of, documents)):
            # A namespace with a ResourceQuota refuses a container without.
            for container in pod["containers"]:
                given = container["resources"]
                assert {"cpu", "memory"} <= given["requests"].keys(), container["name"]
                assert "memory" in given["limits"], container["name"]


def long_names(built: Artefacts) -> None:
    """Objects whose names, with what controllers append to them, must not be longer than a label or a DNS name."""
    replicated = SOURCE / "ci/replicated-values.yaml"
    documents = render(built, "--values", replicated, f"--set=fullnameOverride={'n' * 70}")
    for kind in ("StatefulSet", "CronJob"):
        name = of_kind(documents, kind)["metadata"]["name"]
        assert len(name) == 52, f"{kind}: {len(name)}"
    _check_accounts(documents, set())


def _check_accounts(documents: list[Document], given: set[str]) -> None:
    """Every pod's account is one of the release's, or one that the values name."""
    made = {each["metadata"]["name"] for each in documents if each["kind"] == "ServiceAccount"}
    pods = list(filter(None, map(_pod_of, documents)))
    used = {pod.get("serviceAccountName", "default") for pod in pods}
    assert used <= made | given | {"default"}, f"{used} of {made}"
    subjects = [each["subjects"] for each in documents if each["kind"].endswith("RoleBinding")]
    bound = {subject["name"] for each in subjects for subject in each}
    assert bound <= made | given, f"{bound} of {made}"


def _pod_of(document: Document) -> Document | None:
    match document:
        case {"kind": "Pod", "spec": pod}:
            return pod
        case {"kind": "StatefulSet", "spec": {"template": {"spec": pod}}}:
            return pod
        case {"spec": {"jobTemplate": {"spec": {"template": {"spec": pod}}}}}:
            return pod
    return None


def _check_names(documents: list[Document]) -> None:
    """No object twice, and every one says whose it is."""
    keys = [
        (each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"])
        for each in documents
    ]
    assert len(keys) == len(set(keys)), keys
    for each in documents:
        labels = each["metadata"].get("labels", {})
        extra = each["metadata"]["name"] == "fedra-extra"
        assert labels.get("app.kubernetes.io/instance") == "fedra" or extra, each["metadata"]


def values(built: Artefacts) -> None:
    """What is wrong is refused with its path; each key is explained in values.yaml; the schema is that of the program."""
    run(ROOT / "scripts/chart_schema.py", "--check")
    run(ROOT / "scripts/chart_readme.py", "--check")
    assert "README.md" in run("tar", "-tf", built.chart), "values.yaml points to it"
    schema = json.loads((SOURCE / "values.schema.json").read_text())
    documented = yaml.safe_load((SOURCE / "values.yaml").read_text())
    assert documented.keys() | {"global"} == schema["properties"].keys()
    limit = documented["resources"]["limits"]["memory"].removesuffix("Gi")
    sizing = (ROOT / "docs/operations.md").read_text()
    assert f"The chart's limit is {limit} GiB" in sizing, f"limit: {limit}Gi"
    for argument, message in _WRONG.items():
        # Of two the later one counts.
        command = ["template", "fedra", built.chart, "--values", MINIMAL, argument]
        text = run(built.helm, *command, code=1)
        assert message in text, f"{argument}: {text}"
    # What README.md says of an older manager.
    without = re.search(
        r"before 1\.36\n`helm install` also takes `(--set \S+)`", _README.read_text()
    )
    assert without is not None, _README
    render(built, "--values", MINIMAL, "--kube-version=1.32.0", *without[1].split())


def configuration(built: Artefacts) -> None:
    """The daemon takes what is rendered: names of keys, and types, also after Helm's own reading and writing."""
    folder = Path(tempfile.mkdtemp(prefix="fedra-chart-"))
    try:
        for case in CASES:
            documents = [
                each
                for each in render(built, "--values", case)
                if each["kind"] == "ConfigMap" and "fedra.yaml" in each["data"]
            ]
            (folder / "fedra.yaml").write_text(documents[0]["data"]["fedra.yaml"])
            run(PROGRAM, "config", "view", "--config", folder / "fedra.yaml")
    finally:
        shutil.rmtree(folder)


def reproducible(built: Artefacts) -> None:
    folder = Path(tempfile.mkdtemp(prefix="fedra-chart-"))
    try:
        elsewhere = ["sh", "-c", 'umask 077; cd /; exec "$@"', "sh"]
        command = [*elsewhere, str(ROOT / "scripts/build_chart.py"), "--folder", str(folder)]
        environment = {**os.environ, "TZ": "Pacific/Auckland"}
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        again = folder / built.chart.name
        assert again.read_bytes() == built.chart.read_bytes(), "another chart"
    finally:
        shutil.rmtree(folder)


def rights(built: Artefacts) -> None:
    """Those of deploy/ for the mode, and none where the manager is another cluster."""
    wanted = _of_deploy("manager-rbac.yaml", "ClusterRole")["rules"]
    documents = render(built, "--values", MINIMAL)
    assert of_kind(documents, "ClusterRole")["rules"] == wanted
    account = of_kind(documents, "ClusterRoleBinding")["subjects"]
    pod = of_kind(documents, "StatefulSet")["spec"]["template"]["spec"]
    name = pod["serviceAccountName"]
    assert account == [{"kind": "ServiceAccount", "name": name, "namespace": "fedra-system"}]
    assert pod["automountServiceAccountToken"] is True
    for mode, files in {
        "dispatcher": ["dispatcher-manager-rbac.yaml"],
        "multikueue": ["manager-rbac.yaml", "manager-rbac-multikueue.yaml"],
    }.items():
        of_mode = render(built, "--values", MINIMAL, f"--set=config.kueue.mode={mode}")
        rules = [each["rules"] for each in of_mode if each["kind"] == "ClusterRole"]
        assert rules == [_of_deploy(file, "ClusterRole")["rules"] for file in files], mode
    pods = render(built, "--values", MINIMAL, "--set=config.kueue.pods=true")
    further = _of_deploy("manager-rbac-pods.yaml", "ClusterRole")["rules"]
    assert of_kind(pods, "ClusterRole")["rules"] == wanted + further
    # The release is called as the file's objects.
    assert _policies(documents) == _policies(_documents("managed-by-policy.yaml"))
    documents = render(built, "--values", SOURCE / "ci/manager-elsewhere-values.yaml")
    kinds = {document["kind"] for document in documents}
    assert not kinds & {"ClusterRole", "ClusterRoleBinding", "MutatingAdmissionPolicy"}, kinds
    pod = of_kind(documents, "StatefulSet")["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    for case in CASES:
        by_others = render(built, "--values", case, "--set=rbac.create=false")
        kinds = {document["kind"] for document in by_others}
        assert not kinds & {"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}, case


def replicas(built: Artefacts) -> None:
    """Two pods where one may stand by, else one; a Lease in the release's namespace, and the rights to it."""
    plain = render(built, "--values", MINIMAL)
    one = of_kind(plain, "StatefulSet")["spec"]
    assert one["replicas"] == 1
    # It notices another fedra by the same Lease.
    assert of_kind(plain, "Role")["metadata"]["namespace"] == "fedra-system"
    more = "--set=config.highAvailability.enabled=true"
    documents = render(built, "--values", MINIMAL, more, namespace="batch")
    stateful = of_kind(documents, "StatefulSet")["spec"]
    assert stateful["replicas"] == 2
    # An API server lets nobody change it, so that the second pod could not be added to the first.
    assert one["podManagementPolicy"] == stateful["podManagementPolicy"] == "Parallel"
    assert "podAntiAffinity" in stateful["template"]["spec"]["affinity"]
    settings = yaml.safe_load(of_kind(documents, "ConfigMap")["data"]["fedra.yaml"])
    wanted = {"enabled": True, "leaseNamespace": "batch", "leaseName": "fedra"}
    assert settings["highAvailability"] == wanted
    roles = {each["metadata"]["name"]: each for each in documents if each["kind"] == "Role"}
    assert {each["metadata"]["namespace"] for each in roles.values()} == {"batch"}
    for name, file in {
        "fedra-leader": "manager-rbac.yaml",
        "fedra-replicas": "manager-rbac-replicas.yaml",
    }.items():
        assert roles[name]["rules"] == _of_deploy(file, "Role")["rules"], name
    elsewhere = render(built, "--values", SOURCE / "ci/manager-elsewhere-values.yaml", more)
    assert of_kind(elsewhere, "StatefulSet")["spec"]["replicas"] == 2
    assert not {"Role", _DEFINITION} & {document["kind"] for document in elsewhere}


def placement_records(built: Artefacts) -> None:
    """The definition of deploy/ and the rights to the records, where there are two pods."""
    plain = render(built, "--values", MINIMAL)
    assert _DEFINITION not in {document["kind"] for document in plain}
    more = "--set=config.highAvailability.enabled=true"
    documents = render(built, "--values", MINIMAL, more)
    (wanted,) = _documents("placement-records.yaml")
    definition = of_kind(documents, _DEFINITION)
    assert definition["spec"] == wanted["spec"]
    # Neither the release's end nor one pod in place of two deletes everybody's records.
    assert definition["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}, definition
    rules = [each["rules"] for each in documents if each["kind"] == "ClusterRole"]
    assert _of_deploy("manager-rbac-replicas.yaml", "ClusterRole")["rules"] in rules
    # The release is called as the file's account.
    bindings = [each for each in documents if each["kind"] in ("ClusterRoleBinding", "RoleBinding")]
    for found in _documents("manager-rbac-replicas.yaml"):
        if found["kind"] in ("ClusterRoleBinding", "RoleBinding"):
            assert found["subjects"] in [each["subjects"] for each in bindings], found
    there = render(built, "--values", MINIMAL, more, "--set=placementRecords.create=false")
    assert _DEFINITION not in {document["kind"] for document in there}


def flow_schemas(built: Artefacts) -> None:
    """Those of deploy/, for the release's account and Lease; none unless asked for, and none for a manager elsewhere."""
    chosen = "--set=flowSchemas.enabled=true"
    # The release is called as the file's account.
    found = _flow_schemas(render(built, "--values", MINIMAL, chosen))
    assert found == _flow_schemas(_documents("flow-schemas.yaml")) and len(found) == 2, found
    more = ("--set=serviceAccount.name=federation", "--set=fullnameOverride=second")
    named = _flow_schemas(render(built, "--values", MINIMAL, chosen, *more, namespace="batch"))
    assert [name for name, _ in named] == ["second", "second-leader-election"], named
    rules = [rule for _, spec in named for rule in spec["rules"]]
    account = {"name": "federation", "namespace": "batch"}
    wanted = [{"kind": "ServiceAccount", "serviceAccount": account}]
    assert [rule["subjects"] for rule in rules] == [wanted, wanted], rules
    places = [rule["resourceRules"][0]["namespaces"] for rule in rules]
    assert places == [["*"], ["batch"]], rules
    elsewhere = SOURCE / "ci/manager-elsewhere-values.yaml"
    for without in (("--values", MINIMAL), ("--values", elsewhere, chosen)):
        assert not _flow_schemas(render(built, *without)), without


def _flow_schemas(documents: list[Document]) -> list[tuple[str, Document]]:
    """Name and spec."""
    found = [each for each in documents if each["kind"] == "FlowSchema"]
    return sorted((each["metadata"]["name"], each["spec"]) for each in found)


def discovery_rights(built: Artefacts) -> None:
    """Those of deploy/manager-rbac-discovery.yaml where workers are discovered, and in Kueue's namespace."""
    file = "manager-rbac-discovery.yaml"
    chosen = ("--values", MINIMAL, "--set=config.workersFrom.multiKueueClusters=true")
    documents = render(built, *chosen)
    for kind in ("ClusterRole", "Role"):
        found = [each for each in documents if each["kind"] == kind]
        assert _of_deploy(file, kind)["rules"] in [each["rules"] for each in found], kind
    account = of_kind(documents, "StatefulSet")["spec"]["template"]["spec"]["serviceAccountName"]
    role, binding = _discovery(documents)
    assert {each["metadata"]["namespace"] for each in (role, binding)} == {"kueue-system"}
    assert binding["subjects"][0]["name"] == account
    elsewhere = render(built, *chosen, "--set=config.workersFrom.secretNamespace=queues")
    assert [each["metadata"]["namespace"] for each in _discovery(elsewhere)] == ["queues"] * 2
    named, _ = _discovery(
        render(built, *chosen, "--set=rbac.discoveredSecrets={gpu-east,gpu-west}")
    )
    assert named["rules"] == [{**role["rules"][0], "resourceNames": ["gpu-east", "gpu-west"]}]
    assert not _discovery(render(built, "--values", MINIMAL))


def secure_api(built: Artefacts) -> None:
    """Port, certificate, configuration, and the rights of deploy/, where secureApi is enabled; nothing of it elsewhere."""
    chosen = ("--values", MINIMAL, "--set=secureApi.enabled=true")
    documents = render(built, *chosen, "--set=secureApi.hosts={fedra.example}")
    secure = _secure_settings(documents)
    assert secure["address"] == "0.0.0.0:8443" and "certFile" not in secure, secure
    assert (
        "fedra.example" in secure["hosts"] and "fedra.fedra-system.svc" in secure["hosts"]
    ), secure
    ports = of_kind(documents, "Service")["spec"]["ports"]
    assert [(each["name"], each["port"]) for each in ports] == [("http", 9480), ("https", 8443)]
    roles = [each["rules"] for each in documents if each["kind"] == "ClusterRole"]
    assert _of_deploy("manager-rbac-secure-api.yaml", "ClusterRole")["rules"] in roles
    assert all(viewer["rules"] in roles for viewer in _documents("viewer-rbac.yaml"))
    named = render(built, *chosen, "--set=secureApi.secretName=tls")
    assert _secure_settings(named)["keyFile"] == "tls/tls.key"
    volumes = of_kind(named, "StatefulSet")["spec"]["template"]["spec"]["volumes"]
    sources = next(each for each in volumes if each["name"] == "configuration")["projected"]
    assert "tls" in [each.get("secret", {}).get("name") for each in sources["sources"]], sources
    assert _secure_settings(render(built, "--values", MINIMAL)) == {}


def health_port(built: Artefacts) -> None:
    """Where it is enabled kubelets ask there, and metrics may stay on loopback; elsewhere nothing of it."""
    plain = render(built, "--values", MINIMAL)
    assert _probed(plain) == ({"http"}, {"http": 9480})
    chosen = ("--set=health.enabled=true", "--set=http.address=127.0.0.1")
    documents = render(built, "--values", MINIMAL, *chosen)
    assert _probed(documents) == ({"health"}, {"http": 9480, "health": 8081})
    settings = yaml.safe_load(of_kind(documents, "ConfigMap")["data"]["fedra.yaml"])
    assert settings["http"] == {"address": "127.0.0.1:9480", "health": "0.0.0.0:8081"}, settings
    # Nobody but kubelets, who need no Service, asks there.
    ports = of_kind(documents, "Service")["spec"]["ports"]
    assert [each["name"] for each in ports] == ["http"], ports
    # The API over TLS is for others than the pod, wherever the pages are.
    secured = render(built, "--values", MINIMAL, *chosen, "--set=secureApi.enabled=true")
    assert _secure_settings(secured)["address"] == "0.0.0.0:8443", _secure_settings(secured)


def _probed(documents: list[Document]) -> tuple[set[str], dict[str, int]]:
    """The ports that the probes ask, and all that the container has."""
    pod = of_kind(documents, "StatefulSet")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    probes = [each for key, each in container.items() if key.endswith("Probe")]
    assert len(probes) == 3, container
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    return {each["httpGet"]["port"] for each in probes}, ports


def _secure_settings(documents: list[Document]) -> Document:
    settings = yaml.safe_load(of_kind(documents, "ConfigMap")["data"]["fedra.yaml"])
    secure: Document = settings.get("api", {}).get("secure", {})
    return secure


def profile_rights(built: Artefacts) -> None:
    """Those of deploy/manager-rbac-clusterprofiles.yaml, in each namespace of ClusterProfiles once, and no Secret with them."""
    rules = _of_deploy("manager-rbac-clusterprofiles.yaml", "Role")["rules"]
    chosen = (
        "--values",
        MINIMAL,
        "--set=config.workersFrom.accessProviders[0].name=acme",
        "--set=config.workersFrom.accessProviders[0].execConfig.command=/opt/acme",
        "--set=config.workersFrom.accessProviders[0].execConfig.apiVersion=client.authentication.k8s.io/v1",
    )
    alone = render(built, *chosen, "--set=config.workersFrom.clusterProfiles.namespace=fleet")
    assert _profile_namespaces(alone, rules) == ["fleet", "fleet"]
    assert not _discovery(alone)
    both = ("--set=config.workersFrom.multiKueueClusters=true", *chosen)
    named = render(built, *both)
    assert _profile_namespaces(named, rules) == ["kueue-system"] * 2
    together = render(built, *both, "--set=config.workersFrom.clusterProfiles.namespace=fleet")
    assert _profile_namespaces(together, rules) == ["kueue-system"] * 2 + ["fleet"] * 2
    same = render(built, *both, "--set=config.workersFrom.clusterProfiles.namespace=kueue-system")
    assert _profile_namespaces(same, rules) == ["kueue-system"] * 2


def _profile_namespaces(documents: list[Document], rules: list[Document]) -> list[str]:
    """Of the Roles and bindings for ClusterProfiles, as they are rendered."""
    found = [each for each in documents if each["metadata"]["name"].endswith("-clusterprofiles")]
    assert all(each["rules"] == rules for each in found if each["kind"] == "Role")
    return sorted(
        (each["metadata"]["namespace"] for each in found), key=lambda ns: ns != "kueue-system"
    )


def _discovery(documents: list[Document]) -> list[Document]:
    """Role and binding in the namespace of Kueue's Secrets."""
    kinds = ("Role", "RoleBinding")
    return [
        each
        for each in documents
        if each["kind"] in kinds and each["metadata"]["name"].endswith("-kubeconfigs")
    ]


def monitoring(built: Artefacts) -> None:
    """Rules and dashboards of deploy/, unchanged by Helm's own braces, and the job that they look for."""
    documents = render(built, "--values", SOURCE / "ci/full-values.yaml")
    alerts = (ROOT / "deploy/alerts.yaml").read_text()
    there = alerts.replace("docs/runbooks.md", "https://docs.example.com/runbooks")
    assert "{{ $labels.cluster }}" in alerts and there != alerts
    assert of_kind(documents, "PrometheusRule")["spec"] == yaml.safe_load(there)
    plain = render(built, "--values", MINIMAL, "--set=metrics.rules.enabled=true")
    # Without an address there is no link, rather than one that leads nowhere.
    without = re.sub(r"^ *runbook_url: .*\n", "", alerts, flags=re.MULTILINE)
    assert of_kind(plain, "PrometheusRule")["spec"] == yaml.safe_load(without)
    maps = [each for each in documents if each["metadata"]["name"].endswith("-dashboards")]
    dashboards = {name: json.loads(text) for name, text in maps[0]["data"].items()}
    files = (ROOT / "deploy/grafana").glob("*.json")
    assert dashboards == {f"fedra-{each.name}": json.loads(each.read_text()) for each in files}
    assert len(dashboards) >= 4
    # The release of these values is called federation.
    job = {"targetLabel": "job", "replacement": "fedra-federation"}
    assert _endpoint(documents)["relabelings"] == [job], documents
    _check_secure_monitor(built)


def _check_secure_monitor(built: Artefacts) -> None:
    """Over TLS, verified, as somebody."""
    case = ("--values", SOURCE / "ci/secured-values.yaml")
    endpoint = _endpoint(render(built, *case))
    assert endpoint["port"] == endpoint["scheme"] == "https", endpoint
    authority = {"secret": {"name": "fedra-tls", "key": "ca.crt"}}
    wanted = {"serverName": "fedra.fedra-system.svc", "ca": authority}
    assert endpoint["tlsConfig"] == wanted, endpoint
    assert endpoint["bearerTokenFile"].endswith("/serviceaccount/token"), endpoint
    token = '{"credentials":{"name":"prometheus","key":"token"}}'
    other = _endpoint(
        render(built, *case, f"--set-json=metrics.serviceMonitor.authorization={token}")
    )
    assert "bearerTokenFile" not in other, other
    assert other["authorization"] == json.loads(token), other


def _endpoint(documents: list[Document]) -> Document:
    """Of the ServiceMonitor, which finds the Service and a port of it."""
    monitor, service = of_kind(documents, "ServiceMonitor")["spec"], of_kind(documents, "Service")
    labels = service["metadata"]["labels"]
    assert monitor["selector"]["matchLabels"].items() <= labels.items()
    ports = {port["name"] for port in service["spec"]["ports"]}
    (endpoint,) = monitor["endpoints"]
    assert endpoint["port"] in ports
    found: Document = endpoint
    return found


def restarts(built: Artefacts) -> None:
    """The pod changes with what the daemon reads at its start only."""

    def template(*arguments: str) -> Document:
        documents = render(built, "--values", MINIMAL, *arguments)
        return dict(of_kind(documents, "StatefulSet")["spec"]["template"])

    before = template()
    for key in ("logging.level=debug", "dispatch.removedWorkers=Drain"):
        assert template(f"--set=config.{key}") == before, f"restarted by {key}"
    for key in ("logging.format=json", "dispatch.policy=race", "workerLostTimeout=1h"):
        assert template(f"--set=config.{key}") != before, f"not restarted by {key}"


def runs(built: Artefacts) -> None:
    """What it renders, laid out as a kubelet would, works in the image: in the cluster, with workers from Secrets."""
    with bundle.simulated_fleet() as fleet:
        port = free_ports(1)[0]
        workers = [{"name": each, "secretName": f"of-{each}"} for each in fleet.workers]
        options = [f"--set-json=workers={json.dumps(workers)}", f"--set=http.port={port}"]
        documents = render(built, "--values", MINIMAL, *options)
        pod = of_kind(documents, "StatefulSet")["spec"]["template"]["spec"]
        _check_as_the_bundle(pod)
        with Bundle(built.image) as container:
            _lay_out(container, pod, _keys(documents, fleet))
            give_account(container, fleet.fedra_access(MANAGER))
            # Two minutes are too long to wait for.
            container.environment["WATCHDOG_USEC"] = str(_LIMIT * 1_000_000)
            container.start()
            try:
                _probe(pod, "readinessProbe", port)
                _probe(pod, "livenessProbe", port)
                test = of_kind(documents, "Pod")["spec"]["containers"][0]
                text = container.fedra(*test["args"])
                assert all(name in text for name in fleet.clusters), text
                status = container.fedra("status", "-o", "json")
                assert all(name in status for name in fleet.workers), status
                _hang(container, pod, port)
            except AssertionError as error:
                raise AssertionError(f"{error}\n{container.log.read_text()[-3000:]}") from None


def _check_as_the_bundle(pod: Document) -> None:
    """It asks for what the bundle is run with."""
    check_restricted(pod)
    container = pod["containers"][0]
    assert "command" not in container and "args" not in container, "the image knows what to run"
    mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    assert mounts == {"configuration": "/etc/fedra", "store": STORE, "tmp": "/tmp"}, mounts


def check_restricted(pod: Document) -> None:
    """The bundle is run with these restrictions."""
    wanted = {"runAsNonRoot": True, "runAsUser": USER, "runAsGroup": USER, "fsGroup": USER}
    assert wanted.items() <= pod["securityContext"].items(), pod["securityContext"]
    assert pod["containers"][0]["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def _keys(documents: list[Document], fleet: SimFleet) -> dict[str, dict[str, str]]:
    """Of each ConfigMap and Secret that the pod names, by the name of that."""
    configuration = of_kind(documents, "ConfigMap")
    kubeconfigs = {
        f"of-{worker}": {
            "kubeconfig": yaml.safe_dump(fleet.fedra_access(worker).to_kubeconfig()),
        }
        for worker in fleet.workers
    }
    return {configuration["metadata"]["name"]: configuration["data"], **kubeconfigs}


def _lay_out(container: Bundle, pod: Document, keys: dict[str, dict[str, str]]) -> None:
    """A projected volume is a folder ..DATE, a link ..data to it, and a link for each name at the top."""
    volume = next(each for each in pod["volumes"] if each["name"] == "configuration")["projected"]
    target = container.configuration / "..2026_01_01"
    for source in volume["sources"]:
        part = source.get("configMap") or source["secret"]
        for item in part["items"]:
            path = target / item["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(keys[part["name"]][item["key"]])
            path.chmod(volume["defaultMode"])
            os.chown(path, 0, pod["securityContext"]["fsGroup"])
    (container.configuration / "..data").symlink_to(target.name)
    for path in target.iterdir():
        (container.configuration / path.name).symlink_to(f"..data/{path.name}")
    os.chown(container.configuration, 0, USER)
    # A volume of a node belongs to root, and to the group fsGroup.
    os.chown(container.volume, 0, USER)
    container.volume.chmod(0o2775)


def give_account(container: Bundle, access: Access) -> None:
    """Where a pod finds its API server, its token and who signed the certificate."""
    folder = container.folder / "account"
    folder.mkdir()
    (folder / "ca.crt").write_text(access.ca)
    (folder / "token").write_text(access.token or "")
    host, _, port = access.server.removeprefix("https://").partition(":")
    container.environment = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}
    container.mount(folder, "/var/run/secrets/kubernetes.io/serviceaccount")


def _probe(pod: Document, name: str, port: int) -> None:
    get = pod["containers"][0][name]["httpGet"]
    ports = {each["name"]: each["containerPort"] for each in pod["containers"][0]["ports"]}
    assert ports[get["port"]] == port

    def answers() -> bool:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{get['path']}") as response:
            return bool(response.status == 200)

    eventually(f"{name} succeeds", answers, 30)


def _hang(container: Bundle, pod: Document, port: int) -> None:
    """The kubelet hears of a thread that hangs while the others go on, which systemd's watchdog sees elsewhere."""
    path = pod["containers"][0]["livenessProbe"]["httpGet"]["path"]

    def fails() -> bool:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5).close()
        except urllib.error.HTTPError as error:
            return error.code == 500 and b"progress" in error.read()
        return False

    with held(container.pid()):  # the main thread
        eventually("/livez fails", fails, 4 * _LIMIT)
    _probe(pod, "livenessProbe", port)


def _documents(file: str) -> list[Document]:
    documents = yaml.safe_load_all((ROOT / "deploy" / file).read_text())
    return [document for document in documents if document is not None]


def _policies(documents: list[Document]) -> list[tuple[str, str, Document]]:
    """Kind, name and spec."""
    kinds = ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding")
    return sorted(
        (
            (each["kind"], each["metadata"]["name"], each["spec"])
            for each in documents
            if each["kind"] in kinds
        ),
        key=lambda policy: policy[:2],
    )


def _of_deploy(file: str, kind: str) -> Document:
    return of_kind(_documents(file), kind)
