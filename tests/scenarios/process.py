"""Child processes that can never outlive the test, and free ports for them."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from scenarios.waiting import SLOWNESS

# The ephemeral range begins at 32768: a listening port above it can be taken by any client socket.
_FIRST_PORT, _LAST_PORT = 20000, 32000

# Who gets a TCP port here also has the UDP port of that number until it ends, so no two tests get the same one,
# also while the program that is to listen there is being started again.
_reserved: list[socket.socket] = []


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that nobody uses now. A program that is not a test's may still take one of them."""
    ports: list[int] = []
    while len(ports) < count:
        port = random.randint(_FIRST_PORT, _LAST_PORT)
        if not _reserve(port):
            continue
        with socket.socket() as probe:
            # As every server here does: a port in TIME_WAIT is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                ports.append(port)
            except OSError:
                continue
    return ports


def _reserve(port: int) -> bool:
    holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        holder.bind(("127.0.0.1", port))
    except OSError:
        holder.close()
        return False
    _reserved.append(holder)
    return True


class Process:
    """One child. The kernel kills it when the thread that started it ends: start it from the main thread."""

    def __init__(
        self,
        command: Sequence[object],
        log: Path,
        environment: Mapping[str, str] | None = None,
        errors: Path | None = None,
    ):
        """Standard error goes to the log as well, or to `errors`."""
        self.log = log
        # setpriv replaces itself by the command, so the pid is the command's own.
        arguments = ["setpriv", "--pdeathsig", "KILL", "--", *(str(part) for part in command)]
        with log.open("ab") as output, (errors or log).open("ab") as error_output:
            self._child = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=error_output,
                env={**os.environ, **(environment or {})},
                start_new_session=True,  # Ctrl-C reaches only us; we then end the children in order
            )

    @property
    def pid(self) -> int:
        return self._child.pid

    def running(self) -> bool:
        return self._child.poll() is None

    def exit_code(self) -> int | None:
        """Negative: ended by that signal. None: still running."""
        return self._child.poll()

    def kill(self) -> None:
        """kill -9, as a crash would be."""
        if self.running():
            self._child.send_signal(signal.SIGKILL)
        self._child.wait()

    def signal(self, number: int) -> None:
        self._child.send_signal(number)

    def terminate(self, grace: float = 10.0) -> int:
        """SIGTERM, and SIGKILL after `grace` seconds (times SLOWNESS). Returns the exit code."""
        if self.running():
            self._child.send_signal(signal.SIGTERM)
        try:
            return self._child.wait(grace * SLOWNESS)
        except subprocess.TimeoutExpired:
            self.kill()
            return -signal.SIGKILL

    def cpu_seconds(self) -> float:
        """User and system time so far; the process must be running."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self) -> int:
        return self._memory(1)

    def address_space_bytes(self) -> int:
        """What `ulimit -v` counts."""
        return self._memory(0)

    def peak_bytes(self) -> int:
        """The most that was ever resident."""
        return self._status("VmHWM") * 1024

    def threads(self) -> int:
        return self._status("Threads")

    def _status(self, field: str) -> int:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))

    def _memory(self, field: int) -> int:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[field])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def log_tail(self, lines: int) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
