#!/usr/bin/python3
"""clang-tidy over every .cc file that a build would compile, on all cores; findings are errors.

  run_tidy.py [--seconds N] BUILD_DIR [PREFIX ...]

PREFIX: only files below these paths, such as config/ or store/row.cc. After N seconds no further file is begun:
those whose code, headers included, was committed last come first, and how many are left is said.

The build must be configured for clang 19 and without batches (preset tidy). Only its precompiled headers are built.
A file without findings is not looked at again until it, a header of ours that it includes, its compile command or
the configuration changes; BUILD_DIR/tidy-clean remembers that.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    "base",
    "config",
    "store",
    "cel",
    "verdict",
    "dra",
    "cluster-clients",
    "manager",
    "tests",
)


INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class Includes:
    """What our files include of ours, in the end."""

    def __init__(self) -> None:
        self.direct: dict[Path, list[Path]] = {}

    def of(self, file: Path) -> list[str]:
        seen: set[Path] = set()
        left = [file]
        while left:
            for header in self._direct(left.pop()):
                if header not in seen:
                    seen.add(header)
                    left.append(header)
        return sorted(str(header) for header in seen)

    def _direct(self, file: Path) -> list[Path]:
        if file not in self.direct:
            named = INCLUDE.findall(file.read_text(errors="replace"))
            self.direct[file] = [ROOT / name for name in named if (ROOT / name).is_file()]
        return self.direct[file]


def build_precompiled_headers(build: Path, entries: list[dict[str, str]]) -> None:
    outputs = [object_of(entry) for entry in entries if "/cmake_pch." in entry["file"]]
    subprocess.run(["ninja", "-C", str(build), *outputs], check=True, stdout=subprocess.DEVNULL)


def digest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return "missing"


def object_of(entry: dict[str, str]) -> str:
    words = entry["command"].split()
    return words[words.index("-o") + 1]


def key_of(entry: dict[str, str], includes: list[str], configuration: str) -> str:
    parts = [configuration, entry["command"], digest(entry["file"])]
    parts += [f"{path} {digest(path)}" for path in sorted(includes)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def ages() -> dict[str, int]:
    """Path -> how many changes of files are younger than its last one."""
    log = subprocess.run(
        ["git", "-C", str(ROOT), "log", "--format=", "--name-only"], capture_output=True, text=True
    ).stdout
    found: dict[str, int] = {}
    for age, path in enumerate(log.split()):
        found.setdefault(str(ROOT / path), age)
    return found


def tidy(build: Path, file: str, deadline: float) -> list[str] | None:
    """The findings in one file, none when it is clean; None when there was no time to look."""
    if time.monotonic() > deadline:
        return None
    done = subprocess.run(
        ["clang-tidy-19", "--quiet", "-p", str(build), file], capture_output=True, text=True
    )
    if done.returncode == 0:
        return []
    lines = (done.stdout + done.stderr).splitlines()
    findings = [line for line in lines if " error: " in line or " warning: " in line]
    return findings or [f"{file}: clang-tidy-19 failed: {done.stderr[-500:]}"]


def chosen(entries: list[dict[str, str]], prefixes: list[str]) -> list[dict[str, str]]:
    wanted = tuple(str(ROOT / prefix) for prefix in prefixes or FOLDERS)
    ours = {
        e["file"]: e for e in entries if e["file"].startswith(wanted) and e["file"].endswith(".cc")
    }
    return [ours[file] for file in sorted(ours) if Path(file).exists()]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("build", type=Path, metavar="BUILD_DIR")
    parser.add_argument("prefixes", nargs="*", metavar="PREFIX")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    remembered = build / "tidy-clean"
    clean = set(remembered.read_text().split()) if remembered.exists() else set()
    configuration = "".join(digest(str(path)) for path in sorted(ROOT.glob("**/.clang-tidy")))
    commands = json.loads((build / "compile_commands.json").read_text())
    build_precompiled_headers(build, commands)
    deadline = time.monotonic() + arguments.seconds
    includes = Includes()
    entries = chosen(commands, arguments.prefixes)
    keys = {e["file"]: key_of(e, includes.of(Path(e["file"])), configuration) for e in entries}
    age = ages()

    def age_of(entry: dict[str, str]) -> int:
        parts = [entry["file"], *includes.of(Path(entry["file"]))]
        return min((age[part] for part in parts if part in age), default=0)

    todo = [e["file"] for e in sorted(entries, key=age_of) if keys[e["file"]] not in clean]

    findings: set[str] = set()
    left = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda file: tidy(build, file, deadline), todo)
        for number, (file, found) in enumerate(zip(todo, results), start=1):
            if found is None:
                left += 1
                continue
            # One finding in a header is reported by each file that includes it.
            for finding in sorted(set(found) - findings):
                print(finding, flush=True)
            findings |= set(found)
            if not found:
                clean.add(keys[file])
                remembered.write_text("\n".join(sorted(clean)) + "\n")
            if sys.stderr.isatty():
                print(f"\rtidy: {number} of {len(todo)}", end="", file=sys.stderr)
    if todo and sys.stderr.isatty():
        print(file=sys.stderr)
    if not findings:
        looked_at = f"{len(todo) - left} of them looked at now"
        left_out = f"; {left} more were left for want of time" if left else ""
        print(f"tidy: {len(entries) - left} files without findings ({looked_at}){left_out}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
