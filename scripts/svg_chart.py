"""One chart with two logarithmic axes, as SVG: points, lines between those of a series, a legend below.

Without a background and in colours of medium lightness, so that it can be read on white and on black. The same chart is
the same bytes everywhere: no library draws it, and no clock or locale is asked. Standard library only.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape

_WIDTH, _PLOT_HEIGHT = 720, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 40, 50  # around the plot, pixels
_LINE = 18  # of the legend and the notes
_GREY = "#7f7f7f"
_COLOURS = (
    "#3b82c4", "#d9822b", "#3f9e5a", "#9467bd", "#c44e52",
    "#8c8c2b", "#1f9e9e", "#c2658f", "#6f6fd6", "#a0763c",
)  # fmt: skip
_STEPS = (1, 2, 5)  # of an axis within a power of ten


@dataclasses.dataclass(frozen=True)
class Series:
    label: str
    points: list[tuple[float, float]]  # both above 0
    is_measured: bool = True  # a line with filled circles; what others publish has hollow squares


@dataclasses.dataclass(frozen=True)
class Chart:
    title: str
    x_label: str
    y_label: str
    show_y: Callable[[float], str]  # the text of a value
    series: list[Series]
    notes: list[str]  # below the legend


def svg(chart: Chart) -> str:
    x_axis = _Axis([x for each in chart.series for x, _ in each.points], _LEFT, _WIDTH - _RIGHT)
    bottom = _TOP + _PLOT_HEIGHT
    y_axis = _Axis([y for each in chart.series for _, y in each.points], bottom, _TOP)
    height = bottom + _BOTTOM + _LINE * (len(chart.series) + len(chart.notes)) + 8
    body = [
        _text(_WIDTH / 2, 22, chart.title, "middle", "t"),
        *_grid(x_axis, y_axis, chart.show_y),
        _text(_WIDTH / 2, bottom + 38, chart.x_label, "middle"),
        f'<text class="l" transform="translate(14 {(_TOP + bottom) / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(chart.y_label)}</text>',
    ]
    for index, series in enumerate(chart.series):
        colour = _COLOURS[index % len(_COLOURS)]
        body += _drawn(series, colour, x_axis, y_axis)
        at = bottom + _BOTTOM + 10 + _LINE * index
        body += [
            _marker(_LEFT, at - 4, colour, series.is_measured),
            _text(_LEFT + 14, at, series.label),
        ]
    for index, note in enumerate(chart.notes):
        at = bottom + _BOTTOM + 10 + _LINE * (len(chart.series) + index)
        body.append(_text(_LEFT, at, note, kind="n"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(chart.title, {chr(34): "&quot;"})}">\n'
        f"<style>text{{font:12px sans-serif;fill:{_GREY}}}.t{{font-size:15px;font-weight:bold}}.n{{font-size:11px}}</style>\n"
        + "\n".join(body)
        + "\n</svg>\n"
    )


class _Axis:
    """From the step below the least value to the one above the greatest, between two places on the picture."""

    def __init__(self, values: list[float], begin: float, end: float):
        self._begin, self._end = begin, end
        steps = list(_steps(min(values), max(values)))
        self.steps = steps
        self._low, self._high = math.log10(steps[0]), math.log10(steps[-1])

    def at(self, value: float) -> float:
        part = (math.log10(value) - self._low) / (self._high - self._low)
        return self._begin + part * (self._end - self._begin)


def _steps(low: float, high: float) -> Iterator[float]:
    """At least two."""
    exponent = math.floor(math.log10(low))
    all_steps = [
        step * 10.0**power
        for power in range(exponent - 1, math.ceil(math.log10(high)) + 2)
        for step in _STEPS
    ]
    first = max(each for each in all_steps if each <= low * 1.0001)
    last = min(each for each in all_steps if each >= high * 0.9999 and each > first)
    return (each for each in all_steps if first <= each <= last)


def _grid(x_axis: _Axis, y_axis: _Axis, show_y: Callable[[float], str]) -> Iterator[str]:
    left, right, top, bottom = _LEFT, _WIDTH - _RIGHT, _TOP, _TOP + _PLOT_HEIGHT
    for step in x_axis.steps:
        x = x_axis.at(step)
        yield _line(x, top, x, bottom)
        yield _text(x, bottom + 18, f"{step:,.10g}", "middle")
    # Where there are many steps, those of the powers of ten alone are named.
    many = len(y_axis.steps) > 12
    for step in y_axis.steps:
        y = y_axis.at(step)
        yield _line(left, y, right, y)
        if not many or math.isclose(math.log10(step), round(math.log10(step)), abs_tol=1e-9):
            yield _text(left - 6, y + 4, show_y(step), "end")


def _drawn(series: Series, colour: str, x_axis: _Axis, y_axis: _Axis) -> Iterator[str]:
    places = [(x_axis.at(x), y_axis.at(y)) for x, y in sorted(series.points)]
    if series.is_measured and len(places) > 1:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, y in places:
        yield _marker(x, y, colour, series.is_measured)


def _marker(x: float, y: float, colour: str, is_filled: bool) -> str:
    if is_filled:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="none" stroke="{colour}" stroke-width="2"/>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{_GREY}" stroke-opacity="0.3"/>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "l") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )
