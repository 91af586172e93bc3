"""One reading of a daemon's /metrics, and what has happened between two."""

from __future__ import annotations

import dataclasses
import itertools
import re

# What is counted per job. No metric has the bytes that were parsed.
COUNTED = {
    "looks": "fedra_reconcile_total",
    "judgements": "fedra_verifications_total",
    "requests": "fedra_cluster_requests_total",
    "transactions": "fedra_store_transaction_duration_seconds_count",
}


@dataclasses.dataclass(frozen=True)
class Counters:
    page: str  # Prometheus' text format

    def total(self, family: str) -> float:
        """Over all labels; 0 when there is none."""
        lines = re.findall(rf"^{family}(?:{{.*}})? (\S+)$", self.page, re.MULTILINE)
        return sum(map(float, lines))

    def since(self, before: Counters, things: int) -> dict[str, float]:
        """Of each of COUNTED what has been counted since then, for one of so many things."""
        return {
            name: (self.total(family) - before.total(family)) / things
            for name, family in COUNTED.items()
        }

    def buckets(self, family: str) -> dict[float, float]:
        """Upper bound -> how many observations are not above it; of a histogram without labels."""
        lines = re.findall(rf'^{family}_bucket{{le="([^"]+)"}} (\S+)$', self.page, re.MULTILINE)
        return {float(bound): float(count) for bound, count in lines}


NOTHING = Counters("")  # of a daemon that has just been started


def quantile(before: Counters, after: Counters, family: str, part: float) -> float | None:
    """Of the observations between the two readings, as Prometheus' histogram_quantile estimates it; None: there were none."""
    was = before.buckets(family)
    counts = {bound: count - was.get(bound, 0) for bound, count in after.buckets(family).items()}
    ordered = sorted(counts.items())
    if not ordered or ordered[-1][1] == 0:
        return None
    wanted = part * ordered[-1][1]
    for (low, below), (high, up_to) in itertools.pairwise([(0.0, 0.0), *ordered]):
        if up_to >= wanted:
            inside = (wanted - below) / (up_to - below)
            return low if high == float("inf") else low + (high - low) * inside
    return None
