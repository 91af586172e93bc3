"""All scenarios, one module per subject. Importing this package fills SCENARIOS."""

from scenarios.cases import (
    access,
    api,
    claims,
    cluster_profiles,
    commands,
    devices,
    discovery,
    dispatcher,
    examples,
    faults,
    flood,
    hostile,
    jobs,
    kinds,
    leader_worker_sets,
    load,
)  # noqa: F401
from scenarios.cases import (
    membership,
    multikueue_mode,
    ordering,
    other_checks,
    own_jobs,
    placement,
    pods,
    protocol,
    quota,
    releases,
    restores,
    screen,
    secure_api,
    silence,
    stateful_sets,
    stops,
    storm,
    support,
    takeover,
    templates,
    traps,
    worker_sources,
    workers,
    workloads,
)  # noqa: F401
from scenarios.registry import SCENARIOS

__all__ = ["SCENARIOS"]
