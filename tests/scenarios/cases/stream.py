"""The API's streams: what changes is told at once, to at most so many of one client, and only while they may see it."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

from scenarios import setup
from scenarios.event_stream import EventStream, SocketConnection, tls_connection
from scenarios.federated_job import FederatedJob
from scenarios.fleet import MANAGER
from scenarios.registry import scenario
from scenarios.waiting import assert_quick
from scenarios.world import World

_MOST = 16  # streams of one client, of the 64 of a listener (tests/unit/manager/http)
_SOON = 2.0  # seconds until a change is told
_REVOKED = 45.0  # seconds: rights are asked about every 30
_PATIENCE = 60.0  # of a client: a comment comes every 15 s
_VIEWER = "looker"


@scenario("api-stream", kueue_dra=(False,))  # Kueue's own counting of devices plays no part
def changes_are_told(world: World) -> None:
    """16 streams of one user hear within 2 s what changes, one more is refused; a right that is revoked ends the stream."""
    folder = world.scratch("stream")
    folder.mkdir(exist_ok=True)
    path = Path(f"/tmp/fedra-{world.ns}-{time.monotonic_ns()}")  # short enough for a socket
    with _viewer(world) as token, contextlib.ExitStack() as open_streams:
        fedra = world.start_fedra(
            settings={"api": {"socket": str(path), "secure": {"address": "127.0.0.1:0"}}}
        )
        open_streams.callback(path.unlink, missing_ok=True)
        many = [open_streams.enter_context(_watch(path)) for _ in range(_MOST)]
        first = many[0]
        assert all(each.status == 200 for each in many), [each.body for each in many]
        with _watch(path) as refused:
            ended = {each.why_ended for each in many if each.has_ended}
            assert refused.status == 503, (refused.status, refused.body, ended)
            assert refused.headers["Retry-After"], refused.headers
            assert json.loads(refused.body)["kind"] == "Status", refused.body
        world.eventually("it has begun", lambda: first.data("watching"))
        assert first.data("watching")[0]["topics"] == ["daemon", "workers", "jobs"]

        world.eventually("it is served", lambda: fedra.logged("the secure API is served") == 1)
        port = int(fedra.last_logged("port"))
        headers = {"Authorization": f"Bearer {token}"}
        with EventStream(tls_connection(port, _PATIENCE), "", {}) as unknown:
            assert unknown.status == 401, unknown.body
        tenant = open_streams.enter_context(
            EventStream(tls_connection(port, _PATIENCE), f"?namespace={world.ns}", headers)
        )
        assert tenant.status == 200, tenant.body
        world.eventually("it has begun", lambda: tenant.data("watching"))
        assert tenant.data("watching")[0]["topics"] == ["daemon", "jobs"]

        job = _is_told_of_a_job(world, [first, tenant])
        assert not first.data("resync"), "nothing was missed"
        _ends_when_revoked(world, tenant)
        # The others go on.
        begun = time.monotonic()
        job.finish(world.eventually("it is placed", job.cluster_name))
        seen = len(first.data("changed"))
        world.eventually("the end is told", lambda: len(first.data("changed")) > seen)
        assert time.monotonic() - begun < world.fleet.patience and not first.has_ended
        fedra.stop()
        world.eventually("the end of fedra ends it", lambda: first.has_ended)


def _is_told_of_a_job(world: World, streams: list[EventStream]) -> FederatedJob:
    begun = time.monotonic()
    job = world.submit("train")
    for each in streams:
        world.eventually("the job is told of", lambda: each.names(job.key))
    assert_quick("telling of a new job", time.monotonic() - begun, _SOON)
    job.wait_running_on(world.eventually("it is placed", job.cluster_name))
    return job


def _ends_when_revoked(world: World, stream: EventStream) -> None:
    assert not stream.has_ended
    world.manager.delete("RoleBinding", world.ns, _VIEWER)
    begun = time.monotonic()
    world.eventually("the stream has ended", lambda: stream.has_ended, _REVOKED)
    assert_quick("the end of the stream", time.monotonic() - begun, _REVOKED)


def _watch(path: Path) -> EventStream:
    return EventStream(SocketConnection(path, _PATIENCE))


@contextlib.contextmanager
def _viewer(world: World) -> Iterator[str]:
    """The token of an account that may look at the jobs of this namespace; and fedra may ask about it."""
    manager = world.manager
    world.fleet.grant(MANAGER, "manager-rbac-secure-api.yaml")
    roles = setup.deploy_manifests("viewer-rbac.yaml")
    metadata = {"name": _VIEWER, "namespace": world.ns}
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": metadata,
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "fedra-viewer",
        },
        "subjects": [{"kind": "ServiceAccount", "name": _VIEWER, "namespace": world.ns}],
    }
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
    for each in (*roles, account, binding):
        manager.apply(each)
    try:
        answer = manager.call(
            "POST",
            f"/api/v1/namespaces/{world.ns}/serviceaccounts/{_VIEWER}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}},
        )
        yield str(answer["status"]["token"])
    finally:
        for each in (binding, *roles):
            made = each["metadata"]
            manager.delete(each["kind"], made.get("namespace"), made["name"])
