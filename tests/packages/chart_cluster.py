"""The Helm chart on a real API server, in a namespace that admits only pods of the standard `restricted`."""

from __future__ import annotations

import re
import shutil
import tempfile
import textwrap
import time
from pathlib import Path

import yaml

from packages import prometheus_operator, readme
from packages.artefacts import Artefacts
from packages.chart import CASES, MINIMAL, Document, render
from packages.kustomize import FOLDER
from packages.parts import ROOT, Skip, run
from real import tools as real_tools
from real.control_plane import ControlPlane, Etcd
from real.pki import Pki
from scenarios import objects
from scenarios.kube_client import ApiError
from scenarios.waiting import eventually

_NAMESPACE = "federation"
_LEVELS = ("enforce", "warn", "audit")
_CONTROLLERS = "statefulset-controller"


class _Cluster:
    """One control plane, with kwok for its kubelets; for a `with`. Main thread only."""

    def __init__(self, tools: real_tools.Tools, helm: Path):
        self._tools, self._helm = tools, helm

    def __enter__(self) -> _Cluster:
        self.folder = Path(tempfile.mkdtemp(prefix="fedra-chart-"))
        pki = Pki(self.folder / "pki")
        self._etcd = Etcd(self._tools, self.folder)
        more = {"kube-controller-manager": [f"--controllers={_CONTROLLERS}"]}
        self._plane = ControlPlane("cluster", self._tools, pki, self._etcd, self.folder, more)
        self._plane.wait_ready()
        self._plane.start_controllers()
        self.client = self._plane.client
        return self

    def __exit__(self, *_: object) -> None:
        self._plane.stop()
        self._etcd.stop()
        shutil.rmtree(self.folder)

    def kubectl(self, *arguments: object, code: int | None = 0) -> str:
        return run(
            self._tools.program("kubectl"),
            f"--kubeconfig={self._plane.kubeconfig}",
            *arguments,
            code=code,
        )

    def helm(self, *arguments: object) -> str:
        """Nothing that an API server warns of is accepted."""
        text = run(
            self._helm,
            *arguments,
            f"--namespace={_NAMESPACE}",
            f"--kubeconfig={self._plane.kubeconfig}",
        )
        assert not _warnings(text), text
        return text

    def types(self, built: Artefacts, line: str, code: int = 0) -> str:
        """In a clone with this chart."""
        clone = self.folder / "clone"
        (clone / "build/packages").mkdir(parents=True, exist_ok=True)
        programs = {"helm": self._helm, "kubectl": self._tools.program("kubectl")}
        links = {name: ROOT / name for name in ("deploy", "scripts")}
        links[f"build/packages/{built.chart.name}"] = built.chart
        for name, target in {**links, **programs}.items():
            (clone / name).unlink(missing_ok=True)
            (clone / name).symlink_to(target)
        variables = (f"PATH={clone}:/usr/bin:/bin", f"KUBECONFIG={self._plane.kubeconfig}")
        text = run("env", *variables, "sh", "-e", "-c", line, cwd=clone, code=code)
        assert not _warnings(text), text
        return text

    def can(self, account: str, namespace: str) -> list[str]:
        user = f"system:serviceaccount:{account}"
        text = self.kubectl("auth", "can-i", "--list", f"--as={user}", f"--namespace={namespace}")
        return sorted(re.sub(r"\s+", " ", line) for line in text.splitlines())


def installs(built: Artefacts) -> None:
    try:
        tools = real_tools.build()
    except real_tools.ToolsMissing as missing:
        raise Skip(str(missing)) from None
    with _Cluster(tools, built.helm) as cluster:
        _make_namespace(cluster)
        _dry_run(built, cluster)
        wanted = _rights_of_deploy(cluster)
        _remove_as_told(built, cluster)
        _try_kustomize(cluster)
        _as_readme_says(built, cluster)
        _install(built, cluster)
        _compare_rights(cluster, wanted)
        _try_policy(cluster)
        _try_flow_schemas(cluster)
        _upgrade(built, cluster)
        _uninstall(cluster)


def _make_namespace(cluster: _Cluster) -> None:
    labels = {f"pod-security.kubernetes.io/{level}": "restricted" for level in _LEVELS}
    metadata = {"name": _NAMESPACE, "labels": labels}
    cluster.client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    # As Helm does: of what names no namespace, and nothing else.
    cluster.kubectl("config", "set-context", "--current", f"--namespace={_NAMESPACE}")
    # Where the values say that the Secrets of Kueue's workers and ClusterProfiles are; roles are made there.
    for namespace in ("queues", "fleet", "kueue-system"):
        cluster.kubectl("create", "namespace", namespace)
    # Is the standard enforced here at all?
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "any", "namespace": _NAMESPACE},
        "spec": {"containers": [{"name": "any", "image": "example.com/any"}]},
    }
    try:
        cluster.client.create(pod)
    except ApiError as refused:
        assert "restricted" in str(refused), refused
    else:
        raise AssertionError("a pod without any restriction was accepted")


