#!/usr/bin/python3
"""Checks on every source line what the linker cannot: who includes whom, and what is not used at all;
and on every tracked file that it holds no secret.

All folders share one include root, so a wrong #include would compile. Prints file:line: what is wrong, and
exits 1 when something is. Standard library only.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Folder -> folders it may include; docs/architecture.md draws it.
LAYERS = {
    "base": {"base"},
    "config": {"base", "config"},
    "store": {"base", "store"},
    "cel": {"base", "cel"},
    "verdict": {"base", "verdict"},
    "dra": {"base", "cel", "verdict", "dra"},
    "cluster-clients": {"base", "cluster-clients"},
    "manager": {"base", "config", "store", "cel", "verdict", "dra", "cluster-clients", "manager"},
    "tests": {
        "base", "config", "store", "cel", "verdict", "dra", "cluster-clients", "manager", "tests",
    },
}  # fmt: skip

# What rooms of manager may not include that know only cluster-clients.
NOT_BESIDE_CLUSTER_CLIENTS = (
    "manager/reconcile/",
    "manager/placement/",
    "manager/tracking/",
    "manager/verify/",
    "manager/templates/",
    "manager/report/",
    "manager/text/",
    "manager/metrics/",
    "manager/http/",
    "manager/api/",
    "manager/cli/",
    "store/",
    "config/",
)

# A part of a folder that must not know other parts: what decides stays free of I/O and of the command line.
CLOSED = {
    "dra/model/": ("dra/allocator/", "dra/judge/"),
    "dra/allocator/": ("dra/judge/",),
    "manager/placement/": (
        "manager/reconcile/",
        "manager/http/",
        "manager/api/",
        "manager/report/",
        "manager/text/",
        "manager/cli/",
        "cluster-clients/",
    ),
    "manager/verify/": (
        "manager/reconcile/",
        "manager/http/",
        "manager/api/",
        "manager/report/",
        "manager/text/",
        "manager/cli/",
        "manager/placement/",
        "cluster-clients/cluster.h",
    ),
    "manager/templates/": (
        "manager/reconcile/",
        "manager/http/",
        "manager/api/",
        "manager/report/",
        "manager/text/",
        "manager/cli/",
        "manager/placement/",
        "cluster-clients/cluster.h",
    ),
    "manager/tracking/": (
        "manager/reconcile/",
        "manager/http/",
        "manager/api/",
        "manager/report/",
        "manager/text/",
        "manager/cli/",
    ),
    "manager/reconcile/": (
        "manager/metrics/",
        "manager/http/",
        "manager/api/",
        "manager/report/",
        "manager/text/",
        "manager/cli/",
    ),
    # Copies of templates know the clusters and the loop, and nothing of how workloads are looked at.
    "manager/reconcile/templates/": (
        "manager/reconcile/assume_cache.h",
        "manager/reconcile/dispatch_order.h",
        "manager/reconcile/event_handlers.h",
        "manager/reconcile/execut",
        "manager/reconcile/federation.h",
        "manager/reconcile/placement_store.h",
        "manager/reconcile/status_writer.h",
        "manager/reconcile/wake_index.h",
        "manager/reconcile/workload_reconciler.h",
    ),
    "manager/discovery/": (
        "manager/placement/",
        "manager/http/",
        "manager/api/",
        "manager/report/",
        "manager/text/",
        "manager/cli/",
    ),
    "manager/daemon/": ("manager/cli/", "manager/text/"),
    "manager/leader/": NOT_BESIDE_CLUSTER_CLIENTS,
    "manager/access/": NOT_BESIDE_CLUSTER_CLIENTS,
    "manager/report/": (
        "manager/reconcile/",
        "manager/text/",
        "manager/http/",
        "manager/api/",
        "manager/cli/",
    ),
    "manager/metrics/": (
        "manager/placement/",
        "manager/http/",
        "manager/api/",
        "manager/report/",
        "manager/text/",
        "manager/cli/",
        "manager/dashboard/",
        "cluster-clients/",
        "store/",
    ),
    "manager/http/": (
        "manager/metrics/",
        "manager/reconcile/",
        "manager/api/",
        "manager/report/",
        "manager/text/",
        "manager/cli/",
        "manager/dashboard/",
    ),
    "manager/dashboard/": (
        "manager/text/",
        "manager/cli/",
        "manager/reconcile/",
        "manager/placement/",
        "store/",
    ),
    "manager/api/": (
        "manager/dashboard/",
        "manager/cli/",
    ),
    "manager/text/": ("manager/reconcile/", "manager/http/", "manager/api/", "manager/cli/"),
    "manager/cli/manifests/": ("manager/cli/fleet/", "manager/cli/snapshots/"),
    "manager/cli/judged/": (
        "manager/cli/fleet/",
        "manager/cli/snapshots/",
        "manager/reconcile/",
        "cluster-clients/cluster.h",
    ),
    # What it asks is answered elsewhere; of the store it knows the words of rows, of the layers above how they look.
    "manager/cli/screen/": (
        "manager/cli/fleet/",
        "manager/cli/snapshots/",
        "manager/cli/membership/",
        "manager/api/",
        "manager/http/",
        "manager/reconcile/",
        "manager/placement/",
        "cluster-clients/",
        "store/reader.h",
        "store/store.h",
    ),
    "manager/cli/snapshots/": (
        "manager/cli/manifests/",
        "manager/cli/fleet/",
        "cluster-clients/cluster.h",
    ),
}

# Rooms are folders, and no two rooms may need each other, over whatever way round. These are one room with the folder
# above them; main.cc, which puts the program together, is in none.
ONE_ROOM = ("cel/lib", "store/tables", "manager/reconcile/templates")
NO_ROOM = ("manager/main.cc",)

# Folders of manager/ that need no row in its README, because they are not part of the program.
NO_ROW = ("manager/pages",)

# Include prefix of a heavy library -> the only places that include it.
ROOMS = {
    "curl/": ("cluster-clients/http/", "tests/unit/sim/"),
    "nghttp2/": ("tests/sim/http/http2.cc",),
    "sqlite3.h": ("store/", "tests/unit/store/"),
    "yaml-cpp/": ("config/",),
    "zlib.h": ("base/gzip.cc", "tests/support/gunzip.h"),
    "CLI/": ("manager/cli/",),
    "boost/asio": (
        "cluster-clients/http/",
        "manager/http/acceptor.",
        "manager/http/listener.cc",
        "manager/http/beast_",
        "manager/http/tls.cc",
        "tests/sim/",
        "tests/unit/cluster-clients/support/socks_proxy.cc",
        "tests/unit/sim/",
    ),
    "boost/beast": ("manager/http/listener.cc", "manager/http/beast_", "tests/sim/"),
    "boost/json": ("cluster-clients/kube/json_object.cc",),
    "openssl/": (
        "config/pem.cc",
        "base/base64.cc",
        "base/sha256.cc",
        "manager/http/tls.cc",
        "tests/sim/",
        "tests/unit/config/support.cc",
    ),
    "utf8proc.h": ("base/utf8.cc",),
    "re2/": ("cel/",),
    "prometheus/": ("manager/metrics/",),
    "catch2/": ("tests/support/catch.h",),
    "benchmark/": ("tests/bench/",),
}

# What must not appear in code, where, and why.
BANNED = [
    (r"\bco_(await|return|yield)\b", "", "g++ 12 miscompiles C++20 coroutines"),
    (r"\bstd::regex\b|<regex>", "", "std::regex backtracks without bound: use RE2 in cel/"),
    (r"\bsleep_(for|until)\b|\busleep\(", "", "wait for a condition, with a limit"),
    (r"\busing namespace std;", "", "names of std are written out"),
    # Before C++23 only what the whole expression gives lives as long as the loop.
    (
        r"\bfor \([^;]* : (\*[\w.>:-]+\(|[\w:]+\([^;]*\)\.at\()",
        "",
        "what the loop is over may end before it: name what the call gives",
    ),
    (
        r"\bCatch::(Contains|VectorContains|Equals)\b",
        "tests/",
        "Catch2 v3 has none: see tests/support/catch.h",
    ),
]

# Where a ban does not fit: file -> the words it may use.
ALLOWED = {
    "tests/sim/program/load.cc": "sleep_until",  # paces a load; there is nothing to wait for
    "tests/support/catch.h": "Catch::Contains",  # of v2
}

# What secret scanners stop at, in any tracked file: tests make their keys and tokens at run time.
SECRETS = [
    (r"-----BEGIN [A-Z ]*PRIVATE KEY", "a private key"),
    (r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.", "a JSON web token"),
    (r"\b(gh[opsu]_|github_pat_|glpat-|xox[abps]-)\w{20,}", "an access token"),
    (r"\bA(KIA|SIA)[A-Z0-9]{16}\b", "an AWS access key"),
]

# Headers hold the whole of nlohmann/json only where templates need it, or for a few files of one folder.
JSON_IN_HEADERS = {
    "cluster-clients/watch/object_cache_inl.h",
    "dra/model/parse_fields.h",
    "manager/report/schema.h",
    "manager/verify/object_feed.h",
}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def tracked(*patterns: str) -> list[str]:
    """Every file of the repository that matches, new ones included."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-coz", "--exclude-standard", *patterns],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    return sorted(path for path in listed if path and (ROOT / path).is_file())


