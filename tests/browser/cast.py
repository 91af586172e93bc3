"""A terminal cast: what a program printed and when, as a moving SVG whose text can be selected.

The lines lie below each other, and the window moves down to each one at its time: one animation, no script, nothing that
is fetched. Who wants no motion is shown the end.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from xml.sax.saxutils import escape

_COLUMNS, _ROWS = 120, 32
_WIDTH, _HEIGHT, _MARGIN = 7.0, 16, 12  # of a character, of a line, around all; pixels
_LONGEST = 2.0  # seconds without a change; nobody wants to see more
_TO_READ = {"$": 0.6, "=": 1.2}  # by the first character: seconds before that line
_HOLD = 6.0  # seconds at the end
_STYLES = {"$": "c", "=": "t"}


@dataclasses.dataclass(frozen=True)
class Line:
    at: float  # seconds since the beginning
    text: str


class Recorder:
    """Stands in for standard output, and notes when each line was complete. One thread."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._begun = time.monotonic()
        self._rest = ""

    def write(self, text: str) -> int:
        *whole, self._rest = (self._rest + text).split("\n")
        now = time.monotonic() - self._begun
        self.lines += [Line(now, each) for each in whole]
        return len(text)

    def flush(self) -> None:
        pass


def part(lines: list[Line], title: str) -> list[Line]:
    """The lines from "=== TITLE..." to the next title, without empty ones at the end."""
    begin = next(i for i, line in enumerate(lines) if line.text.startswith(f"=== {title}"))
    rest = [line.text.startswith("=== ") for line in lines[begin + 1 :]]
    end = begin + 1 + (rest.index(True) if True in rest else len(rest))
    while not lines[end - 1].text:
        end -= 1
    return lines[begin:end]


def _folded(text: str) -> list[str]:
    """As a terminal does with what is wider than it is."""
    return [text[i : i + _COLUMNS] for i in range(0, len(text), _COLUMNS)] or [""]


def svg(lines: list[Line], label: str) -> str:
    """`label`: what is seen, for those who cannot."""
    lines = [Line(line.at, piece) for line in lines for piece in _folded(line.text)]
    moments = list(_moments(lines))
    rows = min(_ROWS, len(lines))
    width, height = _COLUMNS * _WIDTH + 2 * _MARGIN, rows * _HEIGHT + 2 * _MARGIN
    last = len(lines) - rows
    whole = moments[-1] + _HOLD
    # Of lines that came at once the last one is followed.
    followed = {f"{100 * moment / whole:.2f}": i for i, moment in enumerate(moments)}
    steps = "".join(
        f"{percent}%{{transform:translateY({(rows - 1 - i) * _HEIGHT}px)}}"
        for percent, i in followed.items()
    )
    texts = "".join(_text(i, line.text) for i, line in enumerate(lines) if line.text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" role="img" aria-label="{escape(label, {chr(34): "&quot;"})}">\n'
        f"<style>text{{font:12px monospace;fill:#d4d4dc;white-space:pre}}.c{{fill:#8fd6a3;font-weight:bold}}"
        f".t{{fill:#8ab4f8;font-weight:bold}}g{{transform:translateY({-last * _HEIGHT}px)}}"
        f"@media (prefers-reduced-motion:no-preference){{g{{animation:m {whole:.1f}s step-end infinite}}}}"
        f"@keyframes m{{{steps}}}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#1d1f27"/>\n'
        f'<svg x="{_MARGIN}" y="{_MARGIN}" width="{_COLUMNS * _WIDTH:.0f}" height="{rows * _HEIGHT}">'
        f"<g>\n{texts}</g></svg>\n</svg>\n"
    )


def _moments(lines: list[Line]) -> Iterator[float]:
    """When each line is shown: as it was, but for long waits, and with time to read."""
    shown, before = 0.0, lines[0].at
    for i, line in enumerate(lines):
        if i > 0:
            shown += min(line.at - before, _LONGEST) + _TO_READ.get(line.text[:1], 0)
            if line.text.startswith("$"):
                shown += 1.5
        before = line.at
        yield shown


def _text(row: int, text: str) -> str:
    """As wide as it has characters, whichever font there is."""
    bare = text.lstrip(" ")
    x = (len(text) - len(bare)) * _WIDTH
    style = _STYLES.get(text[:1])
    return (
        f'<text x="{x:g}" y="{row * _HEIGHT + 12}" textLength="{len(bare) * _WIDTH:g}" '
        f'lengthAdjust="spacingAndGlyphs"{f" class={chr(34)}{style}{chr(34)}" if style else ""}>'
        f"{escape(bare)}</text>\n"
    )
