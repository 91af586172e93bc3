#!/usr/bin/python3
"""Writes the Grafana dashboards of deploy/grafana from what stands here; --check says which have fallen behind.

Four dashboards, one for each question: how are the clusters (fleet), where are the jobs and why (jobs), what is free
(devices), how is the daemon (fedra). They read the metrics of docs/metrics.md and need no recording rules.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "deploy/grafana"

Json = dict[str, Any]

_DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
_SCHEMA = 39  # of Grafana 11; newer ones migrate it
_GRID = 24  # columns
_TAG = "fedra"

# Of what a dashboard shows: one fedra or all, and the workers that were chosen. The manager is no worker.
_JOB = 'job=~"$job"'
_WORKER = f'{_JOB}, cluster=~"$worker"'
_CLUSTER = f'{_JOB}, cluster=~"$worker|manager"'
_HOST = f'{_JOB}, instance=~"$instance"'
# Each replica of a fedra shows what it sees, and its leader's counts. Without replicas it is 1.
_LED = " and on (job, instance) fedra_leader == 1"

# Units as Grafana calls them.
_COUNT, _SECONDS, _BYTES, _RATIO = "short", "s", "bytes", "percentunit"
_PER_SECOND, _REQUESTS, _DATE, _SWITCH = "ops", "reqps", "dateTimeAsIso", "bool_yes_no"

_GOOD, _POOR, _BAD = "green", "orange", "red"


@dataclasses.dataclass(frozen=True)
class Query:
    expr: str
    legend: str = ""


@dataclasses.dataclass(frozen=True)
class Panel:
    title: str
    description: str
    kind: str  # of Grafana: "timeseries", "stat", "table", "state-timeline", "bargauge"
    unit: str
    queries: tuple[Query, ...]
    width: int = 12
    height: int = 8
    stacked: bool = False
    steps: tuple[tuple[float | None, str], ...] = ((None, _GOOD),)  # colour from this value on
    columns: tuple[tuple[str, str, str], ...] = ()  # of a table: field, header, unit
    values: tuple[tuple[str, str, str], ...] = ()  # value, text in its place, colour


@dataclasses.dataclass(frozen=True)
class Board:
    name: str  # of the file
    title: str
    description: str
    variables: tuple[str, ...]  # besides datasource and job
    rows: tuple[tuple[str, tuple[Panel, ...]], ...]


def _lines(
    title: str, description: str, unit: str, *queries: Query, stacked: bool = False, width: int = 12
) -> Panel:
    return Panel(title, description, "timeseries", unit, queries, width, stacked=stacked)


def _number(
    title: str,
    description: str,
    unit: str,
    expr: str,
    *steps: tuple[float | None, str],
    width: int = 4,
) -> Panel:
    return Panel(
        title,
        description,
        "stat",
        unit,
        (Query(expr),),
        width,
        height=4,
        steps=steps or ((None, _GOOD),),
    )


def _quantiles(metric: str, matchers: str, by: str = "") -> tuple[Query, ...]:
    """The median, and what one in ten and one in a hundred exceed."""
    labels = f"{by}, le" if by else "le"
    legend = f"{{{{{by}}}}} " if by else ""
    return tuple(
        Query(
            f"histogram_quantile({quantile}, sum by ({labels}) "
            f"(rate({metric}_bucket{{{matchers}}}[$__rate_interval])))",
            f"{legend}p{round(quantile * 100)}",
        )
        for quantile in (0.5, 0.9, 0.99)
    )


def _rate(metric: str, matchers: str, by: str) -> Query:
    legend = " ".join(f"{{{{{label.strip()}}}}}" for label in by.split(","))
    return Query(f"sum by ({by}) (rate({metric}{{{matchers}}}[$__rate_interval]))", legend)


_FLEET = Board(
    "fleet",
    "fedra / Fleet",
    "Are the clusters reachable, are they quick, and how long are the credentials good?",
    ("worker",),
    (
        (
            "Now",
            (
                _number(
                    "Manager",
                    "Whether the manager's API server answers and is listed.",
                    _SWITCH,
                    f'min(fedra_cluster_up{{{_JOB}, cluster="manager"}}{_LED})',
                    (None, _BAD),
                    (1, _GOOD),
                ),
                _number(
                    "Workers connected",
                    "Workers that answer and are listed.",
                    _COUNT,
                    f"sum(fedra_cluster_up{{{_WORKER}}}{_LED})",
                ),
                _number(
                    "Workers not connected",
                    "Workers that do not answer, or cannot be listed. No job is dispatched there.",
                    _COUNT,
                    f"count(fedra_cluster_up{{{_WORKER}}}{_LED}) - sum(fedra_cluster_up{{{_WORKER}}}{_LED})",
                    (None, _GOOD),
                    (1, _BAD),
                ),
                _number(
                    "Jobs on workers",
                    "Copies of workloads on the workers that have not ended.",
                    _COUNT,
                    f"sum(fedra_cluster_clones{{{_WORKER}}}{_LED})",
                ),
                _number(
                    "Jobs blocked",
                    "Jobs with quota on the manager that no worker can run now.",
                    _COUNT,
                    f'sum(fedra_workloads{{{_JOB}, phase="Blocked"}}{_LED})',
                    (None, _GOOD),
                    (1, _POOR),
                ),
                _number(
                    "First credentials end in",
                    "Of all clusters whose token or client certificate says when it ends.",
                    _SECONDS,
                    f"min(fedra_cluster_credential_expiry_timestamp_seconds{{{_CLUSTER}}}) - time()",
                    (None, _BAD),
                    (86400, _POOR),
                    (7 * 86400, _GOOD),
                ),
            ),
        ),
        (
            "Workers",
            (
                Panel(
                    "Contact",
                    "When which cluster was connected and listed.",
                    "state-timeline",
                    _COUNT,
                    (
                        Query(
                            f"min by (cluster) (fedra_cluster_up{{{_CLUSTER}}}{_LED})",
                            "{{cluster}}",
                        ),
                    ),
                    width=24,
                    values=(("0", "not connected", _BAD), ("1", "connected", _GOOD)),
                ),
                Panel(
                    "Workers",
                    "One row for each worker. Line: jobs that wait for its devices, and for how long the first has.",
                    "table",
                    _COUNT,
                    (
                        Query(f"min by (cluster) (fedra_cluster_up{{{_WORKER}}}{_LED})"),
                        Query(f"sum by (cluster) (fedra_cluster_clones{{{_WORKER}}}{_LED})"),
                        Query(f"sum by (cluster) (fedra_line_length{{{_WORKER}}}{_LED})"),
                        Query(f"max by (cluster) (fedra_line_head_seconds{{{_WORKER}}}{_LED})"),
                        Query(f'sum by (cluster) (fedra_devices{{{_WORKER}, state="free"}}{_LED})'),
                        Query(f"sum by (cluster) (fedra_devices{{{_WORKER}}}{_LED})"),
                    ),
                    width=24,
                    columns=(
                        ("cluster", "Worker", ""),
                        ("Value #A", "Connected", _SWITCH),
                        ("Value #B", "Jobs", _COUNT),
                        ("Value #C", "In line", _COUNT),
                        ("Value #D", "First in line waits", _SECONDS),
                        ("Value #E", "Devices free", _COUNT),
                        ("Value #F", "Devices", _COUNT),
                    ),
                ),
                _lines(
                    "Jobs on each worker",
                    "Copies of workloads that have not ended.",
                    _COUNT,
                    Query(
                        f"sum by (cluster) (fedra_cluster_clones{{{_WORKER}}}{_LED})",
                        "{{cluster}}",
                    ),
                    stacked=True,
                ),
                _lines(
                    "Last contact",
                    "How long ago the worker was connected and listed.",
                    _SECONDS,
                    Query(
                        "time() - max by (cluster) "
                        f"(fedra_cluster_last_contact_timestamp_seconds{{{_WORKER}}}{_LED})",
                        "{{cluster}}",
                    ),
                ),
                _lines(
                    "Orphans and templates that differ",
                    "Copies whose job is gone and which could not be removed yet; ResourceClaimTemplates with "
                    "another spec than the manager's.",
                    _COUNT,
                    Query(
                        f"sum by (cluster) (fedra_orphans{{{_WORKER}}}{_LED})",
                        "{{cluster}} orphans",
                    ),
                    Query(
                        f"sum by (cluster) (fedra_template_drift{{{_WORKER}}}{_LED})",
                        "{{cluster}} templates",
                    ),
                ),
                _lines(
                    "Jobs taken from lost workers",
                    "Queued again because their worker was out of reach for longer than workerLostTimeout.",
                    _COUNT,
                    Query(
                        f"sum by (cluster) (increase(fedra_worker_lost_total{{{_WORKER}}}[$__rate_interval]))",
                        "{{cluster}}",
                    ),
                ),
            ),
        ),
        (
            "Requests to API servers",
            (
                _lines(
                    "Requests",
                    "Single requests by cluster; not the lists and watches behind the caches.",
                    _REQUESTS,
                    _rate("fedra_cluster_requests_total", _CLUSTER, "cluster"),
                ),
                _lines(
                    "Failed requests",
                    "By status code, or kind of failure where there was no answer. 409 is tried again at once.",
                    _REQUESTS,
                    _rate(
                        "fedra_cluster_requests_total", f'{_CLUSTER}, code!~"2.."', "cluster, code"
                    ),
                ),
                _lines(
                    "Duration, one in a hundred is slower",
                    "By cluster; a slow one delays only jobs that need it.",
                    _SECONDS,
                    _quantiles("fedra_cluster_request_duration_seconds", _CLUSTER, "cluster")[2],
                ),
                _lines(
                    "Read",
                    "Bytes a second of API servers' answers, by cluster: lists, events of watches, single requests.",
                    _BYTES,
                    _rate("fedra_cluster_read_bytes_total", _CLUSTER, "cluster"),
                ),
                _lines(
                    "Events of watches",
                    "By cluster: what changes there, whoever changes it.",
                    _PER_SECOND,
                    _rate("fedra_watch_events_total", _CLUSTER, "cluster"),
                ),
                _lines(
                    "Credentials end in",
                    "Where the token or client certificate says it.",
                    _SECONDS,
                    Query(
                        "min by (cluster) "
                        f"(fedra_cluster_credential_expiry_timestamp_seconds{{{_CLUSTER}}}) - time()",
                        "{{cluster}}",
                    ),
                ),
            ),
        ),
    ),
)

_JOBS = Board(
    "jobs",
    "fedra / Jobs",
    "Where are the jobs, what blocks them, and how long do they wait?",
    ("worker",),
    (
        (
            "Now",
            tuple(
                _number(
                    phase,
                    description,
                    _COUNT,
                    f'sum(fedra_workloads{{{_JOB}, phase="{phase}"}}{_LED})',
                    *steps,
                )
                for phase, description, steps in (
                    ("Waiting", "For quota on the manager, or another AdmissionCheck.", ()),
                    ("Blocked", "No worker can run them now.", ((None, _GOOD), (1, _POOR))),
                    ("Dispatching", "Copies are on workers, and none has been admitted yet.", ()),
                    ("Running", "Admitted by a worker.", ()),
                    ("Requeued", "Evicted or taken back, and queued again.", ()),
                    ("Suspended", "Their Workload is not active.", ()),
                )
            ),
        ),
        (
            "Blocked",
            (
                _lines(
                    "Blocked jobs by reason",
                    "Each once, by the reason that stands first on most workers: docs/reasons.md has them.",
                    _COUNT,
                    Query(
                        f"sum by (reason) (fedra_blocked_workloads{{{_JOB}}}{_LED}) > 0",
                        "{{reason}}",
                    ),
                    stacked=True,
                ),
                _lines(
                    "Longest blocked",
                    "Since its quota was reserved on the manager, by reason.",
                    _SECONDS,
                    Query(
                        f"max by (reason) (fedra_blocked_longest_seconds{{{_JOB}}}{_LED}) > 0",
                        "{{reason}}",
                    ),
                ),
                _lines(
                    "In line for devices",
                    "Jobs that wait for devices of each worker; one job may stand in several lines.",
                    _COUNT,
                    Query(
                        f"sum by (cluster) (fedra_line_length{{{_WORKER}}}{_LED})", "{{cluster}}"
                    ),
                ),
                _lines(
                    "First in line waits",
                    "Since its quota was reserved on the manager.",
                    _SECONDS,
                    Query(
                        f"max by (cluster) (fedra_line_head_seconds{{{_WORKER}}}{_LED})",
                        "{{cluster}}",
                    ),
                ),
                _lines(
                    "Passed in line",
                    "Jobs that left before others which may have fitted: devices came and went faster than "
                    "the jobs ahead could be judged.",
                    _PER_SECOND,
                    Query(
                        f"sum by (instance) (rate(fedra_line_passed_unasked_total{{{_JOB}}}[$__rate_interval]))",
                        "{{instance}}",
                    ),
                    width=24,
                ),
            ),
        ),
        (
            "Placement",
            (
                _lines(
                    "From quota to a worker",
                    "From the reservation of quota on the manager to the admission on the worker.",
                    _SECONDS,
                    *_quantiles("fedra_placement_wait_seconds", _WORKER),
                ),
                _lines(
                    "Placed",
                    "Jobs that a worker has admitted.",
                    _PER_SECOND,
                    _rate("fedra_placements_total", _WORKER, "cluster"),
                    stacked=True,
                ),
                _lines(
                    "Copies sent",
                    "By result; those that failed are tried again, there or elsewhere.",
                    _PER_SECOND,
                    _rate("fedra_dispatch_total", _WORKER, "cluster, result"),
                ),
                _lines(
                    "Attempts that have ended",
                    "By how: the words of `fedra history`.",
                    _PER_SECOND,
                    _rate("fedra_attempts_ended_total", _WORKER, "outcome"),
                    stacked=True,
                ),
                _lines(
                    "Jobs by phase",
                    "All workloads that fedra knows.",
                    _COUNT,
                    Query(f"sum by (phase) (fedra_workloads{{{_JOB}}}{_LED})", "{{phase}}"),
                    stacked=True,
                ),
            ),
        ),
        (
            "Verdicts",
            (
                _lines(
                    "Verdicts",
                    "A waiting job is judged again whenever something changes: this is work, not jobs.",
                    _PER_SECOND,
                    _rate("fedra_verifications_total", _WORKER, "cluster, result"),
                ),
                _lines(
                    "Reasons of verdicts other than Yes",
                    "The first reason of each.",
                    _PER_SECOND,
                    _rate("fedra_verification_refusals_total", _WORKER, "reason"),
                ),
            ),
        ),
    ),
)


def _devices(state: str) -> str:
    return f'sum(fedra_devices{{{_DRIVER}, state=~"{state}"}}{_LED})'


_DRIVER = f'{_WORKER}, driver=~"$driver"'
_USED = "allocated|shared"

_DEVICES = Board(
    "devices",
    "fedra / Devices",
    "What do the workers have, what of it is free, and who waits for it?",
    ("worker", "driver"),
    (
        (
            "Now",
            (
                _number(
                    "Devices",
                    "All that the workers publish.",
                    _COUNT,
                    f"sum(fedra_devices{{{_DRIVER}}}{_LED})",
                ),
                _number("Free", "May be had now.", _COUNT, _devices("free")),
                _number(
                    "In use",
                    "Allocated to one claim, or shared by several.",
                    _COUNT,
                    _devices(_USED),
                ),
                _number(
                    "Tainted",
                    "Kept from claims by a driver or a DeviceTaintRule, and not in use.",
                    _COUNT,
                    _devices("tainted"),
                    (None, _GOOD),
                    (1, _POOR),
                ),
                _number(
                    "Share in use",
                    "Of all devices.",
                    _RATIO,
                    f"{_devices(_USED)} / sum(fedra_devices{{{_DRIVER}}}{_LED})",
                ),
                _number(
                    "Jobs in line",
                    "Wait for devices of a worker.",
                    _COUNT,
                    f"sum(fedra_line_length{{{_WORKER}}}{_LED})",
                ),
            ),
        ),
        (
            "Over time",
            (
                _lines(
                    "Devices by state",
                    "Of the workers and drivers chosen above.",
                    _COUNT,
                    Query(f"sum by (state) (fedra_devices{{{_DRIVER}}}{_LED})", "{{state}}"),
                    stacked=True,
                ),
                _lines(
                    "Share in use by worker",
                    "Allocated or shared, of all devices there.",
                    _RATIO,
                    Query(
                        f'sum by (cluster) (fedra_devices{{{_DRIVER}, state=~"{_USED}"}}{_LED})'
                        f" / sum by (cluster) (fedra_devices{{{_DRIVER}}}{_LED})",
                        "{{cluster}}",
                    ),
                ),
                _lines(
                    "Free by worker",
                    "Partitions of one card count one by one, although not all can be had at once.",
                    _COUNT,
                    Query(
                        f'sum by (cluster) (fedra_devices{{{_DRIVER}, state="free"}}{_LED})',
                        "{{cluster}}",
                    ),
                ),
                _lines(
                    "Free while jobs are in line",
                    "Free devices of workers where jobs wait for devices: `fedra why` says what keeps them.",
                    _COUNT,
                    Query(
                        f'sum by (cluster) (fedra_devices{{{_DRIVER}, state="free"}}{_LED})'
                        f" and sum by (cluster) (fedra_line_length{{{_WORKER}}}{_LED}) > 0",
                        "{{cluster}}",
                    ),
                ),
                Panel(
                    "Workers and drivers",
                    "One row for each worker and driver; drivers beyond the 16th are called other.",
                    "table",
                    _COUNT,
                    tuple(
                        Query(
                            f'sum by (cluster, driver) (fedra_devices{{{_DRIVER}, state="{state}"}}{_LED})'
                        )
                        for state in ("free", "allocated", "shared", "tainted")
                    ),
                    width=24,
                    columns=(
                        ("cluster", "Worker", ""),
                        ("driver", "Driver", ""),
                        ("Value #A", "Free", _COUNT),
                        ("Value #B", "Allocated", _COUNT),
                        ("Value #C", "Shared", _COUNT),
                        ("Value #D", "Tainted", _COUNT),
                    ),
                ),
            ),
        ),
    ),
)

_DAEMON = Board(
    "fedra",
    "fedra / fedra itself",
    "Does the daemon keep up, and what does it use?",
    ("instance",),
    (
        (
            "Now",
            (
                Panel(
                    "Version",
                    "What runs, and where.",
                    "table",
                    _COUNT,
                    (
                        Query(
                            f"min by (job, instance, version, commit) (fedra_build_info{{{_HOST}}})"
                        ),
                    ),
                    width=8,
                    height=4,
                    columns=(
                        ("job", "Job", ""),
                        ("instance", "Instance", ""),
                        ("version", "Version", ""),
                        ("commit", "Commit", ""),
                    ),
                ),
                _number(
                    "Up for",
                    "Since the last start.",
                    _SECONDS,
                    f"time() - max(process_start_time_seconds{{{_HOST}}})",
                    (None, _POOR),
                    (600, _GOOD),
                ),
                _number(
                    "Configuration is used",
                    "No: the file has changed, and could not be taken over; `fedra config validate` says why.",
                    _SWITCH,
                    f"min(fedra_config_last_reload_successful{{{_HOST}}})",
                    (None, _BAD),
                    (1, _GOOD),
                ),
                _number(
                    "Configuration was read",
                    "How long ago the one in use was read.",
                    _SECONDS,
                    f"time() - max(fedra_config_last_reload_success_timestamp_seconds{{{_HOST}}})",
                ),
                _number(
                    "Workloads to look at",
                    "More than a few for long: the daemon falls behind.",
                    _COUNT,
                    f"sum(fedra_queue_depth{{{_HOST}}})",
                    (None, _GOOD),
                    (100, _POOR),
                ),
            ),
        ),
        (
            "Replicas",
            (
                _lines(
                    "Leader",
                    "1: this replica may decide and write. A fedra without highAvailability always may.",
                    _COUNT,
                    Query(f"fedra_leader{{{_HOST}}}", "{{instance}}"),
                    width=8,
                ),
                _lines(
                    "Lease renewed",
                    "How long ago by this replica, while it leads; from leaseDuration on another one takes over.",
                    _SECONDS,
                    Query(
                        f"time() - fedra_leader_renewed_timestamp_seconds{{{_HOST}}}",
                        "{{instance}}",
                    ),
                    width=8,
                ),
                _lines(
                    "Take-overs",
                    "How often the Lease has got another holder.",
                    _COUNT,
                    Query(
                        f"increase(fedra_leader_transitions_total{{{_HOST}}}[$__rate_interval])",
                        "{{instance}}",
                    ),
                    width=8,
                ),
            ),
        ),
        (
            "Work",
            (
                _lines(
                    "Looks at workloads",
                    "By result; what failed is tried again, less and less often.",
                    _PER_SECOND,
                    _rate("fedra_reconcile_total", _HOST, "result"),
                ),
                _lines(
                    "Duration of a look",
                    "Its writes to API servers included.",
                    _SECONDS,
                    *_quantiles("fedra_reconcile_duration_seconds", _HOST),
                ),
                _lines(
                    "Duration of a verification",
                    "One workload against all workers, the decision included.",
                    _SECONDS,
                    *_quantiles("fedra_verification_duration_seconds", _HOST),
                ),
                _lines(
                    "Workloads to look at",
                    "The queue, over time.",
                    _COUNT,
                    Query(f"fedra_queue_depth{{{_HOST}}}", "{{instance}}"),
                ),
                _lines(
                    "Requests by verb",
                    "To all clusters.",
                    _REQUESTS,
                    _rate("fedra_cluster_requests_total", _HOST, "verb"),
                ),
                _lines(
                    "Duration of requests",
                    "To all clusters; the fleet's dashboard has them one by one.",
                    _SECONDS,
                    *_quantiles("fedra_cluster_request_duration_seconds", _HOST),
                ),
            ),
        ),
        (
            "Questions and threads",
            (
                _lines(
                    "Questions",
                    "That the daemon's own listeners have answered, by listener and endpoint.",
                    _REQUESTS,
                    _rate("fedra_http_requests_total", _HOST, "listener, endpoint"),
                ),
                _lines(
                    "Questions that were refused",
                    "401 and 403: rights. 429 and 503: too much at a time.",
                    _REQUESTS,
                    _rate(
                        "fedra_http_requests_total", f'{_HOST}, code=~"4..|5.."', "listener, code"
                    ),
                ),
                _lines(
                    "Threads",
                    "That look at workloads, of 64, and those that wait for a worker's answer.",
                    _COUNT,
                    Query(f"fedra_reconcile_threads_busy{{{_HOST}}}", "{{instance}} busy"),
                    Query(f"fedra_worker_calls_waiting{{{_HOST}}}", "{{instance}} waiting"),
                ),
                _lines(
                    "Events dropped",
                    "About jobs, because too many were waiting, or many about the same one were written; the history has them.",
                    _PER_SECOND,
                    Query(
                        f"rate(fedra_events_dropped_total{{{_HOST}}}[$__rate_interval])",
                        "{{instance}}",
                    ),
                ),
            ),
        ),
        (
            "Store",
            (
                _lines(
                    "Transactions",
                    "By result; without the store nothing is dispatched.",
                    _PER_SECOND,
                    _rate("fedra_store_transaction_duration_seconds_count", _HOST, "result"),
                    width=8,
                ),
                _lines(
                    "Duration of a transaction",
                    "Until it is on the disk.",
                    _SECONDS,
                    *_quantiles("fedra_store_transaction_duration_seconds", _HOST),
                    width=8,
                ),
                _lines(
                    "Size",
                    "The file and its write-ahead log.",
                    _BYTES,
                    Query(f"fedra_store_size_bytes{{{_HOST}}}", "{{instance}}"),
                    width=8,
                ),
            ),
        ),
        (
            "Process",
            (
                _lines(
                    "Processor",
                    "Cores in use; 1 is one of them all the time.",
                    _COUNT,
                    Query(
                        f"rate(process_cpu_seconds_total{{{_HOST}}}[$__rate_interval])",
                        "{{instance}}",
                    ),
                    width=8,
                ),
                _lines(
                    "Memory",
                    "Physical memory of the daemon.",
                    _BYTES,
                    Query(f"process_resident_memory_bytes{{{_HOST}}}", "{{instance}}"),
                    width=8,
                ),
                _lines(
                    "File descriptors",
                    "Open ones, and how many there may be.",
                    _COUNT,
                    Query(f"process_open_fds{{{_HOST}}}", "{{instance}} open"),
                    Query(f"process_max_fds{{{_HOST}}}", "{{instance}} at most"),
                    width=8,
                ),
            ),
        ),
    ),
)

BOARDS = (_FLEET, _JOBS, _DEVICES, _DAEMON)

# Variables besides the data source: the query whose labels they offer, and what the page calls them.
_VARIABLES = {
    "job": ("label_values(fedra_build_info, job)", "fedra"),
    "worker": (
        'label_values(fedra_cluster_up{job=~"$job", cluster!="manager"}, cluster)',
        "Worker",
    ),
    "driver": ('label_values(fedra_devices{job=~"$job"}, driver)', "Driver"),
    "instance": ('label_values(fedra_build_info{job=~"$job"}, instance)', "Instance"),
}


def document(board: Board) -> Json:
    """The dashboard as Grafana's JSON."""
    return {
        "uid": f"fedra-{board.name}",
        "title": board.title,
        "description": board.description,
        "tags": [_TAG],
        "editable": False,
        "graphTooltip": 1,
        "refresh": "30s",
        "schemaVersion": _SCHEMA,
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "links": [
            {
                "type": "dashboards",
                "tags": [_TAG],
                "title": "fedra",
                "asDropdown": True,
                "includeVars": True,
                "keepTime": True,
            }
        ],
        "templating": {
            "list": [_datasource(), *(_variable(name) for name in ("job", *board.variables))]
        },
        "panels": _panels(board),
    }


