#!/usr/bin/python3
"""A program in a network of its own, where a port that it insists on is free: several of it run side by side.

One port of 127.0.0.1 is there as it is outside. It is reached through a Unix socket, of which networks know nothing:

  own_network.py SOCKET PORT PROGRAM [ARGUMENT ...]   in the new network; starts the program again when it ends
"""

from __future__ import annotations

import fcntl
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_SIOCSIFFLAGS = 0x8914  # linux/sockios.h
_IFF_UP = 0x1
_PAUSE = 1.0  # seconds before a program that ended is started again, as its Deployment would


class OwnNetwork:
    """The outer side, from construction to the end of this program."""

    def __init__(self, port: int, path: Path):
        """`port`: of 127.0.0.1 here, which is there, too. `path`: of the Unix socket."""
        self._port, self._path = port, path
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        _serve(listener, lambda: socket.create_connection(("127.0.0.1", port)))

    def command(self, program: Sequence[object]) -> list[object]:
        """Starts the program inside."""
        # Who is not root becomes it there, for the loopback interface.
        return [
            *("unshare", "--map-root-user", "--net"),
            *(sys.executable, __file__, self._path, self._port, *program),
        ]


def main() -> int:
    path, port, *program = sys.argv[1:]
    _raise_loopback()
    listener = socket.create_server(("127.0.0.1", int(port)))

    def connect() -> socket.socket:
        outer = socket.socket(socket.AF_UNIX)
        outer.connect(path)
        return outer

    _serve(listener, connect)
    while True:
        ended = subprocess.run(["setpriv", "--pdeathsig", "KILL", "--", *program])
        print(f"{program[0]} ended with {ended.returncode}", flush=True)
        time.sleep(_PAUSE)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", _IFF_UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request.ljust(40, b"\0"))


def _serve(listener: socket.socket, connect: Callable[[], socket.socket]) -> None:
    """Every connection is joined to one that `connect` makes, by a thread of its own."""
    listener.listen()

    def accept() -> None:
        while True:
            near, _ = listener.accept()
            threading.Thread(target=_join, args=(near, connect), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def _join(near: socket.socket, connect: Callable[[], socket.socket]) -> None:
    with near:
        try:
            far = connect()
        except OSError:
            return  # nothing listens there now; clients try again
        with far:
            back = threading.Thread(target=_pump, args=(far, near), daemon=True)
            back.start()
            _pump(near, far)
            back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass  # either end has gone; the other hears of it below
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            continue


if __name__ == "__main__":
    sys.exit(main())
