#!/usr/bin/python3
"""Clients of the API's socket that mean it no good: many, silent, slow, wrong, too large. A program of its own.

  flood.py SOCKET CONNECTIONS NAMESPACE

Asks each wrong question once, opens so many connections and keeps them, then goes on asking until its standard input
ends, and prints as JSON what was answered: {"opened", "alone": {kind: status}, "answers": {kind: {status: count}},
"slowest": [seconds, kind], "wrong": [...]}. The status "cut" is a connection that the daemon has ended to make room.
`wrong`: errors that are no Status.
"""

from __future__ import annotations

import collections
import contextlib
import json
import resource
import select
import socket
import sys
import time
from typing import Any

_MOST = 1 << 20  # bytes of a body
_SPARE = 200  # descriptors that are not for connections
_PAUSE = 0.002  # seconds between two questions: the flood must not be what takes the processor
_PROGRESS = b"ready\n"

_PREFIX = "/api/v1alpha1/"
_SLOW = f"GET {_PREFIX}status?all HTTP/1.1\r\nHost: fedra\r\n\r\n".encode()


def main() -> int:
    path, count, namespace = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    hard = _raise_limit(count + _SPARE)
    flood = _Flood(path)
    flood.questions = _questions(namespace, flood.token())
    alone = {kind: flood.ask(kind) for kind in flood.questions}
    with contextlib.ExitStack() as kept:
        opened = flood.crowd(kept, min(count, hard - _SPARE))
        sys.stdout.buffer.write(_PROGRESS)
        sys.stdout.flush()
        while not _is_ended():
            flood.ask_all()
    told = {"opened": opened, "alone": alone, "answers": flood.answers, "slowest": flood.slowest}
    print(json.dumps(told | {"wrong": flood.wrong}))
    return 0


def _raise_limit(wanted: int) -> int:
    """How many descriptors there may be: so many, where this user may have them."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # only root goes beyond its hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(hard, wanted),) * 2)
        return max(hard, wanted)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def _is_ended() -> bool:
    """Standard input is at its end; waits a moment for it."""
    return bool(select.select([sys.stdin], [], [], _PAUSE)[0])


def _get(target: str) -> bytes:
    return f"GET {_PREFIX}{target} HTTP/1.1\r\nHost: fedra\r\n\r\n".encode()


def _questions(namespace: str, token: str) -> dict[str, bytes]:
    """Kind -> a whole request. `token`: of a page of all jobs."""
    manifest = json.dumps(_manifest(namespace)).encode()
    return {
        "wrong token": _get("jobs?limit=1&continue=bm9uc2Vuc2U"),
        "token of another question": _get(f"jobs?limit=1&state=Blocked&continue={token}"),
        "nothing matches": _get(f"jobs?namespace={namespace}&state=Failed&queue=none"),
        "unknown job": _get(f"why?job={namespace}/none"),
        "unknown filter": _get("jobs?colour=red"),
        "1 MiB": _post(manifest, _MOST),
        "1 MiB and a byte": _post(manifest, _MOST + 1),
        "too long": _get("jobs?namespace=" + "x" * 20_000),
        "no HTTP": b"\x16\x03\x01" * 100 + b"\r\n\r\n",
    }


def _manifest(namespace: str) -> dict[str, object]:
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "pasted",
            "namespace": namespace,
            "labels": {"kueue.x-k8s.io/queue-name": "main"},
        },
        "spec": {
            "suspend": True,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }


def _post(manifest: bytes, size: int) -> bytes:
    """Filled up with blanks, which JSON allows."""
    head = (
        f"POST {_PREFIX}check HTTP/1.1\r\nHost: fedra\r\nContent-Type: application/json\r\n"
        f"Content-Length: {size}\r\n\r\n"
    )
    return head.encode() + manifest.ljust(size)


class _Flood:
    def __init__(self, path: str):
        self._path = path
        self.questions: dict[str, bytes] = {}
        self.answers: dict[str, dict[str, int]] = collections.defaultdict(
            lambda: collections.defaultdict(int)
        )
        self.slowest = (0.0, "")  # of the questions in a crowd
        self.wrong: list[str] = []

    def token(self) -> str:
        status, body = self._ask(_get("jobs?limit=1"))
        assert status == "200", body
        return str(json.loads(body)["continue"])

    def crowd(self, kept: contextlib.ExitStack, count: int) -> int:
        """A third says nothing, a third half of a question, a third asks for everything and never reads it."""
        for index in range(count):
            client = kept.enter_context(self._connect())
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.sendall((b"", _SLOW[:20], _SLOW)[index % 3])
        return count

    def ask_all(self) -> None:
        """Each question once, beside a new client that does not read its answer."""
        with self._connect() as slow:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                slow.sendall(_SLOW)
            for kind in self.questions:
                begun = time.monotonic()
                self.answers[kind][self.ask(kind)] += 1
                self.slowest = max(self.slowest, (time.monotonic() - begun, kind))

    def ask(self, kind: str) -> str:
        """The status of the answer."""
        status, body = self._ask(self.questions[kind])
        if status.isdigit() and int(status) >= 400 and not _is_status(body, int(status)):
            self.wrong.append(f"{kind}: {status} {body[:200]!r}")
        return status

    def _connect(self) -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(60)
        while True:
            try:
                client.connect(self._path)
                return client
            except BlockingIOError:  # as many wait to be accepted as the kernel keeps
                time.sleep(_PAUSE)

    def _ask(self, question: bytes) -> tuple[str, bytes]:
        """The answer may come before the question is sent as a whole; who makes room for others gets none."""
        with self._connect() as client:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(question)
                client.shutdown(socket.SHUT_WR)
            received = bytearray()
            with contextlib.suppress(ConnectionResetError):
                while piece := client.recv(1 << 16):
                    received += piece
                    if _is_whole(received):
                        break
        if not received:
            return "cut", b""
        head, _, body = bytes(received).partition(b"\r\n\r\n")
        return head.split(b" ", 2)[1].decode(), body


def _is_whole(received: bytearray) -> bool:
    """As far as Content-Length says."""
    head, end, body = bytes(received).partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if end and line.startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
    return False


def _is_status(body: bytes, code: int) -> bool:
    try:
        document: Any = json.loads(body)
    except ValueError:
        return False
    return document["kind"] == "Status" and document["code"] == code and bool(document["message"])


if __name__ == "__main__":
    sys.exit(main())
