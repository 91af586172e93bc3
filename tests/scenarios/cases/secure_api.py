"""The API over TLS: each user of the manager sees what their rights there cover, and nothing else."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from scenarios import objects, port_forward, setup
from scenarios.certificates import openssl
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra, Output
from scenarios.fleet import MANAGER
from scenarios.kubeconfig import Access
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.users import User, account, token_of, tokens_of
from scenarios.world import QUEUE, TEMPLATE, World

_OF_A_JOB = ("job", "why", "history")
_OF_JOBS = ("status", "jobs", "counts")
_OF_THE_FLEET = ("workers", "devices", "templates")
_ROUTES = (*_OF_JOBS, *_OF_A_JOB, *_OF_THE_FLEET)
_FORMS = ("json", "yaml", "table", "wide", "name")
_MANY = "many-gpus"
_PER_CLAIM = 32  # devices, as many as a claim may have
_SILENT = 300  # clients, more than there are connections


_USERS = (
    User("nobody"),
    User("tenant", here=True),
    User("tenant-of-fleet", here=True, fleet=True),
    User("auditor", everywhere=True),
    User("operator", everywhere=True, fleet=True),
    User("scraper", metrics=True),
)


def _may(user: User, route: str) -> bool:
    return user.fleet if route in _OF_THE_FLEET else user.here or user.everywhere


# Kueue's own counting of devices plays no part.
@scenario("secure-api", kueue_dra=(False,))
def each_user_sees_their_own(world: World) -> None:
    """Users with different rights on the manager: 401, 403, and never a name from a namespace that is not theirs."""
    foreign = f"zebra-{world.ns}"
    with _foreign_jobs(world, foreign), tokens_of(world, _USERS) as tokens:
        fedra = world.start_fedra(settings=_settings({}))
        _take_all_devices(world, foreign)
        job = world.submit("waiting", template=TEMPLATE)
        world.eventually("it is blocked", lambda: job.key in _blocked(fedra))
        world.eventually("holders are known", lambda: foreign in fedra.cli("why", job.key).stdout)
        api = _Api(fedra)
        assert api.get("jobs", None)[0] == 401
        assert api.get("jobs", "wrong")[0] == 401
        for user in _USERS:
            for route in _ROUTES:
                target = _target(route, job)
                status, body = api.get(target, tokens[user.name])
                assert status == (200 if _may(user, route) else 403), (user, target, status, body)
                # Who may list templates sees those of all namespaces.
                if user.everywhere or route == "templates":
                    continue
                for form in _FORMS:
                    _, text = api.get(f"{target}&output={form}", tokens[user.name])
                    assert foreign not in text, (user, target, form, text)
        # The one who may sees them, and what the command says.
        token = tokens["operator"]
        assert foreign in api.get("jobs", token)[1]
        assert foreign in api.get(f"why?job={job.key}", token)[1]
        # 403 whether there is such a job or not.
        for name in (f"{foreign}/holder-0", f"{foreign}/none", "nowhere/none"):
            assert api.get(f"why?job={name}", tokens["tenant"])[0] == 403, name
        assert api.get(f"why?job={world.ns}/none", tokens["tenant"])[0] == 404
        _serves_pages(api, tokens)
        _checks_manifests(world, api, tokens, foreign)
        _refuses_other_pages(api, token)
        assert fedra.logged(token) == 0, "a token in the log"
        _is_revoked(world, api)
        _without_the_manager(world, fedra, api)


@scenario("secure-api-certificate", kueue_dra=(False,))
def certificates_are_replaced(world: World) -> None:
    """Certificate files are taken over when they change, a broken one is not, and silent clients keep nobody out."""
    folder = world.scratch("tls")
    folder.mkdir(exist_ok=True)
    first, second = _certificate(folder, "first"), _certificate(folder, "second")
    used = {"certFile": str(folder / "tls.crt"), "keyFile": str(folder / "tls.key")}
    with tokens_of(world, _USERS) as tokens:
        fedra = world.start_fedra(settings=_settings(used))
        # Without files there is no server, and the daemon works; it comes with them.
        world.eventually("it says so", lambda: fedra.logged("it has no certificate") > 0)
        _install(first, folder)
        world.eventually("it is served", lambda: fedra.logged("the secure API is served") == 1)
        api = _Api(fedra, first)
        kept = api.connect()
        assert api.ask(kept, "jobs", tokens["auditor"])[0] == 200
        (folder / "tls.key").write_text("no key")
        world.eventually("a broken one is told", lambda: fedra.logged("keeps its certificate") > 0)
        assert api.get("jobs", tokens["auditor"])[0] == 200
        _install(second, folder)
        world.eventually("the new one is shown", lambda: api.shown() == second.read_text())
        renewed = _Api(fedra, second)
        assert renewed.get("jobs", tokens["auditor"])[0] == 200
        # A connection from before goes on; a client that knows the old one only is warned.
        assert api.ask(kept, "jobs", tokens["auditor"])[0] == 200
        kept.close()
        with contextlib.suppress(ssl.SSLCertVerificationError):
            api.get("jobs", tokens["auditor"])
            raise AssertionError("the old certificate was shown")
        _speaks_no_old_tls(renewed)
        _silent_clients_keep_nobody_out(renewed, tokens["auditor"])


@scenario("secure-api-command", kueue_dra=(False,))
def commands_ask_over_the_network(world: World) -> None:
    """`fedra --server https://...` with a token alone says what it says beside the store, within its user's rights."""
    folder = world.scratch("command")
    folder.mkdir(exist_ok=True)
    certificate = _certificate(folder, "server")
    used = {"certFile": str(certificate), "keyFile": str(certificate.with_suffix(".key"))}
    world.add_template_everywhere()
    with tokens_of(world, _USERS) as tokens:
        fedra = world.start_fedra(settings=_settings(used))
        world.eventually("it is served", lambda: fedra.logged("the secure API is served") == 1)
        url = f"https://localhost:{fedra.last_logged('port')}"
        trusts = ("--certificate-authority", str(certificate))

        def at_server(
            *arguments: str, user: str = "operator", options: tuple[str, ...] = trusts
        ) -> Output:
            file = folder / f"{user}.token"
            file.write_text(tokens[user])
            as_user = ("--token-file", str(file))
            return fedra.bare(*arguments, "--server", url, *as_user, *options)

        job = world.submit("train", template=TEMPLATE)
        waited = at_server("wait", job.key, "--for", "dispatched", "--timeout", "60s")
        assert waited.code == 0 and job.key in waited.stdout, waited
        job.wait_running_on(world.eventually("it is placed", job.cluster_name))
        for view in (("status",), ("status", "workers"), ("why", job.key), ("history", job.key)):
            arguments = (*view, "-n", world.ns, "-o", "json")
            world.eventually(
                f"{view[0]} says the same",
                lambda: _without_ages(at_server(*arguments))
                == _without_ages(fedra.cli(*arguments)),
            )
        manifest = folder / "fits.json"
        manifest.write_text(json.dumps(objects.job(world.ns, "fits", QUEUE, template=TEMPLATE)))
        checked = ("check", "-f", str(manifest), "-o", "json")
        for command in (("devices", "-o", "json"), ("templates", "diff", "-o", "json"), checked):
            world.eventually(
                f"{command[0]} says the same",
                lambda: _without_ages(at_server(*command)) == _without_ages(fedra.cli(*command)),
            )
        assert at_server(*checked, user="tenant").code == 0
        _refused(at_server(*checked, user="nobody"), "workloads.kueue.x-k8s.io")
        _refused(at_server("devices", user="tenant"), "/fedra/fleet")
        assert job.key in at_server("status", "jobs", user="tenant").stdout
        _refused(at_server("status", "workers", user="tenant"), "/fedra/fleet")
        _refused(at_server("why", job.key, user="nobody"), "workloads.kueue.x-k8s.io")
        _refused(at_server("status", options=()), "--certificate-authority")
        (folder / "wrong").write_text("wrong")
        wrong = fedra.bare(
            "status", "--server", url, "--token-file", str(folder / "wrong"), *trusts
        )
        _refused(wrong, "token")
        # Of a user of the manager, whose address plays no part.
        me = Access(
            server="https://localhost:1", ca=certificate.read_text(), token=tokens["operator"]
        )
        kubeconfig = me.write_kubeconfig(folder / "kubeconfig")
        by_kubeconfig = fedra.bare(
            "why", job.key, "--server", url, "--kubeconfig", str(kubeconfig), *trusts
        )
        assert by_kubeconfig.code == 0 and "is running on" in by_kubeconfig.stdout, by_kubeconfig
        _finds_its_way(fedra, folder, job, me)
        assert not any(fedra.logged(token) for token in tokens.values()), "a token in the log"


