"""The lines that README.md tells to type, for the tests that type them."""

from __future__ import annotations

from packages.parts import ROOT
from scenarios.documents import commands


def line(begin: str) -> str:
    """The one command of the section Install that begins so; continued lines are one."""
    text = (ROOT / "README.md").read_text()
    section = text.partition("\n## Install\n")[2].partition("\n## ")[0]
    found = commands(section, begin)
    assert len(found) == 1, f"README.md, Install: {len(found)} lines begin with {begin}"
    return found[0]
