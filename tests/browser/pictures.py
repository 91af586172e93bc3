#!/usr/bin/python3
"""Plays `make demo` and takes the pictures of the documentation: the dashboard in Chromium, and casts of the terminal.

While it is open, the dashboard is compared with what the commands say of the demo's fleet.

  pictures.py [FOLDER]     build/pictures; docs/pictures is written by `make pictures`
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from browser import cast, views  # noqa: E402
from browser.chromium import Browser  # noqa: E402
from browser.stage import Stage  # noqa: E402
from scenarios.fedra_process import Fedra, default_binary  # noqa: E402
from scenarios.federated_job import FederatedJob  # noqa: E402
from scenarios.resources import Object  # noqa: E402
from scripts.demo import Demo  # noqa: E402

_SIZE = (1100, 640)
_LARGEST = 150_000  # bytes of one picture
# File -> the demo's title, what is seen, and a line that must be in it.
_CASTS = {
    "blocked": (
        "A job whose template",
        "A job is submitted whose template is on no worker; fedra status and fedra why say what is missing where",
        "$ fedra why ml/sweep",
    ),
    "devices": (
        "A job that wants an 80 GB GPU and nothing else",
        "A job waits for a device; fedra why counts the devices of each worker",
        "$ fedra why ml/embed",
    ),
    "takeover": (
        "Two replicas",
        "The leader of two replicas is killed; the other one takes over and dispatches",
        "$ fedra status",
    ),
}
# File -> the page's address and title.
_PAGES = {
    "overview": ("#/", "Overview"),
    "job": ("#/job?job=ml/embed", "ml/embed"),
    "devices": ("#/devices", "Devices"),
    "workers": ("#/workers", "Workers"),
}


class _Pictured(Demo):
    """The demo, with pictures of the dashboard while a job waits for a device."""

    def __init__(self, folder: Path, pictures: Path):
        super().__init__(folder)
        self._socket, self._profile, self._pictures = folder / "s", folder / "profile", pictures

    def _make_fedra(self, name: str, settings: Object) -> Fedra:
        return super()._make_fedra(name, settings | {"api": {"socket": str(self._socket)}})

    def _device_is_freed(self, holder: FederatedJob, waiting: FederatedJob) -> None:
        server = f"unix:{self._socket}"
        command = [str(default_binary()), "dashboard", "--server", server]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
            assert served.stdout is not None
            browser = Browser(self._profile)
            try:
                browser.look(_SIZE, dark=False)
                browser.driver.get(served.stdout.readline().strip())
                browser.wait("the overview is shown", lambda: browser.title() == "Overview")
                for name, (route, title) in _PAGES.items():
                    browser.go(route, title)
                    browser.wait(f"{title} has rows", lambda: bool(browser.rows()))
                    browser.driver.save_screenshot(str(self._pictures / f"{name}.png"))
                browser.assert_silent()
                stage = Stage(browser, self._running(), waiting.ns, "gpu-east", waiting.key)
                views.check_any(stage)
            finally:
                browser.close()
                served.terminate()
        super()._device_is_freed(holder, waiting)


def main() -> int:
    pictures = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/pictures").resolve()
    pictures.mkdir(parents=True, exist_ok=True)
    os.environ["COLUMNS"] = "120"
    recorder = cast.Recorder()
    with tempfile.TemporaryDirectory(prefix="fedra-pictures-") as folder:
        demo = _Pictured(Path(folder), pictures)
        try:
            with contextlib.redirect_stdout(recorder):  # type: ignore[type-var]
                demo.run()
        except Exception:
            print(demo.report(), file=sys.stderr)
            raise
        finally:
            demo.stop()
    for name, (title, label, line) in _CASTS.items():
        lines = cast.part(recorder.lines, title)
        assert any(each.text.startswith(line) for each in lines), f"{name} lacks {line}"
        text = cast.svg(lines, label)
        ElementTree.fromstring(text)
        (pictures / f"demo-{name}.svg").write_text(text)
    files = sorted(pictures.glob("*.png")) + sorted(pictures.glob("*.svg"))
    for file in files:
        assert 0 < file.stat().st_size < _LARGEST, f"{file}: {file.stat().st_size} bytes"
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")
    print(f"ok: {len(files)} pictures in {pictures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