def _finds_its_way(fedra: Fedra, folder: Path, job: FederatedJob, me: Access) -> None:
    """`kubectl fedra` without an address: the Service, a tunnel, and the token of the kubeconfig.

    No kubelet is here to lead a tunnel to a pod, and the simulated manager has no Services: kubectl is a double.
    """
    port = fedra.last_logged("port")
    service = {
        "metadata": {"namespace": "fedra-system", "name": "fedra",
                     "labels": {"app.kubernetes.io/name": "fedra"}},
        "spec": {"ports": [{"name": "https", "port": int(port)}]},
    }  # fmt: skip
    (folder / "services.json").write_text(json.dumps({"items": [service]}))
    forward = Path(port_forward.__file__)
    kubectl = folder / "kubectl"
    kubectl.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> {folder}/asked\n'
        f'case "$*" in *port-forward*) exec {sys.executable} {forward} {port};; esac\n'
        f"exec cat {folder}/services.json\n"
    )
    kubectl.chmod(0o755)
    plugin = folder / "kubectl-fedra"
    plugin.symlink_to(fedra.bare_command()[0])
    kubeconfig = me.write_kubeconfig(folder / "kubeconfig")
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "KUBECONFIG": str(kubeconfig)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(plugin), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    why = run("why", job.key)
    assert why.returncode == 0 and "is running on" in why.stdout, why
    asked = (folder / "asked").read_text().splitlines()
    assert asked == [
        "get services --namespace=fedra-system --output=json",
        f"port-forward --address=127.0.0.1 --namespace=fedra-system service/fedra :{port}",
    ], asked
    named = run("status", "jobs", "--server", "service:fedra-system/fedra")
    assert named.returncode == 0 and job.key in named.stdout, named
    # The certificate is another one's, and it was asked to be looked at.
    trusts = ("--server", "service", "--certificate-authority", str(folder / "server.crt"))
    wrong = run("status", *trusts)
    assert wrong.returncode == 1 and "--tls-server-name" in wrong.stderr, wrong
    right = run("status", *trusts, "--tls-server-name", "localhost")
    assert right.returncode == 0, right
    refused = run("status", "--token-file", str(folder / "wrong"))
    assert refused.returncode == 1 and "token" in refused.stderr, refused


