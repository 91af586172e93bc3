#!/usr/bin/python3
"""make chart: the Helm chart as `helm package` would make it, without Helm.

    scripts/build_chart.py [--folder FOLDER]

Writes FOLDER/fedra-VERSION.tgz and prints its path. Version and appVersion are those of the image of this commit, and
links to files of deploy/ become the files. The same commit gives the same bytes. Standard library only.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.archive import Entry, Files, archive, compressed  # noqa: E402
from scripts.version import epoch, version  # noqa: E402

_CHART = ROOT / "deploy/chart/fedra"
_LEFT_OUT = ("ci",)  # values for the tests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build/packages")
    arguments = parser.parse_args()
    files = _files()
    files["fedra/Chart.yaml"] = Entry(_with_version().encode())
    arguments.folder.mkdir(parents=True, exist_ok=True)
    path = arguments.folder / f"fedra-{version()}.tgz"
    path.write_bytes(compressed(archive(files, epoch())))
    print(path)


def _files() -> Files:
    files: Files = {}
    for folder, folders, names in os.walk(_CHART, followlinks=True):
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        for name in names:
            path = Path(folder, name)
            if path.parent == _CHART / "files" and not path.is_symlink():
                sys.exit(f"{path} is a file of its own: make it a link to the one of deploy/")
            files[f"fedra/{path.relative_to(_CHART)}"] = Entry(path.read_bytes())
    return files


def _with_version() -> str:
    text = (_CHART / "Chart.yaml").read_text()
    return re.sub(r"^(version|appVersion): .*$", rf"\1: {version()}", text, flags=re.MULTILINE)


if __name__ == "__main__":
    main()
