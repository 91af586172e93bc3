"""docs/kueue-setup.md: each command that it tells to type is in its table of what shows it, or says that nothing does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from scenarios import shown_by

PAGE = Path(__file__).parents[2] / "docs/kueue-setup.md"
_HEADING = "\n## Which of these commands tests run\n"
_BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
# What the shell does around commands.
_SHELL = re.compile(r"(for|done|END)\b")


def problems(scenarios: Collection[str]) -> list[str]:
    """One line each."""
    text, found, table = PAGE.read_text().partition(_HEADING)
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")][2:]
    assert found and rows, f"{PAGE} has no table of its commands"
    begins = [begin for commands, _ in rows for begin in re.findall(r"`([^`]+)`", commands)]
    typed = list(_commands(text))
    missing = [each for each in typed if not any(map(each.startswith, begins))]
    useless = [begin for begin in begins if not any(each.startswith(begin) for each in typed)]
    return [
        *(f"{each!r} is not in the table of what shows it" for each in missing),
        *(f"no command begins with {each!r}" for each in useless),
        *(problem for _, shown in rows for problem in _problems_of(shown, scenarios)),
    ]


def _problems_of(shown: str, scenarios: Collection[str]) -> Iterator[str]:
    if not shown_by.names_something(shown):
        yield f"nothing is named in {shown!r}"
    yield from shown_by.problems(shown, scenarios)


def _commands(text: str) -> Iterator[str]:
    """Without comments, sudo and indentation, in single blanks; of a script that is fed to bash, bash alone."""
    for block in _BLOCK.findall(text):
        joined = re.sub(r"(\\|(?<=\|))\n", " ", block)
        if "<<'END'" in joined:
            yield joined.split()[0]
            continue
        for line in joined.splitlines():
            command = " ".join(re.sub(r"(^|\s)#.*", "", line).split()).removeprefix("sudo ")
            if command and not _SHELL.match(command):
                yield command