def _dry_run(built: Artefacts, cluster: _Cluster) -> None:
    """Every object that every values file gives, with every field known to the API server."""
    for path in prometheus_operator.definitions():
        cluster.kubectl("create", "-f", path)
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=30s", "crds", "--all")
    for case in CASES:
        ours = render(built, "--values", case, namespace=_NAMESPACE)
        text = _apply(cluster, ours, "--dry-run=server")
        assert not _warnings(text), f"{case.name}: {text}"
        assert text.count("(server dry run)") == len(ours), text
    # Would a field that is none be noticed?
    stateful_set = next(each for each in ours if each["kind"] == "StatefulSet")
    stateful_set["spec"]["template"]["spec"]["readOnlyRoot"] = True
    text = _apply(cluster, [stateful_set], "--dry-run=server", code=1)
    assert 'unknown field "spec.template.spec.readOnlyRoot"' in text, text


def _apply(
    cluster: _Cluster, documents: list[Document], *arguments: str, code: int | None = 0
) -> str:
    path = cluster.folder / "manifests.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    return cluster.kubectl("apply", "--validate=strict", *arguments, "-f", path, code=code)


def _install(built: Artefacts, cluster: _Cluster) -> None:
    """The StatefulSet controller's pod is accepted, with its volume's claim. The version is a lower one."""
    notes = cluster.helm("install", "fedra", _older(built, cluster), "--values", MINIMAL)
    assert "It has no workers yet" in notes, notes
    eventually("the pod exists", lambda: cluster.client.find("Pod", _NAMESPACE, "fedra-0"), 30)
    events = cluster.kubectl("get", "events", f"--namespace={_NAMESPACE}", "-o", "name")
    assert "FailedCreate" not in events, events
    assert _claim(cluster) != ""


def _older(built: Artefacts, cluster: _Cluster) -> Path:
    """The same chart, packed under a lower version."""
    folder = cluster.folder / "older"
    run("tar", "--extract", "--file", built.chart, "--one-top-level=" + str(folder))
    version = ("--version=0.0.1", "--app-version=0.0.1")
    run(built.helm, "package", folder / "fedra", *version, "--destination", folder)
    return folder / "fedra-0.0.1.tgz"


def _rights_of_deploy(cluster: _Cluster) -> dict[str, list[str]]:
    """Namespace -> what the account of deploy/manager-rbac.yaml may do there. Its objects are gone afterwards."""
    file = ROOT / "deploy/manager-rbac.yaml"
    cluster.kubectl("apply", "-f", file)

    def granted() -> bool:
        return any("workloads.kueue.x-k8s.io/status" in line for line in rights(_NAMESPACE))

    def rights(namespace: str) -> list[str]:
        return cluster.can("fedra-system:fedra", namespace)

    eventually("the rights are in force", granted, 10)
    found = {each: rights(each) for each in ("default", "kube-system")}
    # The Lease is in the account's own namespace.
    found[_NAMESPACE] = rights("fedra-system")
    # Not its namespace, which takes a while; the chart's role and binding have the same names.
    cluster.kubectl("delete", "clusterrole,clusterrolebinding", "fedra-manager")
    own = "--namespace=fedra-system"
    cluster.kubectl("delete", "role,rolebinding", "fedra-leader", own)
    cluster.kubectl("delete", "serviceaccount", "fedra", own)
    return found


def _remove_as_told(built: Artefacts, cluster: _Cluster) -> None:
    """What deploy/ has for a manager, and then what docs/operations.md types to take it back: of it only the namespace stays."""
    files = sorted(each for each in (ROOT / "deploy").glob("*.yaml") if _is_of_a_manager(each))
    assert len(files) >= 10, files
    for file in files:
        cluster.kubectl("apply", "-f", file)
    cluster.kubectl("config", "set-context", "manager", "--cluster=default", "--user=default")
    steps = (ROOT / "docs/operations.md").read_text().partition("\n5. Take the account and")[2]
    block = re.search(r"^    ```sh\n(.*?)^    ```", steps, re.MULTILINE | re.DOTALL)
    assert block is not None, steps
    cluster.types(built, textwrap.dedent(block[1]))
    named = [each for file in files for each in yaml.safe_load_all(file.read_text())]
    kinds = sorted({each["kind"] for each in named} - {"Namespace"})
    assert len(kinds) >= 8, kinds
    left = cluster.kubectl("get", ",".join(kinds), "--all-namespaces", "-o", "name").split()
    names = {each["metadata"]["name"] for each in named}
    still = [each for each in left if each.partition("/")[2] in names]
    assert not still, still


