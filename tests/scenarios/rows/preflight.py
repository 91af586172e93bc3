"""What `fedra check` says of a row before anything is submitted: of the workers themselves, of a snapshot of them,
and of one without names. All three must say what the table says."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from scenarios.fedra_process import Fedra
from scenarios.resources import Object
from scenarios.rows.row import State


def assert_preflight(
    fedra: Fedra, states: Mapping[str, State], documents: Sequence[Object]
) -> None:
    """`documents`: of one job."""
    manifest = yaml.safe_dump_all(documents)
    online = _check(fedra, manifest)
    assert _short(online) == {
        worker: (state.verdict, state.reasons) for worker, state in states.items()
    }, online
    with tempfile.TemporaryDirectory(prefix="fedra-snapshot-") as folder:
        plain, redacted = Path(folder) / "plain.json", Path(folder) / "redacted.json"
        _snapshot(fedra, plain)
        assert _check(fedra, manifest, "--snapshot", str(plain)) == online
        _snapshot(fedra, redacted, "--redact-names")
        offline = _check(fedra, manifest, "--snapshot", str(redacted))
        assert _short(offline) == _short(online), offline
        namespace = documents[0]["metadata"]["namespace"]
        assert f'"{namespace}"' not in redacted.read_text()


def _check(fedra: Fedra, manifest: str, *arguments: str) -> list[Object]:
    output = fedra.cli("check", "-f", "-", "-o", "json", *arguments, stdin=manifest)
    report: Any = output.json()
    workers: list[Object] = report["items"][0]["workers"]
    return workers


def _short(workers: list[Object]) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {
        worker["name"]: (
            worker["verdict"],
            tuple(dict.fromkeys(reason["code"] for reason in worker["reasons"])),
        )
        for worker in workers
    }


def _snapshot(fedra: Fedra, file: Path, *arguments: str) -> None:
    output = fedra.cli("snapshot", "-f", str(file), *arguments)
    assert output.code == 0, output.stderr
