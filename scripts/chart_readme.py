#!/usr/bin/python3
"""Writes deploy/chart/fedra/README.md from values.yaml; with --check only says whether it is as it would be written.

A value's meaning is the comment above it. What a comment says of a group stands in the row of the group.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
_CHART = ROOT / "deploy/chart/fedra"
_README = _CHART / "README.md"

_BEGIN = """\
# fedra

Federates Kubernetes batch jobs with Dynamic Resource Allocation over many clusters, next to Kueue.

The chart makes a StatefulSet of one pod with a volume for the store, its account with the rights on the manager, and,
on Kubernetes 1.36, the policy that sends jobs of labelled namespaces to fedra. Before it is installed Kueue and queues
have to be there: docs/kueue-setup.md of the source. `kubectl fedra` is the plugin that `make krew` builds (docs/install.md).

```sh
cat > values.yaml <<'END'
image: {repository: registry.example.com/fedra}    # where you pushed fedra:VERSION; under another tag, say so: tag
workers:
- {name: gpu-east, secretName: fedra-worker-gpu-east}
END
helm install fedra fedra-VERSION.tgz --namespace fedra-system --create-namespace -f values.yaml
kubectl fedra join --context gpu-east-admin --name gpu-east    # account, rights, token; the Secret, for which the pod waits
helm test fedra --namespace fedra-system --logs
```

## Values

Made from values.yaml by `make docs`.

| value | default | meaning |
|---|---|---|
"""


@dataclasses.dataclass
class _Row:
    path: str
    default: str  # empty: a group
    meaning: str


def main() -> int:
    written = readme((_CHART / "values.yaml").read_text())
    if "--check" not in sys.argv[1:]:
        _README.write_text(written)
        return 0
    if _README.exists() and _README.read_text() == written:
        return 0
    print("error: run scripts/chart_readme.py: values.yaml says something else", file=sys.stderr)
    return 1


def readme(values: str) -> str:
    rows = _rows(values)
    described = {row.path for row in rows}
    for path in _leaves(yaml.safe_load(values)):
        if path not in described:
            raise SystemExit(f"values.yaml: {path} was not found; its lines have another form")
    return _BEGIN + "".join(_line(row) for row in rows)


def _rows(text: str) -> list[_Row]:
    rows: list[_Row] = []
    above: list[str] = []  # keys of the groups that the line is in
    comment: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            comment = []  # it was about the file
        elif line.lstrip().startswith("#"):
            comment.append(line.lstrip()[1:].removeprefix(" "))
        else:
            match = re.fullmatch(r"((?:  )*)(\w+):(?: (.*))?", line)
            if match is None:
                raise SystemExit(f"values.yaml: a line has another form: {line}")
            above = [*above[: len(match[1]) // 2], match[2]]
            default = "" if match[3] is None else _compact(yaml.safe_load(match[3]))
            rows.append(_Row(".".join(above), default, _joined(comment)))
            comment = []
    return [row for row in rows if row.default or row.meaning]


def _joined(comment: list[str]) -> str:
    """One cell: what is set off by spaces, as an example in YAML, keeps its lines."""
    cell = ""
    for line in comment:
        if line.startswith(" "):
            cell += "<br>`" + re.sub(" {2,}", " ", line.strip()) + "`"
        else:
            cell += (" " if cell and not cell.endswith("`") else "<br>" if cell else "") + line
    return cell.replace("|", "\\|")


def _compact(value: Any) -> str:
    return json.dumps(value)


def _leaves(tree: dict[str, Any], before: str = "") -> list[str]:
    found = []
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            found += _leaves(value, f"{before}{key}.")
        else:
            found.append(f"{before}{key}")
    return found


def _line(row: _Row) -> str:
    default = f"`{row.default}`" if row.default else ""
    return f"| `{row.path}` | {default} | {row.meaning} |\n"


if __name__ == "__main__":
    sys.exit(main())
