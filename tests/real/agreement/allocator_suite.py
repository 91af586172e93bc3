"""Kubernetes' own allocator tests, built from the module of a release with fedra in the place of the allocator."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from real.agreement import allocators

_SOURCE = Path(__file__).parents[1] / "go/suite"
_TESTS = "structured/internal/allocatortesting"

# What fedra_test.go prints.
_LEFT_OUT, _GATES = "fedra: left out: ", "fedra: gates: "


@dataclasses.dataclass
class Test:
    name: str  # "TestFedra/simple"
    outcome: str = "unfinished"  # else "pass", "fail" or "skip"
    output: str = ""

    @property
    def left_out(self) -> str | None:
        """Why fedra was not asked."""
        said = self._said(_LEFT_OUT)
        if said is not None:
            return said
        if self.outcome == "skip":
            return " ".join(line.strip() for line in self.lines if not line.startswith("==="))
        return None

    @property
    def gates(self) -> set[str]:
        """The feature gates that are on in it."""
        return set((self._said(_GATES) or "").split())

    def _said(self, mark: str) -> str | None:
        return next((line.partition(mark)[2] for line in self.lines if mark in line), None)

    @property
    def differs(self) -> bool:
        return self.left_out is None and self.outcome != "pass"

    @property
    def lines(self) -> list[str]:
        return self.output.splitlines()


def run(release: str, judge_lines: Path, pattern: str) -> list[Test] | None:
    """Those tests whose names match Go's `pattern`. None: the release has no such tests."""
    module = allocators.module_folder(release)
    if not (module / _TESTS).is_dir():
        return None
    program = _build(release, module)
    command = ["go", "tool", "test2json", str(program), "-test.v=test2json", "-testing.v=0"]
    environment = os.environ | {
        "FEDRA_JUDGE_LINES": str(judge_lines.resolve()),
        "FEDRA_KUBERNETES": allocators.kubernetes_version(release),
    }
    done = subprocess.run(
        [*command, f"-test.run={pattern}"], env=environment, stdout=subprocess.PIPE, text=True
    )
    if '"Output":"panic: ' in done.stdout:
        raise RuntimeError(f"{program} has ended before its tests did:\n{done.stdout[-3000:]}")
    return _leaves(json.loads(line) for line in done.stdout.splitlines())


def _build(release: str, module: Path) -> Path:
    """Go lets nobody lay files over its module cache. Over a link to it, it does; the module is then the main one."""
    folder = allocators.cache()
    link = folder / f"module-{release}"
    link.unlink(missing_ok=True)
    link.symlink_to(module)
    files = {"fedra_test.go", "judge_test.go"}
    if (module / _TESTS / "lexicographical_testing.go").exists():
        files.add("ordered_test.go")
    # Without the module's own tests of this package, which would run the library once more.
    replaced = {str(link / "structured/allocator_test.go"): ""}
    replaced |= {str(link / f"structured/fedra_{name}"): str(_SOURCE / name) for name in files}
    overlay = folder / f"suite-{release}.json"
    overlay.write_text(json.dumps({"Replace": replaced}))
    program = folder / f"suite-{release}"
    command = [
        "go",
        "test",
        "-c",
        "-vet=off",
        f"-overlay={overlay}",
        "-o",
        str(program),
        "./structured",
    ]
    # Go asks the shell's PWD for the name of the folder that it is in: the link's, not the cache's.
    environment = os.environ | {"PWD": str(link), "GOFLAGS": "-mod=readonly -buildvcs=false"}
    subprocess.run(command, cwd=link, env=environment, check=True)
    return program


def _leaves(events: Iterable[dict[str, str]]) -> list[Test]:
    """Those that have no tests within them."""
    tests: dict[str, Test] = {}
    for event in events:
        name = event.get("Test")
        if name is None:
            continue
        test = tests.setdefault(name, Test(name))
        if event["Action"] == "output":
            test.output += event["Output"]
        elif event["Action"] in ("pass", "fail", "skip"):
            test.outcome = event["Action"]
    parents = {name.rpartition("/")[0] for name in tests}
    return [test for name, test in tests.items() if name not in parents]
