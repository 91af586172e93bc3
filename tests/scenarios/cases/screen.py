"""The full screen of `fedra status --watch`, with somebody at its keys."""

from __future__ import annotations

import signal
import tempfile

from scenarios.federated_job import FederatedJob
from scenarios.fedra_process import Fedra
from scenarios.registry import scenario
from scenarios.terminal import Terminal
from scenarios.waiting import Timeout
from scenarios.world import World

_ENTER, _ESCAPE = "\r", "\x1b"
_LINES, _COLUMNS = 24, 100


# A terminal is the same whatever is behind the API servers.
@scenario("status-watch-screen", fleets=("sim",))
def a_full_screen(world: World) -> None:
    """fedra status --watch on a terminal: groups, jobs, a filter, why, devices, narrow; it ends with q as it began."""
    with tempfile.TemporaryDirectory(prefix="fedra-screen-") as folder:
        fedra = world.start_fedra(settings=_listening(folder))
        running = world.submit("train")
        running.wait_running_on(world.worker1)
        blocked = world.submit("stuck", template="unheard")
        blocked.wait_message("no worker eligible")
        _walk(world, fedra, running, blocked)


def _walk(world: World, fedra: Fedra, running: FederatedJob, blocked: FederatedJob) -> None:
    with _watching(fedra) as terminal:

        def wait(*texts: str) -> None:
            try:
                world.eventually(f"{texts} on the screen", lambda: terminal.shows(*texts))
            except Timeout as late:
                raise AssertionError(f"{late}; the screen is\n{terminal.screen()}") from late

        wait("jobs by state", "Running", "Blocked")
        terminal.press("\t")
        wait("jobs by reason", "TemplateMissing")
        terminal.press(_ENTER)
        wait("reason TemplateMissing", blocked.key)
        terminal.press("2")
        wait(running.key, blocked.key, "as of")
        terminal.press("/stuck" + _ENTER)
        world.eventually("it is filtered", lambda: not terminal.shows(running.key))
        wait("[1 of 2]", f"> {blocked.key}")
        terminal.press(_ENTER)
        wait(f"why {blocked.key}", "TemplateMissing", world.worker1)
        terminal.press("h")
        wait(f"history {blocked.key}")
        terminal.press(_ESCAPE)
        wait("[1 of 2]")
        terminal.press(_ESCAPE)
        wait(running.key, blocked.key)
        terminal.press("3")
        wait("workers", "Connected", *world.workers)
        terminal.press("/" + world.worker1 + _ENTER + "d")
        wait(f"devices of {world.worker1}", "read ")
        assert "PROBLEM" not in terminal.screen(), terminal.screen()
        _narrow(world, terminal)
        terminal.press("q")
        world.eventually("it ends", lambda: terminal.process.poll() is not None)
        assert terminal.process.returncode == 0, terminal.screen()
        assert terminal.is_as_before(), terminal.written[-200:]


def _narrow(world: World, terminal: Terminal) -> None:
    """A terminal of another size: no more lines than it has, and none wider."""
    terminal.resize(6, 30)

    def is_narrow() -> bool:
        lines = terminal.screen().splitlines()
        return len(lines) <= 6 and max(map(len, lines)) <= 30

    world.eventually("a narrow screen", is_narrow)
    terminal.resize(_LINES, _COLUMNS)
    world.eventually("wide again", lambda: terminal.shows("? help  q quit"))


@scenario("status-watch-screen-ends", fleets=("sim",))
def a_screen_that_is_ended(world: World) -> None:
    """The same of a daemon (--server): a job that comes is seen; SIGTERM and ctrl-c leave the terminal as it was."""
    with tempfile.TemporaryDirectory(prefix="fedra-screen-") as folder:
        fedra = world.start_fedra(settings=_listening(folder))
        for ended_by in (signal.SIGTERM, signal.SIGINT):
            _end(world, fedra, folder, ended_by)


def _end(world: World, fedra: Fedra, folder: str, ended_by: signal.Signals) -> None:
    looks = fedra.bare_command("status", "--watch", "jobs", "--server", f"unix:{folder}/s")
    with Terminal(looks, _LINES, _COLUMNS, "xterm") as terminal:
        world.eventually("a screen", lambda: terminal.shows("? help  q quit"))
        job = world.submit(f"train-{ended_by.name.lower()}")
        world.eventually("the job is seen", lambda: terminal.shows(job.key))
        assert terminal.is_alternate and not terminal.is_as_before()
        if ended_by == signal.SIGINT:
            terminal.press("\x03")
        else:
            terminal.process.send_signal(ended_by)
        world.eventually("it ends", lambda: terminal.process.poll() is not None)
        assert terminal.process.returncode == -ended_by, terminal.screen()
        assert terminal.is_as_before(), terminal.written[-200:]


@scenario("status-watch-no-screen", fleets=("sim",))
def where_there_is_no_screen(world: World) -> None:
    """--no-tui, -o wide and TERM=dumb: what was there before the screen; with TERM=dumb no escape sequence at all."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    cases = (("xterm", ("--no-tui",)), ("xterm", ("-o", "wide")), ("dumb", ()))
    for term, options in cases:
        with _watching(fedra, *options, term=term) as terminal:

            def is_shown() -> bool:
                terminal.screen()
                return job.key in terminal.written

            world.eventually("the tables", is_shown)
            assert not terminal.is_alternate and "? help" not in terminal.written, terminal.written
            assert term != "dumb" or "\x1b" not in terminal.written, terminal.written


def _listening(folder: str) -> dict[str, object]:
    """Settings with a short path: that of the scenario's own folder may be longer than a socket's can be."""
    return {
        "api": {"socket": f"{folder}/s", "group": "nogroup"},
        "verification": {"devices": "Enforce"},
    }


def _watching(fedra: Fedra, *options: str, term: str = "xterm") -> Terminal:
    return Terminal(fedra.command("status", "--watch", *options), _LINES, _COLUMNS, term)
