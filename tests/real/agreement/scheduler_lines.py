"""What lets two right answers about a whole job differ: lines of kube-scheduler, release by release."""

from __future__ import annotations

SCORES = "scores choose the node"  # prioritizeNodes
# After a conflict bindClaim looks at most whether a claim is still allocated, not whether it is as the pod's node wants it.
RACE = "a claim allocated anew meanwhile"
GANG_ERROR = "an error leaves the gang out"
# PreBind: its first claims were bound before another one could not be.
LEFT_BEHIND = "a pod that is not bound keeps claims"
TIMEOUT = "the scheduler's limit of time"
ORDER = "pools in the order of a Go map"
# Of fedra, not of the scheduler.
UNCOUNTED = "fedra does not count pods where an object is missing, or a PodGroup never has its pods"
NOT_PLACED = "fedra counts what pods of a gang would take that is not placed"

_PLUGIN = "plugins/dynamicresources/dynamicresources.go"
# Of pkg/scheduler of v1.34.4, v1.35.4, v1.36.3, v1.37.2; ORDER's of the allocator library that belongs to them.
_SOURCES = {
    "1.34": {
        SCORES: "schedule_one.go:776",
        RACE: f"{_PLUGIN}:1579",
        LEFT_BEHIND: f"{_PLUGIN}:1338",
        TIMEOUT: f"{_PLUGIN}:1001",
        ORDER: "structured/internal/experimental/pools_experimental.go:123",
    },
    "1.35": {
        SCORES: "schedule_one.go:791",
        RACE: f"{_PLUGIN}:1228",
        LEFT_BEHIND: f"{_PLUGIN}:1066",
        TIMEOUT: f"{_PLUGIN}:714",
        ORDER: "structured/internal/incubating/pools_incubating.go:113",
    },
    "1.36": {
        SCORES: "schedule_one.go:943",
        RACE: f"{_PLUGIN}:1624",
        GANG_ERROR: "schedule_one_podgroup.go:377",
        LEFT_BEHIND: f"{_PLUGIN}:1367",
        TIMEOUT: f"{_PLUGIN}:857",
    },
    "1.37": {
        SCORES: "schedule_one.go:945",
        RACE: f"{_PLUGIN}:1941",
        GANG_ERROR: "schedule_one_podgroup.go:614",
        LEFT_BEHIND: f"{_PLUGIN}:1683",
        TIMEOUT: f"{_PLUGIN}:1073",
    },
}


def source(line: str, release: str) -> str:
    """Where it stands: a release without it never has it."""
    if line in (UNCOUNTED, NOT_PLACED):
        return "fedra"
    return _SOURCES[release].get(line, "")
