"""Answers that several cases share, and the unit tests that several name."""

from __future__ import annotations

from scenarios.conformance.entry import Answer, Entry, other, part, yes

KUEUES = other("Kueue's own MultiKueue does it; fedra only nominates")
NO_DISPATCHER = other("fedra dispatches by verdict and rank")
NO_GATE = other("behind an alpha gate of Kueue's that fedra does not use")
NO_TOPOLOGY = other(
    "Kueue gives such a job no quota, for it leaves topologies open for MultiKueue's controllerName only "
    "([kueue-setup.md](kueue-setup.md#topologies))"
)
OWN_CONNECTION = other("Kueue's connection is Kueue's; fedra's is as in admissionCheck")

DECIDE = "`tests/unit/manager/placement/decide_test.cc`"
FOREIGN = "`tests/unit/config/foreign_kubeconfig_test.cc`"
GROUPS = "`tests/unit/manager/placement/group_test.cc`"
NOMINATIONS = "`tests/unit/manager/placement/nominations_test.cc`"
CHECKS = "`tests/unit/manager/reconcile/admission_check_reconciler_test.cc`"
GATED = (
    f'{NOMINATIONS} "nothing is nominated before other checks are Ready, and for followers never"'
)


def simulated_kind(name: str) -> Answer:
    """By clusters that have its CRD, its controller and Kueue's part of it from us."""
    return part(name, "a real Kueue and the kind's own controller")


def simulated(topology: str) -> Answer:
    """By a Kueue that has Topologies, and does not look at nodes."""
    return part(topology, "which nodes the worker chooses, for its Kueue is simulated")


def copied(name: str, asks: str, answer: Answer, dispatcher: Answer = KUEUES) -> Entry:
    """The same answer in the two modes in which fedra copies."""
    return Entry(name, asks, answer, answer, dispatcher)


def everywhere(name: str, asks: str, answer: Answer) -> Entry:
    """The same answer in all modes."""
    return Entry(name, asks, answer, answer, answer)


def kind(name: str, asks: str, label: str) -> Entry:
    """A kind that runs, is mirrored, and ends."""
    return copied(name, asks, yes(f"`{label}-runs`"), yes(f"`{label}-nominated`"))


def of_pods(name: str, asks: str, runs: Answer, dispatcher: Answer) -> Entry:
    """Of pods, and of what is made of pods."""
    return Entry(name, asks, runs, runs, dispatcher)
