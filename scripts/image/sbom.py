"""A software bill of materials of the image: SPDX 2.3 as JSON."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from scripts.image.debian import Package, suite

_NONE = "NOASSERTION"


def document(
    version: str, digest: str, created: str, in_image: list[Package], compiled_in: list[Package]
) -> str:
    """`digest`: of the image's manifest. What is under which licence stands in the image, /usr/share/doc."""
    root: dict[str, Any] = {
        **_entry("SPDXRef-Package-fedra", "fedra", version),
        "licenseDeclared": "Apache-2.0",
        "primaryPackagePurpose": "CONTAINER",
        "checksums": [_checksum(digest)],
    }
    relationships = [_relation("SPDXRef-DOCUMENT", "DESCRIBES", root["SPDXID"])]
    packages = [root]
    for each in in_image:
        packages.append(_debian(each))
        relationships.append(_relation(root["SPDXID"], "CONTAINS", packages[-1]["SPDXID"]))
    for each in compiled_in:
        packages.append(_debian(each))
        relationships.append(_relation(root["SPDXID"], "STATIC_LINK", packages[-1]["SPDXID"]))
    return json.dumps(
        {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"fedra-{version}",
            "documentNamespace": f"https://fedra.dev/spdx/{version}/{digest.replace(':', '-')}",
            "creationInfo": {"created": created, "creators": ["Tool: fedra-build-image"]},
            "packages": packages,
            "relationships": relationships,
        },
        indent=1,
    )


def _debian(package: Package) -> dict[str, Any]:
    """The purl is how scanners find a package's vulnerabilities."""
    identifier = "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", package.name)
    purl = (
        f"pkg:deb/debian/{quote(package.name)}@{quote(package.version, safe='.-~')}"
        f"?arch={package.architecture}&distro={quote(suite())}"
    )
    return {
        **_entry(identifier, package.name, package.version),
        "supplier": "Organization: Debian",
        "sourceInfo": f"built from Debian's source package {package.source} {package.source_version}",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": purl,
            }
        ],
    }


def _entry(identifier: str, name: str, version: str) -> dict[str, Any]:
    return {
        "SPDXID": identifier,
        "name": name,
        "versionInfo": version,
        "downloadLocation": _NONE,
        "filesAnalyzed": False,
        "licenseConcluded": _NONE,
        "licenseDeclared": _NONE,
        "copyrightText": _NONE,
    }


def _checksum(digest: str) -> dict[str, str]:
    algorithm, _, value = digest.partition(":")
    return {"algorithm": algorithm.upper(), "checksumValue": value}


def _relation(subject: str, kind: str, related: str) -> dict[str, str]:
    return {
        "spdxElementId": subject,
        "relationshipType": kind,
        "relatedSpdxElement": related,
    }
