"""Throw-away certificate authorities, made with openssl."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_ca(folder: Path, name: str, subject: str) -> Path:
    """A self-signed CA `name`.crt with `name`.key beside it."""
    certificate = folder / f"{name}.crt"
    openssl(
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={subject}",
        "-keyout", folder / f"{name}.key", "-out", certificate,
    )  # fmt: skip
    return certificate


def openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *(str(a) for a in arguments)], check=True, capture_output=True)