class _Api:
    """A client of the TLS port. `certificate`: what it trusts; None: anything."""

    def __init__(self, fedra: Fedra, certificate: Path | None = None):
        self.port = int(fedra.last_logged("port"))
        self._trusted = ssl.create_default_context(cafile=certificate)
        if certificate is None:
            self._trusted.check_hostname = False
            self._trusted.verify_mode = ssl.CERT_NONE

    def connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            "localhost", self.port, timeout=20, context=self._trusted
        )

    def ask(
        self,
        connection: http.client.HTTPSConnection,
        target: str,
        token: str | None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, str]:
        """Status, and the body and headers as one text."""
        all_headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("GET", f"/api/v1alpha1/{target}", headers=all_headers | (headers or {}))
        response = connection.getresponse()
        body = response.read().decode()
        if response.status >= 400:
            assert json.loads(body)["kind"] == "Status", body
        return response.status, f"{response.headers}\n{body}"

    def get(
        self, target: str, token: str | None, headers: dict[str, str] | None = None
    ) -> tuple[int, str]:
        with contextlib.closing(self.connect()) as connection:
            return self.ask(connection, target, token, headers)

    def check(self, manifest: Object, token: str) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with contextlib.closing(self.connect()) as connection:
            connection.request("POST", "/api/v1alpha1/check", json.dumps(manifest), headers)
            response = connection.getresponse()
            return response.status, response.read().decode()

    def shown(self) -> str:
        """The certificate that new connections get, as PEM."""
        return ssl.get_server_certificate(("localhost", self.port))