def secrets_of(path: str) -> Iterator[str]:
    text = (ROOT / path).read_text(errors="replace")
    for pattern, what in SECRETS:
        for found in re.finditer(pattern, text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path}:{line}: {what}: make it at run time"


def code_lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines without // comments: a comment may name what code may not use."""
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        yield number, re.sub(r"(^|\s)//.*", "", line)


def include_problem(path: str, included: str) -> str | None:
    folder = path.split("/")[0]
    target = included.split("/")[0]
    if "/" in included and target in LAYERS and target not in LAYERS[folder]:
        return f"{folder} must not include {target}"
    for closed, forbidden in CLOSED.items():
        if path.startswith(closed) and included.startswith(forbidden):
            return f"{closed} must not include {included}"
    for prefix, rooms in ROOMS.items():
        if included.startswith(prefix) and not path.startswith(rooms):
            return f"{included} belongs in {', '.join(rooms)}"
    whole_json = included == "nlohmann/json.hpp" and path.endswith(".h")
    # The tests' own headers are compiled once; the rule keeps the program's build quick.
    if whole_json and path not in JSON_IN_HEADERS and not path.startswith("tests/"):
        return "headers include nlohmann/json_fwd.hpp"
    return None


def problems_of(path: str) -> Iterator[str]:
    if path.split("/")[0] not in LAYERS:
        yield f"{path}:1: not in a folder of docs/architecture.md"
        return
    for number, line in code_lines(path):
        match = INCLUDE.match(line)
        if match and (problem := include_problem(path, match.group(1))):
            yield f"{path}:{number}: {problem}"
        for pattern, prefix, why in BANNED:
            found = re.search(pattern, line) if path.startswith(prefix) else None
            if found and found.group() != ALLOWED.get(path):
                yield f"{path}:{number}: {why}"
    if path.endswith(".h") and "#pragma once" not in (ROOT / path).read_text():
        yield f"{path}:1: no #pragma once"


