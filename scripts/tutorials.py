#!/usr/bin/python3
"""Plays docs/tutorials on simulated clusters, and writes the manifests and outputs in them.

    scripts/tutorials.py           writes them (part of `make docs`)
    scripts/tutorials.py --check   only says where a page differs from what happens (part of `make test`)
    scripts/tutorials.py --hold gpu-fungibility
                                   makes the workers of that page, to follow it by hand

Each page has a row of docs/workloads.md, which real schedulers have judged: the claims and the workers' devices are
that row's. Of a page are played, from the top:

    a block `yaml` whose first line is "# NAME.yaml"   the manifest of that name; written
    a block `sh`        lines of kubectl with --context CLUSTER: apply -f FILE, and delete KIND NAME
    a block `console`   "$ fedra ..." and what it prints; the output is written

Outputs are the same when only their times differ.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from scenarios import objects  # noqa: E402
from scenarios.fedra_process import Fedra, default_binary  # noqa: E402
from scenarios.fleet import MANAGER  # noqa: E402
from scenarios.objects import Quota  # noqa: E402
from scenarios.resources import RESOURCES, Object  # noqa: E402
from scenarios.rows.gke import S1, S5  # noqa: E402
from scenarios.rows.nvidia import N1  # noqa: E402
from scenarios.rows.row import Case, Row  # noqa: E402
from scenarios.rows.stage import flat  # noqa: E402
from scenarios.rows.submission import job_of  # noqa: E402
from scenarios.sim_fleet import SimFleet  # noqa: E402
from scenarios.supply import Supply  # noqa: E402
from scenarios.waiting import eventually  # noqa: E402

_PAGES = ROOT / "docs/tutorials"
_NS, _QUEUE, _CHECK = "ml", "gpu", "fedra"
_EAST, _WEST = "gpu-east", "gpu-west"
_TEMPLATE = "ResourceClaimTemplate"
_PATIENCE = 30.0
_CALM = 1.0  # seconds in which no job changes its state
_WIDTH = "110"
_BLOCK = re.compile(r"^```(yaml|sh|console)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Tutorial:
    row: Row
    case: Case  # whose workers the page has
    jobs: tuple[str, ...]  # NAME -> NAME.yaml

    def manifests(self) -> dict[str, Object]:
        """By file. The claim's template, and a job that differs from the next one by its name only."""
        claims = job_of(self.row, _NS, "")["spec"]["template"]["spec"]["resourceClaims"]
        named = [each["resourceClaimTemplateName"] for each in claims]
        templates = [
            each
            for each in self.row.everywhere
            if each["kind"] == _TEMPLATE and each["metadata"]["name"] in named
        ]
        assert len(templates) == 1, self.row.name
        metadata = {**templates[0]["metadata"], "namespace": _NS}
        jobs = {f"{name}.yaml": self._job(name) for name in self.jobs}
        return {"template.yaml": {**templates[0], "metadata": metadata}, **jobs}

    def _job(self, name: str) -> Object:
        job = job_of(self.row, _NS, name)
        job["metadata"]["labels"][objects.QUEUE_LABEL] = _QUEUE
        return job


TUTORIALS: Mapping[str, Tutorial] = {
    "gpu-fungibility": Tutorial(S1, S1.cases[0], ("llm-1", "llm-2", "llm-3")),
    "mig": Tutorial(S5, S5.cases[0], ("mig-1", "mig-2")),
    "gpu-test1": Tutorial(N1, N1.cases[0], ("pair",)),
}


class _Stage:
    """The fleet of one tutorial, and a fedra; for a `with`. Main thread only."""

    def __init__(self, tutorial: Tutorial, patience: float):
        """`patience`: how long to wait for an output to become as expected, in seconds."""
        self._tutorial, self._patience = tutorial, patience

    def __enter__(self) -> _Stage:
        self.folder = Path(tempfile.mkdtemp(prefix="fedra-tutorial-"))
        self.fleet = SimFleet(kueue_dra=False, workers=(_EAST, _WEST))
        self.fleet.start()
        self._furnish()
        accesses = {cluster: self.fleet.fedra_access(cluster) for cluster in self.fleet.clusters}
        settings = {"verification": {"devices": "Enforce"}}
        self.fedra = Fedra(default_binary(), self.folder / "fedra", accesses, settings)
        self.fedra.start()
        for name, manifest in self._tutorial.manifests().items():
            (self.folder / name).write_text(_yaml(manifest))
        return self

    def __exit__(self, *_: object) -> None:
        if self.fedra.process is not None:
            self.fedra.process.kill()
        self.fleet.stop()
        shutil.rmtree(self.folder)

    def kubectl(self, line: str) -> None:
        """The simulation serves no OpenAPI, which kubectl wants: the same requests without it."""
        words = shlex.split(line)
        cluster, rest = words[2], words[3:]
        assert words[:2] == ["kubectl", "--context"], line
        client = self.fleet.admin(MANAGER if cluster == "manager" else cluster)
        if rest[:2] == ["apply", "-f"]:
            client.apply(yaml.safe_load((self.folder / rest[2]).read_text()))
        elif rest[:3] == ["-n", _NS, "delete"]:
            kind = next(each for each in RESOURCES if each.lower() == rest[3])
            client.delete(kind, _NS, rest[4])
        else:
            raise AssertionError(f"not known here: {line}")

    def shown(self, line: str, expected: str) -> str:
        """What a command prints: as expected, or else when no job has changed for a while."""
        with contextlib.suppress(AssertionError):
            eventually("as expected", lambda: _same(self._run(line), expected), self._patience)
            return expected
        states, since = "", time.monotonic()
        deadline = since + _PATIENCE
        while time.monotonic() < deadline and time.monotonic() < since + _CALM:
            now = self._run("fedra status jobs -o json")
            now = re.sub(r'"\w*(At|Seconds|Age)": [^,\n]*', "", now)
            if now != states:
                states, since = now, time.monotonic()
        output = self._run(line)
        return expected if _same(output, expected) else output

    def _run(self, line: str) -> str:
        assert line.startswith("fedra "), line
        ran = subprocess.run(
            line,
            shell=True,
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return ran.stdout

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PATH": f"{default_binary().resolve().parent}:{os.environ['PATH']}",
            "FEDRA_CONFIG": str(self.fedra.configuration_file),
            "COLUMNS": _WIDTH,
        }

    def _furnish(self) -> None:
        for cluster in self.fleet.clusters:
            client = self.fleet.admin(cluster)
            client.apply(objects.namespace(_NS))
            check = _CHECK if cluster == MANAGER else None
            client.apply(objects.cluster_queue(_NS, Quota(), check))
            client.apply(objects.local_queue(_NS, _QUEUE, _NS))
        self.fleet.admin(MANAGER).apply(objects.admission_check(_CHECK))
        supply = Supply(self.fleet, _NS)
        states = {_EAST: self._tutorial.case.worker1, _WEST: self._tutorial.case.worker2}
        for worker, state in states.items():
            supply.clear(worker)
            for each in flat(self._tutorial.row.everywhere, state.objects):
                # The reader creates it.
                if each["kind"] != _TEMPLATE:
                    supply.put(worker, each)


