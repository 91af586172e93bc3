"""Debian's Prometheus scrapes a fedra that serves a simulated fleet: what the rules, dashboards and runbooks say holds there.

One fleet for all of it: a job that runs, one that lacks its template, one that waits for devices.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from packages import alert_rules
from packages.artefacts import Artefacts
from packages.parts import ROOT, Skip, run
from real import tools as real_tools
from scenarios import objects
from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra, default_binary
from scenarios.fleet import MANAGER
from scenarios.objects import Quota
from scenarios.process import Process, free_ports
from scenarios.rows.parts import device, node, pool
from scenarios.setup import FEDRA_NAMESPACE
from scenarios.sim_fleet import SimFleet
from scenarios.supply import Supply
from scenarios.waiting import eventually

_NS, _QUEUE, _CHECK = "ml", "gpu", "fedra"
_EAST, _WEST = "gpu-east", "gpu-west"
_CLASS = "gpu.example.com"
_TEMPLATE = "one-gpu"
_DASHBOARDS = ROOT / "deploy/grafana"
_PATIENCE = 60.0

# What Grafana puts in the place of its variables.
_GRAFANA = {
    "$__rate_interval": "10s",
    "$job": ".+",
    "$worker": ".+",
    "$instance": ".+",
    "$driver": ".+",
}

# Expressions without data on a fleet where nothing is wrong, by where they stand, and why.
_NO_EXPIRY = "the simulated clusters' tokens do not say when they end"
_NO_DATA = {
    "FedraCredentialsEnd": _NO_EXPIRY,
    "FedraCredentialsEndToday": _NO_EXPIRY,
    "fleet.json: First credentials end in A": _NO_EXPIRY,
    "fleet.json: Credentials end in A": _NO_EXPIRY,
    "FedraAbsent": "data only where there is no fedra",
    "FedraDown": "data only where none leads",
    "job:fedra_reconcile_failed:ratio_rate10m": "no look at a workload fails",
    "fedra.json: Lease renewed A": "there is one fedra, without highAvailability",
    "FedraReconcileFails": "no look at a workload fails",
    "fleet.json: Failed requests A": "every request succeeds",
    "FedraRightsMissing": "no cluster refuses anything with 403",
    "FedraDispatchFails": "every copy is created",
    "jobs.json: Attempts that have ended A": "the job that runs does not end",
    "FedraTemplateDrift": "the templates are the same",
    "job_cluster:fedra_verifications_unknown:ratio_rate15m": "every verdict is certain",
    "FedraVerificationUnknown": "every verdict is certain",
}

# Metrics that neither a rule nor a dashboard needs, and why.
_UNUSED: dict[str, str] = {
    "fedra_reconcile_workers_total": "for make bench-scale, which prints it per job"
}

# In a runbook's lines: commands of the machine, or of the cluster, on which fedra runs as a service.
_OF_THE_MACHINE = ("systemctl", "journalctl", "df")


@dataclasses.dataclass(frozen=True)
class _Stage:
    fleet: SimFleet
    fedra: Fedra
    jobs: dict[str, FederatedJob]


class _Prometheus:
    """Debian's, in a folder of its own, on loopback. Main thread only."""

    def __init__(self, programs: Path, folder: Path, target: str):
        self._url = f"http://127.0.0.1:{free_ports(1)[0]}"
        configuration = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(alert_rules.RULES)],
            "scrape_configs": [{"job_name": "fedra", "static_configs": [{"targets": [target]}]}],
        }
        file = folder / "prometheus.yaml"
        file.write_text(yaml.safe_dump(configuration))
        run(programs / "promtool", "check", "config", file)
        address = self._url.removeprefix("http://")
        command = [
            str(programs / "prometheus"),
            f"--config.file={file}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address={address}",
        ]
        self._process = Process(command, folder / "prometheus.log")

    def wait_scraped(self, times: int) -> None:
        """Until fedra was scraped so often."""
        count = f'count_over_time(up{{job="fedra"}}[10m]) >= {times}'
        eventually("fedra is scraped", lambda: self.query(count), _PATIENCE)

    def query(self, expr: str) -> list[Any]:
        try:
            return list(self._get("/api/v1/query", query=expr)["result"])
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return []  # it is reading its data
            raise AssertionError(f"{expr}: {error.read().decode()}") from error
        except OSError:
            assert self._process.running(), self._process.log_tail(20)
            return []  # it is starting

    def rules(self) -> list[dict[str, Any]]:
        groups = self._get("/api/v1/rules")["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def stop(self) -> None:
        self._process.terminate(grace=10)

    def _get(self, path: str, **arguments: str) -> Any:
        url = f"{self._url}{path}?{urllib.parse.urlencode(arguments)}"
        with urllib.request.urlopen(url, timeout=10) as response:
            return json.load(response)["data"]


def dashboards(_: object) -> None:
    """Those in deploy/grafana are what the generator makes, and are made as dashboards should be."""
    run("scripts/grafana.py", "--check")
    for name, board in _boards().items():
        variables = [each["name"] for each in board["templating"]["list"]]
        assert variables[:2] == ["datasource", "job"] and not board["editable"], name
        assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]), name
        places = [_area(panel["gridPos"]) for panel in board["panels"]]
        assert len(set().union(*places)) == sum(map(len, places)), f"{name}: panels overlap"
        for panel in _panels(board):
            _check_panel(f"{name}: {panel['title']}", panel, variables)


