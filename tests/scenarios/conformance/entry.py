"""What one line of docs/conformance.md is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """What a mode has to say to one case of MultiKueue's tests."""

    mark: str  # "yes", "part" or "-"
    text: str = ""  # `scenario` or `tests/unit/file` "title", as in README.md; or why not


def yes(shown_by: str) -> Answer:
    """All that the case asks is shown, in this mode, by these tests."""
    return Answer("yes", shown_by)


def part(shown_by: str, missing: str) -> Answer:
    """Some of it is; `missing` is not."""
    return Answer("part", f"{shown_by}; not shown: {missing}")


def other(why: str) -> Answer:
    """The case does not apply in this mode, or fedra does something else on purpose."""
    return Answer("-", why)


@dataclass(frozen=True)
class Entry:
    """One case of the catalogue."""

    name: str  # "I-JOB-1"
    asks: str
    admission_check: Answer
    multikueue: Answer
    dispatcher: Answer

    def answers(self) -> tuple[Answer, Answer, Answer]:
        """In the order of scenarios/modes.py."""
        return self.admission_check, self.multikueue, self.dispatcher
