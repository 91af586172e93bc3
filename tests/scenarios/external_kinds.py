"""Kinds of jobs that an administrator adds, by `kinds` of the configuration."""

from __future__ import annotations

from scenarios.job_kinds import JobKind

# Kueue has no integration of these: in the simulation it plays whoever makes their Workloads.
EXTERNAL_KINDS = (
    JobKind(
        "PipelineRun",
        lambda pod: {"pipelineRef": {"name": "train"}},
        lambda status: any(each["status"] == "Unknown" for each in status.get("conditions", [])),
        shows_pods=False,
        entry={
            "apiVersion": "tekton.dev/v1",
            "kind": "PipelineRun",
            "plural": "pipelineruns",
            "suspend": "spec.status",
            "suspended": "PipelineRunPending",
            "succeeded": ["status.conditions[type=Succeeded].status=True"],
            "failed": ["status.conditions[type=Succeeded].status=False"],
            "stopped": ["spec.status=StoppedRunFinally"],
            "active": ["status.startTime!="],
            "cleared": {"startTime": None, "conditions": None},
            "podLabel": "tekton.dev/pipelineRun",
            "operator": "Tekton 1.5",
        },
    ),
    JobKind(
        "TrainingRun",
        lambda pod: {
            "ttlSeconds": 1,
            "roles": [
                {"name": "driver", "template": pod},
                {"name": "workers", "pods": 3, "template": pod},
            ],
        },
        lambda status: status.get("running", 0) > 0,
        managed_by=("policy", "managedBy"),
        entry={
            "apiVersion": "example.com/v1",
            "kind": "TrainingRun",
            "plural": "trainingruns",
            "managedBy": "spec.policy.managedBy",
            "suspend": "spec.policy.paused",
            "podSets": [
                {
                    "at": "spec.roles[*]",
                    "template": "template",
                    "nameFrom": "name",
                    "count": "pods",
                }
            ],
            "succeeded": ["status.phase=Done"],
            "failed": ["status.phase=Broken"],
            "active": ["status.running>0"],
            "cleared": {"running": 0},
            "stripped": ["spec.ttlSeconds"],
        },
    ),
)
