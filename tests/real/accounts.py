"""Credentials of service accounts of a real control plane."""

from __future__ import annotations

from real.control_plane import ControlPlane
from scenarios import setup
from scenarios.kubeconfig import Access
from scenarios.waiting import eventually

_TOKEN_SECONDS = 24 * 3600


def account_access(plane: ControlPlane, account: str) -> Access:
    """With a token as `kubectl create token` makes it; the account is in fedra's namespace."""
    path = f"/api/v1/namespaces/{setup.FEDRA_NAMESPACE}/serviceaccounts/{account}/token"
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": _TOKEN_SECONDS},
    }
    answer = eventually(
        "service account token", lambda: plane.client.call("POST", path, request), 10
    )
    return Access(plane.access.server, plane.access.ca, answer["status"]["token"])
