"""The daemon's read-only API: who may ask, what the answers are, and that nobody who asks delays a job."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scenarios import objects
from scenarios.contract import check_answer, openapi_text
from scenarios.fedra_process import Fedra
from scenarios.registry import scenario
from scenarios.world import QUEUE, TEMPLATE, World

_NOBODY = 65534  # user and group of Debian
_CLIENTS = 1_000
_JOBS = 10
_ASK = b"GET /api/v1alpha1/status?all HTTP/1.1\r\nHost: fedra\r\n\r\n"


def _is_somebody_else(world: World) -> bool:
    """Whether `bare_as` is another user; the result says where it is not."""
    if os.geteuid() == 0:
        return True
    world.note("not root: that others are refused was not looked at")
    return False


@scenario("api-without-root")
def a_user_asks(world: World) -> None:
    """fedra status, why and history of a user who may not read the store: the daemon's answers, byte for byte."""
    with _public_folder() as folder:
        fedra = world.start_fedra(settings=_on(folder))
        job = world.submit("train")
        job.wait_running_on(world.worker1)
        questions = (
            ("status", "jobs", "-o", "json"),
            ("status", "jobs", "--state", "Running", "-o", "wide"),
            ("status", "workers", "-o", "name"),
            ("status", job.key),
            ("why", job.key, "-o", "yaml"),
            ("history", job.key, "-o", "json"),
        )
        for question in questions:
            # A document has the daemon's age in it, which may change from one look to the next.
            world.eventually(
                f"the same answer to {question}",
                lambda: _agree(fedra, folder, question),
            )
        # Without being told where: the configuration says it.
        configuration = folder / "fedra.yaml"
        shutil.copy(fedra.configuration_file, configuration)
        found = fedra.bare_as(
            _NOBODY, "status", "jobs", "-o", "name", "--config", str(configuration)
        )
        assert found.code == 0 and job.key in found.stdout, found
        if _is_somebody_else(world):
            refused = fedra.bare_as(_NOBODY, "status", "--store", str(fedra.store))
            assert refused.code == 1, refused
        unknown = fedra.bare_as(_NOBODY, "why", f"{world.ns}/none", *_server(folder))
        assert unknown.code == 1 and "is known to fedra" in unknown.stderr, unknown


@scenario("api-devices", kueue_dra=(False,))  # Kueue's own counting of devices plays no part
def devices_are_the_daemons(world: World) -> None:
    """The devices that the daemon sees are those that `fedra devices` finds when it asks the workers itself."""
    with _public_folder() as folder:
        fedra = world.start_fedra(settings={**_on(folder), "verification": {"devices": "Enforce"}})
        world.add_template_everywhere()
        job = world.submit("train", template=TEMPLATE)
        job.wait_running_on(world.worker1)
        socket_path = folder / "s"

        def same() -> bool:
            asked = fedra.cli("devices", "-o", "json").json()
            watched = json.loads(_get(socket_path, "devices")[1])
            allocated = sum(each["allocated"] for each in watched["workers"][0]["classes"])
            return allocated > 0 and _without_time(asked) == _without_time(watched)

        world.eventually("the same devices, one of them allocated", same)
        one = json.loads(_get(socket_path, f"devices?worker={world.worker2}")[1])
        assert [each["name"] for each in one["workers"]] == [world.worker2], one
        _map_agrees(fedra, world, socket_path, job.key)
        status, body = _get(socket_path, "devices?worker=nowhere")
        assert status == 400 and json.loads(body)["reason"] == "BadRequest", body
        job.finish(world.worker1)


@scenario("api-check", kueue_dra=(False,))  # as api-devices
def check_is_the_daemons(world: World) -> None:
    """fedra check by the daemon says what it says when it asks the workers itself, exit code included, and bounds what it reads."""
    with _public_folder() as folder:
        fedra = world.start_fedra(settings={**_on(folder), "verification": {"devices": "Enforce"}})
        world.add_template_everywhere()
        job = world.submit("train", template=TEMPLATE)
        job.wait_running_on(world.worker1)
        wrong = objects.job(world.ns, "wrong", QUEUE)
        wrong["spec"]["parallelism"] = "16"
        manifests = {
            "fits": (objects.job(world.ns, "fits", QUEUE, template=TEMPLATE), 0),
            "lost": (objects.job(world.ns, "lost", QUEUE, template="none"), 3),
            "wrong": (wrong, 1),
        }
        for name, (manifest, code) in manifests.items():
            file = folder / f"{name}.json"
            file.write_text(json.dumps(manifest))
            world.eventually(
                f"the same about {name}",
                lambda: _check_agrees(fedra, folder, ("check", "-f", str(file)), code),
            )
        socket_path = folder / "s"
        typed = {"Content-Type": "application/json"}
        untyped: dict[str, str] = {}
        status, body = _post(socket_path, "check", json.dumps(manifests["fits"][0]), typed)
        assert status == 200, body
        check_answer("check", status, body)
        assert json.loads(body)["items"][0]["result"] == "Placeable", body
        for target, text, headers, expected in (
            ("check", "{}", untyped, 415),
            ("check", "kind: [", typed, 400),
            ("check", "", typed, 400),
            ("check?worker=nowhere", json.dumps(manifests["fits"][0]), typed, 400),
            ("check", " " * (1 << 20) + "{}", typed, 413),
        ):
            status, body = _post(socket_path, target, text, headers)
            assert status == expected, f"{target}: {status} {body}"
            check_answer("check", status, body)
        job.finish(world.worker1)


