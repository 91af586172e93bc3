#!/usr/bin/python3
"""Checks the stages and defaults of docs/releases.md against pkg/features/kube_features.go of the releases' modules.

    check_gates.py              fetches into Go's module cache what is not there (part of make agree)
    check_gates.py --if-there   says which release was not looked at where its module is not in that cache (make style)

A gate is what its module says without a compatibility version: "beta, on", "alpha, off", "GA" (on), or a dash where the
release does not have it. The page must name every gate of DRA.
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from real.tools import RELEASE, RELEASES, kubernetes_version  # noqa: E402

_PAGE = ROOT / "docs/releases.md"
_GO = ROOT / "tests/real/go/kube"
_MODULE = "k8s.io/kubernetes"

# One stage of a gate: in which release it begins, whether it is on then, and what it is called.
_STAGE = re.compile(
    r'\{Version: version\.MustParse\("1\.(\d+)"\), Default: (true|false), PreRelease: featuregate\.(\w+)([^}]*)\}'
)
_GATE = re.compile(r"^\t(?:\w+\.)?(\w+): \{\n((?:\t\t.*\n)+)\t\},", re.MULTILINE)
_STAGES = {"Alpha": "alpha", "Beta": "beta", "GA": "GA", "Deprecated": "deprecated"}


def gates(source: str, release: str) -> dict[str, str]:
    """Of each gate in kube_features.go: "beta, on"."""
    minor = int(release.partition(".")[2])
    found: dict[str, str] = {}
    for name, lines in _GATE.findall(source):
        for begin, is_on, stage, more in _STAGE.findall(lines):
            # By default the compatibility version is the release before.
            if int(begin) <= minor and "MinCompatibilityVersion" not in more:
                default = "" if stage == "GA" and is_on == "true" else is_on
                found[name] = _STAGES[stage] + {"": "", "true": ", on", "false": ", off"}[default]
    return found


def table(page: str) -> tuple[list[str], list[tuple[list[str], list[str]]]]:
    """The releases that the page's table has; of each row the gates, and what it says of each release."""
    lines = page.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| gate | 1."))
    rows = []
    for line in itertools.takewhile(lambda line: line.startswith("|"), lines[first:]):
        rows.append([cell.strip() for cell in line.strip("| ").split(" | ")])
    releases = rows[0][1:]
    said = []
    for row in rows[2:]:  # behind the rule
        names = row[0].partition(" (")[0].split(", ")
        said.append((names, [re.split(r":| \(", cell)[0].strip() for cell in row[1:]]))
    return releases, said


def problems(page: str, sources: dict[str, str]) -> list[str]:
    """`sources`: kube_features.go by release; of a release without one nothing is said."""
    releases, said = table(page)
    known = {name for names, _ in said for name in names}
    wrong = [f"the table has no release {each}" for each in sources if each not in releases]
    for column, release in enumerate(releases):
        if release not in sources:
            continue
        real = gates(sources[release], release)
        for names, cells in said:
            # Of several gates of one row a release may have one only.
            there = sorted({real[name] for name in names if name in real}) or ["–"]
            if there != [cells[column]]:
                gate = ", ".join(names)
                wrong.append(f"{gate} of {release}: {cells[column]} here, {'; '.join(there)} there")
        for name in real:
            if name.startswith("DRA") and name not in known:
                wrong.append(f"{name} of {release} is not named")
    return wrong


def _source(release: str, fetches: bool) -> str | None:
    version = kubernetes_version(release)
    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if go is None:
        return None
    file = "go.mod" if release == RELEASE else f"kube-{release}.mod"
    if fetches:
        command = [go, "mod", "download", f"-modfile={file}", f"{_MODULE}@{version}"]
        subprocess.run(command, cwd=_GO, check=True)
    cache = subprocess.run(
        [go, "env", "GOMODCACHE"], check=True, capture_output=True, text=True
    ).stdout.strip()
    path = Path(cache) / f"{_MODULE}@{version}/pkg/features/kube_features.go"
    return path.read_text() if path.exists() else None


def main() -> int:
    if sys.argv[1:] not in ([], ["--if-there"]):
        print(__doc__)
        return 2
    fetches = not sys.argv[1:]
    found = {release: _source(release, fetches) for release in RELEASES}
    missing = [kubernetes_version(each) for each, source in found.items() if source is None]
    if missing and fetches:
        print("error: there is no Go to fetch Kubernetes' sources with", file=sys.stderr)
        return 2
    if missing:
        print(
            f"docs/releases.md: gates of {', '.join(missing)} are not checked: not in Go's module cache"
        )
    wrong = problems(_PAGE.read_text(), {each: text for each, text in found.items() if text})
    for each in wrong:
        print(f"docs/releases.md: {each}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
