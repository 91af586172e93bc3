"""A terminal with somebody at it: a pseudo-terminal, and of xterm as much as a full screen of ours uses."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import struct
import subprocess
import termios
from collections.abc import Sequence
from typing import Any

# A sequence, or text up to the next one. Any other control character is an error of what is shown.
_PIECES = re.compile(r"\x1b\[(?P<arguments>[?\d;]*)(?P<final>[A-Za-z])|(?P<text>[^\x00-\x1f\x7f]+)")
# What may be the begin of a sequence whose end comes later.
_BEGUN = re.compile(r"\x1b(\[[?\d;]*)?$")


class Terminal:
    """Runs a command on it, as its session's leader; `with` ends both."""

    def __init__(self, command: Sequence[str], lines: int, columns: int, term: str = "xterm"):
        self._ours, self._theirs = os.openpty()
        os.set_blocking(self._ours, False)
        self.resize(lines, columns)
        self._modes = termios.tcgetattr(self._theirs)
        self._rows: dict[int, str] = {}
        self._row = self._column = 0
        self._pending = b""
        self.is_alternate = False
        self.written = ""  # all of it, as it came
        self.process = subprocess.Popen(
            # Ctrl-c is heard whatever ran the tests: a script's background jobs, and theirs, ignore it.
            ["setsid", "--ctty", "env", "--default-signal=INT,QUIT", *command],
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env={**os.environ, "TERM": term, "LC_ALL": "C.UTF-8"},
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    def resize(self, lines: int, columns: int) -> None:
        """What is in front hears SIGWINCH."""
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def screen(self) -> str:
        """What stands there now."""
        self._read()
        last = max(self._rows, default=-1)
        return "\n".join(self._rows.get(row, "").rstrip() for row in range(last + 1))

    def shows(self, *texts: str) -> bool:
        screen = self.screen()
        return all(text in screen for text in texts)

    def is_as_before(self) -> bool:
        """Whether its modes are those that it had, and it shows what it showed."""
        self._read()
        return not self.is_alternate and termios.tcgetattr(self._theirs) == self._modes

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self._ours, 65536):
                self._pending += piece
        text = self._pending.decode(errors="ignore")
        begun = _BEGUN.search(text)
        whole = text[: begun.start()] if begun else text
        self._pending = text[len(whole) :].encode()
        self.written += whole
        if "\x1b" in self.written:
            self._draw(whole)

    def _draw(self, text: str) -> None:
        at = 0
        while at < len(text):
            if text[at] in "\r\n":
                self._row += text[at] == "\n"
                self._column = 0
                at += 1
                continue
            found = _PIECES.match(text, at)
            assert found, f"{text[at : at + 40]!r} must not reach a terminal"
            at = found.end()
            if found["text"]:
                self._put(found["text"])
            else:
                self._obey(found["arguments"], found["final"])

    def _put(self, text: str) -> None:
        row = self._rows.get(self._row, "").ljust(self._column)
        end = self._column + len(text)
        self._rows[self._row] = row[: self._column] + text + row[end:]
        self._column = end

    def _obey(self, arguments: str, final: str) -> None:
        if final == "H":
            row, _, column = arguments.partition(";")
            self._row, self._column = int(row or 1) - 1, int(column or 1) - 1
        elif final == "J":
            self._rows.clear()
        elif final == "K":
            self._rows[self._row] = self._rows.get(self._row, "")[: self._column]
        elif arguments == "?1049":
            self.is_alternate = final == "h"