def scraped(built: Artefacts) -> None:
    """Every rule and every panel has data from a running fedra, and every metric that they name exists."""
    programs = built.prometheus
    with _stage() as stage, tempfile.TemporaryDirectory(prefix="fedra-prometheus-") as folder:
        prometheus = _Prometheus(programs, Path(folder), stage.fedra.http_address)
        try:
            prometheus.wait_scraped(15)
            _check_data(prometheus)
            _check_alerts(prometheus, stage)
        finally:
            prometheus.stop()


def metrics_in_use(_: object) -> None:
    """Every metric that is named exists, and every metric is used by a rule or a dashboard, or excused by name."""
    page = (ROOT / "docs/metrics.md").read_text()
    types = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.MULTILINE))
    used = set()
    for where, expr in _expressions().items():
        for name in re.findall(r"\b(?:fedra|process)_\w+", re.sub(r"\w+:[\w:]+", "", expr)):
            family = name
            if name not in types:
                family = re.sub(r"_(bucket|sum|count)$", "", name)
            assert family in types, f"{where}: there is no metric {name}"
            assert name == family or types[family] == "histogram", f"{where}: {name}"
            used.add(family)
    unused = set(types) - used
    assert unused == set(_UNUSED), f"unused: {sorted(unused)}, excused: {sorted(_UNUSED)}"


def runbook_lines(_: object) -> None:
    """Every line to look at in docs/runbooks.md runs on a fleet."""
    try:
        kubectl = real_tools.build().program("kubectl")
    except real_tools.ToolsMissing as missing:
        raise Skip(str(missing)) from None
    tried = 0
    with _stage() as stage:
        # Where deploy/manager-rbac.yaml has been applied; fedra then has its Lease there.
        manager = stage.fleet.admin(MANAGER)
        manager.apply(objects.namespace(FEDRA_NAMESPACE))
        lease = functools.partial(manager.find, "Lease", FEDRA_NAMESPACE, "fedra")
        eventually("fedra's Lease", lease, _PATIENCE)
        for alert, text in alert_rules.runbook_entries().items():
            for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
                for line in block.splitlines():
                    tried += _try(stage, kubectl, alert, line)
    assert tried > 40, f"only {tried} lines were tried"


# --- The fleet.


