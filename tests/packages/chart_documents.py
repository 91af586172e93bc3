"""What documents tell to type for Helm: the values that they write, and the image that they push."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from packages.artefacts import Artefacts
from packages.chart import SOURCE, of_kind, render
from packages.parts import ROOT, run
from scenarios.documents import writing

_PAGES = ("README.md", "docs/install.md", "deploy/chart/fedra/README.md")
# A setting -> what only then is said.
_TOLD = {
    "config.highAvailability.enabled=true": "get lease fedra --output",
    "secureApi.enabled=true": "fedra-fleet-viewer",
    "workers[0].name=a,workers[0].secretName=a": "tokenRotation.enabled",
    "networkPolicy.enabled=true": "networkPolicy.from is empty",
}
_PUSHED = "docker://"


def documented(built: Artefacts) -> None:
    """The values of each page are the chart's, and name the image that was pushed and the Secret that is made."""
    version = built.chart.name.removeprefix("fedra-").removesuffix(".tgz")
    folder = Path(tempfile.mkdtemp(prefix="fedra-chart-"))
    try:
        for page in _PAGES:
            text = (ROOT / page).read_text()
            assert (
                "--reuse-values" not in text
            ), f"{page}: with it a second worker replaces the first"
            values = folder / "values.yaml"
            run("sh", "-e", "-c", writing(text, values.name), cwd=folder)
            documents = render(built, "--values", values)
            pod = of_kind(documents, "StatefulSet")["spec"]["template"]["spec"]
            image = pod["containers"][0]["image"]
            pushed = _pushed(text, version)
            assert set(pushed) <= {image}, f"{page}: {pushed} is pushed, and {image} runs"
            assert pushed or page.startswith("deploy"), f"{page} pushes no image"
            (volume,) = (each for each in pod["volumes"] if each["name"] == "configuration")
            secrets = [each.get("secret") for each in volume["projected"]["sources"]]
            named = [each["name"] for each in secrets if each]
            assert named == [f"fedra-worker-{each}" for each in _joined(text)], f"{page}: {named}"
    finally:
        shutil.rmtree(folder)
    notes = (SOURCE / "templates/NOTES.txt").read_text()
    assert "--reuse-values" not in notes, notes


def notes(built: Artefacts) -> None:
    """What helm prints at the end names what the values leave to do, and nothing of it where nothing is left."""
    plain = _notes(built, "image.repository=r")
    for setting, told in _TOLD.items():
        assert told not in plain, told
        said = _notes(built, f"image.repository=r,{setting}")
        assert told in said, f"{setting}: {said}"


def _notes(built: Artefacts, values: str) -> str:
    # Without a cluster helm takes an older release of Kubernetes.
    chosen = f"--set=managedByPolicy.enabled=false,{values}"
    return run(built.helm, "install", "fedra", built.chart, "--dry-run=client", chosen).partition(
        "\nNOTES:\n"
    )[2]


def _pushed(text: str, version: str) -> list[str]:
    """As the shell reads it, in a clone of this version."""
    places = re.findall(rf"^skopeo copy \S+ {_PUSHED}(\S+)", text.replace("\\\n", ""), re.MULTILINE)
    for written in ("$(scripts/version.py)", "$VERSION"):
        places = [place.replace(written, version) for place in places]
    return places


def _joined(text: str) -> list[str]:
    """The workers whose Secret it is."""
    lines = re.findall(r"^(?:kubectl )?fedra join (.*)$", text, re.MULTILINE)
    names = [re.search(r"--name (\S+)", line) for line in lines if "--kubeconfig-out" not in line]
    return sorted({name[1] for name in names if name is not None})
