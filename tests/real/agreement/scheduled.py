"""What the scheduler says of a pod, in its condition PodScheduled."""

from __future__ import annotations

from real.agreement.dice import Json


def scheduled_condition(pod: Json) -> Json:
    """Empty: nothing yet."""
    conditions = pod.get("status", {}).get("conditions", [])
    return next((c for c in conditions if c["type"] == "PodScheduled"), {})


def timed_out(condition: Json) -> bool:
    """The search for devices took too long on some node."""
    return "timed out trying to allocate" in condition.get("message", "")


def gave_up(condition: Json) -> bool:
    """That ended the attempt, so that of the other nodes nothing is known.

    Up to 1.35 the node is Unschedulable for it, as one without devices is, and the others are looked at
    (plugins/dynamicresources/dynamicresources.go:1001 of v1.34.4, :714 of v1.35.4). Since then it is an error (:857 of
    v1.36.3, :1073 of v1.37.2), and the reason another one (schedule_one.go:1056 of v1.34.4, :1212 of v1.36.3).
    """
    return timed_out(condition) and condition.get("reason") != "Unschedulable"
