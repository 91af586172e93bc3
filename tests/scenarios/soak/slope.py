"""Straight lines through samples. Pure."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence

Points = Sequence[tuple[float, float]]


@dataclasses.dataclass(frozen=True)
class Line:
    """By least squares."""

    slope: float
    error: float  # standard error of the slope
    points: int
    span: float  # from the first to the last

    def rises_by(self) -> float:
        """Over the span at least, unless chance has made twice the error of it."""
        return (self.slope - 2 * self.error) * self.span


def fit(points: Points) -> Line | None:
    """None: there are too few to tell an error."""
    if len(points) < 3:
        return None
    xs, ys = zip(*points)
    x_mean, y_mean = statistics.fmean(xs), statistics.fmean(ys)
    spread = sum((x - x_mean) ** 2 for x in xs)
    if spread == 0:
        return None
    slope = sum((x - x_mean) * (y - y_mean) for x, y in points) / spread
    rest = sum((y - y_mean - slope * (x - x_mean)) ** 2 for x, y in points)
    error = math.sqrt(rest / (len(points) - 2) / spread)
    return Line(slope, error, len(points), max(xs) - min(xs))


def in_bins(points: Iterable[tuple[float, float]], width: float) -> list[tuple[float, float]]:
    """The means of neighbours: samples that follow each other closely say the same, and would make the error too small."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for x, y in points:
        bins.setdefault(int(x // width), []).append((x, y))
    return [
        (statistics.fmean(x for x, _ in each), statistics.fmean(y for _, y in each))
        for _, each in sorted(bins.items())
    ]
