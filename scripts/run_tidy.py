#!/usr/bin/python3
"""clang-tidy over every .cc file that a build compiles, on all cores; findings are errors.

  run_tidy.py BUILD_DIR [PREFIX ...]     PREFIX: only files below these paths, such as config/ or store/row.cc

The build must be one of clang 19, and built: its precompiled headers save time, and it knows what each file
includes. A file without findings is not looked at again until it, a header of ours that it includes, its
compile command or the configuration changes; BUILD_DIR/tidy-clean remembers that.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("base", "config", "store", "cel", "dra", "cluster-clients", "manager", "tests")


def dependencies(build: Path) -> dict[str, list[str]]:
    """Object file -> the files of ours that went into it, as ninja recorded them."""
    listing = subprocess.run(
        ["ninja", "-C", str(build), "-t", "deps"], check=True, capture_output=True, text=True
    ).stdout
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in listing.splitlines():
        if line and not line.startswith(" "):
            current = found.setdefault(line.split(":")[0], [])
        elif line.strip().startswith(str(ROOT)):
            current.append(line.strip())
    return found


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


def tidy(build: Path, file: str) -> list[str]:
    """The findings in one file; empty when it is clean."""
    done = subprocess.run(
        ["clang-tidy-19", "--quiet", "-p", str(build), file], capture_output=True, text=True
    )
    if done.returncode == 0:
        return []
    lines = (done.stdout + done.stderr).splitlines()
    findings = [line for line in lines if " error: " in line or " warning: " in line]
    return findings or [f"{file}: clang-tidy-19 failed: {done.stderr[-500:]}"]


def chosen(build: Path, prefixes: list[str]) -> list[dict[str, str]]:
    entries = json.loads((build / "compile_commands.json").read_text())
    wanted = tuple(str(ROOT / prefix) for prefix in prefixes or FOLDERS)
    ours = {
        e["file"]: e for e in entries if e["file"].startswith(wanted) and e["file"].endswith(".cc")
    }
    return [ours[file] for file in sorted(ours) if Path(file).exists()]


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    build = Path(sys.argv[1]).resolve()
    remembered = build / "tidy-clean"
    clean = set(remembered.read_text().split()) if remembered.exists() else set()
    configuration = "".join(digest(str(path)) for path in sorted(ROOT.glob("**/.clang-tidy")))
    includes = dependencies(build)
    entries = chosen(build, sys.argv[2:])
    keys = {e["file"]: key_of(e, includes.get(object_of(e), []), configuration) for e in entries}
    todo = [e["file"] for e in entries if keys[e["file"]] not in clean]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(todo, pool.map(lambda file: tidy(build, file), todo)))
    clean = {keys[e["file"]] for e in entries if not results.get(e["file"])} | clean
    remembered.write_text("\n".join(sorted(clean)) + "\n")

    # One finding in a header is reported by each file that includes it.
    findings = sorted({finding for found in results.values() for finding in found})
    for finding in findings:
        print(finding)
    if not findings:
        print(f"tidy: {len(entries)} files without findings ({len(todo)} of them looked at)")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
