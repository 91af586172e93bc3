"""Holds one thread of another process, while the others go on (ptrace(2))."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator

_SEIZE, _INTERRUPT, _DETACH = 0x4206, 0x4207, 17
_WALL = 0x40000000  # __WALL: also of threads

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


@contextlib.contextmanager
def held(thread: int) -> Iterator[Callable[[], None]]:
    """Gives a function to call again and again meanwhile: when the process is killed, its parent does not hear of it
    before we have taken notice of the thread's end.
    """
    _ptrace(_SEIZE, thread)
    _ptrace(_INTERRUPT, thread)
    os.waitpid(thread, _WALL)
    try:
        yield lambda: _reap(thread)
    finally:
        # It may have been killed meanwhile.
        with contextlib.suppress(OSError):
            _ptrace(_DETACH, thread)


def _reap(thread: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(thread, _WALL | os.WNOHANG)


def _ptrace(request: int, thread: int) -> None:
    if _libc.ptrace(request, thread, None, None) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"ptrace of {thread}: {os.strerror(code)}")
