"""Connections to workers: setup_test.go, and the API server's rules about them."""

from __future__ import annotations

from scenarios.conformance.answers import CHECKS, FOREIGN, KUEUES, NO_GATE, OWN_CONNECTION, copied
from scenarios.conformance.entry import Entry, other, yes

_TITLE_OF_SECRET = (
    '"a kubeconfig of a Secret can neither run a program nor read a file of fedra\'s machine"'
)
_OF_CHECK = (
    f'{CHECKS} "an AdmissionCheck is Active by the workers that it may use", '
    '"an AdmissionCheck says what is wrong with its parameters"'
)
_CONDITION_OF_KUEUE = (
    "the MultiKueueCluster's condition is Kueue's here, and fedra shows it in status"
)

SETUP = (
    Entry(
        "I-SET-1",
        "kubeconfig in a Secret: BadConfig, NoUsableClusters, BadKubeConfig, then Active",
        yes(f"`config-missing`, `worker-discovered`; {_OF_CHECK}; {_CONDITION_OF_KUEUE}"),
        yes(f"`multikueue-cluster-inactive`, `multikueue-runs-job`; {_OF_CHECK}"),
        other("the conditions are Kueue's; fedra reads them: `dispatcher-disconnected`"),
    ),
    Entry(
        "I-SET-2",
        "the same by a file",
        yes(f"`worker-by-file`; {_CONDITION_OF_KUEUE}"),
        yes("`worker-by-file`"),
        OWN_CONNECTION,
    ),
    Entry(
        "I-SET-3",
        "an insecure kubeconfig in a Secret: InsecureKubeConfig; mended: Active",
        yes(f"`worker-discovered`; {FOREIGN} {_TITLE_OF_SECRET}; {_CONDITION_OF_KUEUE}"),
        yes("`multikueue-cluster-inactive`"),
        OWN_CONNECTION,
    ),
    Entry(
        "I-SET-4",
        "an insecure kubeconfig in a file",
        yes(f"`worker-by-file`; {_CONDITION_OF_KUEUE}"),
        yes("`worker-by-file`"),
        OWN_CONNECTION,
    ),
    Entry(
        "I-SET-5",
        "a path outside the folder, relative, or with ..: BadKubeConfig",
        yes(
            f'`worker-by-file`; {FOREIGN} "a file that a MultiKueueCluster names must be below the folder, links '
            f'followed"; {_CONDITION_OF_KUEUE}'
        ),
        yes("`worker-by-file`"),
        OWN_CONNECTION,
    ),
    Entry(
        "I-SET-6",
        "a worker whose kubeconfig becomes insecure gets no new job",
        yes("`discovered-worker-alone`"),
        yes("`multikueue-cluster-inactive`"),
        yes("`dispatcher-insecure`"),
    ),
    *(
        copied(
            f"I-SET-{number}", f"quota of the manager's queue from the workers': {what}", NO_GATE
        )
        for number, what in (
            (7, "summed, and less when a worker's queue shrinks"),
            (8, "less when a LocalQueue is deleted"),
        )
    ),
    *(
        copied(f"I-SET-{number}", f"ClusterProfile: {what}", answer, OWN_CONNECTION)
        for number, what, answer in (
            (9, "no access provider is configured", yes("`worker-by-profile`")),
            (10, "missing, there, deleted, there again", yes("`worker-by-profile`")),
            (
                11,
                "two MultiKueueClusters share one",
                other("one cluster is one worker: the younger says so, `worker-by-profile`"),
            ),
            (12, "it must be in Kueue's namespace", yes("`worker-by-profile`")),
            (13, "another one is referred to", yes("`worker-by-profile`")),
        )
    ),
    copied(
        "I-SET-14",
        "ClusterProfile: the gate is off",
        other("fedra reads ClusterProfiles whatever Kueue's gate says: `worker-by-profile`"),
    ),
    *(
        copied(f"I-SET-{number}", f"quota automation {state}: {what}", NO_GATE)
        for number, state, what in (
            (15, "off", "ClusterQueues of workers are not watched"),
            (16, "on", "ClusterQueues of workers are watched"),
        )
    ),
)

WEBHOOKS = (
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

CONNECTIONS = (
    Entry(
        "E-S-2",
        "the API server of a worker stops: its cluster is inactive (ClientConnectionFailed); it answers again: Active",
        yes(f"`start-with-dead-worker`, `brief-loss`; {_CONDITION_OF_KUEUE}"),
        yes("`multikueue-cluster-inactive`"),
        KUEUES,
    ),
    copied("E-S-3", "ClusterProfile without plugins", yes("`worker-by-profile`"), OWN_CONNECTION),
    copied(
        "E-S-4",
        "ClusterProfile with a plugin that reads a Secret",
        yes("`worker-by-profile`"),
        OWN_CONNECTION,
    ),
)