@contextmanager
def _stage() -> Iterator[_Stage]:
    fleet = SimFleet(kueue_dra=False, workers=(_EAST, _WEST))
    folder = Path(tempfile.mkdtemp(prefix="fedra-monitored-"))
    fedra: Fedra | None = None
    try:
        fleet.start()
        _furnish(fleet)
        accesses = {cluster: fleet.fedra_access(cluster) for cluster in fleet.clusters}
        settings = {"verification": {"devices": "Enforce"}}
        fedra = Fedra(default_binary(), folder / "fedra", accesses, settings)
        fedra.start()
        yield _Stage(fleet, fedra, _submit(fleet, fedra))
    finally:
        if fedra is not None and fedra.process is not None:
            fedra.process.kill()
        fleet.stop()
        shutil.rmtree(folder)


def _furnish(fleet: SimFleet) -> None:
    """A queue everywhere, and one device on one worker."""
    supply = Supply(fleet, _NS)
    for cluster in fleet.clusters:
        client = fleet.admin(cluster)
        client.apply(objects.namespace(_NS))
        check = _CHECK if cluster == MANAGER else None
        client.apply(objects.cluster_queue(_NS, Quota(), check))
        client.apply(objects.local_queue(_NS, _QUEUE, _NS))
    fleet.admin(MANAGER).apply(objects.admission_check(_CHECK))
    for worker in fleet.workers:
        supply.clear(worker)
    fleet.admin(_EAST).apply(objects.claim_template(_NS, _TEMPLATE, _CLASS, 1))
    for each in (node("node-1"), *pool(_CLASS, "node-1", [device("gpu-0", None, {})])):
        supply.put(_EAST, each)


def _submit(fleet: SimFleet, fedra: Fedra) -> dict[str, FederatedJob]:
    """`train` runs, `embed` waits for its device, `sweep` lacks its template."""
    jobs = {}
    for name, template in (("train", _TEMPLATE), ("embed", _TEMPLATE), ("sweep", "nowhere")):
        manifest = objects.job(_NS, name, _QUEUE, template=template)
        fleet.admin(MANAGER).create(manifest)
        jobs[name] = FederatedJob(fleet, _NS, name, _CHECK)
        if name == "train":
            jobs[name].wait_running_on(_EAST)
        else:
            waits = "waits for a worker" if name == "embed" else "no worker eligible"
            jobs[name].wait_message(waits)
    eventually("the store shows them", lambda: fedra.verdicts(f"{_NS}/sweep"), _PATIENCE)
    return jobs


# --- Rules and dashboards.


def _boards() -> dict[str, dict[str, Any]]:
    files = sorted(_DASHBOARDS.glob("*.json"))
    assert [file.stem for file in files] == ["devices", "fedra", "fleet", "jobs"], files
    return {file.name: json.loads(file.read_text()) for file in files}


def _panels(board: Mapping[str, Any]) -> list[Any]:
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def _area(place: Mapping[str, int]) -> set[tuple[int, int]]:
    assert place["x"] + place["w"] <= 24, place
    return {
        (place["x"] + column, place["y"] + row)
        for column in range(place["w"])
        for row in range(place["h"])
    }


def _check_panel(where: str, panel: Mapping[str, Any], variables: list[str]) -> None:
    """What people who lint dashboards ask for."""
    assert panel["title"] and panel["description"].endswith("."), where
    assert panel["datasource"]["uid"] == "${datasource}", where
    assert panel["fieldConfig"]["defaults"]["unit"], where
    assert panel["targets"], where
    for target in panel["targets"]:
        expr = target["expr"]
        assert target["datasource"]["uid"] == "${datasource}", where
        for selector in re.findall(r"\{([^}]*)\}", expr):
            assert 'job=~"$job"' in selector, f"{where}: {expr} mixes several fedras"
        for range_ in re.findall(r"\[([^]]*)\]", expr):
            assert range_ == "$__rate_interval", f"{where}: [{range_}]"
        for counter in re.findall(r"\w+_total(?=\{)", expr):
            assert re.search(rf"(rate|increase)\({counter}\{{", expr), f"{where}: {counter}"
        for name in re.findall(r"\$(\w+)", expr):
            assert name == "__rate_interval" or name in variables, f"{where}: ${name} is not there"