@scenario("api-contract", kueue_dra=(False,))  # as api-devices
def answers_are_as_described(world: World) -> None:
    """Every answer of every endpoint, errors too, is what docs/openapi.json says, and the daemon serves that file."""
    with _public_folder() as folder:
        fedra = world.start_fedra(settings={**_on(folder), "verification": {"devices": "Enforce"}})
        world.add_template_everywhere()
        runs = world.submit("train", template=TEMPLATE)
        runs.wait_running_on(world.worker1)
        blocked = world.submit("blocked", template="none")
        world.eventually("it is blocked", lambda: fedra.verdicts(blocked.key))
        socket_path = folder / "s"
        status, text = _get(socket_path, "openapi.json")
        assert status == 200 and text == openapi_text(), text[:200]
        paths = {path.removeprefix("/") for path in json.loads(text)["paths"]} - {"openapi.json"}
        asked = {target.partition("?")[0] for target, _ in _targets(world, runs.key, blocked.key)}
        assert asked - {"nothing"} == paths, paths ^ asked
        for target, expected in _targets(world, runs.key, blocked.key):
            status, body = _get(socket_path, target)
            assert status == expected, f"{target}: {status} {body}"
            check_answer(target.partition("?")[0], status, body)
        runs.finish(world.worker1)


@scenario("api-socket-is-private")
def another_user_asks(world: World) -> None:
    """A user who is not in api.group gets no answer."""
    with _public_folder() as folder:
        fedra = world.start_fedra(settings={"api": {"socket": str(folder / "s"), "group": ""}})
        assert fedra.bare("status", *_server(folder)).code == 0
        if _is_somebody_else(world):
            refused = fedra.bare_as(_NOBODY, "status", *_server(folder))
            assert refused.code == 1, refused
            assert "the daemon at" in refused.stderr and "(api.group)" in refused.stderr, refused


@scenario("api-crowd")
def a_crowd_delays_nothing(world: World) -> None:
    """1,000 clients that never finish their question or never read their answer: jobs are dispatched all the same."""
    with _public_folder() as folder:
        fedra = world.start_fedra(settings=_on(folder))
        looks = _looks(fedra)
        with contextlib.ExitStack() as crowd:
            for index in range(_CLIENTS):
                client = crowd.enter_context(socket.socket(socket.AF_UNIX))
                client.connect(str(folder / "s"))
                # Those who were silent for longest make room: the daemon may have hung up.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    client.sendall(_ASK if index % 2 == 0 else _ASK[:20])
            jobs = [world.submit(f"train-{index}") for index in range(_JOBS)]
            placed = [world.eventually("placed", job.cluster_name) for job in jobs]
            assert _looks(fedra) >= looks + _JOBS
            # The crowd is still there, and so is the API, once it has answered what the crowd has asked.
            world.eventually(
                "an answer", lambda: fedra.bare("status", "jobs", *_server(folder)).code == 0
            )
        for job, worker in zip(jobs, placed):
            job.finish(worker)


def _check_agrees(fedra: Fedra, folder: Path, question: tuple[str, ...], code: int) -> bool:
    here = fedra.cli(*question, "-o", "json")
    there = fedra.bare_as(_NOBODY, *question, "-o", "json", *_server(folder))
    assert (here.code, there.code) == (code, code), f"{here} {there}"
    return _without_ages(here.json()) == _without_ages(there.json())


def _without_ages(report: dict[str, Any]) -> dict[str, object]:
    """Also without the age of what is known of lines: the daemon writes while it is asked."""
    return {key: value for key, value in _without_time(report).items() if key != "lines"}


def _map_agrees(fedra: Fedra, world: World, socket_path: Path, job: str) -> None:
    """The map of each worker has as many devices in each state as are counted, and names who holds them."""
    counts = json.loads(_get(socket_path, "devices")[1])["workers"]
    for worker in (world.worker1, world.worker2):
        target = f"device-map?worker={worker}"
        watched = json.loads(_get(socket_path, target)[1])
        asked = fedra.cli("devices", "--map", "--worker", worker, "-o", "json").json()
        devices = _devices_of(watched)
        # The command looks at no pods, so it does not know whose the claims are.
        assert [{**each, "holders": _claims_of(each)} for each in devices] == [
            {**each, "holders": _claims_of(each)} for each in _devices_of(asked)
        ], worker
        pools = next(each["pools"] for each in counts if each["name"] == worker)
        for state in ("free", "allocated", "shared", "unusable"):
            mapped = sum(each["state"] == state.capitalize() for each in devices)
            assert mapped == sum(pool[state] for pool in pools), f"{worker}: {state}"
        first = json.loads(_get(socket_path, f"{target}&limit=1")[1])
        assert first["nodes"] == watched["nodes"][:1], first
        assert first["remaining"] == len(watched["nodes"][1:]), first
    held = _devices_of(json.loads(_get(socket_path, f"device-map?worker={world.worker1}")[1]))
    holders = [holder for device in held for holder in device.get("holders", [])]
    assert f"{world.ns}/{holders[0]['job']}" == job, holders


