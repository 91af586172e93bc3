"""What the samples of a soak say: a table for a person, and what is wrong. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from scenarios.soak.samples import CALM, DRAINED, KILLS, LEADER, STANDBY, Marks, Sample
from scenarios.soak.slope import Line, fit, in_bins

# Flat: a megabyte in ten minutes at most. What is looked at for less than half an hour may rise by the allocator's noise.
_MB_PER_HOUR, _NOISE_MB = 6.0, 3.0
_LOG_BYTES = 64e6
_WARM_UP = 0.2  # share of the samples that is not looked at, and seconds at least
_WARM_UP_SECONDS = 30.0
_BINS = 20  # of one process
_SAME_AGE = (0.2, 0.5)  # of the time between two kills
_SPARE = 2  # descriptors and threads that may come and go
_FIRST_KILLS = 3
_MB = 1e6


class Report:
    def __init__(self, samples: Sequence[Sample], marks: Sequence[Marks], period: float):
        """`period`: seconds between two kills."""
        self._samples, self._marks, self._period = samples, marks, period

    def growth(self) -> dict[str, Line | None]:
        """Of resident memory, in MB per hour: of the two processes that lived long, and over lifetimes at one age."""
        lines: dict[str, Line | None] = {}
        for role in (LEADER, STANDBY):
            calm = [each for each in self._of(role, CALM) if each.in_role >= self._warm_up()]
            points = [(each.at / 3600, each.resident / _MB) for each in calm]
            width = (points[-1][0] - points[0][0]) / _BINS if len(points) > _BINS else 0.0
            lines[f"the {role} that was not ended"] = fit(
                in_bins(points, width) if width else points
            )
            lines[f"{role}s at the same age"] = fit(self._at_the_same_age(role))
        return lines

    def findings(self) -> list[str]:
        found = []
        for what, line in self.growth().items():
            if line is None:
                found.append(f"memory of {what}: too few samples to say anything")
            elif line.rises_by() > max(_MB_PER_HOUR * line.span, _NOISE_MB):
                found.append(f"memory of {what} is not flat: {_told(line)}")
        for name, read in _COUNTED.items():
            found += self._not_back(name, read)
        highest = max((each.log for each in self._samples), default=0)
        if highest > _LOG_BYTES:
            found.append(f"the log of the store had {highest / _MB:.0f} MB")
        left = self._marks[-1] if self._marks else None
        if left is None or left.phase != DRAINED:
            found.append("objects of ours on workers were not counted at the end")
        elif left.workers:
            found.append(f"objects of ours are left on workers: {left.workers}")
        return found

    def table(self) -> str:
        columns = {
            "first minutes": self._first(),
            "last minutes of the kills": self._last_of(KILLS),
            "end of the calm": self._last_of(CALM),
            "drained": [each for each in self._samples if each.phase == DRAINED],
        }
        lines = [f"| | {' | '.join(columns)} |", f"|---{'|---' * len(columns)}|"]
        for role in (LEADER, STANDBY):
            for name, tell in _ROWS.items():
                cells = [
                    _cell([e for e in each if e.role == role], tell) for each in columns.values()
                ]
                lines.append(f"| {role}: {name} | {' | '.join(cells)} |")
        tables = sorted({name for each in self._samples for name in each.rows})
        for name in tables:
            cells = [
                _cell([e for e in each if e.role == LEADER and e.rows], _rows_of(name))
                for each in columns.values()
            ]
            lines.append(f"| rows of {name} | {' | '.join(cells)} |")
        total = [sum(each.workers.values()) for each in self._marks] or [0]
        lines.append(f"| objects of ours on all workers | at most {max(total)} | | | {total[-1]} |")
        return "\n".join(lines)

    def growth_lines(self) -> list[str]:
        return [
            f"memory of {what}: {'too few samples' if line is None else _told(line)}"
            for what, line in self.growth().items()
        ]

    def _not_back(self, name: str, read: Callable[[Sample], int]) -> list[str]:
        """What did not come back to the level of the first minutes, or rises in one process."""
        found = []
        for role in (LEADER, STANDBY):
            first = [read(each) for each in self._first() if each.role == role]
            last = [read(each) for each in self._of(role, DRAINED)]
            if not first or not last:
                found.append(f"{name} of the {role}: too few samples to say anything")
                continue
            if min(last) > max(first):
                found.append(f"{name} of the {role}: {min(last)} at the end, {max(first)} at first")
            calm = [each for each in self._of(role, CALM) if each.in_role >= self._warm_up()]
            part = len(calm) // 4
            if part:
                early, late = (
                    statistics.median(read(e) for e in each) for each in (calm[:part], calm[-part:])
                )
                if late > early + _SPARE:
                    found.append(f"{name} of one {role}: {early:.0f}, later {late:.0f}")
        return found

    def _at_the_same_age(self, role: str) -> list[tuple[float, float]]:
        """A point for each process: hours since the beginning, and its megabytes."""
        begin, end = (share * self._period for share in _SAME_AGE)
        end_of_warm_up = _WARM_UP * self._end_of(KILLS)
        lives: dict[tuple[str, int], list[Sample]] = {}
        for each in self._of(role, KILLS):
            if begin <= each.in_role < end and each.at >= end_of_warm_up:
                lives.setdefault((each.replica, each.life), []).append(each)
        return sorted(
            (_mean(e.at / 3600 for e in some), _mean(e.resident / _MB for e in some))
            for some in lives.values()
        )

    def _warm_up(self) -> float:
        return max(_WARM_UP_SECONDS, _WARM_UP * (self._end_of(CALM) - self._end_of(KILLS)))

    def _window(self) -> float:
        return _FIRST_KILLS * self._period

    def _first(self) -> list[Sample]:
        return [each for each in self._samples if each.at < self._window()]

    def _last_of(self, phase: str) -> list[Sample]:
        begin = self._end_of(phase) - self._window()
        return [each for each in self._samples if each.phase == phase and each.at >= begin]

    def _end_of(self, phase: str) -> float:
        return max((each.at for each in self._samples if each.phase == phase), default=0.0)

    def _of(self, role: str, phase: str) -> list[Sample]:
        return [each for each in self._samples if (each.role, each.phase) == (role, phase)]


def _mean(values: Iterable[float]) -> float:
    return statistics.fmean(values)


def _told(line: Line) -> str:
    return (
        f"{line.slope:+.1f} ± {line.error:.1f} MB per hour "
        f"({line.points} points over {line.span * 60:.0f} minutes)"
    )


def _rows_of(name: str) -> Callable[[Sample], float]:
    return lambda each: each.rows[name]


def _cell(samples: list[Sample], tell: Callable[[Sample], float]) -> str:
    """The median, and the highest where that is another one."""
    if not samples:
        return ""
    values = [tell(each) for each in samples]
    median, highest = (f"{each:.0f}" for each in (statistics.median(values), max(values)))
    return median if median == highest else f"{median}, at most {highest}"


_COUNTED: dict[str, Callable[[Sample], int]] = {
    "descriptors": lambda each: each.descriptors,
    "threads": lambda each: each.threads,
}
_ROWS: dict[str, Callable[[Sample], float]] = {
    "memory, MB": lambda each: each.resident / _MB,
    "descriptors": lambda each: each.descriptors,
    "threads": lambda each: each.threads,
    "log of the store, MB": lambda each: each.log / _MB,
}
