"""Jobs and dispatchers: jobs_test.go, dispatcher_test.go."""

from __future__ import annotations

from scenarios.conformance.answers import GATED, NO_DISPATCHER, NOMINATIONS, copied
from scenarios.conformance.entry import Entry, other, part, yes

JOBS = (
    copied(
        "I-JOB-1",
        "a Job without managedBy: copies on both workers, the first to admit has it, its end comes back, nothing is left",
        yes("`job-without-managed-by`, `race`"),
        yes("`dispatcher-race`"),
    ),
    copied(
        "I-JOB-2",
        "a remote Workload that ends as OutOfSync is sent anew, and never ends the manager's",
        yes("`copy-out-of-sync`"),
        part(
            f'{NOMINATIONS} "a copy that is out of sync before it is placed stops Kueue: that is said"',
            "the same after it was placed, which is Kueue's",
        ),
    ),
    copied(
        "I-JOB-3",
        "with managedBy: resumed on the manager, the running status mirrored",
        yes("`status-mirrored`"),
    ),
    copied(
        "I-JOB-4",
        "a job is deleted while its workers are unreachable: cleaned up when they return",
        yes("`deleted-while-unreachable`"),
    ),
    copied(
        "I-JOB-5",
        "the loser is unreachable when the winner ends: cleaned up when it returns",
        yes("`loser-unreachable`"),
    ),
    copied(
        "I-JOB-6",
        "the worker that has it is lost for longer than the time-out: queued again; cleaned up when it returns",
        yes("`worker-lost`"),
    ),
    copied("I-JOB-7", "a brief loss moves nothing", yes("`brief-loss`")),
    copied(
        "I-JOB-8",
        "a restart while the worker is unreachable: moved after the time-out, not before",
        yes("`lost-clock-survives-restart`"),
    ),
    copied(
        "I-JOB-9",
        "preempted on its worker: placement cleared, queued again, dispatched anew",
        yes("`evicted-on-worker`"),
        yes("`evicted-on-worker`, `dispatcher-evicted`"),
    ),
    copied(
        "I-JOB-10",
        "another check on some flavors only: MultiKueue's is there, and Pending",
        yes("`check-of-some-flavors`"),
        yes(f"`check-of-some-flavors`; {GATED}"),
    ),
    copied(
        "I-JOB-11",
        "the same, and the connection is lost: the check is kept, and the worker cleaned up",
        yes("`check-of-some-flavors-lost`"),
    ),
)

_POLICY = other("fedra writes as kueue-admission, so the policy is not needed")
_POLICY_OF_DISPATCHER = other(
    "fedra writes as kueue-admission, so the policy is not needed; what Kueue then has of nominations: "
    "`dispatcher-crowd`, `dispatcher-evicted`"
)

DISPATCHERS = (
    Entry(
        "I-DSP-1",
        "incremental dispatcher: a few workers at a time; an eviction clears clusterName and nominations",
        other(
            "fedra sends to one worker at a time, or to all (race), never to a step of several: "
            "`admission-timeout`, `race`; an eviction: `evicted-on-worker`"
        ),
        NO_DISPATCHER,
        other(
            "fedra is the dispatcher, and nominates one worker at a time, or all (race): "
            "`dispatcher-next-worker`, `dispatcher-race`; an eviction: `dispatcher-evicted`"
        ),
    ),
    Entry(
        "I-DSP-2",
        "external dispatcher: no copy before a nomination; copies follow the nominations",
        NO_DISPATCHER,
        other(
            "fedra dispatches by verdict and rank; what was nominated before the switch goes on: "
            "`multikueue-takes-over`"
        ),
        yes("`dispatcher-by-verdict`, `dispatcher-next-worker`, `dispatcher-race`"),
    ),
    *(
        copied(
            f"I-DSP-{number}",
            f"the MutatingAdmissionPolicy that clears nominations of a foreign field manager: {when}",
            _POLICY,
            _POLICY_OF_DISPATCHER,
        )
        for number, when in (
            (3, "clusterName is set"),
            (4, "Evicted turns True"),
            (5, "both"),
            (6, "neither: they stay"),
        )
    ),
    copied(
        "I-DSP-7",
        "all at once: both nominated, one admits, nominations are cleared, conditions hold",
        yes("`race`"),
        yes("`dispatcher-race`, `dispatcher-crowd`"),
    ),
    copied(
        "I-DSP-8",
        "a worker that is added to the MultiKueueConfig is used for a job that waits",
        yes("`config-changed`"),
        yes("`config-changed`"),
    ),
)
