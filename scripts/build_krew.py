#!/usr/bin/python3
"""make krew: `kubectl fedra` for krew, as an archive that runs on any Linux of this architecture, and its manifest.

    scripts/build_krew.py [--program FILE] [--folder FOLDER] [--url URL] [--homepage URL]

Writes FOLDER/kubectl-fedra_VERSION_linux_ARCHITECTURE.tar.gz and FOLDER/fedra-krew.yaml, and prints both paths. --url
is the folder that the archive will be downloaded from, --homepage where people read about it. In the archive are the
program, every library that it loads and the dynamic linker, from this machine's Debian packages, and their licences.
The same program, packages and commit give the same bytes. Standard library only.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.archive import Entry, Files, archive, compressed  # noqa: E402
from scripts.artefact import BuildError  # noqa: E402
from scripts.image.contents import collect  # noqa: E402
from scripts.image.debian import architecture  # noqa: E402
from scripts.version import epoch, version  # noqa: E402

# For who tries it: krew takes --archive in its place. A release must say where it is (release.sh).
_URL = "https://downloads.invalid/fedra"

# krew links to it from a folder on PATH. The libraries are Debian's, those of the system may be others.
_LAUNCHER = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/lib/{linker}" --argv0 kubectl-fedra --library-path "$here/lib" "$here/lib/fedra" "$@"
"""

_MANIFEST = """\
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: fedra
spec:
  version: v{version}{homepage}
  shortDescription: See and explain federated DRA jobs
  description: |
    Makes clusters workers of fedra, with your kubeconfig: `join`, `leave`.
    Says where the jobs are and why, where a job could run before it is
    submitted, and what the workers have: `status`, `why`, `history`, `wait`,
    `logs`, `check`, `devices`, `templates diff`. For these it finds fedra's
    Service in the cluster of your context, and forwards a port to it. Needs
    nothing: `explain`, `cel`, `config print-defaults`, `completion`.
  caveats: |
    Built for Linux on {architecture} only. Questions to fedra need its secure
    API (`secureApi.enabled` of the chart) and a token, in your kubeconfig or
    by --token-file. `templates`, `snapshot` and `orphans` need a fedra.yaml
    with kubeconfigs of the workers (--config or $FEDRA_CONFIG); `dashboard`,
    `backup` and `support-bundle` need the daemon's machine or pod. For
    completion put a script kubectl_complete-fedra on PATH that calls
    `kubectl-fedra __complete "$@"`.
  platforms:
  - selector:
      matchLabels: {{os: linux, arch: {architecture}}}
    uri: {url}/{file}
    sha256: {digest}
    bin: kubectl-fedra
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/manager/fedra")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/packages")
    parser.add_argument("--url", default=_URL)
    parser.add_argument("--homepage", default="")
    arguments = parser.parse_args()
    try:
        build(arguments.program, arguments.folder, arguments.url, arguments.homepage)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def build(program: Path, folder: Path, url: str, homepage: str) -> None:
    file = folder / f"kubectl-fedra_{version()}_linux_{architecture()}.tar.gz"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(compressed(archive(_files(program), epoch())))
    manifest = folder / "fedra-krew.yaml"
    manifest.write_text(
        _MANIFEST.format(
            version=version(),
            homepage=f"\n  homepage: {homepage}" if homepage else "",
            architecture=architecture(),
            url=url.rstrip("/"),
            file=file.name,
            digest=hashlib.sha256(file.read_bytes()).hexdigest(),
        )
    )
    print(file)
    print(manifest)


def _files(program: Path) -> Files:
    contents = collect(program, ROOT)
    debian = _without_links(contents.debian)
    files: Files = {"lib/fedra": contents.fedra["usr/bin/fedra"]}
    for path, entry in debian.items():
        if ".so" in Path(path).name:
            files[f"lib/{Path(path).name}"] = entry
        elif path.startswith(("usr/share/doc/", "usr/share/common-licenses/")):
            files[path.removeprefix("usr/share/")] = entry
    linker = next((Path(path).name for path in debian if "/ld-linux" in path), "")
    if not linker:
        raise BuildError(f"{program} names no dynamic linker")
    return {
        **files,
        "kubectl-fedra": Entry(_LAUNCHER.format(linker=linker).encode(), mode=0o755),
        "kubectl_complete-fedra": Entry(
            (ROOT / "deploy/kubectl/kubectl_complete-fedra").read_bytes(), mode=0o755
        ),
        "LICENSE": Entry((ROOT / "LICENSE").read_bytes()),
    }


def _without_links(files: Files) -> Files:
    """krew unpacks files and folders only. What a link leads to is there under the link's name: libcurl.so.4."""
    found: Files = {}
    followed = set()
    for path in files:
        target = path
        while files[target].link:
            target = os.path.normpath(Path(target).parent / files[target].link)
            if target not in files:
                break
        if target in files and files[target].content is not None:
            found[path] = files[target]
        if target != path and ".so" in target:
            followed.add(target)
    return {path: entry for path, entry in found.items() if path not in followed}


if __name__ == "__main__":
    sys.exit(main())
