"""Commands that documents tell to type, for the tests that type them."""

from __future__ import annotations

import re


def commands(text: str, *begins: str) -> list[str]:
    """Of the blocks `sh` those that begin with one of these words, with their comments; continued lines are one."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if any(re.match(rf"{begin}\b", line) for begin in begins)]


def writing(text: str, name: str) -> str:
    """The command that writes this file, with what it writes."""
    pattern = rf"^cat > {re.escape(name)} <<'END'\n.*?^END\n"
    found: list[str] = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"{len(found)} commands write {name}"
    return found[0]
