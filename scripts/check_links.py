#!/usr/bin/python3
"""Checks the links of every Markdown file: what they lead to in this repository is there, headings included.

Also `runbook_url`s of the alerts, which lead to docs/runbooks.md. Prints file:line: what is wrong, and exits 1 when
something is. Nothing outside of the repository is asked. Standard library only.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]+)\)")
_URL = re.compile(r"runbook_url: (\S+)")


def main() -> int:
    problems = [problem for path in _tracked() for problem in _problems(path)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _tracked() -> list[Path]:
    command = ["git", "-C", str(ROOT), "ls-files", "-coz", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    files = [ROOT / path for path in sorted(listed) if path]
    return [path for path in files if path.is_file()] + [ROOT / "deploy/alerts.yaml"]


def _problems(path: Path) -> Iterator[str]:
    markdown = path.suffix == ".md"
    text = prose(path)
    for match in links(text) if markdown else _URL.finditer(text):
        # Of a runbook the path is from the root of the repository.
        problem = _problem(path, path.parent if markdown else ROOT, match[1])
        if problem:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: {match[1]}: {problem}"


def links(text: str) -> Iterator[re.Match[str]]:
    """Also of a text that goes on in the next line; not in `code`."""
    return _LINK.finditer(re.sub(r"`[^`\n]*`", lambda code: "`" * len(code[0]), text))


def prose(path: Path) -> str:
    """The text, where fenced blocks are blanks: nothing is a link in them."""
    lines, fenced = [], False
    for line in path.read_text().split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        lines.append(" " * len(line) if fenced and path.suffix == ".md" else line)
    return "\n".join(lines)


def _problem(source: Path, base: Path, target: str) -> str:
    if re.match(r"[a-z]+:", target):
        return ""
    name, _, heading = target.partition("#")
    path = (base / name).resolve() if name else source
    if not path.exists():
        return "there is no such file"
    if not path.is_relative_to(ROOT):
        return "it is outside of the repository"
    if heading and (path.suffix != ".md" or heading not in anchors(path)):
        return "there is no such heading"
    return ""


@cache
def anchors(path: Path) -> frozenset[str]:
    """As GitHub and mkdocs name headings."""
    found: list[str] = []
    for line in prose(path).split("\n"):
        match = re.match(r"#{1,6} +(.*?) *#*$", line)
        if match is None:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1])
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.append(name if name not in found else f"{name}_{found.count(name)}")
    return frozenset(found)


if __name__ == "__main__":
    sys.exit(main())
