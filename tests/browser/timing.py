"""How long a page of the dashboard takes: at the daemon's socket, and in the browser."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import statistics
import time
from pathlib import Path

from browser.stage import Stage
from scenarios.waiting import SLOWNESS

_ASKED = 25  # times, each question
_SHOWN = 11  # times, each view
_SERVER, _BROWSER = 100.0, 300.0  # milliseconds, of a page of jobs


class _Connection(http.client.HTTPConnection):
    """To a Unix socket."""

    def __init__(self, path: Path):
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self._path))


def check(stage: Stage, path: Path) -> str:
    """Two tables; fails where a page of jobs takes longer than it may."""
    asked = _at_the_server(path, stage)
    shown = _in_the_browser(stage)
    lines = ["| question | bytes | p50 | p95 | slowest |", "|---|---|---|---|---|"]
    for target, (size, times) in asked.items():
        lines.append(f"| `{target}` | {size} | {_row(times)} |")
    lines += [
        "",
        "| view, from the address to the frame | p50 | p95 | slowest |",
        "|---|---|---|---|",
    ]
    lines += [f"| `{route}` | {_row(times)} |" for route, times in shown.items()]
    table = "\n".join(lines)
    for target, (_, times) in asked.items():
        late = target.startswith("jobs") and statistics.median(times) > _SERVER * SLOWNESS
        assert not late, f"{target} takes longer than {_SERVER:.0f} ms\n{table}"
    for route, times in shown.items():
        late = route.startswith("#/jobs") and statistics.median(times) > _BROWSER * SLOWNESS
        assert not late, f"{route} takes longer than {_BROWSER:.0f} ms\n{table}"
    return table


def _row(times: list[float]) -> str:
    p95 = statistics.quantiles(times, n=20)[18]
    return f"{statistics.median(times):.0f} ms | {p95:.0f} ms | {max(times):.0f} ms"


def _at_the_server(path: Path, stage: Stage) -> dict[str, tuple[int, list[float]]]:
    """Question -> bytes of the answer, and the times of asking."""
    with contextlib.closing(_Connection(path)) as connection:

        def ask(target: str) -> tuple[bytes, float]:
            begun = time.monotonic()
            connection.request("GET", f"/api/v1alpha1/{target}")
            response = connection.getresponse()
            body = response.read()
            assert response.status == 200, body
            return body, (time.monotonic() - begun) * 1e3

        page = json.loads(ask("jobs?limit=100&all")[0])
        most = (len(page["jobs"]) + page["remaining"]) * 9 // 10
        deep = json.loads(ask(f"jobs?limit={most}&all&sort-by=name")[0])["continue"]
        targets = {
            "jobs?limit=100&all": "jobs, the first page",
            f"jobs?limit=100&all&continue={page['continue']}": "jobs, the next page",
            f"jobs?limit=100&all&sort-by=name&continue={deep}": "jobs, behind nine tenths of them",
            "jobs?limit=100&state=Blocked&reason=TemplateMissing": "jobs with a reason",
            f"jobs?limit=100&worker={stage.worker}": "jobs of a worker",
            "counts?group-by=state": "counts by state",
            "counts?group-by=reason&state=Blocked": "counts by reason",
            "workers": "workers",
            "devices": "devices",
            f"device-map?worker={stage.worker}&limit=20": "device map",
            f"why?job={stage.stuck}": "why",
            "templates?mode=Reconcile": "templates, as if copied",
        }
        found = {}
        for target, name in targets.items():
            answers = [ask(target) for _ in range(_ASKED)]
            found[name] = (len(answers[0][0]), [took for _, took in answers])
        return found


def _in_the_browser(stage: Stage) -> dict[str, list[float]]:
    """View -> milliseconds, coming from another view each time."""
    browser = stage.browser
    views = {
        "#/jobs": "Jobs",
        "#/jobs?state=Blocked&reason=TemplateMissing": "Jobs",
        "#/": "Overview",
        "#/workers": "Workers",
        f"#/job?job={stage.stuck}": stage.stuck,
        "#/devices": "Devices",
        "#/matrix": "Jobs by workers",
    }
    found = {}
    for route, title in views.items():
        times = []
        for _ in range(_SHOWN):
            browser.go("#/check", "Check")
            times.append(browser.timed(route, title))
        found[route] = times
    return found
