#!/usr/bin/python3
"""Writes deploy/chart/fedra/values.schema.json; with --check only says whether it is as it would be written.

The part about fedra.yaml (`config`, `workers`) comes from the table of docs/configuration.md, which is generated from
the program. The daemon has the last word: what depends on several keys is not in a schema.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_TABLE = ROOT / "docs/configuration.md"
_SCHEMA = ROOT / "deploy/chart/fedra/values.schema.json"

Schema = dict[str, Any]

# What the chart writes itself.
_OF_THE_CHART = {
    "apiVersion", "kind", "manager", "http", "store.path", "workers[].name", "workers[].kubeconfig",
    "api.secure.address", "api.secure.certFile", "api.secure.keyFile", "api.secure.hosts",
}  # fmt: skip
_NAME = "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"  # as DNS has it
_SECRET_KEY = "^[A-Za-z0-9._-]+$"
_DURATION = r"^(0|([0-9]+(\.[0-9]+)?(h|m|s|ms))+)$"


def main() -> int:
    written = json.dumps(schema(_TABLE.read_text()), indent=2) + "\n"
    if "--check" not in sys.argv[1:]:
        _SCHEMA.write_text(written)
        return 0
    if _SCHEMA.read_text() == written:
        return 0
    print(
        "error: run scripts/chart_schema.py: docs/configuration.md has other keys", file=sys.stderr
    )
    return 1


def schema(table: str) -> Schema:
    config, worker = _closed({}), _closed({}, "name", "secretName")
    for key, values, default, meaning in _rows(table):
        if key in _OF_THE_CHART or key.partition(".")[0] in _OF_THE_CHART:
            continue
        into = worker if key.startswith("workers[].") else config
        path = key.removeprefix("workers[].").split(".")
        _put(into, path, {**_value(values), "description": meaning}, default == "required")
    worker["properties"] |= {
        "name": {**_matching(_NAME), "description": "As in MultiKueueConfig, status and metrics."},
        "secretName": {**_matching(_NAME), "description": "A Secret in the release's namespace."},
        "key": {**_matching(_SECRET_KEY), "description": "Of the kubeconfig; `kubeconfig`."},
        "files": _list(_matching(_SECRET_KEY)),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Values of the chart fedra",
        **_closed({**_chart(), "config": config, "workers": _list(worker)}),
    }


def _rows(table: str) -> list[tuple[str, str, str, str]]:
    """Key, values, default and meaning."""
    found = re.findall(r"^\| `([^`]+)` \| (.*?) \| (.*?) \| (.*) \|$", table, re.MULTILINE)
    if len(found) < 30:
        raise SystemExit(f"{_TABLE.name} has another form: {len(found)} rows")
    return found


def _put(into: Schema, path: list[str], value: Schema, required: bool) -> None:
    """`path`: names, of which those that end in [] are lists of objects."""
    name, *rest = path
    properties = into["properties"]
    if not rest:
        properties[name] = value
        if required:
            into.setdefault("required", []).append(name)
    elif name.endswith("[]"):
        items = properties.setdefault(name[:-2], _list(_closed({})))["items"]
        _put(items, rest, value, required)
    else:
        _put(properties.setdefault(name, _closed({})), rest, value, required)


def _value(values: str) -> Schema:
    """Of what the table says in its second column."""
    if values == "true, false":
        return _BOOLEAN
    if values in ("string", "path"):
        return {"type": "string", "minLength": 1}
    if values == "map of labels":
        return _MAP
    if values in ("list of names", "list of strings"):
        return _list({"type": "string", "minLength": 1})
    if values.startswith("duration"):
        return _matching(_DURATION)
    numbers = re.fullmatch(r"(\d+) to (\d+)", values)
    if numbers is not None:
        return {"type": "integer", "minimum": int(numbers[1]), "maximum": int(numbers[2])}
    return {"type": "string", "enum": values.split(", ")}


def _closed(properties: Schema, *required: str) -> Schema:
    more = {"required": list(required)} if required else {}
    return {
        "type": "object",
        "properties": dict(properties),
        "additionalProperties": False,
        **more,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _matching(pattern: str) -> Schema:
    return {"type": "string", "pattern": pattern}


_BOOLEAN: Schema = {"type": "boolean"}
_TEXT: Schema = {"type": "string"}
_MAP: Schema = {"type": "object", "additionalProperties": _TEXT}
# Kubernetes' own; its API server is the judge.
_OBJECT: Schema = {"type": "object"}
_OBJECTS: Schema = _list(_OBJECT)


def _chart() -> Schema:
    """What is not about fedra.yaml."""
    return {
        "image": _closed(
            {
                "repository": _TEXT,
                "tag": _TEXT,
                "digest": _matching("^(sha256:[0-9a-f]{64})?$"),
                "pullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
            }
        ),
        "imagePullSecrets": _list(_closed({"name": _TEXT}, "name")),
        "manager": _closed(
            {
                "kubeconfig": _closed({"secretName": _TEXT, "key": _matching(_SECRET_KEY)}),
                "context": _TEXT,
                "httpVersion": {"type": "string", "enum": ["", "2", "1.1"]},
            }
        ),
        "http": _closed(
            {
                "address": {"type": "string", "minLength": 1},
                "port": {"type": "integer", "minimum": 1024, "maximum": 65535},
            }
        ),
        "health": _closed(
            {
                "enabled": _BOOLEAN,
                "address": {"type": "string", "minLength": 1},
                "port": {"type": "integer", "minimum": 1024, "maximum": 65535},
            }
        ),
        "secureApi": _closed(
            {
                "enabled": _BOOLEAN,
                "address": {"type": "string", "minLength": 1},
                "port": {"type": "integer", "minimum": 1024, "maximum": 65535},
                "secretName": _TEXT,
                "hosts": _list(_matching(_NAME)),
            }
        ),
        "persistence": _closed(
            {
                "enabled": _BOOLEAN,
                "size": _matching("^[0-9.]+([KMGTPE]i?)?$"),
                "storageClass": _TEXT,
                "accessModes": _list(
                    {"type": "string", "enum": ["ReadWriteOncePod", "ReadWriteOnce"]}
                ),
                "annotations": _MAP,
            }
        ),
        "managedByPolicy": _closed({"enabled": _BOOLEAN}),
        "tokenRotation": _closed(
            {
                "enabled": _BOOLEAN,
                "schedule": {"type": "string", "minLength": 1},
                "tokenLifetime": _matching("^([0-9]+(h|m|s))*$"),
                "serviceAccount": _closed({"create": _BOOLEAN, "name": _TEXT}),
            }
        ),
        "rbac": _closed({"create": _BOOLEAN, "discoveredSecrets": _list(_matching(_NAME))}),
        "serviceAccount": _closed({"create": _BOOLEAN, "name": _TEXT, "annotations": _MAP}),
        "metrics": _closed(
            {
                "serviceMonitor": _closed(
                    {
                        "enabled": _BOOLEAN,
                        "labels": _MAP,
                        "interval": _matching("^[0-9]+(s|m)$"),
                        "secure": _BOOLEAN,
                        "tlsConfig": _OBJECT,
                        "authorization": _OBJECT,
                    }
                ),
                "rules": _closed({"enabled": _BOOLEAN, "labels": _MAP, "runbooks": _TEXT}),
                "dashboards": _closed({"enabled": _BOOLEAN, "labels": _MAP, "annotations": _MAP}),
            }
        ),
        "networkPolicy": _closed({"enabled": _BOOLEAN, "from": _OBJECTS}),
        "flowSchemas": _closed({"enabled": _BOOLEAN}),
        "placementRecords": _closed({"create": _BOOLEAN}),
        "podDisruptionBudget": _closed({"enabled": _BOOLEAN}),
        "resources": _closed({"requests": _OBJECT, "limits": _OBJECT, "claims": _OBJECTS}),
        **{name: _TEXT for name in ("nameOverride", "fullnameOverride", "priorityClassName")},
        **{name: _MAP for name in ("labels", "podLabels", "podAnnotations", "nodeSelector")},
        **{name: _OBJECTS for name in ("tolerations", "extraEnv", "extraVolumes", "extraVolumeMounts", "extraObjects")},
        "affinity": _OBJECT,
        "terminationGracePeriodSeconds": {"type": "integer", "minimum": 0},
        # Helm gives it to charts that are part of another.
        "global": _OBJECT,
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
