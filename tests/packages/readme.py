"""The lines that README.md tells to type, for the tests that type them."""

from __future__ import annotations

import re

from packages.parts import ROOT


def line(begin: str) -> str:
    """The one command of the section Install that begins so; continued lines are one."""
    text = (ROOT / "README.md").read_text()
    section = text.partition("\n## Install\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    commands = "".join(blocks).replace("\\\n", " ").splitlines()
    found = [each for each in commands if each.startswith(begin)]
    assert len(found) == 1, f"README.md, Install: {len(found)} lines begin with {begin}"
    return found[0]
