"""A proxy in front of `fedra dashboard`: its pages below a path, as behind an ingress, or those of a folder in their place.

With a folder what is being changed there is seen, and tested, without building the program again.
"""

from __future__ import annotations

import contextlib
import http.client
import http.server
import threading
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8"}
_HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}


class _Handler(http.server.BaseHTTPRequestHandler):
    upstream = ""  # 127.0.0.1:PORT
    prefix = ""
    pages: Path | None = None

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._pass_on(b"")

    def do_POST(self) -> None:
        self._pass_on(self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, *_: object) -> None:
        pass

    def _pass_on(self, body: bytes) -> None:
        if not self.path.startswith(self.prefix + "/"):
            self.send_error(404)
            return
        target = self.path.removeprefix(self.prefix)
        page = None if target.startswith("/api/") else self._page(target)
        with contextlib.closing(http.client.HTTPConnection(self.upstream, timeout=60)) as asked:
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() not in {"host", *_HOP_BY_HOP}
            }
            # Of a page of the folder only the headers are the program's, the policy among them.
            asked.request(self.command, "/" if page else target, body or None, headers)
            answer = asked.getresponse()
            if answer.headers["Content-Type"] == "text/event-stream":
                return self._pass_stream_on(answer)
            text = answer.read()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() in _HOP_BY_HOP or (page and name.lower() == "content-type"):
                continue
            self.send_header(name, value)
        if page:
            text = page.read_bytes()
            self.send_header("Content-Type", _TYPES[page.suffix])
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _pass_stream_on(self, answer: http.client.HTTPResponse) -> None:
        """Until either of the two has gone."""
        self.close_connection = True
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(OSError):
            while text := answer.read1():
                self.wfile.write(text)

    def _page(self, target: str) -> Path | None:
        if self.pages is None:
            return None
        file = self.pages / (target.partition("?")[0].strip("/") or "index.html")
        return file if file.is_file() and file.parent == self.pages else None


@contextlib.contextmanager
def in_front_of(address: str, prefix: str = "", pages: Path | None = None) -> Iterator[str]:
    """The address below `prefix` ("/fedra") at which the dashboard of that address is then."""
    parts = urllib.parse.urlsplit(address)
    values = {"upstream": parts.netloc, "prefix": prefix, "pages": pages}
    handler = type("Handler", (_Handler,), values)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}{prefix}/#{parts.fragment}"
        finally:
            server.shutdown()
            thread.join()
