#!/usr/bin/python3
"""What building costs now and at another commit: seconds of CPU (user and system) for each target, without ccache.

Both trees are built from nothing with preset release, one after the other on this machine. With --every N only each
N-th file of a target is compiled, and its target's time extrapolated; what is precompiled is always whole. With
--keep FOLDER the other tree and both builds stay there, for benchmarks of both programs. The packages that the other
commit builds with must be installed. Standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Stands before every call of the compiler; one line for each: what was made, user and system seconds.
LAUNCHER = """#!/usr/bin/env bash
made=
for ((i = 1; i < $#; i++)); do
  if [[ "${!i}" == -o ]]; then next=$((i + 1)); made="${!next}"; fi
done
TIMEFORMAT="$made %U %S"
exec 3>&2
spent="$({ time "$@" 2>&3; } 2>&1)"
status=$?
echo "$spent" >>"$FEDRA_COMPILE_TIMES"
exit $status
"""

DEMO = ("fedra", "fedra-sim")  # the programs that `make demo` builds


def run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    if done.returncode != 0:
        sys.exit(
            f"error: {' '.join(map(str, command))}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        )
    return done.stdout


def objects_of(build: Path, programs: tuple[str, ...] = ()) -> list[str]:
    """What the compiler makes for these programs, or for everything, except precompiled headers."""
    commands = run("ninja", "-C", build, "-t", "commands", *programs)
    found = re.findall(r" -o (\S+\.o) -c ", commands)
    return [made for made in found if "cmake_pch" not in made]


def target_of(made: str) -> str:
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", made)
    return found.group(1) if found else made


def sampled(objects: list[str], every: int) -> list[str]:
    by_target: defaultdict[str, list[str]] = defaultdict(list)
    for made in objects:
        by_target[target_of(made)].append(made)
    return [made for group in by_target.values() for made in group[::every]]


def cost(tree: Path, scratch: Path, every: int) -> tuple[dict[str, float], float]:
    """Seconds of CPU by target, and those of what the demo needs."""
    launcher = scratch / "launcher.sh"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    build, times = scratch / "build", scratch / "times"
    run("cmake", "--preset", "release", "-S", tree, "-B", build, "-DFEDRA_CCACHE=OFF",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")  # fmt: skip
    objects = objects_of(build)
    demo = set(objects_of(build, DEMO))
    chosen = sampled(objects, every)
    run("ninja", "-C", build, *chosen, FEDRA_COMPILE_TIMES=str(times))

    spent: defaultdict[str, float] = defaultdict(float)
    precompiled: defaultdict[str, float] = defaultdict(float)
    compiled: defaultdict[str, int] = defaultdict(int)
    for line in times.read_text().splitlines():
        made, user, system = line.rsplit(" ", 2)
        if "cmake_pch" in made:
            precompiled[target_of(made)] += float(user) + float(system)
        else:
            spent[target_of(made)] += float(user) + float(system)
            compiled[target_of(made)] += 1
    count: defaultdict[str, int] = defaultdict(int)
    for made in objects:
        count[target_of(made)] += 1
    whole = {
        target: spent[target] * count[target] / max(1, compiled[target]) + precompiled[target]
        for target in count
    }
    return whole, sum(whole[target] for target in {target_of(made) for made in demo})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", help="what to compare with")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="compile each N-th file")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="build here, and leave it")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as ends:
        if arguments.keep:
            arguments.keep.mkdir(parents=True)
            folder = arguments.keep.resolve()
        else:
            folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        other = folder / "tree"
        run("git", "-C", ROOT, "worktree", "add", "--detach", other, arguments.commit)
        if not arguments.keep:
            ends.callback(run, "git", "-C", ROOT, "worktree", "remove", "--force", other)
        (folder / "before").mkdir()
        (folder / "now").mkdir()
        before, demo_before = cost(other, folder / "before", arguments.every)
        now, demo_now = cost(ROOT, folder / "now", arguments.every)
    print(f"| target | {arguments.commit} | now | ratio |\n|---|---|---|---|")
    rows = [(target, before.get(target, 0.0), now.get(target, 0.0)) for target in {*before, *now}]
    rows.sort(key=lambda row: -row[1])
    rows.append(("**everything**", sum(before.values()), sum(now.values())))
    rows.append(("**what `make demo` needs**", demo_before, demo_now))
    for name, was, is_now in rows:
        ratio = f"{is_now / was:.2f}" if was > 0 else ""
        print(f"| {name} | {was:.0f} s | {is_now:.0f} s | {ratio} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