def _settings(more: Object) -> Object:
    return {
        "api": {"secure": {"address": "127.0.0.1:0", **more}},
        "verification": {"devices": "Enforce"},
    }


def _refused(output: Output, why: str) -> None:
    assert output.code == 1 and why in output.stderr and not output.stdout, output


def _without_ages(output: Output) -> Object:
    """What passes between one command and the next is left out."""
    assert output.code == 0, output
    document: Object = output.json()
    for passing in ("asOf", "lines"):
        document.pop(passing, None)
    document.get("daemon", {}).pop("ageSeconds", None)
    for worker in document.get("workers", []):
        worker.pop("lastContact", None)
    return document


def _target(route: str, job: FederatedJob) -> str:
    if route in _OF_A_JOB:
        return f"{route}?job={job.key}"
    return f"{route}?group-by=namespace" if route == "counts" else f"{route}?"


def _blocked(fedra: Fedra) -> str:
    return fedra.cli("status", "jobs", "--state", "Blocked", "-o", "name").stdout


@contextlib.contextmanager
def _foreign_jobs(world: World, foreign: str) -> Iterator[None]:
    """Another namespace with a queue and a template, and this one's template."""
    world.add_template_everywhere()
    many = objects.claim_template(foreign, _MANY, setup.GPU_CLASS, count=_PER_CLAIM)
    for cluster in world.fleet.clusters:
        client = world.admin(cluster)
        client.apply(objects.namespace(foreign, managed=cluster == MANAGER))
        client.apply(objects.local_queue(foreign, QUEUE, world.ns))
        client.apply(many)
    try:
        yield
    finally:
        for job in world.manager.list("Job", foreign):
            world.manager.delete("Job", foreign, job["metadata"]["name"])
        for worker in world.workers:
            world.eventually(
                f"the copies are gone from {worker}",
                lambda: not world.admin(worker).list("Workload", foreign),
            )
        for cluster in world.fleet.clusters:
            world.admin(cluster).delete("Namespace", None, foreign)


def _take_all_devices(world: World, foreign: str) -> None:
    """A job on each worker that has all of its devices."""
    for index in range(len(world.workers)):
        name = f"holder-{index}"
        pods = setup.DEVICES_PER_WORKER // _PER_CLAIM
        world.manager.create(objects.job(foreign, name, QUEUE, template=_MANY, pods=pods))
        job = world.job(name, ns=foreign)
        job.wait_running_on(world.eventually(f"{name} is placed", job.cluster_name))


def _serves_pages(api: _Api, tokens: dict[str, str]) -> None:
    """The dashboard's files to all who ask, /metrics to who may get that path."""
    for path, token, expected, text in (
        ("/", None, 200, "<!doctype html>"),
        ("/app.js", None, 200, "import"),
        ("/api.js", None, 200, "export"),
        ("/none", None, 404, ""),
        ("/metrics", None, 401, ""),
        ("/metrics", tokens["operator"], 403, "get the path /metrics"),
        ("/metrics", tokens["scraper"], 200, "fedra_build_info"),
    ):
        with contextlib.closing(api.connect()) as connection:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            body = response.read().decode()
            assert response.status == expected and text in body, (path, response.status, body)


