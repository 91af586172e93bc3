"""A program with webhooks that runs beside a cluster without a service network."""

from __future__ import annotations

import base64
import urllib.request
from collections.abc import Callable
from pathlib import Path

import yaml

from real.pki import Pki
from scenarios.resources import Object


def at_url(
    manifests: Path, url: str, pki: Pki, prefix: str, is_served: Callable[[Object], bool]
) -> list[Object]:
    """The configurations of a file with a URL in place of the Service that does not exist here.

    `prefix`: of their names. Webhooks that are not served are left out.
    """
    ca = base64.b64encode(pki.ca.read_bytes()).decode()
    configurations = []
    for manifest in yaml.safe_load_all(manifests.read_text()):
        if not manifest:
            continue
        hooks = [hook for hook in manifest["webhooks"] if is_served(hook)]
        for hook in hooks:
            path = hook["clientConfig"].pop("service")["path"]
            hook["clientConfig"] = {"url": url + path, "caBundle": ca}
        manifest["metadata"]["name"] = prefix + manifest["metadata"]["name"]
        configurations.append({**manifest, "webhooks": hooks})
    return configurations


def select_pods(configuration: Object, label: str) -> None:
    """Those of its webhooks that are for pods are for pods with this label alone."""
    selector = {"matchExpressions": [{"key": label, "operator": "Exists"}]}
    for hook in configuration["webhooks"]:
        if any("pods" in rule["resources"] for rule in hook["rules"]):
            hook["objectSelector"] = selector


def is_ready(port: int, path: str = "/readyz") -> bool:
    """By its health endpoint."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=1) as response:
        return bool(response.status == 200)
