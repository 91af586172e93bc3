"""Plays the dashboards of a cluster's Ray heads, which kwok's pods do not have: test code, no Ray.

KubeRay asks them over HTTP what becomes of jobs and applications (controllers/ray/utils/dashboardclient of KubeRay
1.6.2). Its operator is started with this for its HTTP proxy, so that every such request comes here, whatever its host.

A Ray job runs as long as the pod that submits it does, and ends as that one: `ray job submit` waits for its job.
The applications of a RayService run as soon as they are deployed. Every Serve proxy is healthy.
"""

from __future__ import annotations

import http.server
import json
import threading
from urllib.parse import urlsplit

from scenarios.kube_client import KubeClient
from scenarios.resources import Object

_JOB_STATUS = {"Succeeded": "SUCCEEDED", "Failed": "FAILED"}  # else it runs
_SUBMISSION_ID = "RAY_JOB_SUBMISSION_ID"  # KubeRay tells the submitting pod by this variable


class RayDashboard:
    """For one cluster, from construction to `close`."""

    def __init__(self, client: KubeClient):
        class Handler(_Handler):
            cluster = client
            applications: dict[str, Object] = {}

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    """Of requests to a proxy: their path is the whole URL, with the head's Service or pod as its host."""

    cluster: KubeClient
    applications: dict[str, Object]  # by the name of the head's Service and namespace, as deployed

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path.startswith("/api/jobs/"):
            return self._answer_job(path.removeprefix("/api/jobs/"))
        if path.startswith("/api/serve/applications"):
            return self._answer({"applications": self.applications.get(self._host(), {})})
        if path.endswith("/-/healthz"):
            return self._answer("success")
        self._answer({"error": "not played"}, 501)

    def do_PUT(self) -> None:
        config = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = [each["name"] for each in (config or {}).get("applications", [])]
        self.applications[self._host()] = {
            name: {"name": name, "status": "RUNNING", "deployments": {}} for name in names
        }
        self._answer({})

    def do_POST(self) -> None:
        if urlsplit(self.path).path.endswith("/stop"):
            return self._answer({"stopped": True})
        self._answer({"error": "not played"}, 501)

    def log_message(self, format: str, *args: object) -> None:
        """What was asked is in KubeRay's own log."""

    def _host(self) -> str:
        return urlsplit(self.path).hostname or ""

    def _answer_job(self, submission: str) -> None:
        # SERVICE.NAMESPACE.svc.cluster.local
        namespace = self._host().split(".")[1]
        for pod in self.cluster.list("Pod", namespace):
            if _submits(pod, submission):
                status = _JOB_STATUS.get(pod["status"].get("phase", ""), "RUNNING")
                return self._answer({"submission_id": submission, "status": status})
        self._answer({"error": f"no job {submission}"}, 404)

    def _answer(self, body: object, status: int = 200) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def _submits(pod: Object, submission: str) -> bool:
    return any(
        variable["name"] == _SUBMISSION_ID and variable.get("value") == submission
        for container in pod["spec"]["containers"]
        for variable in container.get("env", [])
    )
