"""The chart's CronJob: its pod, with its account's rights and nothing else, renews a worker's token."""

from __future__ import annotations

import base64
import json
import os
import subprocess

import yaml

from packages import bundle
from packages.artefacts import Artefacts
from packages.bundle import Bundle
from packages.chart import (
    MINIMAL,
    PROGRAM,
    Document,
    check_restricted,
    give_account,
    of_kind,
    render,
)
from scenarios.fleet import MANAGER
from scenarios.kube_client import ApiError, KubeClient
from scenarios.kubeconfig import Access
from scenarios.sim_fleet import SimFleet

_NAMESPACE = "fedra-system"
_CORE = f"/api/v1/namespaces/{_NAMESPACE}"


def rotates(built: Artefacts) -> None:
    with bundle.simulated_fleet() as fleet:
        manager = fleet.admin(MANAGER)
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}}
        manager.apply(namespace)
        joined = fleet.workers[0]
        _join(fleet, joined)
        before = _access(manager, joined)
        documents = _render(built, fleet.workers)
        account = _install(fleet, documents)
        _check_rights(account, joined)
        pod = of_kind(documents, "CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        check_restricted(pod)
        assert pod["serviceAccountName"] == of_kind(documents, "RoleBinding")["subjects"][0]["name"]
        with Bundle(built.image) as container:
            give_account(container, account)
            container.arguments = pod["containers"][0]["args"]
            container.start()
            code = container.wait()
            assert code == 0, container.log.read_text()
            assert f"{joined}: its new token ends " in container.log.read_text()
            after = _access(manager, joined)
            assert after.token != before.token, "the token is the old one"
            assert KubeClient(after).may("list", "kueue.x-k8s.io", "workloads")


def _join(fleet: SimFleet, worker: str) -> None:
    """As the administrator of both, whose kubeconfigs have contexts of the clusters' names."""
    files = ":".join(str(fleet.admin_kubeconfig(each)) for each in (MANAGER, worker))
    command = [str(PROGRAM), "join", "--context", worker, "--manager-context", MANAGER]
    environment = {**os.environ, "KUBECONFIG": files}
    joined = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert joined.returncode == 0, joined.stderr


def _render(built: Artefacts, workers: tuple[str, ...]) -> list[Document]:
    """What belongs to the renewal. The first worker has joined; the kubeconfig of the others is somebody else's to renew."""
    values = [{"name": each, "secretName": f"fedra-worker-{each}"} for each in workers[:1]]
    values += [{"name": each, "secretName": each} for each in workers[1:]]
    options = ("--set=tokenRotation.enabled=true", f"--set-json=workers={json.dumps(values)}")
    documents = render(built, "--values", MINIMAL, *options, namespace=_NAMESPACE)
    name = of_kind(documents, "CronJob")["metadata"]["name"]
    return [each for each in documents if each["metadata"]["name"] == name]


def _install(fleet: SimFleet, documents: list[Document]) -> Access:
    """The account with its role; how its pods reach the manager."""
    manager = fleet.admin(MANAGER)
    account = of_kind(documents, "ServiceAccount")
    for each in (account, of_kind(documents, "Role"), of_kind(documents, "RoleBinding")):
        manager.apply(each)
    path = f"{_CORE}/serviceaccounts/{account['metadata']['name']}/token"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = manager.call("POST", path, request)["status"]["token"]
    cluster = fleet.admin_access(MANAGER)
    return Access(cluster.server, cluster.ca, token)


def _check_rights(account: Access, joined: str) -> None:
    """The one Secret; no other, and no list of them."""
    client = KubeClient(account)
    assert client.find("Secret", _NAMESPACE, f"fedra-worker-{joined}") is not None
    for path in ("/secrets", "/secrets/other", "/serviceaccounts/fedra"):
        try:
            client.call("GET", _CORE + path)
        except ApiError as refused:
            assert refused.status == 403, refused
        else:
            raise AssertionError(f"{path} can be read")


def _access(manager: KubeClient, worker: str) -> Access:
    """What the worker's Secret says."""
    secret = manager.get("Secret", _NAMESPACE, f"fedra-worker-{worker}")
    config = yaml.safe_load(base64.b64decode(secret["data"]["kubeconfig"]))
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    return Access(cluster["server"], authority, user["token"])
