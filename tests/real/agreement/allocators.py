"""The programs that answer cases: fedra's judge-lines, and those around the libraries of a release."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from real import tools as real_tools
from real.agreement.dice import Json

_ROOT = Path(__file__).parents[3]
_SOURCE = _ROOT / "tests/real/go/allocator"
_MODULE = "k8s.io/dynamic-resource-allocation"

OURS = _ROOT / "build/release/tests/tools/judge-lines"

# An outcome and the chosen devices: what is compared.
Answer = tuple[str, tuple[tuple[str, ...], ...]]


def cache() -> Path:
    """Where what is built from the libraries is."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "fedra/allocators"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def build(release: str, library: str = "allocator", patch: int | None = None) -> Path:
    """The program around a library of that release, its allocator or its selectors; built anew when the source has
    changed. `patch`: of another patch release than the module file's."""
    folder = cache()
    version = release if patch is None else f"{release}.{patch}"
    program = folder / f"real-{library}-{version}"
    tag = "k" + release.replace(".", "")
    module_file = _SOURCE / f"k8s-{release}.mod"
    if patch is not None:
        module_file = _with_patch(module_file, module_version(release), patch, folder)
    command = [
        "go",
        "build",
        f"-modfile={module_file}",
        *(["-mod=mod"] if patch is not None else []),
        f"-tags={tag}",
        "-o",
        str(program),
        "." if library == "allocator" else f"./{library}",
    ]
    subprocess.run(command, cwd=_SOURCE, check=True)
    return program


def _with_patch(file: Path, version: str, patch: int, folder: Path) -> Path:
    """The module file with all of Kubernetes' modules of that patch release, those too that others need: apiserver has
    the library of selectors."""
    other = f"{version.rpartition('.')[0]}.{patch}"
    copy = folder / f"k8s-{other}.mod"
    of_kubernetes = rf"(k8s\.io/\S+) {re.escape(version)}(?=\s)"
    copy.write_text(re.sub(of_kubernetes, rf"\1 {other}", file.read_text()))
    copy.with_suffix(".sum").write_text(file.with_suffix(".sum").read_text())
    return copy


def kubernetes_modules(program: Path) -> str:
    """What is linked, as Go has noted it in the program: "v0.36.2 (api, apimachinery)"; all are of one version."""
    command = ["go", "version", "-m", str(program)]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, list[str]] = {}
    # Others of k8s.io, as utils and klog, have versions of their own.
    for name, version in re.findall(r"^\tdep\tk8s\.io/(\S+)\t(v0\.[1-9]\S*)", text, re.MULTILINE):
        found.setdefault(version, []).append(name)
    return ", ".join(f"{version} ({', '.join(names)})" for version, names in found.items())


def module_version(release: str) -> str:
    """Of k8s.io/dynamic-resource-allocation: "v0.36.3"."""
    return real_tools.module_version(_SOURCE / f"k8s-{release}.mod", _MODULE)


def module_folder(release: str) -> Path:
    """Its source, in Go's module cache."""
    command = ["go", "mod", "download", f"-modfile=k8s-{release}.mod", "-json", _MODULE]
    done = subprocess.run(command, cwd=_SOURCE, check=True, stdout=subprocess.PIPE, text=True)
    return Path(json.loads(done.stdout)["Dir"])


def kubernetes_version(release: str, patch: int | None = None) -> str:
    """The release of Kubernetes with that library: "v1.36.3"."""
    minor, _, own = module_version(release).removeprefix("v0.").partition(".")
    return f"v1.{minor}.{own if patch is None else patch}"


def ask(command: Sequence[str], cases: Sequence[Json]) -> list[Json]:
    """One answer for each case."""
    text = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def answer(document: Json) -> Answer:
    fields = ("claim", "request", "driver", "pool", "device")
    results = document.get("results") or []
    return document["outcome"], tuple(sorted(tuple(r[f] for f in fields) for r in results))


def answers(document: Json) -> set[Answer]:
    """With those that chance might give instead."""
    return {answer(document), *(answer(other) for other in document.get("also") or [])}
