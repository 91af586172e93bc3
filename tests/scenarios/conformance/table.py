"""Kueue's tests of its MultiKueue (ff69552e, v0.20-devel), and what shows the same of fedra in each mode.

The names are ours: I-... are integration tests (test/integration/multikueue), E-... end-to-end tests
(test/e2e/multikueue). Nothing is claimed that is not tested in that mode.
"""

from __future__ import annotations

from scenarios.conformance.entry import NOT_YET, Answer, Entry, other, part, yes

_KUEUES = other("Kueue's own MultiKueue does it; fedra only nominates")
_OTHER_CONFIGURATION = other("workers come from fedra's configuration")
_NO_DISPATCHER = other("fedra dispatches by verdict and rank")
_NO_PODS = other("kueue.pods is of mode admissionCheck")
_NO_GATE = other("behind an alpha gate of Kueue's that fedra does not use")
_NO_TOPOLOGY = other("topologies of the manager are not used")
_NO_ELASTIC = other("elastic jobs are not scaled")
_DECIDE = "`tests/unit/manager/placement/decide_test.cc`"
_FOREIGN = "`tests/unit/config/foreign_kubeconfig_test.cc`"
_DISCOVERED = "`tests/unit/manager/discovery/discovered_access_test.cc`"
_GROUPS = "`tests/unit/manager/placement/group_test.cc`"
_NOMINATIONS = "`tests/unit/manager/placement/nominations_test.cc`"
_ROWS = "`tests/unit/manager/tracking/kinds/rows_test.cc`"
_CHECKS = "`tests/unit/manager/reconcile/admission_check_reconciler_test.cc`"


def _kind(name: str, asks: str, scenario: str) -> Entry:
    """A kind that runs, is mirrored, and ends."""
    return Entry(name, asks, yes(f"`{scenario}`"), NOT_YET, NOT_YET)


def _nobody(name: str, asks: str, answer: Answer) -> Entry:
    """The same answer in the two modes in which fedra copies, and Kueue's business in the third."""
    return Entry(name, asks, answer, answer, _KUEUES)


_JOBS = (
    Entry(
        "I-JOB-1",
        "a Job without managedBy: copies on both workers, the first to admit has it, its end comes back, nothing is left",
        yes("`job-without-managed-by`, `race`"),
        part("`multikueue-runs-job`", "copies on both workers"),
        part("`dispatcher-race`, `dispatcher-by-verdict`", "a Job without managedBy"),
    ),
    Entry(
        "I-JOB-2",
        "a remote Workload that ends as OutOfSync is sent anew, and never ends the manager's",
        yes(
            '`tests/unit/manager/placement/decide_failures_test.cc` "a worker that changes every job is not given it '
            'again at once"'
        ),
        NOT_YET,
        part(
            f'{_NOMINATIONS} "a copy that is out of sync before it is placed stops Kueue: that is said"',
            "the same after it was placed, which is Kueue's",
        ),
    ),
    Entry(
        "I-JOB-3",
        "with managedBy: resumed on the manager, the running status mirrored",
        yes("`status-mirrored`"),
        part("`multikueue-runs-job`", "start time and ready pods"),
        _KUEUES,
    ),
    Entry(
        "I-JOB-4",
        "a job is deleted while its workers are unreachable: cleaned up when they return",
        yes("`deleted-while-unreachable`"),
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "I-JOB-5",
        "the loser is unreachable when the winner ends: cleaned up when it returns",
        part(
            f'{_DECIDE} "an outage after a job has ended, and its copies were removed, leaves nothing behind"',
            "a loser that has a copy",
        ),
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "I-JOB-6",
        "the worker that has it is lost for longer than the time-out: queued again; cleaned up when it returns",
        yes("`worker-lost`"),
        NOT_YET,
        _KUEUES,
    ),
    Entry("I-JOB-7", "a brief loss moves nothing", yes("`brief-loss`"), NOT_YET, _KUEUES),
    Entry(
        "I-JOB-8",
        "a restart while the worker is unreachable: moved after the time-out, not before",
        yes("`lost-clock-survives-restart`"),
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "I-JOB-9",
        "preempted on its worker: placement cleared, queued again, dispatched anew",
        yes("`evicted-on-worker`"),
        NOT_YET,
        yes("`dispatcher-evicted`"),
    ),
    Entry(
        "I-JOB-10",
        "another check on some flavors only: MultiKueue's is there, and Pending",
        part(f'{_DECIDE} "another admission check is waited for"', "a check of some flavors"),
        NOT_YET,
        part(
            f'{_NOMINATIONS} "nothing is nominated before other checks are Ready, and for followers never"',
            "a check of some flavors",
        ),
    ),
    Entry(
        "I-JOB-11",
        "the same, and the connection is lost: the check is kept, and the worker cleaned up",
        NOT_YET,
        NOT_YET,
        _KUEUES,
    ),
)

