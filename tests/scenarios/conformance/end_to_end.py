"""The end-to-end tests (test/e2e/multikueue)."""

from __future__ import annotations

from scenarios.conformance.answers import (
    KUEUES,
    NO_DISPATCHER,
    NO_GATE,
    NO_TOPOLOGY,
    copied,
    everywhere,
    kind,
    of_pods,
    simulated,
)
from scenarios.conformance.entry import Entry, other, yes
from scenarios.conformance.workers import CONNECTIONS

END_TO_END = (
    of_pods("E-B-1", "a pod runs on a worker", yes("`pod-runs`"), yes("`pod-nominated`")),
    of_pods("E-B-2", "a running pod shows PodScheduled on the manager", yes("`pod-runs`"), KUEUES),
    of_pods(
        "E-B-3",
        "a Deployment's pods run on workers, more and fewer of them; deleted",
        yes("`deployment-runs`"),
        yes("`deployment-nominated`"),
    ),
    of_pods(
        "E-B-4",
        "a StatefulSet runs on a worker",
        yes("`statefulset-runs`"),
        yes("`statefulset-nominated`"),
    ),
    of_pods(
        "E-B-5",
        "a pod group runs on a worker",
        yes("`pod-group-runs`"),
        yes("`pod-group-nominated`"),
    ),
    copied(
        "E-B-6",
        "a Job: unsuspended on the manager, mirrored, ended, nothing left",
        yes("`status-mirrored`"),
        yes("`dispatcher-by-verdict`"),
    ),
    everywhere(
        "E-B-7",
        "preemption on the same worker, by another federated job",
        yes("`preempted-on-manager`"),
    ),
    copied(
        "E-B-8",
        "evicted on its worker: it runs on the other one, and nothing stays on the first",
        yes("`evicted-on-worker`"),
        yes("`evicted-on-worker`, `dispatcher-evicted`"),
    ),
    everywhere("E-B-9", "preemption on the other worker", yes("`preempted-for-another-worker`")),
    everywhere(
        "E-B-10",
        "the manager admits both, a worker preempts one: it is dispatched again",
        yes("`preempted-on-its-worker`"),
    ),
    everywhere(
        "E-B-11",
        "a pending job's priority is raised until it preempts",
        yes("`priority-raised-to-preempt`"),
    ),
    copied("E-B-12", "a changed priority stays when the job changes", yes("`priority-follows`")),
    everywhere(
        "E-B-13",
        "federated and ordinary Jobs on one cluster",
        yes("`worker-has-own-jobs`, `manager-has-own-jobs`"),
    ),
    copied("E-B-14", "quota automation sums the workers' quotas", NO_GATE),
    *(
        Entry(
            f"E-TAS-{number}",
            f"topology-aware scheduling: {what}",
            NO_TOPOLOGY,
            answer,
            KUEUES,
        )
        for number, what, answer in (
            (1, "a Job", simulated("`multikueue-topology`")),
            (2, "implicit", simulated("`multikueue-topology-implied`")),
            (
                3,
                "preferred topology, to the worker with room",
                simulated("`multikueue-topology-preferred`"),
            ),
            (4, "required hostname", simulated("`multikueue-topology`")),
        )
    ),
    everywhere(
        "E-DRA-1",
        "templates of counts 1, 2 and 3 on manager and workers: the winner's own counts",
        yes("`template-per-cluster`"),
    ),
    copied(
        "E-DRA-2",
        "the template is missing on the workers: no clusterName",
        yes("`template-on-manager-only`"),
        yes("`dispatcher-blocked`"),
    ),
    everywhere(
        "E-DRA-3",
        "the template on one worker: the job goes there",
        yes("`template-on-first-worker`"),
    ),
    everywhere("E-DRA-4", "two pods, two devices", yes("`two-pods-two-devices`")),
    of_pods(
        "E-X-1",
        "a LeaderWorkerSet: synced, ready on the worker, gated on the manager, deleted",
        yes("`leaderworkerset-runs`"),
        yes("`leaderworkerset-nominated`"),
    ),
    of_pods(
        "E-X-2",
        "all Workloads of a LeaderWorkerSet on one worker",
        yes("`leaderworkerset-runs`, `leaderworkerset-moved`"),
        yes("`leaderworkerset-nominated`"),
    ),
    kind("E-X-3", "JobSet", "jobset"),
    kind("E-X-4", "AppWrapper", "appwrapper"),
    kind("E-X-5", "PyTorchJob", "pytorchjob"),
    kind("E-X-6", "MPIJob", "mpijob"),
    kind("E-X-7", "TrainJob", "trainjob"),
    kind("E-X-8", "RayJob", "rayjob"),
    kind("E-X-9", "RayCluster", "raycluster"),
    copied("E-X-10", "elastic RayCluster: 1, 3, 1", yes("`elastic-raycluster-scaled`")),
    copied(
        "E-X-11",
        "RayService runs; an edited serveConfigV2 reaches the copy",
        yes("`rayservice-runs`, `rayservice-edited`"),
    ),
    Entry(
        "E-S-1",
        "a Job with the incremental dispatcher",
        NO_DISPATCHER,
        NO_DISPATCHER,
        other("fedra is the dispatcher: `dispatcher-next-worker`"),
    ),
    *CONNECTIONS,
    copied("E-S-5", "orchestrated preemption", NO_GATE),
)
