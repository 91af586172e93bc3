"""A small Kubernetes REST client: one API server, JSON in and out, standard library only.

The tests talk to clusters through this instead of kubectl: a call costs a millisecond, and real and simulated
API servers are used in exactly the same way.

A client may be used from several threads; each thread gets its own connection.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import tempfile
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

from scenarios.kubeconfig import Access
from scenarios.resources import RESOURCES, Object

# Metadata is a tenth of a Job; servers that cannot leave out the rest send whole objects.
_METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json"
_WATCH_SECONDS = 24 * 3600  # longer than any test
_MERGE_PATCH = "application/merge-patch+json"
_APPLY_PATCH = "application/apply-patch+yaml"
_FIELD_MANAGER = "fedra-tests"


class ApiError(RuntimeError):
    """The API server answered with an error; `status` is the HTTP code, `reason` the Status object's."""

    def __init__(self, status: int, reason: str, message: str):
        super().__init__(f"{status} {reason}: {message}")
        self.status = status
        self.reason = reason


class KubeClient:
    """Calls to one API server. Every call raises ApiError or OSError; `find` maps 404 to None.

    `requests` and `events` are what it has made the server do so far: calls, watches not among them, and events of its
    watches that were read.
    """

    def __init__(self, access: Access, timeout: float = 30.0):
        url = urllib.parse.urlsplit(access.server)
        self._host, self._port = url.hostname or "", url.port or 443
        self._timeout = timeout
        self._headers = {"Accept": "application/json"}
        if access.token:
            self._headers["Authorization"] = f"Bearer {access.token}"
        self._tls = _tls_context(access)
        self._local = threading.local()
        self._counting = threading.Lock()
        self.requests, self.events = 0, 0

    @staticmethod
    def from_kubeconfig(path: Path) -> KubeClient:
        return KubeClient(Access.from_kubeconfig(path))

    def get(self, kind: str, namespace: str | None, name: str) -> Object:
        return self.call("GET", RESOURCES[kind].path(namespace, name))

    def find(self, kind: str, namespace: str | None, name: str) -> Object | None:
        try:
            return self.get(kind, namespace, name)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, kind: str, namespace: str | None = None, labels: str = "") -> list[Object]:
        query = {"labelSelector": labels} if labels else {}
        return self.call("GET", RESOURCES[kind].path(namespace), query=query)["items"]

    def create(self, obj: Object) -> Object:
        resource = RESOURCES[obj["kind"]]
        return self.call("POST", resource.path(obj["metadata"].get("namespace")), obj)

    def apply(self, obj: Object) -> Object:
        """Server-side apply: creates the object or makes the given fields ours."""
        resource = RESOURCES[obj["kind"]]
        path = resource.path(obj["metadata"].get("namespace"), obj["metadata"]["name"])
        query = {"fieldManager": _FIELD_MANAGER, "force": "true"}
        return self.call("PATCH", path, obj, _APPLY_PATCH, query)

    def patch(
        self, kind: str, namespace: str | None, name: str, patch: Object, subresource: str = ""
    ) -> Object:
        """JSON merge patch."""
        path = RESOURCES[kind].path(namespace, name, subresource)
        return self.call("PATCH", path, patch, _MERGE_PATCH, {"fieldManager": _FIELD_MANAGER})

    def apply_status(self, obj: Object, field_manager: str) -> Object:
        """Server-side apply on the status subresource with a field manager of the caller's."""
        path = RESOURCES[obj["kind"]].path(
            obj["metadata"].get("namespace"), obj["metadata"]["name"], "status"
        )
        return self.call(
            "PATCH", path, obj, _APPLY_PATCH, {"fieldManager": field_manager, "force": "true"}
        )

    def watch(self, kind: str, namespace: str | None, whole: bool = False) -> Watch:
        """Opens a watch that begins with what exists now; of metadata alone, or of `whole` objects."""
        connection = self._connect(timeout=None)
        headers = {**self._headers, "Accept": "application/json" if whole else _METADATA_ONLY}
        path = f"{RESOURCES[kind].path(namespace)}?watch=true&timeoutSeconds={_WATCH_SECONDS}"
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            raise ApiError(response.status, "", f"watch {kind}: {response.read()[:200]!r}")
        return Watch(connection, response, self._count_event)

    def delete(self, kind: str, namespace: str | None, name: str) -> None:
        """Deletes in the background; an object that is already gone is fine."""
        try:
            self.call(
                "DELETE", RESOURCES[kind].path(namespace, name), {"propagationPolicy": "Background"}
            )
        except ApiError as error:
            if error.status != 404:
                raise

    def may(self, verb: str, group: str, resource: str, subresource: str = "") -> bool:
        """Whether these credentials may do that in every namespace (a SelfSubjectAccessReview)."""
        attributes = {
            "verb": verb,
            "group": group,
            "resource": resource,
            "subresource": subresource,
        }
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        }
        answer = self.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)
        return bool(answer["status"]["allowed"])

    def call(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        content_type: str = "application/json",
        query: dict[str, str] | None = None,
    ) -> Object:
        if query:
            path += "?" + urllib.parse.urlencode(query)
        headers = dict(self._headers)
        data = None
        if body is not None:
            data = json.dumps(body)
            headers["Content-Type"] = content_type
        status, text = self._exchange(method, path, data, headers)
        if status < 300:
            return json.loads(text) if text[:1] in (b"{", b"[") else {"text": text.decode()}
        try:
            answer = json.loads(text)
            raise ApiError(status, answer.get("reason", ""), answer.get("message", ""))
        except ValueError:
            raise ApiError(status, "", text[:200].decode(errors="replace")) from None

    def _exchange(
        self, method: str, path: str, data: str | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        with self._counting:
            self.requests += 1
        reused = getattr(self._local, "connection", None)
        if reused is not None:
            try:
                return self._send(reused, method, path, data, headers)
            except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLEOFError):
                pass  # the server closed an idle connection; the request was not processed
        connection = self._local.connection = self._connect(self._timeout)
        return self._send(connection, method, path, data, headers)

    def _count_event(self) -> None:
        with self._counting:
            self.events += 1

    def _connect(self, timeout: float | None) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=timeout, context=self._tls
        )

    def _send(
        self,
        connection: http.client.HTTPSConnection,
        method: str,
        path: str,
        data: str | None,
        headers: dict[str, str],
    ) -> tuple[int, bytes]:
        try:
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except Exception:
            connection.close()
            self._local.connection = None
            raise


class Watch:
    """An open watch. Iterate in one thread; `close` may be called from another and ends the iteration."""

    def __init__(
        self,
        connection: http.client.HTTPSConnection,
        response: http.client.HTTPResponse,
        on_event: Callable[[], None],
    ):
        self._connection, self._response, self._on_event = connection, response, on_event
        self._closed = False

    def __iter__(self) -> Iterator[tuple[str, Object]]:
        """(ADDED | MODIFIED | DELETED, object with at least its metadata). Raises when the server ends it."""
        try:
            for line in self._response:
                self._on_event()
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise ApiError(event["object"].get("code", 0), "", str(event["object"]))
                yield event["type"], event["object"]
        except (OSError, ValueError, http.client.HTTPException):
            if not self._closed:
                raise
        if not self._closed:
            raise ConnectionError("the server has ended the watch")

    def close(self) -> None:
        self._closed = True
        try:
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the server was first


def _tls_context(access: Access) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=access.ca)
    if access.client_certificate and access.client_key:
        # ssl can read a client certificate only from a file.
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(access.client_certificate + "\n" + access.client_key)
            file.flush()
            context.load_cert_chain(file.name)
    return context