def _is_of_a_manager(file: Path) -> bool:
    """Of a kubectl that is to apply it as it is. The dispatcher's has the objects of manager-rbac.yaml."""
    others = ("alerts", "kustomization", "worker-rbac", "dispatcher-")
    return not file.name.startswith(others)


def _try_kustomize(cluster: _Cluster) -> None:
    """The example is complete, and the daemon takes its configuration. Its namespace exists by now."""
    example = FOLDER / "example"
    built = list(yaml.safe_load_all(cluster.kubectl("kustomize", example)))
    stateful_set = next(each for each in built if each["kind"] == "StatefulSet")
    pod = stateful_set["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "registry.example.com/fedra:0.1.0", pod
    named = [source for volume in pod["volumes"] for source in _sources(volume)]
    maps = [each["metadata"]["name"] for each in built if each["kind"] == "ConfigMap"]
    assert {*maps, "fedra-worker-gpu-east", "fedra-worker-gpu-west"} == set(named), named
    text = cluster.kubectl("apply", "--validate=strict", "--dry-run=server", "-k", example)
    assert not _warnings(text) and text.count("(server dry run)") == len(built), text
    run(ROOT / "build/release/manager/fedra", "config", "view", "--config", example / "fedra.yaml")


def _as_readme_says(built: Artefacts, cluster: _Cluster) -> None:
    """Its lines as they stand, where they are to be typed; by both ways a pod of fedra's comes."""
    begun = time.monotonic()
    version, values = readme.line("VERSION"), readme.writes("values.yaml")
    cluster.types(built, f'{version}\n{values}{readme.line("helm install")}')
    _has_pod(cluster)
    print(f"     helm install: the pod after {time.monotonic() - begun:.0f} s", flush=True)
    _ask_the_leader(built, cluster)
    cluster.types(built, "helm uninstall fedra --namespace fedra-system")
    # No controller collects garbage here.
    force = ("--force", "--grace-period=0", "--wait=false")
    cluster.kubectl("delete", "pods", "--all", "--namespace=fedra-system", *force)
    eventually("the pod is gone", lambda: not cluster.client.list("Pod", "fedra-system"), 30)
    begun = time.monotonic()
    cluster.types(built, f'{readme.line("cp -r")}\n{readme.line("kubectl apply -k")}')
    _has_pod(cluster)
    print(f"     kubectl apply -k: the pod after {time.monotonic() - begun:.0f} s", flush=True)
    cluster.kubectl("apply", "--dry-run=server", "-f", ROOT / "deploy/examples/restore-store.yaml")
    # No controller ends the namespace here.
    cluster.kubectl("delete", "--wait=false", "-k", FOLDER / "example")


def _ask_the_leader(built: Artefacts, cluster: _Cluster) -> None:
    """The lines of docs/operations.md lead to the pod of the Lease's holder; no kubelet is here to go on from there."""
    pages = (
        (ROOT / "docs/operations.md").read_text().partition("### Ask the leader about jobs\n")[2]
    )
    block = re.search(r"^```sh\n(.*?)^```", pages, re.MULTILINE | re.DOTALL)
    forward = re.search(r"`(kubectl \S+ \S+ port-forward [^`]*)`", pages)
    assert block is not None and forward is not None, pages
    metadata = {"name": "fedra", "namespace": "fedra-system"}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata}
    cluster.client.create({**lease, "spec": {"holderIdentity": "fedra-0_5e2c41a09b3d77f0"}})
    told = cluster.types(built, block[1], code=1)
    assert "pod fedra-0 does not have a host assigned" in told, told
    told = cluster.types(built, block[1].splitlines()[0] + "\n" + forward[1], code=1)
    assert "unable to forward port because pod is not running" in told, told
    cluster.kubectl("delete", "lease", "fedra", "--namespace=fedra-system")


def _has_pod(cluster: _Cluster) -> None:
    eventually("the pod", lambda: cluster.client.find("Pod", "fedra-system", "fedra-0"), 30)


def _sources(volume: Document) -> list[str]:
    """Of a projected volume, the names of its ConfigMaps and Secrets."""
    sources = volume.get("projected", {}).get("sources", [])
    return [part["name"] for source in sources for part in source.values()]


def _compare_rights(cluster: _Cluster, wanted: dict[str, list[str]]) -> None:
    """The account may do the same in every namespace, and nothing else."""
    for namespace, rights in wanted.items():
        ours = cluster.can(f"{_NAMESPACE}:fedra", namespace)
        assert ours == rights, sorted(set(ours) ^ set(rights))


