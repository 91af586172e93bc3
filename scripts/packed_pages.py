#!/usr/bin/python3
"""Makes the links of the Debian package's pages lead to what is in the package.

    packed_pages.py FOLDER          of the packed pages: .../usr/share/doc/fedra
    packed_pages.py --check FOLDER  whether every link leads somewhere; prints those that do not

Changelog and licence have Debian's names there. What stays in the sources is no link there, only its text. debian/rules
runs this when all files are in their places. Standard library only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.check_links import links, prose  # noqa: E402

_OF_DEBIAN = {"CHANGELOG.md": "changelog.gz", "LICENSE": "copyright"}


def main() -> None:
    folder = Path(sys.argv[-1])
    found = sorted(path for path in folder.rglob("*.md") if not path.is_symlink())
    if "--check" in sys.argv[1:]:
        nowhere = [f"{page}: {match[1]}" for page in found for match in dead(page)]
        sys.exit("\n".join(nowhere) if nowhere else 0)
    for page in found:
        text = page.read_text()
        for match in reversed(list(dead(page))):
            begin, end = match.span()
            label = text[begin + 1 : text.rindex("](", begin, end)]
            name = match[1].rpartition("/")[2]
            there = _OF_DEBIAN.get(name)
            if there is not None and (folder / there).exists():
                label = f"[{label}]({match[1].removesuffix(name)}{there})"
            elif (page.parent / f"{match[1]}.gz").exists():
                label = f"[{label}]({match[1]}.gz)"
            text = text[:begin] + label + text[end:]
        page.write_text(text)


def dead(page: Path) -> Iterator[re.Match[str]]:
    """The links to files that are not there."""
    for match in links(prose(page)):
        name = match[1].partition("#")[0]
        if name and not re.match(r"[a-z]+:", name) and not (page.parent / name).exists():
            yield match


if __name__ == "__main__":
    main()
