"""The definitions of Prometheus' operator for the objects that the chart has, at the version of tests/real/go/monitoring/go.mod.

They are in the operator's Go module, as Kueue's are in Kueue's. Nothing of it is compiled.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from packages.parts import ROOT, Skip

_MODULE = "github.com/prometheus-operator/prometheus-operator"
_GO = ROOT / "tests/real/go/monitoring"
_NAMES = ("servicemonitors", "prometheusrules")


def definitions() -> list[Path]:
    """Files; 3 MB from the module proxy when cold."""
    # GOTOOLCHAIN=local: a Go that would first download another Go is not "Go is installed".
    path = f"{os.environ['PATH']}:/usr/local/go/bin"
    environment = {**os.environ, "GOTOOLCHAIN": "local", "PATH": path}
    command = ["go", "mod", "download", "-json", _MODULE]
    ended = subprocess.run(command, cwd=_GO, env=environment, stdout=subprocess.PIPE)
    if ended.returncode != 0:
        raise Skip(f"{_MODULE} cannot be fetched; the message is above")
    folder = Path(json.loads(ended.stdout)["Dir"]) / "example/prometheus-operator-crd"
    return [folder / f"monitoring.coreos.com_{name}.yaml" for name in _NAMES]
