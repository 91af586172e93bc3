#!/usr/bin/python3
"""What `kubectl port-forward` does, on machines without kubelets: a port of 127.0.0.1 that leads to another one there.

  port_forward.py PORT

Prints the line that kubectl prints, and ends when it is told to. A program of its own.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import threading


def main() -> None:
    target = int(sys.argv[1])
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(f"Forwarding from 127.0.0.1:{server.getsockname()[1]} -> {target}", flush=True)
        while True:
            client, _ = server.accept()
            print("Handling connection for", server.getsockname()[1], flush=True)
            other = socket.create_connection(("127.0.0.1", target))
            for source, sink in ((client, other), (other, client)):
                threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(1 << 16):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main()
