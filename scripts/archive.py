"""Tar files that are the same bytes for the same content, whoever makes them, when and where."""

from __future__ import annotations

import dataclasses
import gzip
import io
import tarfile
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file, or with `link` a symbolic link, or with neither a folder."""

    content: bytes | None = None
    link: str = ""
    mode: int = 0o644
    user: int = 0


# Path without a leading slash -> what is there.
Files = dict[str, Entry]


def archive(files: Files, time: int) -> bytes:
    """Sorted, with the folders above every file, so that nobody has to invent their modes.

    `time`: of every file, seconds since 1970.
    """
    files = dict(files)
    for name in list(files):
        for folder in Path(name).parents:
            if str(folder) != ".":
                files.setdefault(str(folder), Entry(mode=0o755))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in sorted(files):
            tar.addfile(*_member(name, files[name], time))
    return buffer.getvalue()


def compressed(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)


def _member(name: str, entry: Entry, time: int) -> tuple[tarfile.TarInfo, io.BytesIO | None]:
    member = tarfile.TarInfo(name)
    member.mtime, member.mode, member.uid, member.gid = time, entry.mode, entry.user, entry.user
    if entry.link:
        member.type, member.linkname, member.mode = tarfile.SYMTYPE, entry.link, 0o777
        return member, None
    if entry.content is None:
        member.type = tarfile.DIRTYPE
        return member, None
    member.size = len(entry.content)
    return member, io.BytesIO(entry.content)
