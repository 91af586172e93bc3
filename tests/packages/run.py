#!/usr/bin/python3
"""make test-packages: builds the packages and tries them as an administrator would.

    tests/packages/run.py [--only NAME...] [--quick | --share K/N] [--seconds N] [--deb FILE] [--previous FILE]
                          [--image FILE] [--allow-skips]

--quick is for CI: the tests of QUICK, and what would first have to build Helm for minutes is skipped. After --seconds no
test is begun; the last line says how many were left. --share 7/5 plays the second of the five SHARES of the others.

What is not given is built from build/release. --previous is the version of the package that is upgraded from; without
it, the same program is packed once more under a lower version. What cannot run here is printed as SKIP, and counts as a
failure unless --allow-skips. The last line: "N passed, M failed, K skipped".
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from packages import (  # noqa: E402
    alert_rules,
    chart,
    chart_cluster,
    chart_documents,
    deb_files,
    deb_machine,
    image,
    krew,
    kustomize,
    monitored,
    release,
    rotation,
)
from packages.artefacts import Artefacts  # noqa: E402
from packages.parts import Skip  # noqa: E402

Test = Callable[[Artefacts], None]

# In the order in which they run.
TESTS: dict[str, Test] = {
    "deb-lintian": deb_files.lintian,
    "deb-build-dependencies": deb_files.build_dependencies,
    "deb-contents": deb_files.contents,
    "deb-debug-files": deb_files.debug_files,
    "deb-reproducible": deb_files.reproducible,
    "deb-hardening": deb_files.hardening,
    "deb-manual-pages": deb_files.manual_pages,
    "deb-completions": deb_files.completions,
    "deb-machine": deb_machine.life_of_a_package,
    "image-reproducible": image.reproducible,
    "image-contents": image.contents,
    "image-bill-of-materials": image.bill_of_materials,
    "image-labels": image.labels,
    "image-runs": image.runs,
    "chart-lint": chart.lint,
    "chart-values": chart.values,
    "chart-documented": chart_documents.documented,
    "chart-notes": chart_documents.notes,
    "chart-configuration": chart.configuration,
    "chart-long-names": chart.long_names,
    "chart-reproducible": chart.reproducible,
    "chart-rights": chart.rights,
    "chart-replicas": chart.replicas,
    "chart-placement-records": chart.placement_records,
    "chart-flow-schemas": chart.flow_schemas,
    "chart-discovery-rights": chart.discovery_rights,
    "chart-profile-rights": chart.profile_rights,
    "chart-secure-api": chart.secure_api,
    "chart-health-port": chart.health_port,
    "chart-monitoring": chart.monitoring,
    "chart-restarts": chart.restarts,
    "chart-runs": chart.runs,
    "chart-rotation": rotation.rotates,
    "kustomize-base": kustomize.base,
    "kustomize-components": kustomize.components,
    "kustomize-patches": kustomize.component_patches,
    "kustomize-worker": kustomize.worker,
    "kustomize-example": kustomize.example,
    "chart-cluster": chart_cluster.installs,
    "krew-manifest": krew.manifest,
    "krew-runs": krew.runs,
    "release": release.all_artefacts,
    "release-refusals": release.refusals,
    "alert-rules": alert_rules.rules,
    "alert-runbooks": alert_rules.runbooks,
    "dashboards": monitored.dashboards,
    "metrics-in-use": monitored.metrics_in_use,
    "metrics-scraped": monitored.scraped,
    "runbook-lines": monitored.runbook_lines,
}

# Without a machine, a cluster or root. The cheap ones come first, what builds the package comes last.
QUICK = (
    "metrics-in-use",
    "dashboards",
    "deb-build-dependencies",
    "release-refusals",
    "alert-runbooks",
    "alert-rules",
    "kustomize-worker",
    "kustomize-base",
    "kustomize-components",
    "kustomize-patches",
    "kustomize-example",
    "chart-lint",
    "chart-values",
    "chart-documented",
    "chart-notes",
    "chart-configuration",
    "chart-long-names",
    "chart-rights",
    "chart-replicas",
    "chart-placement-records",
    "chart-flow-schemas",
    "chart-discovery-rights",
    "chart-profile-rights",
    "chart-secure-api",
    "chart-health-port",
    "chart-monitoring",
    "chart-restarts",
    "chart-reproducible",
    "krew-manifest",
    "image-contents",
    "image-labels",
    "image-bill-of-materials",
    "deb-contents",
    "deb-hardening",
    "deb-debug-files",
    "deb-lintian",
    "krew-runs",
)

# The others, in parts of at most some four minutes, of which CI plays another one for each commit.
SHARES = (
    ("deb-machine",),
    ("image-reproducible", "image-runs", "chart-runs", "chart-rotation"),
    ("chart-cluster", "deb-manual-pages", "deb-completions"),
    ("metrics-scraped", "runbook-lines"),
    ("release", "deb-reproducible"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--only", nargs="+", choices=TESTS, default=None)
    which.add_argument("--quick", action="store_true")
    which.add_argument("--share", type=_share, default=())
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--deb", type=Path)
    parser.add_argument("--previous", type=Path)
    parser.add_argument("--image", type=Path)
    parser.add_argument("--allow-skips", action="store_true")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

    built = Artefacts(
        arguments.deb, arguments.previous, arguments.image, builds_helm=not arguments.quick
    )
    passed, failed, skipped, left = 0, 0, 0, 0
    first = time.monotonic()
    for name in arguments.only or arguments.share or (QUICK if arguments.quick else TESTS):
        started = time.monotonic()
        if started - first > arguments.seconds:
            left += 1
            continue
        try:
            TESTS[name](built)
            passed += 1
            print(f"ok   {name} ({time.monotonic() - started:.0f} s)", flush=True)
        except Skip as reason:
            skipped += 1
            print(f"SKIP {name}: {reason}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
    if not arguments.allow_skips and not arguments.quick:
        failed += skipped
    late = f", {left} left for want of time" if left else ""
    print(f"{passed} passed, {failed} failed, {skipped} skipped{late}")
    return 1 if failed else 0


def _share(text: str) -> tuple[str, ...]:
    played = [*QUICK, *(name for share in SHARES for name in share)]
    if sorted(played) != sorted(TESTS):
        raise SystemExit("each test is in QUICK or in one of SHARES")
    index, _, count = text.partition("/")
    if not index.isdigit() or count != str(len(SHARES)):
        raise argparse.ArgumentTypeError(f"{text}: not as 1/{len(SHARES)}")
    return SHARES[int(index) % len(SHARES)]


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    sys.exit(main())
