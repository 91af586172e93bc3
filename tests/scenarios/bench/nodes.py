"""Names and claims of a large fleet's workers, as everything that writes there uses them."""

from __future__ import annotations

from scenarios.kube_client import KubeClient
from scenarios.resources import Object

NAMESPACE = "ml"  # of a furnished simulation, where `load` puts its jobs


def node_name(index: int) -> str:
    return f"node-{index:03}"


def hold(
    client: KubeClient,
    claim: str,
    driver: str,
    pool: str,
    devices: list[str],
    user: Object | None = None,
) -> None:
    """The claim has these devices, as a scheduler writes it; `user`: it is reserved for."""
    results = [
        {"request": "gpu", "driver": driver, "pool": pool, "device": device} for device in devices
    ]
    status: Object = {"allocation": {"devices": {"results": results}}}
    if user is not None:
        status["reservedFor"] = [user]
    client.patch("ResourceClaim", NAMESPACE, claim, {"status": status}, "status")