def _yaml(document: Object) -> str:
    return yaml.safe_dump(document, sort_keys=False, default_flow_style=False, width=100)


def _same(output: str, other: str) -> bool:
    """But for times, and for the widths of columns that have some."""

    def plain(text: str) -> list[str]:
        text = re.sub(r"\b\d+(ms|s|m|h|d)(\d+(s|m|h))?\b", "TIME", text)
        return re.sub(r"-{2,}", "--", text).split()

    return plain(output) == plain(other)


def _played(page: str, tutorial: Tutorial, patience: float) -> str:
    """The page with what happens."""
    manifests = tutorial.manifests()
    with _Stage(tutorial, patience) as stage:
        eventually("all workers connected", lambda: _connected(stage), _PATIENCE)

        def play(block: re.Match[str]) -> str:
            kind, text = block[1], block[2]
            if kind == "yaml":
                name = text.split("\n", 1)[0].removeprefix("# ").strip()
                if name not in manifests:
                    return block[0]
                text = f"# {name}\n{_yaml(manifests[name])}"
            elif kind == "sh":
                for line in text.splitlines():
                    stage.kubectl(line.partition("  #")[0])
            else:
                text = "".join(
                    f"$ {line}\n{stage.shown(line, expected)}" for line, expected in _commands(text)
                )
            return f"```{kind}\n{text}```\n"

        return _BLOCK.sub(play, page)


def _connected(stage: _Stage) -> bool:
    return set(stage.fedra.worker_states().values()) == {"Connected"}


def _commands(text: str) -> list[tuple[str, str]]:
    """Each with what the page says that it prints."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert not parts[0], f"a console block begins with a command: {parts[0]}"
    return list(zip(parts[1::2], parts[2::2]))


def _hold(name: str) -> None:
    with _Stage(TUTORIALS[name], _PATIENCE) as stage:
        kubeconfig = stage.folder / "kubeconfig"
        kubeconfig.write_text(_yaml(_merged_kubeconfig(stage.fleet)))
        print(
            f"The workers of docs/tutorials/{name}.md, simulated, until Ctrl-C. In another terminal:\n\n"
            f"  cd {stage.folder}   # the manifests\n"
            f"  export FEDRA_CONFIG={stage.fedra.configuration_file}"
            f" PATH={default_binary().resolve().parent}:$PATH\n"
            f"  export KUBECONFIG={kubeconfig}\n\n"
            "The simulation serves no OpenAPI: write `kubectl create --validate=false -f` for `apply -f`.",
            flush=True,
        )
        ending = {signal.SIGINT, signal.SIGTERM}
        signal.pthread_sigmask(signal.SIG_BLOCK, ending)
        signal.sigwait(ending)


def _merged_kubeconfig(fleet: SimFleet) -> Object:
    """With a context for each cluster."""
    merged: Object = {"apiVersion": "v1", "kind": "Config"}
    merged |= {"clusters": [], "users": [], "contexts": []}
    for cluster in fleet.clusters:
        name = "manager" if cluster == MANAGER else cluster
        config = yaml.safe_load(fleet.admin_kubeconfig(cluster).read_text())
        for key in ("clusters", "users"):
            merged[key].append({**config[key][0], "name": name})
        merged["contexts"].append({"name": name, "context": {"cluster": name, "user": name}})
    return merged


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--hold", choices=TUTORIALS)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if arguments.hold:
        _hold(arguments.hold)
        return 0
    wrong = 0
    for name, tutorial in TUTORIALS.items():
        file = _PAGES / f"{name}.md"
        page = file.read_text()
        played = _played(page, tutorial, _PATIENCE if arguments.check else _CALM)
        if played == page:
            continue
        if arguments.check:
            wrong += 1
            happened = ROOT / f"build/tutorials/{file.name}"
            happened.parent.mkdir(parents=True, exist_ok=True)
            happened.write_text(played)
            print(f"error: {file} is not what happens: diff {file} {happened}", file=sys.stderr)
        else:
            file.write_text(played)
    if arguments.check:
        print(f"{len(TUTORIALS) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
