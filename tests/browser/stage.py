"""What the views are tried on: a fleet with a daemon, its dashboard, and the browser that shows it."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browser import proxy
from browser.chromium import Browser
from scenarios.fedra_process import Fedra, default_binary
from scenarios.world import World


@dataclasses.dataclass(frozen=True)
class Stage:
    browser: Browser
    fedra: Fedra
    ns: str
    worker: str  # with devices
    stuck: str  # NAMESPACE/NAME of a job whose template is on no worker
    # Options of commands that otherwise ask each worker themselves. Of a few workers they do, and must say the same.
    server: tuple[str, ...] = ()

    def document(self, *arguments: str) -> Any:
        """What the command says, of what the daemon has stored."""
        output = self.fedra.cli(*arguments, "-o", "json")
        assert output.stdout, output
        return output.json()

    def observed(self, *arguments: str, stdin: str | None = None) -> Any:
        """What the command says, of what the workers have now."""
        command = (*arguments, "-o", "json")
        if self.server:
            output = self.fedra.bare(*command, *self.server, stdin=stdin)
        else:
            output = self.fedra.cli(*command, stdin=stdin)
        assert output.stdout, output
        return output.json()


def state_of(fedra: Fedra, key: str) -> str:
    """Empty: it is not listed."""
    jobs = fedra.cli("status", "jobs", "--name", key, "-o", "json").json()["jobs"]
    return next((job["state"] for job in jobs if f"{job['namespace']}/{job['name']}" == key), "")


def add_past_job(world: World, fedra: Fedra) -> None:
    """One that is only history: it waited for a template, and was deleted."""
    past = world.submit("past", template="nowhere")
    world.eventually("it is blocked", lambda: state_of(fedra, past.key) == "Blocked")
    world.manager.delete("Job", world.ns, past.name)
    world.eventually("it is deleted", lambda: state_of(fedra, past.key) == "")


@contextlib.contextmanager
def dashboard(binary: Path, socket: Path) -> Iterator[str]:
    """The address that `fedra dashboard` prints. It ends when its output is closed, so it never outlives the test."""
    command = [str(binary), "dashboard", "--server", f"unix:{socket}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        try:
            yield served.stdout.readline().strip()
        finally:
            served.terminate()


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """With the options `fedra`, `shots` and `pages`. SIGTERM ends this program as Ctrl-C does, and so the fleet."""
    parser.add_argument("--fedra", type=Path, default=default_binary())
    parser.add_argument("--shots", type=Path, metavar="FOLDER", help="keeps pictures there")
    parser.add_argument(
        "--pages",
        type=Path,
        metavar="FOLDER",
        help="in place of those in the program; manager/dashboard/assets needs no build then",
    )
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if arguments.shots:
        arguments.shots.mkdir(parents=True, exist_ok=True)
    return arguments


@contextlib.contextmanager
def browse(
    arguments: argparse.Namespace, socket: Path, folder: Path
) -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of the daemon's dashboard. `arguments`: of `parse`; `folder`: for its profile."""
    with contextlib.ExitStack() as running:
        address = running.enter_context(dashboard(arguments.fedra, socket))
        if arguments.pages:
            pages = arguments.pages.resolve()
            address = running.enter_context(proxy.in_front_of(address, pages=pages))
        browser = Browser(folder / "profile")
        running.callback(browser.close)
        yield browser, address
