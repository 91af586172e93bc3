"""A client of the API's streams (docs/api.md, Stream), over a Unix socket or TLS."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
from pathlib import Path
from typing import Any


class SocketConnection(http.client.HTTPConnection):
    """To a Unix socket."""

    def __init__(self, path: Path, timeout: float):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def tls_connection(port: int, timeout: float) -> http.client.HTTPSConnection:
    """Whatever certificate it shows."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection("localhost", port, timeout=timeout, context=context)


class EventStream:
    """Reads in a thread of its own."""

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        query: str = "",
        headers: dict[str, str] | None = None,
    ):
        self._events: list[tuple[str, Any]] = []
        self._has_ended = threading.Event()
        self.why_ended = ""  # of one that had no proper end
        connection.request("GET", f"/api/v1alpha1/watch{query}", headers=headers or {})
        # The response takes it over.
        self._socket: socket.socket = connection.sock
        self._response = connection.getresponse()
        self.status = self._response.status
        self.headers = self._response.headers
        # Of an answer that is no stream.
        self.body = self._response.read().decode() if self.status != 200 else ""
        self._reads = self.status == 200
        if self._reads:
            threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads
        if not self._reads:
            self._response.close()

    @property
    def has_ended(self) -> bool:
        return self._has_ended.is_set()

    def data(self, name: str) -> list[Any]:
        """Of all events of this name so far."""
        return [data for event, data in list(self._events) if event == name]

    def names(self, job: str) -> bool:
        """Whether it has been told of this job."""
        return any(job in data.get("jobs", []) for data in self.data("changed"))

    def _read(self) -> None:
        name = ""
        try:
            while line := self._response.readline().decode():
                name = self._take(line.rstrip("\n"), name)
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.why_ended = repr(error)  # it was closed here, or cut there
        finally:
            self._response.close()
            self._has_ended.set()

    def _take(self, line: str, name: str) -> str:
        field, _, value = line.partition(": ")
        if field == "data":
            self._events.append((name, json.loads(value)))
        return value if field == "event" else name