def _devices_of(document: Any) -> list[Any]:
    return [
        device for node in document["nodes"] for pool in node["pools"] for device in pool["devices"]
    ]


def _claims_of(device: Any) -> list[str]:
    return [f"{holder['namespace']}/{holder['claim']}" for holder in device.get("holders", [])]


def _targets(world: World, runs: str, blocked: str) -> list[tuple[str, int]]:
    """What is asked, and with which status it is answered."""
    one = [
        (f"{path}?job={job}", 200)
        for path in ("job", "why", "history")
        for job in (runs, blocked, f"{runs.partition('/')[2]}&namespace={world.ns}")
    ]
    no_job = [(f"{path}?job={world.ns}/none", 404) for path in ("job", "why", "history")]
    counts = [
        (f"counts?group-by={by}&all", 200)
        for by in ("state", "reason", "worker", "queue", "namespace")
    ]
    return [
        ("status", 200),
        ("status?all&sort-by=age&limit=1", 200),
        ("status?state=Gone", 400),
        ("workers", 200),
        ("workers?state=Running", 400),
        ("reasons", 200),
        ("reasons?name=Running", 400),
        ("jobs?state=Blocked,Running", 200),
        (f"jobs?namespace={world.ns}&worker={world.worker1}", 200),
        (f"jobs?name={runs.upper()}", 200),
        ("jobs?name=nothing", 200),
        ("jobs?name=" + "+".join(["word"] * 17), 400),
        ("counts?group-by=state&name=" + blocked.partition("/")[2], 200),
        ("jobs?state=Deleted", 200),
        ("jobs?state=Failed,deleted&sort-by=ended", 200),
        ("counts?group-by=state&state=Deleted,Running", 200),
        ("jobs?limit=1", 200),
        ("jobs?continue=x", 400),
        *counts,
        ("counts", 400),
        *one,
        *no_job,
        ("why", 400),
        ("devices", 200),
        (f"devices?worker={world.worker1}", 200),
        ("devices?class=none", 200),
        ("devices?selector=device.", 400),
        (f"device-map?worker={world.worker1}", 200),
        (f"device-map?worker={world.worker1}&limit=1", 200),
        (f"device-map?worker={world.worker1}&node=none", 400),
        ("device-map?worker=none", 400),
        ("device-map", 400),
        ("templates", 200),
        ("templates?mode=Reconcile", 200),
        ("templates?mode=Always", 400),
        ("check", 405),  # it takes POST: api-check
        ("watch?topics=colours", 400),  # what goes on: api-stream
        ("nothing", 404),
    ]


def _on(folder: Path) -> dict[str, object]:
    return {"api": {"socket": str(folder / "s"), "group": "nogroup"}}


def _server(folder: Path) -> tuple[str, str]:
    return "--server", f"unix:{folder / 's'}"


def _agree(fedra: Fedra, folder: Path, question: tuple[str, ...]) -> bool:
    here = fedra.cli(*question)
    there = fedra.bare_as(_NOBODY, *question, *_server(folder))
    return here == there


class _Connection(http.client.HTTPConnection):
    """To a Unix socket."""

    def __init__(self, path: Path):
        super().__init__("localhost", timeout=10)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self._path))


def _post(path: Path, target: str, body: str, headers: dict[str, str]) -> tuple[int, str]:
    """Status and body."""
    connection = _Connection(path)
    with contextlib.closing(connection):
        connection.request("POST", f"/api/v1alpha1/{target}", body, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()


def _get(path: Path, target: str) -> tuple[int, str]:
    """Status and body."""
    connection = _Connection(path)
    with contextlib.closing(connection):
        connection.request("GET", f"/api/v1alpha1/{target}")
        response = connection.getresponse()
        return response.status, response.read().decode()


def _without_time(report: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in report.items() if key != "asOf"}


def _looks(fedra: Fedra) -> int:
    """How often a workload has been looked at."""
    found = re.search(
        r"^fedra_reconcile_duration_seconds_count (\d+)", fedra.page("/metrics"), re.M
    )
    assert found is not None
    return int(found[1])


@contextlib.contextmanager
def _public_folder() -> Iterator[Path]:
    """That every user may enter; short enough for a socket's path."""
    folder = Path(tempfile.mkdtemp(prefix="fedra-api-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
