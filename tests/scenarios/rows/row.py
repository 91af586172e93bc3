"""What a row of the table is. Plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from scenarios.resources import Object

YES, NO, MAY_SCALE, UNKNOWN = "Yes", "No", "MayScale", "Unknown"


@dataclasses.dataclass(frozen=True)
class State:
    """One worker: what is there besides what every worker of the row has, and what must come of it."""

    what: str  # for people, in a few words
    objects: Sequence[Object | Sequence[Object]]
    # Codes of `fedra why`, in its order; none: the worker can run the job.
    reasons: tuple[str, ...] = ()
    # What their messages say, each in some of them: the count or the name that matters.
    says: tuple[str, ...] = ()
    outcome: str = ""  # empty: Yes without reasons, No with them; Yes with reasons is a warning
    # Of each firstAvailable request the index of what it would get.
    alternatives: tuple[int, ...] = ()
    # Names of the requests ("gpu/large") under which the job's devices must be allocated, if it goes here.
    allocates: tuple[str, ...] = ()
    # Whether the scheduler there would start all the pods, where that is not the same as the verdict; `but` says why.
    starts: bool | None = None
    but: str = ""
    namespace_labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    unlabelled_later: bool = False  # these labels are gone again once the objects are there
    capabilities: tuple[str, ...] = ()  # that fedra's configuration declares for the worker

    @property
    def verdict(self) -> str:
        return self.outcome or (NO if self.reasons else YES)

    @property
    def fits(self) -> bool:
        return self.verdict == YES if self.starts is None else self.starts


@dataclasses.dataclass(frozen=True)
class Case:
    """The two workers at one time. The job must go to the one that is named."""

    worker1: State
    worker2: State
    goes_to: str = ""  # "worker1" or "worker2"; empty: see `spread`
    # Of pods that are jobs of their own, how many must run on each worker. A verdict is always the first one's.
    spread: tuple[int, int] = (0, 0)
    # Submitted once the others run: more of the article's objects, each with the worker on which it must run.
    also: Sequence[tuple[Object, str]] = ()

    @property
    def states(self) -> dict[str, State]:
        return {"worker1": self.worker1, "worker2": self.worker2}


@dataclasses.dataclass(frozen=True)
class Row:
    name: str  # of the scenario: "S1", "KAI-1"
    title: str  # the workload
    forces: str  # what a verdict must understand
    cases: Sequence[Case]
    everywhere: Sequence[Object] = ()  # on both workers
    # What its article applies, all of one kind, see published.py; none: a usual Job of `pods` pods like `pod`.
    workload: Sequence[Object] = ()
    pods: int = 1
    pod: Object = dataclasses.field(default_factory=dict)  # over the pod spec of a usual job
    # Of a usual job, limits of its container.
    resources: Mapping[str, str] = dataclasses.field(default_factory=dict)
    # Merged into `verification` of fedra's configuration.
    verification: Object = dataclasses.field(default_factory=dict)
    off_by_default: bool = False  # see registry.scenario
    workers_since: str | None = None  # likewise
    # With its DRA support on, Kueue 0.19.2 refuses most shapes before fedra sees the workload.
    kueue_dra: tuple[bool, ...] = (False,)
    on_manager: Sequence[Object] = ()  # what Kueue there needs with it on
    note: str = ""  # what is different from the original workload, and why; with `workload`: beside its queue