_DISPATCHERS = (
    Entry(
        "I-DSP-1",
        "incremental dispatcher: a few workers at a time; an eviction clears clusterName and nominations",
        part("`admission-timeout`, `evicted-on-worker`", "a step of several workers"),
        _NO_DISPATCHER,
        part("`dispatcher-next-worker`, `dispatcher-evicted`", "a step of several workers"),
    ),
    Entry(
        "I-DSP-2",
        "external dispatcher: no copy before a nomination; copies follow the nominations",
        _NO_DISPATCHER,
        part("`multikueue-takes-over`", "nominations by others after the switch"),
        yes("`dispatcher-by-verdict`, `dispatcher-next-worker`, `dispatcher-race`"),
    ),
    *(
        Entry(
            f"I-DSP-{number}",
            f"the MutatingAdmissionPolicy that clears nominations of a foreign field manager: {when}",
            other("fedra writes as kueue-admission, so the policy is not needed"),
            other("fedra writes as kueue-admission, so the policy is not needed"),
            part("`dispatcher-crowd`, `dispatcher-evicted`", "the policy, which is not needed"),
        )
        for number, when in (
            (3, "clusterName is set"),
            (4, "Evicted turns True"),
            (5, "both"),
            (6, "neither: they stay"),
        )
    ),
    Entry(
        "I-DSP-7",
        "all at once: both nominated, one admits, nominations are cleared, conditions hold",
        yes("`race`"),
        NOT_YET,
        part("`dispatcher-race`", "Kueue's own dispatcher"),
    ),
    Entry(
        "I-DSP-8",
        "a worker that is added to the MultiKueueConfig is used for a job that waits",
        yes("`config-changed`"),
        NOT_YET,
        NOT_YET,
    ),
)

