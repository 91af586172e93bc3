"""One reading of a daemon's /metrics, and what has happened between two."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Collection

# What is counted per job.
COUNTED = {
    "looks": "fedra_reconcile_total",
    "workers seen": "fedra_reconcile_workers_total",
    "judgements": "fedra_verifications_total",
    "requests": "fedra_cluster_requests_total",
    "transactions": "fedra_store_transaction_duration_seconds_count",
    "events": "fedra_watch_events_total",
    "bytes": "fedra_cluster_read_bytes_total",
}


@dataclasses.dataclass(frozen=True)
class Counters:
    page: str  # Prometheus' text format

    def total(self, family: str, without: Collection[str] = ()) -> float:
        """Over all labels but those of `without`, such as 'verb="WATCH"'; 0 when there is none."""
        lines = re.findall(rf"^{family}(?:{{(.*)}})? (\S+)$", self.page, re.MULTILINE)
        return sum(
            float(count) for labels, count in lines if not any(each in labels for each in without)
        )

    def since(self, before: Counters, things: int) -> dict[str, float]:
        """Of each of COUNTED what has been counted since then, for one of so many things."""
        return {
            name: (self.total(family) - before.total(family)) / things
            for name, family in COUNTED.items()
        }

    def buckets(self, family: str, labels: Collection[str] = ()) -> dict[float, float]:
        """Upper bound -> how many observations are not above it; of all histograms of the family that have `labels`."""
        found: dict[float, float] = {}
        lines = re.findall(rf"^{family}_bucket{{(.*)}} (\S+)$", self.page, re.MULTILINE)
        for series, count in lines:
            bound = re.search(r'\ble="([^"]+)"', series)
            if bound is not None and all(each in series for each in labels):
                found[float(bound[1])] = found.get(float(bound[1]), 0.0) + float(count)
        return found


NOTHING = Counters("")  # of a daemon that has just been started


def quantile(
    before: Collection[Counters],
    after: Collection[Counters],
    family: str,
    part: float,
    labels: Collection[str] = (),
) -> float | None:
    """Of the observations between the two readings of some servers, as Prometheus' histogram_quantile estimates it.

    None: there were none.
    """
    counts: dict[float, float] = {}
    for pages, sign in ((before, -1), (after, 1)):
        for page in pages:
            for bound, count in page.buckets(family, labels).items():
                counts[bound] = counts.get(bound, 0.0) + sign * count
    ordered = sorted(counts.items())
    if not ordered or ordered[-1][1] == 0:
        return None
    wanted = part * ordered[-1][1]
    for (low, below), (high, up_to) in itertools.pairwise([(0.0, 0.0), *ordered]):
        if up_to >= wanted:
            inside = (wanted - below) / (up_to - below)
            return low if high == float("inf") else low + (high - low) * inside
    return None
