"""Devices, other kinds of jobs, and scheduling: the other integration tests."""

from __future__ import annotations

from scenarios.conformance.answers import (
    GATED,
    GROUPS,
    KUEUES,
    NO_GATE,
    NO_TOPOLOGY,
    NOMINATIONS,
    copied,
    everywhere,
    kind,
    of_pods,
    simulated,
    simulated_kind,
)
from scenarios.conformance.entry import Entry, other, part, yes

OTHERS = (
    everywhere(
        "I-DRA-1",
        "a Job with a ResourceClaimTemplate that all clusters have",
        yes("`template-everywhere`"),
    ),
    copied(
        "I-DRA-2",
        "the template on the manager only: it waits (in MultiKueue for ever, and silently)",
        yes("`template-on-manager-only`"),
        yes("`dispatcher-blocked`"),
    ),
    copied(
        "I-FMT-1",
        "the form of quantities of counter resources is the manager's own",
        other("fedra compares quantities as numbers, and prints devices, not Kueue's counters"),
    ),
    *(
        copied(f"I-ELA-{number}", f"elastic {what}", yes(shown_by))
        for number, what, shown_by in (
            (1, "Job: grows and shrinks on its worker", "`elastic-job-scaled`"),
            (
                2,
                "job: a replaced slice keeps its copies while it is handed over",
                "`elastic-job-waits-to-grow`, `elastic-job-grows-twice`",
            ),
            (3, "RayCluster: replicas follow", "`elastic-raycluster-scaled`"),
        )
    ),
    everywhere(
        "I-SHR-1",
        "a worker that has jobs of its own beside the federated ones",
        yes("`worker-has-own-jobs`"),
    ),
    everywhere("I-SHR-2", "a manager that has jobs of its own", yes("`manager-has-own-jobs`")),
    everywhere(
        "I-SHR-3",
        "a Job of the same name that the worker had already stays as it is",
        yes("`name-conflict-job`"),
    ),
    Entry(
        "I-NGC-1",
        "a deleted job's copies go at once, without a garbage collection",
        yes("`deleted-while-running`"),
        yes("`deleted-while-running`, `multikueue-takes-over`"),
        KUEUES,
    ),
    copied("I-NGC-2", "a check that is set to Rejected: the copies go", yes("`check-rejected`")),
    *(
        copied(f"I-EXT-{number}", f"external framework: {what}", simulated_kind(answer))
        for number, what, answer in (
            (1, "it runs on a worker", "`pipelinerun-runs`, `trainingrun-runs`"),
            (
                2,
                "its copy has no owner and nothing of the source's metadata",
                "`pipelinerun-owned`",
            ),
            (3, "with managedBy", "`pipelinerun-runs`, `trainingrun-runs`"),
            (
                4,
                "it is cleaned up after a reconnect",
                "`pipelinerun-moved`, `trainingrun-moved`",
            ),
        )
    ),
    of_pods("I-POD-1", "a single pod", yes("`pod-runs`"), yes("`pod-nominated`")),
    of_pods("I-POD-2", "a pod group", yes("`pod-group-runs`"), yes("`pod-group-nominated`")),
    of_pods(
        "I-POD-3",
        "a pod group with two other checks: nothing is sent before all are Ready",
        yes(f'{GROUPS} "a group is sent nowhere before its other checks are Ready"'),
        yes(GATED),
    ),
    copied(
        "I-PRV-1",
        "ProvisioningRequest on the worker: Ready only after the worker has admitted it",
        part(
            "`worker-with-its-own-check`",
            "Kueue's own check for ProvisioningRequests, in whose place is another one",
        ),
    ),
    copied(
        "I-PRV-2",
        "quota alone does not make a winner: the other copies stay until one is admitted",
        yes("`worker-with-its-own-check`"),
    ),
    Entry(
        "I-INT-1",
        "with batch/v1 Job alone enabled a Job runs",
        yes("`job-without-managed-by`"),
        yes("`job-without-managed-by`, `multikueue-runs-job`"),
        yes("`dispatcher-by-verdict`"),
    ),
    copied(
        "I-INT-2",
        "without an adapter for its kind, a workload is Rejected, with the reason",
        yes("`statefulset-without-pods`"),
        yes(f'{NOMINATIONS} "a rejected workload is Kueue\'s, and people are told once"'),
    ),
    kind("I-RAY-1", "RayJob: mirrored, ended", "rayjob"),
    kind("I-RAY-2", "RayCluster: mirrored", "raycluster"),
    copied(
        "I-RAY-3",
        "RayService: an edited serveConfigV2 reaches the copy",
        yes("`rayservice-edited`"),
    ),
    copied(
        "I-MPI-1", "MPIJob with another managedBy: no copies", yes("`mpijob-managed-elsewhere`")
    ),
    kind("I-MPI-2", "MPIJob runs", "mpijob"),
    kind("I-TRO-1", "TFJob runs", "tfjob"),
    kind("I-TRO-2", "PaddleJob runs", "paddlejob"),
    kind("I-TRO-3", "PyTorchJob runs", "pytorchjob"),
    copied(
        "I-TRO-4",
        "PyTorchJob with another managedBy: not dispatched",
        yes("`pytorchjob-managed-elsewhere`"),
    ),
    kind("I-TRO-5", "XGBoostJob runs", "xgboostjob"),
    kind("I-TRJ-1", "TrainJob runs", "trainjob"),
    kind("I-JS-1", "JobSet runs", "jobset"),
    kind("I-AW-1", "AppWrapper runs", "appwrapper"),
    everywhere(
        "I-SCH-1",
        "a job of higher priority preempts on the manager: the lower one's copies go",
        yes("`preempted-on-manager`"),
    ),
    everywhere(
        "I-SCH-2",
        "the higher one goes to the other worker",
        yes("`preempted-for-another-worker`"),
    ),
    copied("I-SCH-3", "a changed priority class is changed on the copy", yes("`priority-follows`")),
    *(
        copied(f"I-SCH-{number}", what, NO_GATE)
        for number, what in (
            (4, "a preemption gate of the manager is not copied"),
            (5, "orchestrated preemption: one of two lower jobs is evicted"),
        )
    ),
    Entry(
        "I-TAS-1",
        "required topology: the worker assigns it, and the manager admits the job then",
        NO_TOPOLOGY,
        simulated("`multikueue-topology`"),
        KUEUES,
    ),
)