def _try_policy(cluster: _Cluster) -> None:
    labels = {"fedra.dev/managed": "true"}
    metadata = {"name": "ml", "labels": labels}
    cluster.client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})

    def managed_by() -> bool:
        job = objects.job("ml", "train", "gpu")
        job["spec"].pop("managedBy", None)
        path = cluster.folder / "job.yaml"
        path.write_text(yaml.safe_dump(job))
        text = cluster.kubectl("create", "--dry-run=server", "-o", "yaml", "-f", path)
        return bool(yaml.safe_load(text)["spec"].get("managedBy") == "kueue.x-k8s.io/multikueue")

    eventually("a job's managedBy is written", managed_by, 30)


def _try_flow_schemas(cluster: _Cluster) -> None:
    """The API server says of each request by which schema it has queued it: the Lease apart from the rest."""
    lease = "/apis/coordination.k8s.io/v1/namespaces/fedra-system/leases/fedra"
    others = lease.replace("fedra-system", "default")  # in another namespace
    anything = "/api/v1/namespaces/kube-system"
    assert _schema_of(cluster, lease) == _schema_of(cluster, anything) == "service-accounts"
    text = cluster.kubectl("apply", "--validate=strict", "-f", ROOT / "deploy/flow-schemas.yaml")
    assert not _warnings(text), text
    eventually("the rest", lambda: _schema_of(cluster, anything) == "fedra", 30)
    eventually("the Lease", lambda: _schema_of(cluster, lease) == "fedra-leader-election", 30)
    assert _schema_of(cluster, others) == "fedra"
    # A level that is not there would be no more than a condition.
    condition = 'jsonpath={.status.conditions[?(@.type=="Dangling")].status}'
    for name in ("fedra", "fedra-leader-election"):
        assert cluster.kubectl("get", "flowschema", name, "-o", condition) == "False", name
    cluster.kubectl("delete", "-f", ROOT / "deploy/flow-schemas.yaml")


def _schema_of(cluster: _Cluster, path: str) -> str:
    """The FlowSchema by which it has queued a request of fedra's account, allowed or not."""
    user = "--as=system:serviceaccount:fedra-system:fedra"
    groups = [
        f"--as-group=system:{each}"
        for each in ("authenticated", "serviceaccounts", "serviceaccounts:fedra-system")
    ]
    text = cluster.kubectl("get", "--raw", path, user, *groups, "-v=8", code=None)
    uids = re.findall(r"(?i)x-kubernetes-pf-flowschema-uid\W+([0-9a-f-]{36})", text)
    assert uids, text
    names = 'jsonpath={range .items[*]}{.metadata.uid}{" "}{.metadata.name}{"\\n"}{end}'
    listed = cluster.kubectl("get", "flowschemas", "-o", names)
    return dict(line.split(" ", 1) for line in listed.splitlines())[uids[-1]]


def _upgrade(built: Artefacts, cluster: _Cluster) -> None:
    """From the lower version, with the volume; then a setting that needs no other pod, and one that does."""
    claim, revision = _claim(cluster), _revision(cluster)
    options = ["upgrade", "fedra", built.chart, "--values", MINIMAL]
    cluster.helm(*options)
    eventually("the pod is to be replaced", lambda: _revision(cluster) != revision, 30)
    assert _claim(cluster) == claim, "another volume"
    revision = _revision(cluster)
    cluster.helm(*options, "--set=config.logging.level=debug")
    assert _revision(cluster) == revision, "the pod is replaced for what needs no restart"
    cluster.helm(*options, "--set=config.workerLostTimeout=1h")
    eventually("the pod is to be replaced", lambda: _revision(cluster) != revision, 30)
    assert _claim(cluster) == claim, "another volume"


def _uninstall(cluster: _Cluster) -> None:
    """The volume stays; everything else goes, also what is in no namespace."""
    cluster.helm("uninstall", "fedra")
    kinds = (
        "clusterroles,clusterrolebindings,mutatingadmissionpolicies,mutatingadmissionpolicybindings,"
        "serviceaccounts,configmaps,services,statefulsets"
    )
    left = cluster.kubectl(
        "get",
        kinds,
        "--all-namespaces",
        "--selector=app.kubernetes.io/instance=fedra",
        "-o",
        "name",
    )
    assert not left.strip() or "No resources found" in left, left
    assert _claim(cluster) != ""


def _claim(cluster: _Cluster) -> str:
    """Its UID."""
    path = ["get", "persistentvolumeclaim", "store-fedra-0", f"--namespace={_NAMESPACE}"]
    return cluster.kubectl(*path, "-o", "jsonpath={.metadata.uid}")


def _revision(cluster: _Cluster) -> str:
    path = ["get", "statefulset", "fedra", f"--namespace={_NAMESPACE}"]
    return cluster.kubectl(*path, "-o", "jsonpath={.status.updateRevision}")


def _warnings(text: str) -> list[str]:
    return re.findall(r"^(?:Warning:|W\d{4}|WARN|level=WARN).*$", text, re.MULTILINE)
