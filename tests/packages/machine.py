"""A Debian 12 of its own with a booted systemd, in namespaces of this machine: no virtual machine, no container engine.

Needs root and, the first time, Debian's packages. The network is this machine's, so that the simulated fleet is
reachable on loopback; processes, mounts, users of the file system and cgroups are the machine's own.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from scenarios.waiting import eventually

SUITE = "bookworm"
_INCLUDE = "systemd,systemd-sysv,dbus,ca-certificates,adduser"

# Mounts what systemd expects of a container manager (systemd.io/CONTAINER_INTERFACE), makes the folder the root and
# becomes its init. pivot_root, not chroot: in a chroot PrivateUsers= fails with 217/USER.
_BOOT = """
set -e
cd "$1"
mount --make-rprivate /
mount --bind . .
cd "$1"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
for each in null zero full random urandom tty; do touch dev/$each; mount --bind /dev/$each dev/$each; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
mkdir -p .old
pivot_root . .old
cd /
umount -l /.old
rmdir /.old
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb /sbin/init
"""


class Output:
    def __init__(self, code: int, text: str):
        self.code, self.text = code, text


def base_system(cache: Path) -> Path:
    """An archive of a Debian with systemd and nothing of ours; made once a week, some 45 s.

    An older one lacks Debian's updates, and one day a package that is asked for is gone from the archive.
    """
    year, week, _ = datetime.now(UTC).isocalendar()
    archive = cache / f"{SUITE}-{year}-{week:02}.tar"
    if not archive.exists():
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.glob(f"{SUITE}*.tar"):
            old.unlink()
        fresh = archive.with_suffix(".new.tar")
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={_INCLUDE}", SUITE, fresh],
            check=True,
        )
        fresh.rename(archive)
    return archive


class Machine:
    """From the archive of a base system. Main thread only; stop() removes everything."""

    def __init__(self, archive: Path):
        self.root = Path(tempfile.mkdtemp(prefix="fedra-machine-"))
        self.root.chmod(0o755)
        subprocess.run(["tar", "-C", self.root, "-xf", archive], check=True)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self._cgroup = _cgroups() / f"fedra-test-{os.getpid()}-{self.root.name}"
        self._process: subprocess.Popen[bytes] | None = None
        self._init = 0

    # --- Not booted.

    def chroot(self, *command: str) -> Output:
        """Runs a command in the folder while nothing is booted, as an installer would."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive",
            "LC_ALL": "C.UTF-8",
        }
        return _run(["chroot", str(self.root), *command], environment)

    # --- Booted.

    def boot(self) -> None:
        self._cgroup.mkdir()
        log = (self.root.parent / f"{self.root.name}.log").open("wb")
        # The shell goes into the fresh cgroup before unshare makes that the root of the namespace.
        enter = 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"'
        unshare = "unshare --mount --cgroup --uts --ipc --pid --fork --kill-child".split()
        self._process = subprocess.Popen(
            ["sh", "-c", enter, "sh", self._cgroup, *unshare, "sh", "-c", _BOOT, "sh", self.root],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        self._init = eventually("init started", self._child, 10)
        eventually("systemd is up", self._is_up, 60)

    def run(self, *command: str) -> Output:
        """Runs a command in the booted machine, as root; waits for its end."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive",
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            "SYSTEMD_PAGER": "",
        }
        namespaces = ["--mount", "--uts", "--ipc", "--pid", "--cgroup", "--root", "--wd"]
        return _run(["nsenter", f"--target={self._init}", *namespaces, *command], environment)

    def check(self, *command: str) -> str:
        """As run(); fails unless the command succeeds."""
        output = self.run(*command)
        assert output.code == 0, f"{' '.join(command)} ended with {output.code}:\n{output.text}"
        return output.text

    def unit(self, name: str, key: str) -> str:
        """What `systemctl show` says."""
        return self.check("systemctl", "show", "--value", f"--property={key}", name).strip()

    def owns(self, pid: int) -> bool:
        """Whether this process of the whole system is one of the machine's."""
        try:
            return os.readlink(f"/proc/{pid}/ns/pid") == os.readlink(f"/proc/{self._init}/ns/pid")
        except OSError:
            return False

    def stop(self) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                # The kernel kills every process of the namespace with its init.
                os.kill(self._init or self._process.pid, signal.SIGKILL)
            self._process.wait()
            eventually("the cgroup is empty", self._remove_cgroups, 20)
        shutil.rmtree(self.root)
        (self.root.parent / f"{self.root.name}.log").unlink(missing_ok=True)

    def files(self) -> dict[str, str]:
        """Path -> kind and mode of everything on the disk; not what is mounted in the booted machine."""
        found = {}
        for folder, names, files in os.walk(self.root):
            for name in names + files:
                path = Path(folder, name)
                status = path.lstat()
                found["/" + str(path.relative_to(self.root))] = oct(status.st_mode)
        return found

    def _child(self) -> int:
        assert self._process is not None
        pid = self._process.pid
        assert self._process.poll() is None, "the machine did not start, see its log"
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return int(children[0]) if children else 0

    def _is_up(self) -> bool:
        return self.run("systemctl", "is-system-running").text.strip() in ("running", "degraded")

    def _remove_cgroups(self) -> bool:
        for folder, _, _ in os.walk(self._cgroup, topdown=False):
            os.rmdir(folder)
        return not self._cgroup.exists()


def _cgroups() -> Path:
    """Where cgroup v2 is, also beside v1 (the hybrid layout)."""
    hybrid = Path("/sys/fs/cgroup/unified")
    return hybrid if hybrid.is_dir() else Path("/sys/fs/cgroup")


def _run(command: Sequence[str], environment: dict[str, str]) -> Output:
    result = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
    )
    return Output(result.returncode, result.stdout.decode(errors="replace"))


def why_not() -> str:
    """Why no machine can be booted here; empty: it can."""
    if os.geteuid() != 0:
        return "only root can boot a machine"
    missing = [
        name
        for name in ("mmdebstrap", "unshare", "nsenter", "pivot_root")
        if not shutil.which(name)
    ]
    if missing:
        return f"{', '.join(missing)} not found"
    probe = subprocess.run(
        ["unshare", "--mount", "--cgroup", "--pid", "--fork", "true"],
        capture_output=True,
        text=True,
    )
    return "" if probe.returncode == 0 else f"no namespaces: {probe.stderr.strip()}"