_SETUP = (
    Entry(
        "I-SET-1",
        "kubeconfig in a Secret: BadConfig, NoUsableClusters, BadKubeConfig, then Active",
        part(
            "`config-missing`, `worker-discovered`",
            "conditions of MultiKueueClusters, which are Kueue's here",
        ),
        yes(
            "`multikueue-cluster-inactive`, `multikueue-runs-job`; "
            f'{_CHECKS} "an AdmissionCheck is Active by the workers that it may use", '
            '"an AdmissionCheck says what is wrong with its parameters"'
        ),
        other("the conditions are Kueue's; fedra reads them: `dispatcher-disconnected`"),
    ),
    Entry(
        "I-SET-2",
        "the same by a file",
        part(
            f'{_DISCOVERED} "a file is read where it may be"',
            "a change of the file that is noticed",
        ),
        part(f'{_DISCOVERED} "a file is read where it may be"', "the conditions"),
        part(
            f'{_DISCOVERED} "a file is read where it may be"',
            "a change of the file that is noticed",
        ),
    ),
    *(
        Entry(
            name,
            asks,
            yes(
                f'{_FOREIGN} "a kubeconfig of a Secret can neither run a program nor read a file of fedra\'s machine"'
            ),
            shown,
            other("Kueue's connection is Kueue's; fedra's is as in admissionCheck"),
        )
        for name, asks, shown in (
            (
                "I-SET-3",
                "an insecure kubeconfig in a Secret: InsecureKubeConfig; mended: Active",
                yes("`multikueue-cluster-inactive`"),
            ),
            (
                "I-SET-4",
                "an insecure kubeconfig in a file",
                part(
                    f"{_FOREIGN} \"a kubeconfig of a Secret can neither run a program nor read a file of fedra's "
                    'machine"',
                    "the condition for a file",
                ),
            ),
        )
    ),
    Entry(
        "I-SET-5",
        "a path outside the folder, relative, or with ..: BadKubeConfig",
        yes(
            f'{_FOREIGN} "a file that a MultiKueueCluster names must be below the folder, links followed"'
        ),
        part(
            f'{_FOREIGN} "a file that a MultiKueueCluster names must be below the folder, links followed"',
            "the condition",
        ),
        yes(
            f'{_FOREIGN} "a file that a MultiKueueCluster names must be below the folder, links followed"'
        ),
    ),
    Entry(
        "I-SET-6",
        "a worker whose kubeconfig becomes insecure gets no new job",
        part(
            "`worker-discovered`, `discovered-worker-alone`", "a kubeconfig that becomes insecure"
        ),
        yes("`multikueue-cluster-inactive`"),
        part("`dispatcher-disconnected`", "a kubeconfig that becomes insecure"),
    ),
    *(
        _nobody(
            f"I-SET-{number}", f"quota of the manager's queue from the workers': {what}", _NO_GATE
        )
        for number, what in (
            (7, "summed, and less when a worker's queue shrinks"),
            (8, "less when a LocalQueue is deleted"),
        )
    ),
    *(
        Entry(f"I-SET-{number}", f"ClusterProfile: {what}", NOT_YET, NOT_YET, NOT_YET)
        for number, what in (
            (9, "no access provider is configured"),
            (10, "missing, there, deleted, there again"),
            (11, "two MultiKueueClusters share one"),
            (12, "it must be in Kueue's namespace"),
            (13, "another one is referred to"),
            (14, "the gate is off"),
        )
    ),
    *(
        _nobody(f"I-SET-{number}", f"quota automation {state}: {what}", _NO_GATE)
        for number, state, what in (
            (15, "off", "ClusterQueues of workers are not watched"),
            (16, "on", "ClusterQueues of workers are watched"),
        )
    ),
)

