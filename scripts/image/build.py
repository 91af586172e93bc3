#!/usr/bin/python3
"""make image: the container image of fedra, from this machine's Debian packages; no engine, no network.

    scripts/image/build.py [--program FILE] [--folder FOLDER]

Writes FOLDER/fedra_VERSION_ARCHITECTURE.oci.tar (an OCI image layout) and, beside it, .spdx.json (what is in it).
Prints the first one's path and the digest of the image. The same program, packages and commit give the same bytes;
SOURCE_DATE_EPOCH replaces the time of the commit. Standard library only.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.artefact import BuildError  # noqa: E402
from scripts.image import sbom  # noqa: E402
from scripts.image.contents import STORE, USER, collect, compiled_in, needed_glibc  # noqa: E402
from scripts.image.debian import architecture, package  # noqa: E402
from scripts.image.oci import Layer, Layout  # noqa: E402
from scripts.version import commit, epoch, version  # noqa: E402

_DESCRIPTION = "Federates Kubernetes batch jobs with Dynamic Resource Allocation over many clusters"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/manager/fedra")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/packages")
    arguments = parser.parse_args()
    try:
        build(arguments.program, arguments.folder)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def build(program: Path, folder: Path) -> None:
    time = epoch()
    created = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    contents = collect(program, ROOT)
    labels = {
        "org.opencontainers.image.title": "fedra",
        "org.opencontainers.image.description": _DESCRIPTION,
        "org.opencontainers.image.version": version(),
        "org.opencontainers.image.revision": commit().hash,
        "org.opencontainers.image.created": created,
        "org.opencontainers.image.licenses": "Apache-2.0",
        # For who takes the program out of it: the oldest C library that it starts with.
        "dev.fedra.glibc": needed_glibc(program),
    }
    layout = Layout()
    layers = [
        Layer(contents.debian, 0, "Debian's libraries, certificates and licences"),
        Layer(contents.fedra, time, "fedra"),
    ]
    manifest = layout.add_image(layers, _config(created, labels), labels)
    names = {
        "org.opencontainers.image.ref.name": version(),
        "io.containerd.image.name": f"localhost/fedra:{version()}",
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"fedra_{version()}_{architecture()}.oci.tar"
    layout.write(path, {**manifest, "annotations": names})
    bill = sbom.document(
        version(),
        manifest["digest"],
        created,
        contents.packages,
        [package(name) for name in compiled_in()],
    )
    path.with_name(path.name.replace(".oci.tar", ".spdx.json")).write_text(bill)
    print(path)
    print(f"{manifest['digest']} {layout.compressed_size() / 1e6:.1f} MB")


def _config(created: str, labels: dict[str, str]) -> dict[str, object]:
    return {
        "created": created,
        "architecture": architecture(),
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": ["/usr/bin/fedra"],
            "Cmd": ["run"],
            "Volumes": {f"/{STORE}": {}},
            "ExposedPorts": {"9480/tcp": {}},
            "WorkingDir": "/",
            "StopSignal": "SIGTERM",
            "Labels": labels,
        },
    }


if __name__ == "__main__":
    sys.exit(main())