def _checks_manifests(world: World, api: _Api, tokens: dict[str, str], foreign: str) -> None:
    """Of namespaces that the user may see, and without a name from another one."""
    own = objects.job(world.ns, "checked", QUEUE, template=TEMPLATE)
    other = objects.job(foreign, "checked", QUEUE, template=_MANY)
    for user, manifest, expected in (
        ("nobody", own, 403),
        ("scraper", own, 403),
        ("tenant", own, 200),
        ("tenant", other, 403),
        ("tenant-of-fleet", own, 200),
        ("auditor", other, 200),
        ("operator", own, 200),
    ):
        status, body = api.check(manifest, tokens[user])
        assert status == expected, (user, status, body)
        assert foreign not in body or manifest is other or user == "operator", (user, body)
    assert foreign in api.check(own, tokens["operator"])[1], "holders are named to who sees all"


def _refuses_other_pages(api: _Api, token: str) -> None:
    assert api.get("jobs", token, {"Host": "evil.example"})[0] == 421
    assert api.get("jobs", token, {"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert api.get("jobs", token, {"Sec-Fetch-Site": "same-origin"})[0] == 200
    with contextlib.closing(api.connect()) as connection:
        connection.request(
            "POST", "/api/v1alpha1/jobs", headers={"Authorization": f"Bearer {token}"}
        )
        assert connection.getresponse().status == 405


def _is_revoked(world: World, api: _Api) -> None:
    """Of an account that is gone no token is good."""
    world.manager.apply(account(world, "gone"))
    token = token_of(world, "gone")
    world.manager.delete("ServiceAccount", world.ns, "gone")
    assert api.get("jobs", token)[0] == 401


def _without_the_manager(world: World, fedra: Fedra, api: _Api) -> None:
    """Who is not known already gets no answer, and none that says who they are."""
    token = token_of(world, "operator")
    world.fleet.stop_api_server(MANAGER)
    try:
        world.eventually("it is seen", lambda: "[-]manager " in fedra.page("/readyz?verbose"))
        status, text = api.get("jobs", token)
        assert status == 503 and "Retry-After: 1" in text, text
    finally:
        world.fleet.start_api_server(MANAGER)
    world.eventually("it is answered again", lambda: api.get("jobs", token)[0] == 200)


def _certificate(folder: Path, name: str) -> Path:
    """A self-signed one for localhost, with its key beside it."""
    certificate = folder / f"{name}.crt"
    openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "30", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", folder / f"{name}.key", "-out", certificate,
    )  # fmt: skip
    return certificate


def _install(certificate: Path, folder: Path) -> None:
    """As a mounted Secret changes: one file after the other, and each at once."""
    for kind in ("key", "crt"):
        copy = folder / f"new.{kind}"
        shutil.copy(certificate.with_suffix(f".{kind}"), copy)
        copy.rename(folder / f"tls.{kind}")


def _speaks_no_old_tls(api: _Api) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    for newest, is_spoken in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True)):
        context.maximum_version = newest
        try:
            with socket.create_connection(("localhost", api.port), timeout=20) as plain:
                with context.wrap_socket(plain):
                    assert is_spoken, newest
        except ssl.SSLError as error:
            assert not is_spoken, (newest, error)


def _silent_clients_keep_nobody_out(api: _Api, token: str) -> None:
    with contextlib.ExitStack() as crowd:
        for _ in range(_SILENT):
            crowd.enter_context(socket.create_connection(("localhost", api.port), timeout=20))
        assert api.get("jobs", token)[0] == 200