def text(board: Board) -> str:
    return json.dumps(document(board), indent=2) + "\n"


def _datasource() -> Json:
    return {
        "name": "datasource",
        "label": "Data source",
        "type": "datasource",
        "query": "prometheus",
        "refresh": 1,
    }


def _variable(name: str) -> Json:
    query, label = _VARIABLES[name]
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": _DATASOURCE,
        "query": {"query": query, "refId": "A"},
        "definition": query,
        "refresh": 2,  # also when the time range changes
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "allValue": ".+",
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def _panels(board: Board) -> list[Json]:
    panels: list[Json] = []
    top = 0
    for title, row in board.rows:
        place = {"x": 0, "y": top, "w": _GRID, "h": 1}
        panels.append(
            {
                "id": len(panels) + 1,
                "type": "row",
                "title": title,
                "collapsed": False,
                "gridPos": place,
                "panels": [],
            }
        )
        top += 1
        left = height = 0
        for panel in row:
            if left + panel.width > _GRID:
                top, left, height = top + height, 0, 0
            place = {"x": left, "y": top, "w": panel.width, "h": panel.height}
            panels.append({"id": len(panels) + 1, **_panel(panel), "gridPos": place})
            left, height = left + panel.width, max(height, panel.height)
        top += height
    return panels


def _panel(panel: Panel) -> Json:
    is_table = panel.kind == "table"
    drawn: Json = {
        "type": panel.kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": _DATASOURCE,
        "targets": [
            _target(query, chr(ord("A") + i), panel) for i, query in enumerate(panel.queries)
        ],
        "fieldConfig": {
            "defaults": _defaults(panel),
            "overrides": [_column(each) for each in panel.columns if each[2]],
        },
        "options": _options(panel),
    }
    if is_table:
        drawn["transformations"] = _as_rows(panel)
    return drawn


