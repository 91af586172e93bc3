"""The package in a booted Debian: installed, started against a simulated fleet, upgraded, removed, purged."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from packages import machine, older_store, readme
from packages.artefacts import Artefacts
from packages.machine import Machine, Output
from packages.parts import ROOT, Skip
from packages.traced_thread import held
from scenarios import objects
from scenarios.fleet import MANAGER
from scenarios.kubeconfig import Access
from scenarios.process import free_ports
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import always, eventually

_EXPOSURE = 1.3  # of `systemd-analyze security`, at most
_STORE = "var/lib/private/fedra/fedra.db"
_SOCKET = "/run/fedra/fedra.sock"
_UNIT = "fedra.service"
_ROTATE = "fedra-rotate@manager"
_WATCHDOG = 4  # seconds, in the tests; the unit's own limit is made for busy machines
# Not ours: what booting, and installing any package, changes.
_OF_OTHERS = re.compile(
    r"^/(var/(lib|cache|log)/(apt|dpkg|systemd|ucf)|var/log/|var/cache/(ldconfig|debconf|man)|var/tmp/systemd-private|"
    r"var/lib/dbus/machine-id|etc/(ld\.so\.cache|\.pwd\.lock|(group|gshadow|passwd|shadow|subuid|subgid)-?$)|"
    r"(root|tmp|run|dev|proc|sys)/)"
)


class _Installed:
    """One package on one machine, and the fleet that it serves."""

    def __init__(self, machine_: Machine, fleet: SimFleet, built: Artefacts):
        self.machine, self.fleet, self.built = machine_, fleet, built

    # --- Steps.

    def install_unbooted(self) -> None:
        """As an installer or an image builder would: nothing runs, apt brings the dependencies."""
        self._apt_in_chroot("update")
        dependencies = self._dependencies()
        self._apt_in_chroot("install", "--no-install-recommends", *dependencies)
        self.before = self.machine.files()
        self._copy(self.built.previous_deb)
        output = self.machine.chroot("dpkg", "--install", f"/root/{self.built.previous_deb.name}")
        assert output.code == 0, output.text

    def check_fresh(self) -> None:
        """Users, modes, and a unit that does nothing before it is configured."""
        show = self.machine.check("stat", "-c", "%A %U %G", "/etc/fedra").strip()
        assert show == "drwxr-x--- root fedra-config", show
        assert self.machine.run("systemctl", "is-enabled", _UNIT).text.strip() == "disabled"
        self.machine.check("systemctl", "start", _UNIT)
        assert self.machine.unit(_UNIT, "ConditionResult") == "no"
        assert self.machine.unit(_UNIT, "ActiveState") == "inactive"
        self.machine.check("systemd-analyze", "verify", "--man=no", _UNIT)

    def configure(self) -> None:
        """As docs/install.md says."""
        folder = self.machine.root / "etc/fedra"
        for cluster in self.fleet.clusters:
            self.fleet.fedra_access(cluster).write_kubeconfig(folder / f"{cluster}.kubeconfig")
        configuration = {
            "apiVersion": "fedra.dev/v1alpha1",
            "kind": "Configuration",
            "manager": {"kubeconfig": "manager.kubeconfig"},
            "workers": [
                {"name": worker, "kubeconfig": f"{worker}.kubeconfig"}
                for worker in self.fleet.workers
            ],
            "verification": {"devices": "Off"},
            "http": {"address": f"127.0.0.1:{free_ports(1)[0]}"},
        }
        (folder / "fedra.yaml").write_text(yaml.safe_dump(configuration))
        self.machine.check("sh", "-c", "chgrp fedra-config /etc/fedra/*; chmod 0640 /etc/fedra/*")
        self.machine.check("fedra", "config", "validate", "--connect")

    def start(self) -> None:
        self.machine.check("systemctl", "enable", "--now", _UNIT)  # returns at READY=1
        assert self.machine.unit(_UNIT, "ActiveState") == "active"
        status = f"{len(self.fleet.workers)} of {len(self.fleet.workers)} workers connected"
        eventually("the status line", lambda: self.machine.unit(_UNIT, "StatusText") == status, 20)
        process = (Path("/proc") / str(self._host_pid()) / "status").read_text()
        assert "CapEff:\t0000000000000000" in process and "NoNewPrivs:\t1" in process, process
        assert "Seccomp:\t2" in process and not re.search(r"^Uid:\t0\b", process, re.MULTILINE)
        store = (self.machine.root / _STORE).stat()
        assert oct(store.st_mode & 0o777) == "0o600" and store.st_uid != 0, oct(store.st_mode)

    def ask_without_root(self) -> None:
        """A member of fedra-view, who may read neither the configuration nor the store, asks the daemon."""
        show = self.machine.check("stat", "-c", "%A %U %G", _SOCKET).strip()
        assert show == "srw-rw---- root fedra-view", show
        workers = self._as_nobody("fedra-view")
        assert workers.code == 0, workers.text
        assert sorted(workers.text.split()) == sorted(self.fleet.workers), workers.text
        assert self._as_nobody("nogroup").code != 0

    def _as_nobody(self, group: str) -> Output:
        become = ("setpriv", "--reuid=nobody", f"--regid={group}", "--clear-groups", "--")
        return self.machine.run(*become, "fedra", "status", "workers", "-o", "name")

    def exposure(self) -> None:
        text = self.machine.check("systemd-analyze", "security", "--no-pager", _UNIT)
        match = re.search(r"Overall exposure level for \S+: ([\d.]+)", text)
        assert match is not None and float(match[1]) <= _EXPOSURE, text[-300:]
        print(f"     exposure {match[1]}")

    def run_job(self, name: str) -> None:
        """From submission to its worker, and what the commands say of it."""
        job = objects.job("ml", name, "gpu", template="one-gpu")
        self.fleet.admin(MANAGER).create(job)

        def placed() -> bool:
            output = self.machine.run("kubectl-fedra", "status", "jobs", "-o", "json")
            return output.code == 0 and name in output.text and self._runs_somewhere(name)

        eventually(f"{name} on a worker", placed, 30)

    def restore(self) -> None:
        """By the lines of docs/operations.md. A job that the copy does not know of is found on its worker."""
        history = self._history("first")
        self._type(next(line for line in _operations() if line.startswith("sudo fedra backup ")))
        self.run_job("between")
        begin, end = (
            _operations().index(f"sudo systemctl {verb} fedra") for verb in ("stop", "start")
        )
        for line in _operations()[begin : end + 1]:
            self._type(line)
        assert self._history("first")[: len(history)] == history, "another history"

        def taken_up() -> bool:
            jobs = json.loads(self.machine.check("fedra", "status", "jobs", "-o", "json"))["jobs"]
            return any(job["name"] == "between" and job["state"] == "Finished" for job in jobs)

        eventually("the other job is taken up and ends", taken_up, 30)
        reasons = [event["reason"] for event in self._history("between")]
        assert "Dispatched" not in reasons, f"it was dispatched a second time: {reasons}"

    def _type(self, line: str) -> None:
        """As an administrator would; he is root here, and there is no sudo."""
        self.machine.check("sh", "-c", line.replace("sudo ", ""))

    def pings(self) -> None:
        """The watchdog is content while the daemon works, and acts when it hangs."""
        drop_in = self.machine.root / f"etc/systemd/system/{_UNIT}.d/watchdog.conf"
        drop_in.parent.mkdir(parents=True)
        drop_in.write_text(f"[Service]\nWatchdogSec={_WATCHDOG}\nTimeoutAbortSec=2\n")
        self.machine.check("systemctl", "daemon-reload")
        self.machine.check("systemctl", "restart", _UNIT)
        pid = self._host_pid()
        always("the same process", lambda: self._host_pid() == pid, 3 * _WATCHDOG)
        os.kill(self._host_pid(), signal.SIGSTOP)
        self._await_watchdog("the whole process")
        # One thread that hangs while all others go on: the main thread alone would ping for ever.
        thread = self._network_thread()
        with held(thread) as reap:
            self._await_watchdog("the network loop's thread", reap)
        shutil.rmtree(drop_in.parent)
        self.machine.check("systemctl", "daemon-reload")
        self.machine.check("systemctl", "restart", _UNIT)

    def upgrade(self) -> None:
        """apt on the running machine: the new program takes over, with the store."""
        pid, history = self._host_pid(), self._history("first")
        self._copy(self.built.deb)
        self.machine.check(
            "apt-get",
            "install",
            "--yes",
            "--no-install-recommends",
            f"/root/{self.built.deb.name}",
        )
        eventually("the new process", lambda: self._host_pid() not in (0, pid), 20)
        eventually("active", lambda: self.machine.unit(_UNIT, "ActiveState") == "active", 30)
        assert self._history("first")[: len(history)] == history, "the history began anew"
        version = self.machine.check("dpkg-query", "-W", "-f=${Version}", "fedra")
        assert version in self.built.deb.name, version
        assert self.machine.unit(_UNIT, "UnitFileState") == "enabled"

    def upgrade_an_older_store(self) -> None:
        """The version before, whose store had the schema before: the new program brings it forward, and knows all."""
        known = {job: self._history(job) for job in ("first", "second")}
        newest = older_store.schema_of(self.machine.root / _STORE)
        self._apt("install", "--allow-downgrades", f"/root/{self.built.previous_deb.name}")
        self.machine.check("systemctl", "stop", _UNIT)
        older_store.take_back(self.machine.root / _STORE, newest - 1)
        self._apt("install", f"/root/{self.built.deb.name}")
        assert older_store.schema_of(self.machine.root / _STORE) == newest - 1, "apt started it"
        self.machine.check("systemctl", "start", _UNIT)
        assert older_store.schema_of(self.machine.root / _STORE) == newest
        for job, history in known.items():
            assert self._history(job)[: len(history)] == history, f"another history of {job}"
        jobs = json.loads(self.machine.check("fedra", "status", "jobs", "-o", "json"))["jobs"]
        assert {"first", "second"} <= {job["name"] for job in jobs}, jobs

    def upgrade_while_the_manager_is_unreachable(self) -> None:
        """The unit is not ready before the manager answers; apt does not wait for that."""
        self.fleet.stop_api_server(MANAGER)
        self._apt("install", "--reinstall", f"/root/{self.built.deb.name}")
        eventually(
            "activating", lambda: self.machine.unit(_UNIT, "ActiveState") == "activating", 20
        )
        self.fleet.start_api_server(MANAGER)
        eventually("active", lambda: self.machine.unit(_UNIT, "ActiveState") == "active", 60)

    def renew(self) -> None:
        """The manager's token, as docs/operations.md says; the file is read on by the service alone."""
        manager = self.fleet.admin(MANAGER)
        documents = (ROOT / "deploy/manager-rbac.yaml").read_text()
        documents += "\n---\n" + (ROOT / "deploy/worker-rbac-token-renewal.yaml").read_text()
        for each in yaml.safe_load_all(documents):
            manager.apply(each)
        file = self.machine.root / "etc/fedra/manager.kubeconfig"
        before, token = file.stat(), Access.from_kubeconfig(file).token
        self.machine.check("systemd-analyze", "verify", "--man=no", f"{_ROTATE}.timer")
        self.machine.check("systemctl", "enable", "--now", f"{_ROTATE}.timer")
        self.machine.check("systemctl", "start", f"{_ROTATE}.service")
        after = file.stat()
        assert Access.from_kubeconfig(file).token != token, "the token is the old one"
        assert (after.st_mode, after.st_gid) == (before.st_mode, before.st_gid), oct(after.st_mode)
        self.run_job("renewed")

    def remove(self) -> None:
        self._apt("remove", "fedra")
        assert self.machine.unit(f"{_ROTATE}.timer", "ActiveState") == "inactive", "still renewed"
        assert self.machine.unit(_UNIT, "ActiveState") in ("inactive", ""), "still running"
        assert not (self.machine.root / "usr/bin/fedra").exists()
        assert (self.machine.root / _STORE).exists(), "the store went with the program"

    def install_again(self) -> None:
        """By the line of README.md, in a folder that has the package where a clone has it."""
        folder = self.machine.root / "root/build/packages"
        folder.mkdir(parents=True)
        shutil.copy(self.built.deb, folder)
        line = readme.line("sudo apt install").replace("sudo apt install", "apt install --yes")
        self.machine.check("sh", "-c", f"cd /root && {line}")
        shutil.rmtree(folder.parent)
        self.machine.check("systemctl", "start", _UNIT)
        assert self._history("first"), "the history is gone"

    def purge(self) -> None:
        """Kubeconfigs are the administrator's and are left; when he takes them, nothing is."""
        self._apt("remove", "fedra")
        folder = self.machine.root / "etc/fedra"
        text = self._apt("purge", "fedra")
        assert "/etc/fedra is not empty" in text, text
        assert not (folder / "fedra.yaml").exists()
        assert (folder / "manager.kubeconfig").exists(), "a kubeconfig was deleted"
        self._apt("install", f"/root/{self.built.deb.name}")
        for file in folder.glob("*.kubeconfig"):
            file.unlink()
        self._apt("purge", "fedra")
        for deb in (self.machine.root / "root").glob("*.deb"):
            deb.unlink()
        after = self.machine.files()
        strange = {
            path: (self.before.get(path), after.get(path))
            for path in self.before.keys() | after.keys()
            if self.before.get(path) != after.get(path) and not _OF_OTHERS.match(path)
        }
        assert not strange, f"the disk is not as it was: {strange}"
        groups = (self.machine.root / "etc/group").read_text()
        assert "fedra" not in groups, groups

    # --- Parts.

    def _dependencies(self) -> list[str]:
        """The packages that the package depends on, by name; apt checks the versions later."""
        self._copy(self.built.deb)
        text = self.machine.chroot(
            "apt-get", "install", "--simulate", "--no-install-recommends",
            f"/root/{self.built.deb.name}",
        )  # fmt: skip
        assert text.code == 0, f"the dependencies cannot be installed:\n{text.text}"
        return [name for name in re.findall(r"^Inst (\S+)", text.text, re.M) if name != "fedra"]

    def _copy(self, deb: Path) -> None:
        shutil.copy(deb, self.machine.root / "root" / deb.name)

    def _apt_in_chroot(self, *arguments: str) -> None:
        output = self.machine.chroot("apt-get", "--yes", *arguments)
        assert output.code == 0, output.text

    def _apt(self, *arguments: str) -> str:
        return self.machine.check("apt-get", "--yes", "--no-install-recommends", *arguments)

    def _history(self, job: str) -> list[Any]:
        """What the store remembers of a job, oldest first."""
        document = json.loads(self.machine.check("fedra", "history", f"ml/{job}", "-o", "json"))
        events = [event for item in document["jobs"] for event in item["events"]]
        return events

    def _runs_somewhere(self, name: str) -> bool:
        workers = self.fleet.workers
        return any(self.fleet.admin(each).find("Job", "ml", name) is not None for each in workers)

    def _pid(self) -> str:
        """In the machine."""
        return self.machine.unit(_UNIT, "MainPID")

    def _host_pid(self) -> int:
        """Of the daemon, as this machine numbers it; 0: it does not run."""
        inside = self._pid()
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                numbers = re.search(r"^NSpid:\t(.*)$", status.read_text(), re.MULTILINE)
            except OSError:
                continue  # it has ended
            same_machine = numbers is not None and numbers[1].split()[1:] == [inside]
            if same_machine and self.machine.owns(int(status.parent.name)):
                return int(status.parent.name)
        return 0

    def _network_thread(self) -> int:
        """The only one that waits in epoll_wait or epoll_pwait."""
        tasks = Path(f"/proc/{self._host_pid()}/task")

        def waiting() -> list[int]:
            calls = {int(task.name): (task / "syscall").read_text() for task in tasks.iterdir()}
            return [task for task, call in calls.items() if call.startswith(("232 ", "281 "))]

        return eventually("one thread waits for the network", waiting, 5)[0]

    def _await_watchdog(self, what: str, meanwhile: Callable[[], None] = lambda: None) -> None:
        before = int(self.machine.unit(_UNIT, "NRestarts"))

        def restarted() -> bool:
            meanwhile()
            return int(self.machine.unit(_UNIT, "NRestarts")) > before

        eventually(f"a restart by the watchdog after {what} hung", restarted, 5 * _WATCHDOG + 10)
        eventually("active again", lambda: self.machine.unit(_UNIT, "ActiveState") == "active", 30)


