"""An OCI image layout (image-spec v1.1) as one tar file. The same files give the same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.archive import Entry, Files, archive, compressed

_TYPE = "application/vnd.oci.image"


@dataclasses.dataclass(frozen=True)
class Layer:
    files: Files
    time: int  # of every file, seconds since 1970
    what: str  # for the image's history


class Layout:
    """The blobs of one image. Main thread only."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}

    def add_image(
        self, layers: list[Layer], config: Mapping[str, Any], annotations: Mapping[str, str]
    ) -> dict[str, Any]:
        """Returns the descriptor of its manifest. `config` lacks only what follows from the layers."""
        archives = [archive(layer.files, layer.time) for layer in layers]
        descriptors = [self._add("layer.v1.tar+gzip", compressed(each)) for each in archives]
        rootfs = {"type": "layers", "diff_ids": [_digest(each) for each in archives]}
        history = [{"created": config["created"], "created_by": layer.what} for layer in layers]
        document = {**config, "rootfs": rootfs, "history": history}
        manifest = {
            "schemaVersion": 2,
            "mediaType": f"{_TYPE}.manifest.v1+json",
            "config": self._add("config.v1+json", _json(document)),
            "layers": descriptors,
            "annotations": dict(annotations),
        }
        return self._add("manifest.v1+json", _json(manifest))

    def compressed_size(self) -> int:
        return sum(len(blob) for blob in self._blobs.values())

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        """In one step; `manifest` is the descriptor that the index names."""
        files: Files = {
            "index.json": Entry(
                _json(
                    {
                        "schemaVersion": 2,
                        "mediaType": f"{_TYPE}.index.v1+json",
                        "manifests": [manifest],
                    }
                )
            ),
            "oci-layout": Entry(_json({"imageLayoutVersion": "1.0.0"})),
            **{f"blobs/sha256/{digest}": Entry(blob) for digest, blob in self._blobs.items()},
        }
        fresh = path.with_suffix(".new")
        fresh.write_bytes(archive(files, 0))
        fresh.rename(path)

    def _add(self, kind: str, blob: bytes) -> dict[str, Any]:
        digest = _digest(blob)
        self._blobs[digest.removeprefix("sha256:")] = blob
        return {"mediaType": f"{_TYPE}.{kind}", "digest": digest, "size": len(blob)}


def _digest(blob: bytes) -> str:
    return "sha256:" + hashlib.sha256(blob).hexdigest()


def _json(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
