#!/usr/bin/python3
"""The releases of Kubernetes and Kueue that fedra is tried with.

  releases.py [OPTION ...]   plays the scenarios on fleets of several releases (make test-real-releases), each on one of
                             them, or on all of them those of OPTION, as in tests/scenarios/run.py
  releases.py --write        writes the table of README.md and docs/support.md, which says what was tried
  releases.py --check        whether it is true
"""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real.tools import KUEUE, RELEASE, kubernetes_version, module_version  # noqa: E402
from scenarios.fleet import MANAGER  # noqa: E402
from scenarios.real_fleet import WORKERS  # noqa: E402

_ROOT = Path(__file__).parents[2]
_GO = Path(__file__).parent / "go"
_PAGES = ("README.md", "docs/support.md")
_BEGIN, _END = "<!-- tests/real/releases.py -->\n", "<!-- end -->\n"


@dataclasses.dataclass(frozen=True)
class _Releases:
    """Of the clusters that are not of the usual release."""

    kubernetes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    kueue: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def options(self) -> Iterator[str]:
        for option, releases in (("--kubernetes", self.kubernetes), ("--kueue", self.kueue)):
            for cluster, release in releases.items():
                yield from (option, f"{cluster}={release}")


_USUAL = _Releases()  # make test-real
_MIXED = (
    _Releases({"worker1": "1.34", "worker2": "1.37"}),
    _Releases({MANAGER: "1.37", "worker2": "1.35"}, {"worker1": "0.18", "worker2": "0.17"}),
    _Releases({MANAGER: "1.35"}, {MANAGER: "0.18"}),
)

# On which the scenarios have passed: what the table says.
_PASSED = (_USUAL,)


def main() -> int:
    if sys.argv[1:] in (["--write"], ["--check"]):
        return _pages(sys.argv[1] == "--write")
    failed = False
    for number, fleet in enumerate(_MIXED):
        chosen = sys.argv[1:] or ["--share", f"{number}/{len(_MIXED)}"]
        command = ["tests/scenarios/run.py", "--fleet", "real", *fleet.options(), *chosen]
        print(" ".join(command), flush=True)
        failed |= subprocess.run(command, cwd=_ROOT).returncode != 0
    return 1 if failed else 0


def _pages(write: bool) -> int:
    wrong = False
    for name in _PAGES:
        page = _ROOT / name
        before, _, rest = page.read_text().partition(_BEGIN)
        old, _, after = rest.partition(_END)
        if old == _table():
            continue
        if write:
            page.write_text(before + _BEGIN + _table() + _END + after)
        else:
            wrong = True
            print(
                f"error: {name} does not name the tested releases; run make docs", file=sys.stderr
            )
    return 1 if wrong else 0


def _table() -> str:
    rows = {
        "Kubernetes, manager": _tested("kubernetes", (MANAGER,)),
        "Kubernetes, workers": _tested("kubernetes", WORKERS),
        "Kueue, manager": _tested("kueue", (MANAGER,)),
        "Kueue, workers": _tested("kueue", WORKERS),
    }
    lines = [f"| {what} | {', '.join(versions)} |\n" for what, versions in rows.items()]
    return "\n| | tested with |\n|---|---|\n" + "".join(lines) + "\n"


def _tested(what: str, clusters: tuple[str, ...]) -> list[str]:
    usual = RELEASE if what == "kubernetes" else KUEUE
    releases = {
        getattr(fleet, what).get(cluster, usual) for fleet in _PASSED for cluster in clusters
    }
    return [_version(what, release) for release in sorted(releases)]


def _version(what: str, release: str) -> str:
    """ "1.36.3", as the module file that it is built from says."""
    if what == "kubernetes":
        return kubernetes_version(release).removeprefix("v")
    name = "go.mod" if release == KUEUE else f"kueue-{release}.mod"
    return module_version(_GO / "kueue" / name, "sigs.k8s.io/kueue").removeprefix("v")


if __name__ == "__main__":
    sys.exit(main())
