"""Host ports of running pods and of a job's own, added to jobs that were made without.

With dice of its own: what else is in a job stays as it was.
"""

from __future__ import annotations

from real.agreement.dice import Dice, Json
from real.agreement.job_case import JobCase

# Few, so that some meet: also with one port of another protocol, and with one address beside all of them.
_PORTS = (8080, 8080, 8081)
_ADDRESSES = ("10.0.0.1", "127.0.0.1")


def add_host_ports(case: JobCase, seed: int) -> JobCase:
    dice = Dice(f"host-ports/{seed}/{case.number}")
    if not dice.chance(0.25):
        return case
    for runner in case.runners:
        if dice.chance(0.6):
            port = _add_port(dice, runner["spec"])
            if dice.chance(0.4):
                port["hostIP"] = dice.pick(*_ADDRESSES)
    for pod_set in case.pod_sets:
        if dice.chance(0.6):
            _add_port(dice, pod_set.spec)
    return case


def _add_port(dice: Dice, spec: Json) -> Json:
    """To any container: of those that run before the others, only sidecars keep a node's port."""
    container = dice.pick(*spec["containers"], *spec.get("initContainers", []))
    port = {"containerPort": 80, "hostPort": dice.pick(*_PORTS)}
    if dice.chance(0.2):
        port["protocol"] = "UDP"
    container["ports"] = [port]
    return port