def _target(query: Query, letter: str, panel: Panel) -> Json:
    target: Json = {
        "refId": letter,
        "datasource": _DATASOURCE,
        "expr": query.expr,
        "legendFormat": query.legend or "__auto",
        "editorMode": "code",
    }
    if panel.kind == "table":
        target |= {"instant": True, "range": False, "format": "table"}
    elif panel.kind == "stat":
        target |= {"instant": True, "range": False}
    return target


def _defaults(panel: Panel) -> Json:
    defaults: Json = {
        "unit": panel.unit,
        "color": {"mode": "palette-classic" if panel.kind == "timeseries" else "thresholds"},
        "thresholds": {
            "mode": "absolute",
            "steps": [{"value": value, "color": color} for value, color in panel.steps],
        },
    }
    if panel.kind == "timeseries":
        defaults["min"] = 0
        defaults["custom"] = {
            "fillOpacity": 30 if panel.stacked else 5,
            "showPoints": "never",
            "stacking": {"mode": "normal" if panel.stacked else "none", "group": "A"},
        }
    if panel.values:
        texts = {
            value: {"text": text, "color": color, "index": i}
            for i, (value, text, color) in enumerate(panel.values)
        }
        defaults["mappings"] = [{"type": "value", "options": texts}]
    return defaults


