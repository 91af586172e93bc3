"""The network between fedra and one cluster: a TCP relay that can be cut or fall silent.

Only what goes through the relay is affected; the cluster's own controllers keep their contact. So "fedra has
lost a worker" is one call here, and the worker is fully alive when contact returns.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

from scenarios.process import free_ports


class Link:
    """Relays 127.0.0.1:`port` to the target. Methods may be called from any one thread."""

    def __init__(self, target_port: int):
        self._target_port = target_port
        self.port = free_ports(1)[0]
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._silent = False
        self._greetings: list[bytes] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.restore()

    def cut(self) -> None:
        """Open connections are reset, new ones refused."""
        self._run(self._close_everything())

    def silence(self) -> None:
        """Connections are accepted and stay open, but nothing passes any more, in either direction."""
        self._silent = True

    def offered(self) -> set[str]:
        """The application protocols that clients have offered here (ALPN, RFC 7301), one text a handshake."""
        greetings = list(self._greetings)
        return {"/".join(_alpn(greeting)) for greeting in greetings}

    def restore(self) -> None:
        self._silent = False
        self._run(self._listen())

    def close(self) -> None:
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> None:
        # Connections that were silent have lost bytes; their ends must start again.
        await self._close_everything()
        self._server = await asyncio.start_server(self._relay, "127.0.0.1", self.port)

    async def _close_everything(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _end(self) -> None:
        await self._close_everything()
        relays = asyncio.all_tasks() - {asyncio.current_task()}
        for relay in relays:
            relay.cancel()
        await asyncio.gather(*relays, return_exceptions=True)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            target_reader, target_writer = await asyncio.open_connection(
                "127.0.0.1", self._target_port
            )
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(target_writer)
        await asyncio.gather(
            self._pump(reader, target_writer, self._greetings),
            self._pump(target_reader, writer),
        )

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        first: list[bytes] | None = None,
    ) -> None:
        try:
            while data := await reader.read(65536):
                if first is not None:
                    first.append(data)
                    first = None
                if not self._silent:
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass  # either end has gone; both are closed below
        writer.close()
        self._writers.discard(writer)


def _alpn(greeting: bytes) -> list[str]:
    """What a TLS ClientHello offers in its extension 16; empty when it has none or is no ClientHello."""
    at = 5 + 4 + 2 + 32  # the record's head, the handshake's, the version and the random
    at += 1 + greeting[at]  # session
    at += 2 + int.from_bytes(greeting[at : at + 2], "big")  # cipher suites
    at += 1 + greeting[at]  # compression methods
    at += 2
    while at + 4 <= len(greeting):
        kind = int.from_bytes(greeting[at : at + 2], "big")
        size = int.from_bytes(greeting[at + 2 : at + 4], "big")
        at += 4
        if kind == 16:
            return _names(greeting[at + 2 : at + size])
        at += size
    return []


def _names(listed: bytes) -> list[str]:
    names = []
    while listed:
        names.append(listed[1 : 1 + listed[0]].decode())
        listed = listed[1 + listed[0] :]
    return names
