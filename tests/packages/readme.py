"""The lines that README.md tells to type, for the tests that type them."""

from __future__ import annotations

from packages.parts import ROOT
from scenarios.documents import commands, writing


def line(begin: str) -> str:
    """The one command of the section Install that begins so; continued lines are one."""
    found = commands(_install(), begin)
    assert len(found) == 1, f"README.md, Install: {len(found)} lines begin with {begin}"
    return found[0]


def writes(name: str) -> str:
    """The command there that writes this file."""
    return writing(_install(), name)


def _install() -> str:
    text = (ROOT / "README.md").read_text()
    return text.partition("\n## Install\n")[2].partition("\n## ")[0]
