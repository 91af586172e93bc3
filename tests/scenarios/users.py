"""Users of the manager, with the ClusterRoles of deploy/viewer-rbac.yaml: for the API over TLS."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence

from scenarios import setup
from scenarios.fleet import MANAGER
from scenarios.resources import Object
from scenarios.world import World


@dataclasses.dataclass(frozen=True)
class User:
    """A service account that may look at the jobs of the scenario's namespace, of all, at the fleet, or at metrics."""

    name: str
    here: bool = False
    everywhere: bool = False
    fleet: bool = False
    metrics: bool = False


@contextlib.contextmanager
def tokens_of(world: World, users: Sequence[User]) -> Iterator[dict[str, str]]:
    """Their tokens; and fedra may ask about them."""
    manager = world.manager
    world.fleet.grant(MANAGER, "manager-rbac-secure-api.yaml")
    roles = setup.deploy_manifests("viewer-rbac.yaml")
    for role in roles:
        manager.apply(role)
    bindings = [binding for user in users for binding in _bindings(world, user)]
    try:
        for user in users:
            manager.apply(account(world, user.name))
        for binding in bindings:
            manager.apply(binding)
        yield {user.name: token_of(world, user.name) for user in users}
    finally:
        for each in (*bindings, *roles):
            metadata = each["metadata"]
            manager.delete(each["kind"], metadata.get("namespace"), metadata["name"])


def account(world: World, name: str) -> Object:
    metadata = {"name": name, "namespace": world.ns}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def token_of(world: World, name: str) -> str:
    """As `kubectl create token` makes it."""
    answer = world.manager.call(
        "POST",
        f"/api/v1/namespaces/{world.ns}/serviceaccounts/{name}/token",
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}},
    )
    return str(answer["status"]["token"])


def _bindings(world: World, user: User) -> list[Object]:
    def binding(kind: str, role: str, metadata: Object) -> Object:
        return {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": kind,
            "metadata": metadata,
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": role,
            },
            "subjects": [{"kind": "ServiceAccount", "name": user.name, "namespace": world.ns}],
        }

    bound = []
    name = f"{world.ns}-{user.name}"
    if user.here:
        bound.append(binding("RoleBinding", "fedra-viewer", {"name": name, "namespace": world.ns}))
    if user.everywhere:
        bound.append(binding("ClusterRoleBinding", "fedra-viewer", {"name": name}))
    if user.fleet:
        bound.append(binding("ClusterRoleBinding", "fedra-fleet-viewer", {"name": f"{name}-fleet"}))
    if user.metrics:
        bound.append(binding("ClusterRoleBinding", "fedra-metrics-reader", {"name": name}))
    return bound
