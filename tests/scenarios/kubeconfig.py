"""How to reach one cluster: read from and written to kubeconfig files."""

from __future__ import annotations

import base64
import dataclasses
from pathlib import Path

import yaml

from scenarios.resources import Object


@dataclasses.dataclass(frozen=True)
class Access:
    """What a kubeconfig says about one cluster. Certificates are PEM text; all but server and CA optional."""

    server: str
    ca: str
    token: str | None = None
    client_certificate: str | None = None
    client_key: str | None = None
    tls_server_name: str | None = None  # in the server's certificate, where that is not its address

    @staticmethod
    def from_kubeconfig(path: Path) -> Access:
        config = yaml.safe_load(path.read_text())
        context = _named(config["contexts"], config["current-context"])["context"]
        cluster = _named(config["clusters"], context["cluster"])["cluster"]
        user = _named(config["users"], context["user"])["user"]
        return Access(
            server=cluster["server"],
            ca=_pem(cluster, "certificate-authority") or "",
            token=user.get("token"),
            client_certificate=_pem(user, "client-certificate"),
            client_key=_pem(user, "client-key"),
            tls_server_name=cluster.get("tls-server-name"),
        )

    def to_kubeconfig(self) -> Object:
        """Everything inline, so that the file can be moved."""
        cluster = {"server": self.server, "certificate-authority-data": _base64(self.ca)}
        if self.tls_server_name is not None:
            cluster["tls-server-name"] = self.tls_server_name
        user: Object = {}
        if self.token is not None:
            user["token"] = self.token
        if self.client_certificate is not None and self.client_key is not None:
            user["client-certificate-data"] = _base64(self.client_certificate)
            user["client-key-data"] = _base64(self.client_key)
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "default",
            "clusters": [{"name": "default", "cluster": cluster}],
            "users": [{"name": "default", "user": user}],
            "contexts": [{"name": "default", "context": {"cluster": "default", "user": "default"}}],
        }

    def write_kubeconfig(self, path: Path) -> Path:
        path.write_text(yaml.safe_dump(self.to_kubeconfig()))
        path.chmod(0o600)
        return path


def _named(entries: list[Object], name: str) -> Object:
    return next(entry for entry in entries if entry["name"] == name)


def _pem(entry: Object, key: str) -> str | None:
    if f"{key}-data" in entry:
        return base64.b64decode(entry[f"{key}-data"]).decode()
    if key in entry:
        return Path(entry[key]).read_text()
    return None


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