_OTHERS = (
    Entry(
        "I-DRA-1",
        "a Job with a ResourceClaimTemplate that all clusters have",
        yes("`template-everywhere`"),
        NOT_YET,
        part("`dispatcher-by-verdict`", "its class on both workers"),
    ),
    Entry(
        "I-DRA-2",
        "the template on the manager only: it waits (in MultiKueue for ever, and silently)",
        yes("`template-on-manager-only`"),
        NOT_YET,
        yes("`dispatcher-blocked`"),
    ),
    _nobody(
        "I-FMT-1",
        "the form of quantities of counter resources is the manager's own",
        other("fedra compares quantities as numbers, and prints devices, not Kueue's counters"),
    ),
    *(
        _nobody(f"I-ELA-{number}", f"elastic {what}", _NO_ELASTIC)
        for number, what in (
            (1, "Job: grows and shrinks on its worker"),
            (2, "job: a replaced slice keeps its copies while it is handed over"),
            (3, "RayCluster: replicas follow"),
        )
    ),
    Entry(
        "I-SHR-1",
        "a worker that has jobs of its own beside the federated ones",
        part("`evicted-on-worker`", "both run to their ends"),
        NOT_YET,
        NOT_YET,
    ),
    Entry("I-SHR-2", "a manager that has jobs of its own", NOT_YET, NOT_YET, NOT_YET),
    Entry(
        "I-SHR-3",
        "a Job of the same name that the worker had already stays as it is",
        yes("`name-conflict-job`"),
        NOT_YET,
        NOT_YET,
    ),
    Entry(
        "I-NGC-1",
        "a deleted job's copies go at once, without a garbage collection",
        yes("`deleted-while-running`"),
        yes("`multikueue-takes-over`"),
        _KUEUES,
    ),
    Entry(
        "I-NGC-2",
        "a check that is set to Rejected: the copies go",
        NOT_YET,
        NOT_YET,
        _KUEUES,
    ),
    *(
        Entry(f"I-EXT-{number}", f"external framework: {what}", answer, NOT_YET, _KUEUES)
        for number, what, answer in (
            (1, "it runs on a worker", yes("`pipelinerun-runs`, `trainingrun-runs`")),
            (
                2,
                "its copy has no owner and nothing of the source's metadata",
                yes(
                    f'{_ROWS} "each kind: the copy is suspended, unmanaged, ours, and nothing deletes it by itself"'
                ),
            ),
            (3, "with managedBy", yes("`pipelinerun-runs`, `trainingrun-runs`")),
            (4, "it is cleaned up after a reconnect", NOT_YET),
        )
    ),
    Entry("I-POD-1", "a single pod", yes("`pod-runs`"), _NO_PODS, NOT_YET),
    Entry("I-POD-2", "a pod group", yes("`pod-group-runs`"), _NO_PODS, NOT_YET),
    Entry(
        "I-POD-3",
        "a pod group with two other checks: nothing is sent before all are Ready",
        yes(f'{_GROUPS} "a group is sent nowhere before its other checks are Ready"'),
        _NO_PODS,
        yes(
            f'{_NOMINATIONS} "nothing is nominated before other checks are Ready, and for followers never"'
        ),
    ),
    Entry(
        "I-PRV-1",
        "ProvisioningRequest on the worker: Ready only after the worker has admitted it",
        part(
            f'{_DECIDE} "the first eligible worker in order gets the clone, the job only after admission"',
            "a ProvisioningRequest",
        ),
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "I-PRV-2",
        "quota alone does not make a winner: the other copies stay until one is admitted",
        part(
            f'{_DECIDE} "race: every eligible worker gets a clone, the first that admits wins, the others lose theirs '
            'first"',
            "a worker with quota that has not admitted",
        ),
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "I-INT-1",
        "with batch/v1 Job alone enabled a Job runs",
        yes("`job-without-managed-by`"),
        yes("`multikueue-runs-job`"),
        yes("`dispatcher-by-verdict`"),
    ),
    Entry(
        "I-INT-2",
        "without an adapter for its kind, a workload is Rejected, with the reason",
        NOT_YET,
        NOT_YET,
        yes(f'{_NOMINATIONS} "a rejected workload is Kueue\'s, and people are told once"'),
    ),
    _kind("I-RAY-1", "RayJob: mirrored, ended", "rayjob-runs"),
    _kind("I-RAY-2", "RayCluster: mirrored", "raycluster-runs"),
    Entry(
        "I-RAY-3",
        "RayService: an edited serveConfigV2 reaches the copy",
        NOT_YET,
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "I-MPI-1",
        "MPIJob with another managedBy: no copies",
        part(
            f'{_DECIDE} "a job that Kueue does not manage is rejected with what to write"',
            "an MPIJob",
        ),
        NOT_YET,
        _KUEUES,
    ),
    _kind("I-MPI-2", "MPIJob runs", "mpijob-runs"),
    _kind("I-TRO-1", "TFJob runs", "tfjob-runs"),
    _kind("I-TRO-2", "PaddleJob runs", "paddlejob-runs"),
    _kind("I-TRO-3", "PyTorchJob runs", "pytorchjob-runs"),
    Entry(
        "I-TRO-4",
        "PyTorchJob with another managedBy: not dispatched",
        part(
            f'{_DECIDE} "a job that Kueue does not manage is rejected with what to write"',
            "a PyTorchJob",
        ),
        NOT_YET,
        _KUEUES,
    ),
    _kind("I-TRO-5", "XGBoostJob runs", "xgboostjob-runs"),
    _kind("I-TRJ-1", "TrainJob runs", "trainjob-runs"),
    _kind("I-JS-1", "JobSet runs", "jobset-runs"),
    _kind("I-AW-1", "AppWrapper runs", "appwrapper-runs"),
    Entry(
        "I-SCH-1",
        "a job of higher priority preempts on the manager: the lower one's copies go",
        NOT_YET,
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "I-SCH-2",
        "the higher one goes to the other worker",
        NOT_YET,
        NOT_YET,
        NOT_YET,
    ),
    Entry(
        "I-SCH-3",
        "a changed priority class is changed on the copy",
        yes("`priority-follows`"),
        NOT_YET,
        _KUEUES,
    ),
    *(
        _nobody(f"I-SCH-{number}", what, _NO_GATE)
        for number, what in (
            (4, "a preemption gate of the manager is not copied"),
            (5, "orchestrated preemption: one of two lower jobs is evicted"),
        )
    ),
    _nobody("I-TAS-1", "required topology: the manager gets the worker's assignment", _NO_TOPOLOGY),
)

