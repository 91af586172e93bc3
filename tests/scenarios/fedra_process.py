"""The program under test: its configuration file, the daemon as a child process, and its command line."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import re
import resource
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from scenarios.contract import check_document
from scenarios.counters import Counters
from scenarios.kubeconfig import Access
from scenarios.process import Process, free_ports
from scenarios.resources import Object
from scenarios.waiting import SLOWNESS, eventually

_BUILT = Path(__file__).parents[2] / "build/release/manager/fedra"

# `fedra check` answers with its exit code, see docs of the command.
CHECK_PLACEABLE, CHECK_ERROR, CHECK_NOWHERE, CHECK_UNKNOWN = 0, 1, 3, 4

# A write beyond a file's limit is refused like one on a full disk; a disk sends no signal.
_REFUSAL_NOT_SIGNAL = ("env", "--ignore-signal=XFSZ")

_CALL_SECONDS = 60.0  # for one run of the command line
_DRAIN_SECONDS = 5.0  # from SIGTERM to the end


def default_binary() -> Path:
    return Path(os.environ.get("FEDRA", str(_BUILT)))


def previous_binary() -> Path | None:
    """A program of the version before, where FEDRA_PREVIOUS names one (scripts/build_previous.sh)."""
    name = os.environ.get("FEDRA_PREVIOUS", "")
    return Path(name) if name else None


@dataclasses.dataclass(frozen=True)
class Output:
    """What one run of the command line printed."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        return json.loads(self.stdout)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """On one worker."""

    outcome: str  # Yes, MayScale, Unknown, No
    reasons: list[str]  # codes; empty when nothing stands against the worker
    messages: list[str]
    # Of each firstAvailable request the index of what it would get; empty without any, or where not judged.
    alternatives: list[int]


class Stream:
    """What a command with --watch prints, one JSON document a line. Start it from the main thread."""

    def __init__(self, command: Sequence[str], file: Path):
        self._file = file
        self._process = Process(command, file, errors=file.with_suffix(".errors"))

    def documents(self) -> list[Any]:
        """All so far; a line that is still being written does not count."""
        assert self._process.running(), f"ended with {self._process.exit_code()}"
        whole, _, _ = self._file.read_text().rpartition("\n")
        documents = [json.loads(line) for line in whole.splitlines()]
        for document in documents:
            check_document(document)
        return documents

    def end(self) -> None:
        """SIGTERM, of which it dies at once."""
        code = self._process.terminate(grace=2)
        assert code == -signal.SIGTERM, f"ended with {code}"


class Fedra:
    """One configuration and one store in a folder of their own; the daemon may be started many times on them.

    Start the daemon from the main thread (see Process).
    """

    def __init__(
        self,
        binary: Path,
        folder: Path,
        accesses: Mapping[str, Access],
        settings: Mapping[str, Any],
    ):
        """`accesses`: cluster -> credentials, the manager first. `settings` are merged over a test's defaults."""
        self._binary, self._folder = binary, folder
        folder.mkdir(parents=True)
        manager, *workers = accesses
        for cluster, access in accesses.items():
            self.set_access(cluster, access)
        self.http_address = f"127.0.0.1:{free_ports(1)[0]}"
        self.store = folder / "fedra.db"
        configuration: Object = {
            "apiVersion": "fedra.dev/v1alpha1",
            "kind": "Configuration",
            "manager": {"kubeconfig": str(self._kubeconfig(manager))},
            "workers": [
                {"name": name, "kubeconfig": str(self._kubeconfig(name))} for name in workers
            ],
            # Scenarios about devices switch this on; the others have workers without any.
            "verification": {"devices": "Off"},
            "store": {"path": str(self.store)},
            "http": {"address": self.http_address},
            "logging": {"level": "debug"},
        }
        self.configuration_file = folder / "fedra.yaml"
        self._configuration = configuration
        self.change_settings(settings)
        self.log = folder / "fedra.log"
        self.log.touch()
        self.process: Process | None = None
        self._log_begins = 0  # where in the log the process that was started last has begun
        self._begun = 0  # commands, for the names of what they print

    def set_access(self, cluster: str, access: Access) -> None:
        """Replaces the kubeconfig of one cluster as an administrator would; a running daemon must notice."""
        file = self._kubeconfig(cluster)
        access.write_kubeconfig(file.with_suffix(".new")).rename(file)

    def change_settings(self, settings: Mapping[str, Any]) -> None:
        """Merges into the configuration file."""
        self._configuration = merged(self._configuration, settings)
        # In one step: a running daemon must not read half of it.
        fresh = self.configuration_file.with_suffix(".new")
        fresh.write_text(yaml.safe_dump(self._configuration, sort_keys=False))
        fresh.rename(self.configuration_file)

    def change_worker(self, name: str, settings: Mapping[str, Any]) -> None:
        """Merges into the worker's entry of the configuration file."""
        worker = next(each for each in self._configuration["workers"] if each["name"] == name)
        worker.update(settings)
        self.change_settings({})

    def remove_worker(self, name: str) -> Object:
        """Takes the worker out of the configuration file; a running daemon must notice. Its entry."""
        workers = self._configuration["workers"]
        entry: Object = next(each for each in workers if each["name"] == name)
        self.change_settings({"workers": [each for each in workers if each is not entry]})
        return entry

    def add_worker(self, entry: Object) -> None:
        """Puts a worker at the end of the configuration file's list; a running daemon must notice."""
        self.change_settings({"workers": [*self._configuration["workers"], entry]})

    def use(self, binary: Path) -> None:
        """The program that is started next, and its commands."""
        self._binary = binary

    def delete_store(self) -> None:
        """Database, write-ahead log and all; the daemon must not be running."""
        for file in self._folder.glob("fedra.db*"):
            file.unlink()

    def start(self, crash_at: str | None = None, ready: bool = True) -> None:
        """Starts the daemon; with `ready` returns when it says so. `crash_at` is a point of FEDRA_TEST_CRASH_AT."""
        environment = {"FEDRA_TEST_CRASH_AT": crash_at} if crash_at else {}
        command = [*_REFUSAL_NOT_SIGNAL, *self.command("run")]
        self._log_begins = self.log.stat().st_size
        self.process = Process(command, self.log, environment)
        if ready:
            self.wait_ready()

    def wait_ready(self) -> None:
        eventually("fedra ready", self._ready, 30)

    def kill(self) -> None:
        """kill -9."""
        self._running().kill()

    def stop(self) -> None:
        """SIGTERM; it must end within 5 s, and without a complaint: its own or a sanitizer's."""
        code = self._running().terminate(grace=_DRAIN_SECONDS)
        assert code == 0, f"fedra ended with {code}"
        self.process = None

    def restart(self) -> None:
        """kill -9 and start again on the same store."""
        self.kill()
        self.start()

    def wait_crashed(self, timeout: float) -> None:
        """Waits until the daemon has ended at its crash point."""
        eventually("fedra crashed", lambda: not self._running().running(), timeout)

    def signal(self, number: int) -> None:
        self._running().signal(number)

    def logged(self, text: str) -> int:
        """How many lines of the daemon's log have it."""
        return sum(text in line for line in self.log.read_text(errors="replace").splitlines())

    def last_logged(self, field: str) -> str:
        """The value of the log's field, without spaces in it, where the process that was started last has it last."""
        with self.log.open("rb") as log:
            log.seek(self._log_begins)
            text = log.read().decode(errors="replace")
        return ([""] + re.findall(rf"\b{field}=(\S+)", text))[-1]

    def cpu_seconds(self) -> float:
        return self._running().cpu_seconds()

    def resident_bytes(self) -> int:
        return self._running().resident_bytes()

    def peak_bytes(self) -> int:
        """The most memory that was ever resident since it was started."""
        return self._running().peak_bytes()

    def threads(self) -> int:
        return self._running().threads()

    def counters(self) -> Counters:
        with urllib.request.urlopen(f"http://{self.http_address}/metrics", timeout=60) as response:
            return Counters(response.read().decode())

    def is_running(self) -> bool:
        return self.process is not None and self.process.running()

    def open_descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self._running().pid}/fd"))

    def address_space_bytes(self) -> int:
        return self._running().address_space_bytes()

    def limit_files(self, size: int | None) -> None:
        """No file of the daemon may grow beyond that size, as if the disk were full. None: there is space."""
        limit = resource.RLIM_INFINITY if size is None else size
        pid = self._running().pid
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, hard))

    def use_up_descriptors(self) -> None:
        """The daemon keeps what is open, and may open no file and no socket more. To be asked again when one closed."""
        pid = self._running().pid
        _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        used = {int(number) for number in os.listdir(f"/proc/{pid}/fd")}
        lowest = next(number for number in range(len(used) + 1) if number not in used)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (lowest, hard))

    def free_descriptors(self) -> None:
        """The daemon may open as many as before."""
        pid = self._running().pid
        _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (hard, hard))

    def cli(
        self,
        *arguments: str,
        stdin: str | None = None,
        file_limit: int | None = None,
        memory_limit: int | None = None,
    ) -> Output:
        """Runs `fedra ARGUMENTS --config FILE`. `file_limit`: as in limit_files; `memory_limit`: of address space."""
        limits = {"fsize": file_limit, "as": memory_limit}
        given = [f"--{name}={limit}" for name, limit in limits.items() if limit is not None]
        limited = ["prlimit", *given] if given else []
        return _run([*_REFUSAL_NOT_SIGNAL, *limited, *self.command(*arguments)], stdin)

    def page(self, path: str) -> str:
        """What the daemon's HTTP server answers, whatever the status."""
        try:
            return self._http(path)
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def bare(self, *arguments: str, stdin: str | None = None) -> Output:
        """Runs `fedra ARGUMENTS`, which need no configuration."""
        return _run(self.bare_command(*arguments), stdin)

    def types(self, line: str, environment: Mapping[str, str]) -> str:
        """What a line of a document prints, typed into a shell here whose `fedra` is this one, with this configuration."""
        variables = {
            "PATH": f"{self._binary.parent}:/usr/bin:/bin",
            "FEDRA_CONFIG": str(self.configuration_file),
            **environment,
        }
        set_up = [f"{name}={value}" for name, value in variables.items()]
        here = ["env", f"--chdir={self.store.parent}", *set_up]
        output = _run([*here, "sh", "-c", line], None)
        assert output.code == 0, f"{line}: {output}"
        return output.stdout

    def bare_as(self, user: int, *arguments: str) -> Output:
        """The same as another user, and the group of that number; as this one where we are not root."""
        become = [f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
        prefix = ["setpriv", *become] if os.geteuid() == 0 else []
        return _run([*prefix, str(self._binary), *arguments], None)

    def command(self, *arguments: str) -> list[str]:
        return [*self.bare_command(*arguments), "--config", str(self.configuration_file)]

    def bare_command(self, *arguments: str) -> list[str]:
        return [str(self._binary), *arguments]

    def follow(self, *arguments: str) -> Stream:
        """Starts a command that goes on until it is told to end."""
        return Stream(self.command(*arguments), self._folder / f"{arguments[0]}.stream")

    def begin(self, *arguments: str) -> Process:
        """Starts a command that takes its time. From the main thread (see Process)."""
        self._begun += 1
        return Process(self.command(*arguments), self._folder / f"{arguments[0]}-{self._begun}.out")

    def worker_states(self) -> dict[str, str]:
        """What `fedra status` says of each worker: Connected, Unreachable, ..."""
        return {worker["name"]: worker["state"] for worker in self._json("status")["workers"]}

    def kubernetes_versions(self) -> dict[str, str]:
        """Of each worker, as `fedra status` shows it: "v1.36.3"; "": not known yet."""
        rows = self._json("status")["workers"]
        return {row["name"]: row["kubernetesVersion"] for row in rows}

    def left_behind(self) -> dict[str, int]:
        """How many jobs' copies may still run on each worker, as far as `fedra status` knows."""
        return {row["name"]: row["jobsLeftBehind"] for row in self._json("status")["workers"]}

    def worker_notes(self) -> dict[str, str]:
        """What `fedra status` has to say about each worker."""
        return {worker["name"]: worker["why"] for worker in self._json("status")["workers"]}

    def cluster_trouble(self, cluster: str) -> str:
        """What `fedra status` has to complain about in one worker, or in the manager; empty: nothing."""
        status = self._json("status")
        rows = {worker["name"]: worker for worker in status["workers"]}
        row = rows.get(cluster, status["manager"])
        return str(row["why"] or ("" if row["state"] == "Connected" else row["state"]))

    def history(self, workload: str) -> list[str]:
        """The reasons of a workload's events, oldest first."""
        items = self._json("history", workload)["jobs"][0]["events"]
        return [str(event["reason"]) for event in items]

    def verdicts(self, workload: str) -> dict[str, Verdict]:
        """What `fedra why` says of each worker; `workload` is NAMESPACE/NAME of the job. Empty: not known yet."""
        output = self.cli("why", workload, "-o", "json")
        if output.code != 0 and "is known to fedra" in output.stderr:
            return {}
        workers = self._checked(output, "why")["jobs"][0]["workers"]
        return {worker["name"]: _verdict(worker) for worker in workers}

    def line(self, workload: str) -> Object | None:
        """Where `fedra why` says that the job stands in line."""
        output = self._checked(self.cli("why", workload, "-o", "json"), "why")
        line: Object | None = output["jobs"][0].get("line")
        return line

    def checked(self, *job: Object) -> dict[str, Verdict]:
        """What `fedra check` says of each worker, without the daemon; of a group of pods all are given."""
        workers = self.check(*job).json()["items"][0]["workers"]
        return {worker["name"]: _verdict(worker) for worker in workers}

    def check(self, *documents: Object) -> Output:
        return self.cli("check", "-f", "-", "-o", "json", stdin=yaml.safe_dump_all(documents))

    def report(self) -> str:
        """What a person wants to read after a failure."""
        parts = []
        if self.process is not None:
            code = self.process.exit_code()
            parts.append(f"fedra {'is running' if code is None else f'ended with {code}'}")
        status = self.cli("status")
        parts.append(f"$ fedra status\n{status.stdout}{status.stderr}")
        tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-60:])
        return "\n".join([*parts, f"--- tail of {self.log}", tail])

    def _running(self) -> Process:
        assert self.process is not None, "fedra was not started"
        return self.process

    def _json(self, *arguments: str) -> Any:
        return self._checked(self.cli(*arguments, "-o", "json"), " ".join(arguments))

    def _checked(self, output: Output, what: str) -> Any:
        if output.code != 0:
            raise RuntimeError(f"fedra {what}: exit {output.code}: {output.stderr}")
        return output.json()

    def _ready(self) -> bool:
        if not self._running().running():
            raise AssertionError(f"fedra ended at its start:\n{self._running().log_tail(20)}")
        return self._http("/readyz") != ""

    def _http(self, path: str) -> str:
        with urllib.request.urlopen(f"http://{self.http_address}{path}", timeout=2) as response:
            return response.read().decode()

    def _kubeconfig(self, cluster: str) -> Path:
        return self._folder / f"{cluster}.kubeconfig"


def _run(command: Sequence[str], stdin: str | None) -> Output:
    result = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=_CALL_SECONDS * SLOWNESS
    )
    if "json" in command and result.stdout:
        check_document(json.loads(result.stdout))
    return Output(result.returncode, result.stdout, result.stderr)


def _verdict(worker: Object) -> Verdict:
    reasons = worker["reasons"]
    codes, messages = ([each[key] for each in reasons] for key in ("code", "message"))
    chosen = worker.get("alternatives", [])  # `check` says more of each than its index
    alternatives = [(each["number"] if isinstance(each, dict) else each) - 1 for each in chosen]
    return Verdict(worker["verdict"], codes, messages, alternatives)


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> Object:
    """Mappings are merged, everything else is replaced."""
    result = copy.deepcopy(dict(base))
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(result.get(key), Mapping):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result
