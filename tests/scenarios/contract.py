"""Documents held against docs/openapi.json, strictly: a field or a word that the schema does not know is a mistake,
though the API's version rules let clients meet one. The unit tests do the same, and see to it that every field that is
described is also shown (tests/unit/manager/api/contract_test.cc)."""

from __future__ import annotations

import datetime
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

_FILE = Path(__file__).parents[2] / "docs/openapi.json"
_SCHEMAS = "#/components/schemas/"

# What commands print and the API does not serve.
_OF_COMMANDS = {
    "CelReport",
    "ConfigReport",
    "EventReason",
    "MigrationReport",
    "OrphanReport",
    "Reason",
    "Snapshot",
    "State",
    "Version",
}


def check_document(document: Any) -> None:
    """What a command printed. Fails with every mistake."""
    kind = document.get("kind")
    if kind not in _OF_COMMANDS:
        _hold(_schema_of(document), document)


def check_answer(path: str, status: int, body: str) -> None:
    """What the API answered with JSON; `path` without its prefix and parameters: "jobs"."""
    methods = _openapi()["paths"].get(f"/{path}", {})
    known = (methods.get("get") or methods.get("post") or {}).get("responses")
    if known is None:  # there is no such path, and that is the answer
        assert status == 404, f"{path}: {status}"
        return _hold("Status", json.loads(body))
    answer = known.get(str(status))
    assert answer is not None, f"{path}: docs/openapi.json knows no {status}"
    if "$ref" in answer:
        answer = _openapi()["components"]["responses"][str(status)]
    schema = answer["content"]["application/json"]["schema"]
    _hold(schema["$ref"].removeprefix(_SCHEMAS), json.loads(body))


@functools.cache
def openapi_text() -> str:
    return _FILE.read_text()


@functools.cache
def _openapi() -> Any:
    return json.loads(openapi_text())


def _schema_of(document: Any) -> str:
    kind: str = document["kind"]
    # A JobReport of one job has no pages.
    return "OneJobReport" if kind == "JobReport" and "remaining" not in document else kind


def _hold(schema: str, document: Any) -> None:
    errors = sorted(_validator(schema).iter_errors(document), key=lambda error: error.json_path)
    mistakes = [f"{error.json_path}: {error.message}" for error in errors[:10]]
    assert not mistakes, f"{schema} is not as docs/openapi.json says: {mistakes}"


@functools.cache
def _validator(schema: str) -> jsonschema.Draft202012Validator:
    schemas = _strict_schemas()
    assert schema in schemas, f"docs/openapi.json has no schema {schema}"
    whole = {"$ref": _SCHEMAS + schema, "components": {"schemas": schemas}}
    jsonschema.Draft202012Validator.check_schema(whole)
    return jsonschema.Draft202012Validator(whole, format_checker=_FORMATS)


@functools.cache
def _strict_schemas() -> Any:
    schemas = json.loads(openapi_text())["components"]["schemas"]
    for each in _objects_in(schemas):
        if "properties" in each and each.get("type") == "object":
            each["additionalProperties"] = False
        if "x-extensible-enum" in each:
            each["enum"] = each["x-extensible-enum"]
        if "anyOf" in each and "discriminator" in each:
            _choose_by_type(each)
    return schemas


def _choose_by_type(schema: Any) -> None:
    """The alternative that the value says it is, and none for a type that is not known: errors are about that one."""
    name = schema["discriminator"]["propertyName"]
    mapping = schema["discriminator"]["mapping"]
    del schema["anyOf"]
    schema["properties"] = {name: {"enum": list(mapping)}}
    schema["required"] = [name]
    schema["allOf"] = [
        {"if": {"properties": {name: {"const": word}}}, "then": {"$ref": ref}}
        for word, ref in mapping.items()
    ]


def _objects_in(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield value
        for item in list(value.values()):
            yield from _objects_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _objects_in(item)


def _is_time(value: object) -> bool:
    return (
        not isinstance(value, str)
        or "T" in value
        and datetime.datetime.fromisoformat(value).tzinfo is not None
    )


_FORMATS = jsonschema.FormatChecker(formats=())
_FORMATS.checks("date-time", raises=ValueError)(_is_time)