_END_TO_END = (
    Entry("E-B-1", "a pod runs on a worker", yes("`pod-runs`"), _NO_PODS, NOT_YET),
    Entry(
        "E-B-2",
        "a running pod shows PodScheduled on the manager",
        yes("`pod-runs`"),
        _NO_PODS,
        _KUEUES,
    ),
    Entry(
        "E-B-3", "a Deployment's pods run on workers", yes("`deployment-runs`"), _NO_PODS, NOT_YET
    ),
    Entry("E-B-4", "a StatefulSet runs on a worker", yes("`statefulset-runs`"), _NO_PODS, NOT_YET),
    Entry("E-B-5", "a pod group runs on a worker", yes("`pod-group-runs`"), _NO_PODS, NOT_YET),
    Entry(
        "E-B-6",
        "a Job: unsuspended on the manager, mirrored, ended, nothing left",
        yes("`status-mirrored`"),
        yes("`multikueue-runs-job`"),
        yes("`dispatcher-by-verdict`"),
    ),
    Entry(
        "E-B-7",
        "preemption on the same worker, by another federated job",
        NOT_YET,
        NOT_YET,
        NOT_YET,
    ),
    Entry(
        "E-B-8",
        "evicted on its worker: it runs on the other one, and nothing stays on the first",
        yes("`evicted-on-worker`"),
        NOT_YET,
        yes("`dispatcher-evicted`"),
    ),
    Entry("E-B-9", "preemption on the other worker", NOT_YET, NOT_YET, NOT_YET),
    Entry(
        "E-B-10",
        "the manager admits both, a worker preempts one: it is dispatched again",
        part("`evicted-on-worker`", "by another federated job"),
        NOT_YET,
        part("`dispatcher-evicted`", "by another federated job"),
    ),
    Entry(
        "E-B-11",
        "a pending job's priority is raised until it preempts",
        part("`priority-follows`", "the preemption"),
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "E-B-12",
        "a changed priority stays when the job changes",
        part("`priority-follows`", "a pod that fails meanwhile"),
        NOT_YET,
        _KUEUES,
    ),
    Entry("E-B-13", "federated and ordinary Jobs on one cluster", NOT_YET, NOT_YET, NOT_YET),
    _nobody("E-B-14", "quota automation sums the workers' quotas", _NO_GATE),
    *(
        _nobody(f"E-TAS-{number}", f"topology-aware scheduling: {what}", _NO_TOPOLOGY)
        for number, what in (
            (1, "a Job"),
            (2, "implicit"),
            (3, "preferred topology, to the worker with room"),
            (4, "required hostname"),
        )
    ),
    Entry(
        "E-DRA-1",
        "templates of counts 1, 2 and 3 on manager and workers: the winner's own counts",
        yes("`template-per-cluster`"),
        NOT_YET,
        NOT_YET,
    ),
    Entry(
        "E-DRA-2",
        "the template is missing on the workers: no clusterName",
        yes("`template-on-manager-only`"),
        NOT_YET,
        yes("`dispatcher-blocked`"),
    ),
    Entry(
        "E-DRA-3",
        "the template on one worker: the job goes there",
        yes("`template-on-first-worker`"),
        NOT_YET,
        yes("`dispatcher-blocked`"),
    ),
    Entry(
        "E-DRA-4",
        "two pods, two devices",
        yes("`two-pods-two-devices`"),
        NOT_YET,
        NOT_YET,
    ),
    Entry(
        "E-X-1",
        "a LeaderWorkerSet: synced, ready, deleted",
        part("`leaderworkerset-runs`", "its readiness on the manager, whose controller writes it"),
        _NO_PODS,
        NOT_YET,
    ),
    Entry(
        "E-X-2",
        "all Workloads of a LeaderWorkerSet on one worker",
        yes("`leaderworkerset-runs`, `leaderworkerset-moved`"),
        _NO_PODS,
        part(
            f'{_NOMINATIONS} "nothing is nominated before other checks are Ready, and for followers never"',
            "with a real LeaderWorkerSet",
        ),
    ),
    _kind("E-X-3", "JobSet", "jobset-runs"),
    _kind("E-X-4", "AppWrapper", "appwrapper-runs"),
    _kind("E-X-5", "PyTorchJob", "pytorchjob-runs"),
    _kind("E-X-6", "MPIJob", "mpijob-runs"),
    _kind("E-X-7", "TrainJob", "trainjob-runs"),
    _kind("E-X-8", "RayJob", "rayjob-runs"),
    _kind("E-X-9", "RayCluster", "raycluster-runs"),
    _nobody("E-X-10", "elastic RayCluster: 1, 3, 1", _NO_ELASTIC),
    Entry(
        "E-X-11",
        "RayService runs; an edited serveConfigV2 reaches the copy",
        part("`rayservice-runs`", "the edit"),
        NOT_YET,
        _KUEUES,
    ),
    Entry(
        "E-S-1",
        "a Job with the incremental dispatcher",
        _NO_DISPATCHER,
        _NO_DISPATCHER,
        other("fedra is the dispatcher: `dispatcher-next-worker`"),
    ),
    Entry(
        "E-S-2",
        "the API server of a worker stops: its cluster is inactive (ClientConnectionFailed); it answers again: Active",
        part(
            "`start-with-dead-worker`, `brief-loss`",
            "conditions of MultiKueueClusters, which are Kueue's here",
        ),
        yes("`multikueue-cluster-inactive`"),
        _KUEUES,
    ),
    Entry("E-S-3", "ClusterProfile without plugins", NOT_YET, NOT_YET, NOT_YET),
    Entry(
        "E-S-4",
        "ClusterProfile with a plugin that reads a Secret",
        NOT_YET,
        NOT_YET,
        NOT_YET,
    ),
    _nobody("E-S-5", "orchestrated preemption", _NO_GATE),
)

_WEBHOOKS = (
    Entry(
        "I-WHK-1",
        "MultiKueueCluster: which sources, locations and how many conditions the API server takes",
        *(
            other(
                "the CRD's validation is Kueue's; what it lets through is read by `worker-discovered`"
            ),
        )
        * 3,
    ),
    Entry(
        "I-WHK-2",
        "MultiKueueConfig: 1 to 20 different names",
        *(other("the CRD's validation is Kueue's"),) * 3,
    ),
)

TABLE: dict[str, tuple[Entry, ...]] = {
    "Jobs": _JOBS,
    "Dispatchers": _DISPATCHERS,
    "Set-up": _SETUP,
    "Devices, kinds, scheduling": _OTHERS,
    "API server": _WEBHOOKS,
    "End to end": _END_TO_END,
}