def _expressions() -> dict[str, str]:
    """All that a Prometheus may be asked for, by where it stands."""
    found = {rule.get("alert") or rule["record"]: rule["expr"] for rule in alert_rules.load_rules()}
    for name, board in _boards().items():
        for panel in _panels(board):
            for target in panel["targets"]:
                found[f"{name}: {panel['title']} {target['refId']}"] = target["expr"]
    return found


def _check_data(prometheus: _Prometheus) -> None:
    empty = {}
    for where, expr in _expressions().items():
        for variable, value in _GRAFANA.items():
            expr = expr.replace(variable, value)
        # With `bool` a comparison answers 0 where it would answer nothing.
        if not prometheus.query(re.sub(r"(==|>|<) (?=[\d(])", r"\1 bool ", expr)):
            empty[where] = expr
    surprising = {where: expr for where, expr in empty.items() if where not in _NO_DATA}
    assert not surprising, f"no data: {surprising}"
    needless = set(_NO_DATA) - set(empty)
    assert not needless, f"have data after all: {needless}"


def _check_alerts(prometheus: _Prometheus, stage: _Stage) -> None:
    """A worker breaks and is repaired; nothing else is wrong but the job without a template."""

    def active(state: str = "") -> set[str]:
        return {
            alert["labels"]["alertname"]
            for rule in prometheus.rules()
            for alert in rule.get("alerts", [])
            if alert["state"].startswith(state)
        }

    # What is pending may be the machine's slowness, and need not come to anything.
    assert "FedraJobsBlockedByFault" in active(), active()
    assert not active("firing"), active("firing")
    unhealthy = [rule for rule in prometheus.rules() if rule["health"] != "ok"]
    assert not unhealthy, unhealthy
    stage.fleet.stop_api_server(_EAST)
    eventually("the alert is pending", lambda: {"FedraWorkerUnreachable"} <= active(), _PATIENCE)
    stage.fleet.start_api_server(_EAST)
    # Others look back for minutes: verdicts were Unknown meanwhile.
    eventually("it has ended", lambda: "FedraWorkerUnreachable" not in active(), _PATIENCE)


# --- Runbooks.


def _try(stage: _Stage, kubectl: Path, alert: str, line: str) -> bool:
    """Runs a line as an operator would type it; whether it is one that can be tried here."""
    words = shlex.split(line.partition("  #")[0])
    if not words or words[0] in _OF_THE_MACHINE:
        return False
    assert words[0] in ("fedra", "kubectl", "curl"), f"{alert}: {line}"
    fine = (0, 1, 4) if "credential_expiry" in line else (0, 4)  # grep finds none: _NO_EXPIRY
    line = line.replace("127.0.0.1:9480", stage.fedra.http_address)
    line = line.replace("NAMESPACE/NAME", f"{_NS}/sweep").replace("NAMESPACE", _NS)
    for context, cluster in ((r"manager", MANAGER), (r"WORKER", _EAST)):
        kubeconfig = shlex.quote(str(stage.fleet.admin_kubeconfig(cluster)))
        line = line.replace(f"--context {context}", f"--kubeconfig {kubeconfig}")
    line = line.replace("WORKER", _EAST)
    environment = {
        **os.environ,
        "PATH": f"{default_binary().resolve().parent}:{kubectl.parent}:{os.environ['PATH']}",
        "FEDRA_CONFIG": str(stage.fedra.configuration_file),
    }
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
    )
    # `fedra orphans` and the like say on standard error that there is nothing; 4: a worker cannot be read.
    said = result.stdout + result.stderr
    assert result.returncode in fine and (
        said or 1 in fine
    ), f"{alert}: {line} ended with {result.returncode}:\n{result.stdout}{result.stderr}"
    return True