def _operations() -> list[str]:
    """Lines to type of docs/operations.md."""
    text = (ROOT / "docs/operations.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r"  +#.*", "", line) for block in blocks for line in block.splitlines()]


def life_of_a_package(built: Artefacts) -> None:
    reason = machine.why_not()
    if reason:
        raise Skip(reason)
    archive = machine.base_system(ROOT / "build/packages/base")
    fleet = SimFleet(kueue_dra=False)
    debian = Machine(archive)
    try:
        fleet.start_furnished()
        installed = _Installed(debian, fleet, built)
        _timed(installed.install_unbooted)
        _timed(debian.boot)
        for step in _steps(installed):
            try:
                _timed(step)
            except AssertionError as error:
                journal = debian.run("journalctl", "--no-pager", "-n", "40", "-u", _UNIT).text
                raise AssertionError(f"{step.__name__}: {error}\n{journal}") from None
    finally:
        debian.stop()
        fleet.stop()


def _timed(step: Callable[[], None]) -> None:
    """docs/install.md has the seconds of the first ones."""
    begun = time.monotonic()
    step()
    print(f"     {step.__name__.replace('_', ' ')} ({time.monotonic() - begun:.0f} s)", flush=True)


def _steps(installed: _Installed) -> list[Callable[[], None]]:
    def first_job() -> None:
        installed.run_job("first")

    def second_job() -> None:
        installed.run_job("second")

    return [
        installed.check_fresh,
        installed.configure,
        installed.start,
        installed.ask_without_root,
        installed.exposure,
        first_job,
        installed.restore,
        installed.pings,
        installed.upgrade,
        second_job,
        installed.renew,
        installed.upgrade_an_older_store,
        installed.upgrade_while_the_manager_is_unreachable,
        installed.remove,
        installed.install_again,
        installed.purge,
    ]
