"""deploy/alerts.yaml by itself: promtool's checks, every alert's beginning and end, and its runbook."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from packages.artefacts import Artefacts
from packages.parts import ROOT, run

RULES = ROOT / "deploy/alerts.yaml"
RUNBOOKS = ROOT / "docs/runbooks.md"
_TARGET = 'job="fedra", instance="a:9480"'
_STANDBY = 'job="fedra", instance="b:9480"'
_DAY = 86400


@dataclasses.dataclass(frozen=True)
class Story:
    """What makes one alert fire and stop, minute by minute, and what does not make it fire.

    Series are written as for promtool, without the labels of the target: 'up' stands for up{job="fedra", ...}, and
    'up@standby' for the same of another replica.
    """

    alert: str
    series: Mapping[str, str]
    fires: int  # minute at which it must be firing, and not a minute before its `for`
    labels: Mapping[str, str]  # of the alert that fires, without severity
    summary: str
    resolved: int  # minute at which it must be over
    quiet: Mapping[str, str]  # the same length of time, and it never fires


# At which minute which alerts fire.
_Evaluations = list[tuple[int, list[Any]]]

_BY_JOB = {"job": "fedra"}
_OF_TARGET = {"job": "fedra", "instance": "a:9480"}


def _east(*, target: bool) -> dict[str, str]:
    return {**(_OF_TARGET if target else _BY_JOB), "cluster": "gpu-east"}


# Of a fedra without replicas, and of two.
_ALONE = {"fedra_leader": "1x3000"}
_TWO = {"fedra_leader": "1x3000", "fedra_leader@standby": "0x3000"}
_BUILD = {'fedra_build_info{version="0.1.0"}': "1x90"}
_VERDICTS = 'fedra_verifications_total{cluster="gpu-east", result="%s"}'
_SLOW = 'fedra_cluster_request_duration_seconds_bucket{cluster="gpu-east", le="%s"}'
_UP = 'fedra_cluster_up{cluster="%s"}'
_ORPHANS = 'fedra_orphans{cluster="gpu-east"}'
_EXPIRY = 'fedra_cluster_credential_expiry_timestamp_seconds{cluster="gpu-east"}'
_LIFETIME = 'fedra_cluster_credential_lifetime_seconds{cluster="gpu-east"}'

# Reasons that pass, or are no cause of their own, although their remedy says what may be done.
_PASSING = {
    "PodsDoNotFit": "counts what other reasons keep from fitting",
    "RecentlyFailed": "the worker is tried again by itself",
}

STORIES = (
    Story(
        "FedraAbsent",
        {'fedra_build_info{version="0.1.0"}': "1x5 _x20 1x20"},
        20,
        {},
        "Prometheus has no metrics of any fedra",
        30,
        _BUILD,
    ),
    Story(
        "FedraDown",
        # Prometheus marks what a target had as stale as soon as it does not answer.
        {"up": "1x5 0x10 1x20", "fedra_leader": "1x5 stale _x9 1x20"},
        10,
        _OF_TARGET,
        "fedra at a:9480 does not answer",
        20,
        # For a moment; and a standby.
        {"up": "1x5 0x1 1x20", **_ALONE, "up@standby": "1x5 0x30"},
    ),
    Story(
        "FedraReplicaDown",
        {"up": "1x60", **_ALONE, "up@standby": "1x5 0x20 1x20"},
        20,
        {"job": "fedra", "instance": "b:9480"},
        "A replica of fedra, at b:9480, does not answer; another one leads",
        30,
        # None leads: that is FedraDown.
        {"up": "1x5 0x40", "up@standby": "1x60", "fedra_leader@standby": "0x60"},
    ),
    Story(
        "FedraNoLeader",
        {"fedra_leader": "1x5 0x30", "fedra_leader@standby": "0x15 1x20"},
        10,
        _BY_JOB,
        "No replica of fedra leads",
        20,
        {"fedra_leader": "1x20 0x20", "fedra_leader@standby": "0x20 1x20"},
    ),
    Story(
        "FedraRestarts",
        {**_BUILD, "process_start_time_seconds": "1x5 2x5 3x5 4x60"},
        20,
        _OF_TARGET,
        "fedra at a:9480 has restarted 3 times in 30 minutes",
        55,
        # Another program, which is no fedra.
        {"process_start_time_seconds": "1x5 2x5 3x5 4x60"},
    ),
    Story(
        "FedraConfigRejected",
        {"fedra_config_last_reload_successful": "1x5 0x10 1x20"},
        10,
        _OF_TARGET,
        "The changed configuration of fedra at a:9480 is not used",
        20,
        {"fedra_config_last_reload_successful": "1x40"},
    ),
    Story(
        "FedraReconcileFails",
        {
            'fedra_reconcile_total{result="ok"}': "0+60x100",
            'fedra_reconcile_total{result="Conflict"}': "0+60x40 2400x60",
        },
        30,
        _BY_JOB,
        "50% of the looks of fedra at a workload fail",
        70,
        {
            'fedra_reconcile_total{result="ok"}': "0+60x100",
            'fedra_reconcile_total{result="Conflict"}': "0+6x100",
        },
    ),
    Story(
        "FedraQueueNotDraining",
        {"fedra_queue_depth": "0x5 500x40 0x30"},
        30,
        _OF_TARGET,
        "fedra at a:9480 has 500 workloads to look at, and falls behind",
        60,
        # A burst that drains now and then.
        {"fedra_queue_depth": "500x8 0 500x8 0 500x8 0 500x8 0 500x8 0 500x8 0"},
    ),
    Story(
        "FedraFilesRunOut",
        {**_BUILD, "process_open_fds": "100x5 900x20 100x20", "process_max_fds": "1000x90"},
        15,
        _OF_TARGET,
        "fedra at a:9480 uses 90% of its file descriptors",
        40,
        {**_BUILD, "process_open_fds": "700x40", "process_max_fds": "1000x40"},
    ),
    Story(
        "FedraStoreFails",
        {'fedra_store_transaction_duration_seconds_count{result="failed"}': "0x5 1+1x10 11x40"},
        10,
        {**_OF_TARGET, "result": "failed"},
        "The store of fedra at a:9480 cannot be written",
        50,
        {
            'fedra_store_transaction_duration_seconds_count{result="failed"}': "0x60",
            'fedra_store_transaction_duration_seconds_count{result="ok"}': "0+10x60",
        },
    ),
    Story(
        "FedraStoreGrows",
        # A megabyte a minute, which is 10 GB a week; then it stays as it is.
        {"fedra_store_size_bytes": "0+1000000x1440 1440000000x1500"},
        1440,
        _OF_TARGET,
        "The store of fedra will have 10.73GiB in a week",
        2930,
        {"fedra_store_size_bytes": "0+100000x1440 144000000x1500"},
    ),
    Story(
        "FedraManagerUnreachable",
        {**_ALONE, _UP % "manager": "1x5 0x10 1x20"},
        10,
        {**_OF_TARGET, "cluster": "manager"},
        "fedra cannot reach the manager's API server",
        20,
        {
            **_TWO,
            _UP % "manager": "1x40",
            _UP % "manager" + "@standby": "0x40",
            _UP % "gpu-east": "0x40",
        },
    ),
    Story(
        "FedraWorkerUnreachable",
        {**_ALONE, _UP % "gpu-east": "1x5 0x15 1x20"},
        15,
        _east(target=True),
        "Worker gpu-east is unreachable, or cannot be listed",
        30,
        # Another one, for too short a time.
        {
            **_TWO,
            _UP % "gpu-east": "1x5 0x4 1x30",
            _UP % "gpu-east" + "@standby": "0x40",
            _UP % "manager": "0x40",
        },
    ),
    Story(
        "FedraMostWorkersUnreachable",
        {
            **_TWO,
            **{_UP % name + "@standby": "1x50" for name in ("gpu-east", "gpu-west", "gpu-lab")},
            _UP % "gpu-east": "1x5 0x15 1x20",
            _UP % "gpu-west": "1x5 0x15 1x20",
            _UP % "gpu-lab": "1x50",
        },
        15,
        _BY_JOB,
        "fedra cannot reach 66.67% of its workers",
        30,
        {
            **_TWO,
            **{_UP % name + "@standby": "0x40" for name in ("gpu-east", "gpu-west")},
            _UP % "gpu-east": "0x40",
            _UP % "gpu-west": "1x40",
            _UP % "manager": "0x40",
        },
    ),
    Story(
        "FedraStandbyBlind",
        {
            **_TWO,
            _UP % "gpu-east": "1x60",
            _UP % "gpu-east" + "@standby": "1x5 0x20 1x20",
        },
        25,
        {"job": "fedra", "instance": "b:9480", "cluster": "gpu-east"},
        "The standby fedra at b:9480 cannot use gpu-east, and the leader can",
        40,
        # Nobody can.
        {**_TWO, _UP % "gpu-east": "0x60", _UP % "gpu-east" + "@standby": "0x60"},
    ),
    Story(
        "FedraConfigMismatch",
        {**_TWO, "fedra_config_mismatch": "0x60", "fedra_config_mismatch@standby": "0x5 1x20 0x20"},
        20,
        {"job": "fedra", "instance": "b:9480"},
        "The standby fedra at b:9480 is configured otherwise than the leader",
        40,
        # A ConfigMap that reaches one pod earlier than the other.
        {**_TWO, "fedra_config_mismatch@standby": "0x5 1x5 0x40"},
    ),
    Story(
        "FedraWorkerLost",
        {'fedra_worker_lost_total{cluster="gpu-east"}': "0x15 3x60"},
        20,
        _east(target=True),
        "3 jobs were taken from worker gpu-east and queued again",
        40,
        {'fedra_worker_lost_total{cluster="gpu-east"}': "3x80"},
    ),
    Story(
        "FedraCredentialsEnd",
        # promtool's time begins at 0.
        {
            _EXPIRY: f"{90 * _DAY}x5 {6 * _DAY}x15 {90 * _DAY}x20",
            _EXPIRY + "@standby": f"{90 * _DAY}x5 {6 * _DAY}x15 {90 * _DAY}x20",
        },
        10,
        _east(target=False),
        "fedra's credentials for gpu-east end in 5d 23h 50m 0s",
        30,
        # Renewed when half of its day is over.
        {_EXPIRY: f"{_DAY}x20 {1.5 * _DAY}x20", _LIFETIME: f"{_DAY}x40"},
    ),
    Story(
        "FedraCredentialsEndToday",
        {
            _EXPIRY: f"{90 * _DAY}x5 {_DAY // 2}x15 {90 * _DAY}x20",
            _LIFETIME: f"{90 * _DAY}x40",
        },
        10,
        _east(target=False),
        "fedra's credentials for gpu-east end in 11h 50m 0s",
        30,
        # A token of half an hour that is renewed when a third of that is left.
        {_EXPIRY: "1800x20 3060x20", _LIFETIME: "1800x40"},
    ),
    Story(
        "FedraRightsMissing",
        {
            'fedra_cluster_requests_total{cluster="gpu-east", verb="POST", code="403"}': "0+2x50 100x60",
        },
        30,
        _east(target=False),
        "gpu-east has refused 30 requests of fedra in 15 minutes (403)",
        90,
        # One that was refused once, and others that were answered.
        {
            'fedra_cluster_requests_total{cluster="gpu-east", verb="POST", code="403"}': "0x9 1x90",
            'fedra_cluster_requests_total{cluster="gpu-east", verb="POST", code="201"}': "0+9x90",
        },
    ),
    Story(
        "FedraRequestsSlow",
        {
            _SLOW % "5": "0x100",
            _SLOW % "10": "0+60x50 3000+0x50",
            _SLOW % "+Inf": "0+60x50 3000+0x50",
        },
        30,
        _east(target=False),
        "One request in a hundred to gpu-east takes 9.95s or longer",
        80,
        {_SLOW % "5": "0+60x100", _SLOW % "10": "0+60x100", _SLOW % "+Inf": "0+60x100"},
    ),
    Story(
        "FedraJobsBlockedByFault",
        {
            **_TWO,
            'fedra_blocked_workloads{reason="TemplateMissing"}': "0x5 4x30 0x20",
            'fedra_blocked_workloads{reason="TemplateMissing"}@standby': "3x55",
        },
        25,
        {**_BY_JOB, "reason": "TemplateMissing"},
        "4 jobs can run on no worker: TemplateMissing",
        45,
        # They wait for capacity.
        {
            **_TWO,
            'fedra_blocked_workloads{reason="TemplateMissing"}@standby': "3x60",
            'fedra_blocked_workloads{reason="DevicesAllocated"}': "9x60",
            'fedra_blocked_workloads{reason="InLine"}': "9x60",
            'fedra_blocked_workloads{reason="MovedAway"}': "9x60",
            # Somebody meant it.
            'fedra_blocked_workloads{reason="WorkerCordoned"}': "9x60",
        },
    ),
    Story(
        "FedraJobsBlockedLong",
        {
            **_ALONE,
            'fedra_blocked_longest_seconds{reason="TemplateMissing"}': "21000+60x20 0x20",
        },
        15,
        {**_OF_TARGET, "reason": "TemplateMissing"},
        "A job has been blocked for 6h 5m 0s: TemplateMissing",
        30,
        {
            **_TWO,
            'fedra_blocked_longest_seconds{reason="TemplateMissing"}': "18000+60x40",
            'fedra_blocked_longest_seconds{reason="TemplateMissing"}@standby': "99000+60x40",
        },
    ),
    Story(
        "FedraJobsWaitLong",
        {
            **_ALONE,
            'fedra_line_head_seconds{cluster="gpu-east"}': "14000+60x20 0x20",
        },
        10,
        _east(target=True),
        "The first job in line for devices of gpu-east has waited 4h 3m 20s",
        30,
        {
            **_TWO,
            'fedra_line_head_seconds{cluster="gpu-east"}': "10000+60x40",
            'fedra_line_head_seconds{cluster="gpu-east"}@standby': "99000+60x40",
        },
    ),
    Story(
        "FedraDevicesIdleWhileJobsWait",
        {
            **_TWO,
            'fedra_devices{cluster="gpu-east", driver="gpu.example.com", state="free"}': "0x5 3x90",
            'fedra_devices{cluster="gpu-east", driver="gpu.example.com", state="free"}@standby': "0x5 3x90",
            'fedra_line_length{cluster="gpu-east"}': "2x60 0x40",
        },
        40,
        _east(target=False),
        "3 devices of gpu-east are free while jobs wait for devices there",
        70,
        # Free here, waiting there; and in use where they wait.
        {
            **_TWO,
            'fedra_devices{cluster="gpu-east", driver="gpu.example.com", state="free"}@standby': "3x90",
            'fedra_line_length{cluster="gpu-west"}@standby': "2x90",
            'fedra_devices{cluster="gpu-west", driver="gpu.example.com", state="free"}': "3x90",
            'fedra_devices{cluster="gpu-east", driver="gpu.example.com", state="free"}': "0x90",
            'fedra_devices{cluster="gpu-east", driver="gpu.example.com", state="allocated"}': "4x90",
            'fedra_line_length{cluster="gpu-east"}': "2x90",
        },
    ),
    Story(
        "FedraVerificationUnknown",
        {_VERDICTS % "Unknown": "0+20x50 1000x60", _VERDICTS % "Yes": "0+60x110"},
        40,
        _east(target=False),
        "25% of the verdicts on gpu-east are Unknown",
        90,
        {
            _VERDICTS % "Unknown": "0+2x110",
            _VERDICTS % "No": "0+60x110",
            _VERDICTS % "Yes": "0+60x110",
        },
    ),
    Story(
        "FedraDispatchFails",
        {'fedra_dispatch_total{cluster="gpu-east", result="Forbidden"}': "0+1x50 50x60"},
        40,
        _east(target=False),
        "15 copies could not be created on gpu-east in 15 minutes",
        90,
        {'fedra_dispatch_total{cluster="gpu-east", result="ok"}': "0+9x110"},
    ),
    Story(
        "FedraOrphans",
        {**_ALONE, _ORPHANS: "0x5 3x45 0x30", _UP % "gpu-east": "1x90"},
        40,
        _east(target=True),
        "3 copies on gpu-east belong to no job any more, and cannot be removed",
        60,
        # A worker that is out of reach: they go when it is back. And a standby's view.
        {
            **_TWO,
            _ORPHANS: "3x90",
            _UP % "gpu-east": "0x90",
            _ORPHANS + "@standby": "3x90",
            _UP % "gpu-east" + "@standby": "1x90",
        },
    ),
    Story(
        "FedraTemplateDrift",
        {
            'fedra_verification_refusals_total{cluster="gpu-east", reason="TemplateDrift"}': "0+1x50 50x90",
        },
        40,
        _east(target=False),
        "A ResourceClaimTemplate on gpu-east differs from the manager's, and jobs are not sent there",
        100,
        {
            'fedra_verification_refusals_total{cluster="gpu-east", reason="TemplateMissing"}': "0+9x140",
        },
    ),
)


def load_rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def load_alerts() -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for rule in load_rules() if "alert" in rule}


def rules(built: Artefacts) -> None:
    """Every alert fires, does not fire, and ends, as promtool evaluates it; and it says what an operator needs."""
    promtool = built.prometheus / "promtool"
    run(promtool, "check", "rules", "--lint=all", "--lint-fatal", RULES)
    alerts = load_alerts()
    told = [story.alert for story in STORIES]
    assert sorted(told) == sorted(alerts), f"one story for each alert: {set(told) ^ set(alerts)}"
    for name, alert in alerts.items():
        assert alert["labels"]["severity"] in ("critical", "warning", "info"), name
        assert set(alert["annotations"]) == {"summary", "description", "runbook_url"}, name
        assert alert["annotations"]["runbook_url"] == f"docs/runbooks.md#{name.lower()}", name
    _check_reasons(alerts["FedraJobsBlockedByFault"]["expr"])
    with tempfile.TemporaryDirectory(prefix="fedra-rules-") as folder:
        files = [_write(Path(folder), story, alerts[story.alert]) for story in STORIES]
        run(promtool, "test", "rules", *files)


def _check_reasons(expr: str) -> None:
    """It leaves out the reasons of which docs/reasons.md says that nobody has to act, or to wait only."""
    page = (ROOT / "docs/reasons.md").read_text()
    remedies = dict(re.findall(r"^### (\w+)\n.*?^- Remedy: (.*?)$", page, re.MULTILINE | re.DOTALL))
    assert len(remedies) > 40, remedies
    patient = ("No action needed", "Wait until")
    wanted = {code for code, remedy in remedies.items() if remedy.startswith(patient)}
    left_out = re.search(r'reason!~"([\w|]+)"', expr)
    assert left_out is not None, expr
    assert set(left_out[1].split("|")) == wanted | _PASSING.keys(), wanted | _PASSING.keys()
    assert _PASSING.keys() <= remedies.keys() - wanted, _PASSING


def _write(folder: Path, story: Story, alert: Mapping[str, Any]) -> Path:
    """For promtool: a story, and of the alerts its own. All of them in each minute of each story take minutes."""
    rules, file = folder / f"{story.alert}.rules.yaml", folder / f"{story.alert}.yaml"
    groups = yaml.safe_load(RULES.read_text())["groups"]
    for group in groups:
        group["rules"] = [each for each in group["rules"] if "record" in each or each == alert]
    _dump(rules, {"groups": groups})
    tests = _tests_of(story, alert)
    _dump(file, {"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": tests})
    return file


def _dump(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(yaml.safe_dump(document, sort_keys=False))


def runbooks(_: object) -> None:
    """One entry for each alert and one alert for each entry, with something to look at and something to do."""
    entries = runbook_entries()
    alerts = load_alerts()
    assert list(entries) == list(alerts), (
        f"docs/runbooks.md has no {sorted(set(alerts) - set(entries))}, "
        f"deploy/alerts.yaml no {sorted(set(entries) - set(alerts))}, or the order differs"
    )
    for name, text in entries.items():
        assert "\nLook:\n" in text and "```sh\n" in text, f"{name}: nothing to look at"
        assert "\nDo: " in text or "\nDo:\n" in text, f"{name}: nothing to do"


def runbook_entries() -> dict[str, str]:
    parts = re.split(r"^## (\w+)\n", RUNBOOKS.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def _tests_of(story: Story, alert: Mapping[str, Any]) -> list[dict[str, Any]]:
    """As promtool wants them: one in which it fires and ends, one in which it does not fire."""
    annotations = {**alert["annotations"], "summary": story.summary}
    labels = {**story.labels, **alert["labels"]}
    firing = [{"exp_labels": labels, "exp_annotations": annotations}]
    evaluations: _Evaluations = [(0, []), (story.fires, firing), (story.resolved, [])]
    never: _Evaluations = [
        (minute, []) for minute in range(0, story.resolved + 1, max(1, story.resolved // 40))
    ]
    return [
        _test(story, "fires and ends", story.series, evaluations),
        _test(story, "does not fire", story.quiet, never),
    ]


def _test(
    story: Story, what: str, series: Mapping[str, str], evaluations: _Evaluations
) -> dict[str, Any]:
    return {
        "name": f"{story.alert} {what}",
        "interval": "1m",
        "input_series": [
            {"series": _with_target(name), "values": values} for name, values in series.items()
        ],
        "alert_rule_test": [
            {"eval_time": f"{minute}m", "alertname": story.alert, "exp_alerts": alerts}
            for minute, alerts in evaluations
        ],
    }


def _with_target(series: str) -> str:
    name, _, replica = series.partition("@")
    target = _STANDBY if replica else _TARGET
    return f"{name[:-1]}, {target}}}" if name.endswith("}") else f"{name}{{{target}}}"