def _options(panel: Panel) -> Json:
    if panel.kind == "timeseries":
        return {
            "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["lastNotNull"]},
            "tooltip": {"mode": "multi", "sort": "desc"},
        }
    if panel.kind == "stat":
        return {
            "colorMode": "value",
            "graphMode": "none",
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        }
    if panel.kind == "table":
        return {"showHeader": True, "cellHeight": "sm"}
    return {"showValue": "never", "mergeValues": True, "rowHeight": 0.8}


def _column(column: tuple[str, str, str]) -> Json:
    _, header, unit = column
    return {
        "matcher": {"id": "byName", "options": header},
        "properties": [{"id": "unit", "value": unit}],
    }


def _as_rows(panel: Panel) -> Sequence[Json]:
    """One row for each set of labels, with the values of all queries; other fields are left out."""
    names = [field for field, _, _ in panel.columns]
    return [
        {"id": "merge", "options": {}},
        {"id": "filterFieldsByName", "options": {"include": {"names": names}}},
        {
            "id": "organize",
            "options": {
                "indexByName": {field: i for i, field in enumerate(names)},
                "renameByName": {field: header for field, header, _ in panel.columns},
            },
        },
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    wanted = {FOLDER / f"{board.name}.json": text(board) for board in BOARDS}
    behind = [
        file for file, made in wanted.items() if not file.exists() or file.read_text() != made
    ]
    extra = [file for file in FOLDER.glob("*.json") if file not in wanted]
    if check:
        for file in (*behind, *extra):
            print(f"{file.relative_to(FOLDER.parents[1])} is not what scripts/grafana.py makes")
        return 1 if behind or extra else 0
    FOLDER.mkdir(exist_ok=True)
    for file in behind:
        file.write_text(wanted[file])
    return 0


if __name__ == "__main__":
    sys.exit(main())
