#!/usr/bin/python3
"""Checks that C++ comments, and the program's strings, have no word that docs/glossary.md refuses.

The glossary's table of words that are not used has them in bold, each with the word to use. A phrase is found
over the end of a line, too. Strings of tests are not looked at: they have titles and made-up names. Prints file:line: what to write, and exits 1 when there is something. Standard
library only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.check_layers import tracked  # noqa: E402

GLOSSARY = "docs/glossary.md"
SECTION = "## Words that are not used"

# What a file's text is cut into: a raw string, a string, a character (and no digit separator), a comment.
PIECE = re.compile(
    r"""R"(?P<mark>[^\s()"\\]*)\((?P<raw>.*?)\)(?P=mark)"
    |"(?P<string>(?:[^"\\\n]|\\.)*)"
    |(?<!\w)'(?:[^'\\\n]|\\.)+'
    |//(?P<comment>[^\n]*)
    |/\*(?P<block>.*?)\*/""",
    re.DOTALL | re.VERBOSE,
)


def refused() -> dict[str, str]:
    """Each word that the glossary refuses, and what it has instead."""
    section = (ROOT / GLOSSARY).read_text().partition(SECTION)[2].partition("\n## ")[0]
    words: dict[str, str] = {}
    for wrong, right in re.findall(r"^\| (.*?) \| (.*?) \|$", section, re.MULTILINE):
        words.update(dict.fromkeys(re.findall(r"\*\*(.+?)\*\*", wrong), right))
    return words


def texts_of(source: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Comments and strings by kind, each the characters of lines that belong together, with their places."""
    text: list[tuple[int, str]] = []
    end, kind = 0, ""
    for found in PIECE.finditer(source):
        if found.lastgroup is None:
            continue  # a character
        group = "raw" if found.lastgroup == "mark" else found.lastgroup
        if group != kind or source[end : found.start()].strip():
            yield kind, text
            text = []
        elif group == "comment":
            text.append((found.start(), " "))
        text += [(found.start(group) + place, each) for place, each in enumerate(found[group])]
        end, kind = found.end(), group
    yield kind, text


def problems_of(path: str, words: dict[str, str]) -> Iterator[str]:
    source = (ROOT / path).read_text()
    listed = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words)
    # Names of objects and functions may have such words in them: somebody-else, Settle().
    pattern = re.compile(rf"(?<![\w-])({listed})(?![\w(-])", re.IGNORECASE)
    for kind, text in texts_of(source):
        if path.startswith("tests/") and kind in ("raw", "string"):
            continue
        for found in pattern.finditer("".join(each for _, each in text)):
            word = re.sub(r"\s+", " ", found[1])
            line = source.count("\n", 0, text[found.start()][0]) + 1
            yield f'{path}:{line}: not "{word}" but: {words[word.lower()]} ({GLOSSARY})'


def main() -> int:
    words = refused()
    paths = tracked("*.h", "*.cc")
    problems = [problem for path in paths for problem in problems_of(path, words)]
    if not words:
        problems.append(f'{GLOSSARY}:1: no word in bold below "{SECTION}"')
    for problem in problems:
        print(problem)
    if not problems:
        print(f"words: {len(paths)} files have none of {len(words)} that are not used")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