def room_of(path: str) -> str:
    room = str(Path(path).parent)
    return str(Path(room).parent) if room in ONE_ROOM else room


def needs_of(paths: list[str]) -> dict[str, dict[str, str]]:
    """Room -> the rooms that it includes, each with the first place that does."""
    known = set(paths)
    needs: dict[str, dict[str, str]] = {}
    for path in paths:
        if path.startswith("tests/") or path in NO_ROOM:
            continue
        for number, line in code_lines(path):
            match = INCLUDE.match(line)
            if match and match.group(1) in known and room_of(match.group(1)) != room_of(path):
                place = f"{path}:{number}"
                needs.setdefault(room_of(path), {}).setdefault(room_of(match.group(1)), place)
    return needs


def cycles_of(needs: dict[str, dict[str, str]]) -> Iterator[str]:
    """Every include by which a room needs one that, in the end, needs it."""
    reached: dict[str, set[str]] = {}
    for room in needs:
        open_rooms, seen = [room], set()
        while open_rooms:
            for other in needs.get(open_rooms.pop(), {}):
                if other not in seen:
                    seen.add(other)
                    open_rooms.append(other)
        reached[room] = seen
    for room, others in sorted(needs.items()):
        for other, place in sorted(others.items()):
            if room in reached.get(other, set()):
                yield f"{place}: {room} and {other} need each other"


def door() -> dict[str, int]:
    """The rooms of manager/, by the rows of its README: each may include those above it."""
    text = (ROOT / "manager/README.md").read_text()
    rows = re.findall(r"^\| \[(\w+)/\]\(\1/README\.md\)", text, re.MULTILINE)
    return {f"manager/{room}": row for row, room in enumerate(rows)}


def upward(needs: dict[str, dict[str, str]]) -> Iterator[str]:
    """Every include of a room of manager/ that its README has further down."""
    rows = door()

    def row_of(room: str) -> int | None:
        return rows.get("/".join(room.split("/")[:2]))

    for room, others in sorted(needs.items()):
        for other, place in sorted(others.items()):
            row, other_row = row_of(room), row_of(other)
            if row is not None and other_row is not None and other_row > row:
                yield f"{place}: {other} stands below {room} in manager/README.md"


def undescribed() -> Iterator[str]:
    """Rooms of manager/ that its README leaves out, and headers that the README of their room does."""
    rooms = {"/".join(path.split("/")[:2]) for path in tracked("manager/*/*.h", "manager/*/*.cc")}
    for room in sorted(rooms - set(door()) - set(NO_ROW)):
        yield f"manager/README.md:1: has no row for {room}"
    for readme in tracked("manager/**/README.md"):
        folder = Path(readme).parent
        text = (ROOT / readme).read_text()
        for header in tracked(f"{folder}/*.h"):
            name = Path(header).stem
            if Path(header).parent == folder and not re.search(rf"\b{name}\.(h\b|\*)", text):
                yield f"{readme}:1: does not say what {name}.h is"


def main() -> int:
    paths = tracked("*.h", "*.cc")
    problems = [problem for path in paths for problem in problems_of(path)]
    needs = needs_of(paths)
    problems += cycles_of(needs)
    problems += upward(needs)
    problems += undescribed()
    problems += [problem for path in tracked() for problem in secrets_of(path)]
    for problem in problems:
        print(problem)
    if not problems:
        print(f"layers: {len(paths)} files in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
