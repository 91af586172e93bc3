"""The image unpacked by umoci and run by runc: what a node does, without its daemons."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packages.parts import Skip, run
from scenarios.process import Process
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import eventually

USER = 65532
STORE = "/var/lib/fedra"


# System calls that the profiles of container runtimes (a pod's seccompProfile RuntimeDefault) deny to a process without
# capabilities. runc has no profile of its own.
_DENIED = (
    "acct add_key bpf chroot clock_settime delete_module fanotify_init finit_module fsconfig fsmount fsopen fspick "
    "get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load "
    "kexec_load keyctl lookup_dcookie mbind mount mount_setattr move_mount move_pages nfsservctl open_by_handle_at "
    "open_tree perf_event_open pivot_root process_madvise quotactl quotactl_fd reboot request_key set_mempolicy "
    "setdomainname sethostname setns settimeofday swapoff swapon syslog umount2 unshare uselib userfaultfd vhangup"
).split()
_NAMESPACES = (1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30)  # CLONE_NEW*
_ENOSYS = 38


class Bundle:
    """One container at a time, on this machine's network. Main thread only; for a `with`."""

    def __init__(self, image: Path):
        self._image = image

    def __enter__(self) -> Bundle:
        self.folder = Path(tempfile.mkdtemp(prefix="fedra-image-"))
        self.folder.chmod(0o755)
        layout = self.folder / "layout"
        layout.mkdir()
        run("tar", "-C", layout, "-xf", self._image)
        index = json.loads((layout / "index.json").read_text())
        tag = index["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
        run("umoci", "unpack", "--image", f"{layout}:{tag}", self.folder / "bundle")
        self.root = self.folder / "bundle/rootfs"
        self.configuration = self.folder / "configuration"
        self.volume = self.folder / "volume"
        for each in (self.configuration, self.volume):
            each.mkdir()
            os.chown(each, USER, USER)
        # More than these, and variables, that the pod of the test has. Changed before start().
        self.mounts = {
            STORE: _bind(self.volume, STORE, "rw"),
            "/etc/fedra": _bind(self.configuration, "/etc/fedra", "ro"),
        }
        self.environment: dict[str, str] = {}
        # In place of those that the image has.
        self.arguments: list[str] = []
        self._name = f"fedra-{os.getpid()}-{self.folder.name}"
        self._process: Process | None = None
        return self

    def __exit__(self, *_: object) -> None:
        self._runc("delete", "--force", self._name, code=None)
        if self._process is not None:
            self._process.kill()
        shutil.rmtree(self.folder)

    def mount(self, source: Path, destination: str) -> None:
        """Read-only, as a kubelet mounts an account's token."""
        self.mounts[destination] = _bind(source, destination, "ro")

    def start(self) -> None:
        """As Kubernetes would with the namespace's policy `restricted` and a read-only root."""
        path = self.folder / "bundle/config.json"
        path.write_text(json.dumps(self._restricted(json.loads(path.read_text()))))
        self.log = self.folder / "log"
        command = ["runc", "--root", self.folder / "runc", "run", "--bundle", path.parent]
        self._process = Process([*command, self._name], self.log)

    def pid(self) -> int:
        """Of the program, as this machine numbers it."""
        return int(json.loads(self._runc("state", self._name))["pid"])

    def kill(self) -> None:
        """kill -9, and gone is the container with all that it wrote outside of its volume."""
        self.end(signal.SIGKILL)

    def end(self, by: signal.Signals) -> int:
        os.kill(self.pid(), by)
        return self.wait()

    def wait(self) -> int:
        """For its end; the exit code."""
        assert self._process is not None
        process = self._process
        eventually("the container has ended", lambda: not process.running(), 20)
        self._runc("delete", "--force", self._name, code=None)
        return process.exit_code() or 0

    def fedra(self, *arguments: str) -> str:
        """A command in the running container, under the same restrictions."""
        return self._runc("exec", self._name, "/usr/bin/fedra", *arguments)

    def prints(self, *arguments: str) -> bytes:
        """As fedra(); only its standard output, as `kubectl exec ... > file` keeps it."""
        command = ["runc", "--root", str(self.folder / "runc"), "exec", self._name]
        ran = subprocess.run([*command, "/usr/bin/fedra", *arguments], capture_output=True)
        assert ran.returncode == 0, f"{arguments}: {ran.returncode}: {ran.stderr.decode()}"
        return ran.stdout

    def tries(self, *command: str) -> subprocess.CompletedProcess[str]:
        arguments = ["runc", "--root", str(self.folder / "runc"), "exec", self._name, *command]
        return subprocess.run(arguments, capture_output=True, text=True)

    def files(self) -> dict[str, tuple[int, int, int]]:
        """Path -> mode, size and time of change of everything in the image's root."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            status = path.lstat()
            found[str(path)] = (status.st_mode, status.st_size, status.st_ctime_ns)
        return found

    def _runc(self, *arguments: str, code: int | None = 0) -> str:
        return run("runc", "--root", self.folder / "runc", *arguments, code=code)

    def _restricted(self, config: dict[str, Any]) -> dict[str, Any]:
        process, linux = config["process"], config["linux"]
        assert process["user"] == {"uid": USER, "gid": USER}, process["user"]
        process["terminal"] = False
        if self.arguments:
            process["args"] = [process["args"][0], *self.arguments]
        process["noNewPrivileges"] = True
        process["capabilities"] = {}
        config["root"]["readonly"] = True
        linux["seccomp"] = _runtime_default()
        # The fleet listens on this machine's loopback.
        linux["namespaces"] = [each for each in linux["namespaces"] if each["type"] != "network"]
        process["env"] += [f"{name}={value}" for name, value in self.environment.items()]
        tmp: dict[str, object] = {
            "destination": "/tmp",
            "type": "tmpfs",
            "source": "tmpfs",
            "options": ["nosuid", "nodev", "noexec", "mode=1777", "size=16m"],
        }
        ours = {"/tmp": tmp, **self.mounts}
        others = [each for each in config["mounts"] if each["destination"] not in ours]
        config["mounts"] = [*others, *ours.values()]
        return config


def _bind(source: Path, destination: str, mode: str) -> dict[str, object]:
    options = ["bind", mode, "nosuid", "nodev", "noexec"]
    return {
        "destination": destination,
        "type": "bind",
        "source": str(source),
        "options": options,
    }


def _runtime_default() -> dict[str, object]:
    """What of it concerns us: a program that needs a denied call fails here, too."""
    of_a_namespace = [
        {
            "names": ["clone"],
            "action": "SCMP_ACT_ERRNO",
            "args": [{"index": 0, "value": flag, "valueTwo": flag, "op": "SCMP_CMP_MASKED_EQ"}],
        }
        for flag in _NAMESPACES
    ]
    # Its flags are in memory, where a filter cannot see them: the C library falls back to clone.
    clone3 = {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": _ENOSYS}
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": ["SCMP_ARCH_X86_64"],
        "syscalls": [
            {"names": list(_DENIED), "action": "SCMP_ACT_ERRNO"},
            clone3,
            *of_a_namespace,
        ],
    }


@contextlib.contextmanager
def simulated_fleet() -> Iterator[SimFleet]:
    """What the container works with, furnished. Skips where no container can be run."""
    reason = _why_not()
    if reason:
        raise Skip(reason)
    fleet = SimFleet(kueue_dra=False)
    try:
        fleet.start_furnished()
        yield fleet
    finally:
        fleet.stop()


def _why_not() -> str:
    """Why no container can be run here; empty: it can."""
    if os.geteuid() != 0:
        return "only root can run the container"
    missing = [name for name in ("umoci", "runc") if not shutil.which(name)]
    return f"{', '.join(missing)} not found" if missing else ""
