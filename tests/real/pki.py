"""Certificates, keys and tokens of one test fleet, made with openssl. Worth nothing outside of it."""

from __future__ import annotations

import secrets
from pathlib import Path

from scenarios.certificates import make_ca, openssl

_SERVER_EXTENSIONS = """\
subjectAltName=DNS:localhost,DNS:kubernetes,IP:127.0.0.1,IP:10.0.0.1
extendedKeyUsage=serverAuth,clientAuth
"""


class Pki:
    """One CA, one server certificate for everything on loopback, one service-account key."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True)
        self.ca = folder / "ca.crt"
        self.server_certificate = folder / "server.crt"
        self.server_key = folder / "server.key"
        self.service_account_key = folder / "sa.key"
        self.tokens = folder / "tokens.csv"
        self.admin_token = secrets.token_hex(16)
        make_ca(folder, "ca", "fedra test CA")
        self._sign_server_certificate(folder)
        openssl("genrsa", "-out", self.service_account_key, "2048")
        self.tokens.write_text(f'{self.admin_token},admin,admin-uid,"system:masters"\n')

    def _sign_server_certificate(self, folder: Path) -> None:
        extensions, request = folder / "server.ext", folder / "server.csr"
        extensions.write_text(_SERVER_EXTENSIONS)
        openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=server",
            "-keyout", self.server_key, "-out", request,
        )  # fmt: skip
        openssl(
            "x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", folder / "ca.key", "-CAcreateserial",
            "-days", "30", "-extfile", extensions, "-out", self.server_certificate,
        )  # fmt: skip
