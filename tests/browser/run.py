#!/usr/bin/python3
"""Drives `fedra dashboard` in Chromium against a simulated fleet: what the pages say is what the commands say.

  run.py [--fedra PATH] [--shots FOLDER] [--pages FOLDER]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from selenium.webdriver.common.by import By  # noqa: E402

from browser import accessibility, outages, proxy, rights, views  # noqa: E402
from browser.chromium import Browser  # noqa: E402
from browser.stage import Stage, add_past_job, browse, parse, state_of  # noqa: E402
from scenarios import objects, setup  # noqa: E402
from scenarios.sim_fleet import SimFleet  # noqa: E402
from scenarios.waiting import assert_quick  # noqa: E402
from scenarios.world import TEMPLATE, World  # noqa: E402


_PERIOD = 6  # seconds: a page without a stream asks every 5, one with it every 30
_CALM = 90.0  # seconds: until nothing happens on the fleet for that long
_SOON = 4.0  # seconds until a page shows what has changed


def main() -> int:
    arguments = parse(argparse.ArgumentParser(description="The dashboard in a browser."))
    fleet = SimFleet(False)
    with tempfile.TemporaryDirectory(prefix="fedra-browser-") as name:
        fleet.start()
        try:
            _play(fleet, arguments, Path(name))
        finally:
            fleet.stop()
    return 0


def _play(fleet: SimFleet, arguments: argparse.Namespace, folder: Path) -> None:
    world = World(fleet, "browser", arguments.fedra, folder / "fedra")
    world.open()
    try:
        socket = folder / "s"
        fedra = world.start_fedra(
            settings={
                "api": {"socket": str(socket), "secure": {"address": "127.0.0.1:0"}},
                "verification": {"devices": "Enforce"},
            }
        )
        world.submit("train").wait_running_on(world.worker1)
        world.submit("stuck", template=TEMPLATE)
        add_past_job(world, fedra)
        _add_templates(world)
        key = f"{world.ns}/stuck"
        world.eventually("stuck is blocked", lambda: state_of(fedra, key) == "Blocked")
        with browse(arguments, socket, folder) as (browser, address):
            stage = Stage(browser, fedra, world.ns, world.worker1, key)
            _check(stage, world, address, arguments.shots)
    finally:
        world.abandon()


def _add_templates(world: World) -> None:
    """One that only the manager has, with a job that wants it; one that worker1 has in another form."""
    for name in ("uncopied", "drifted"):
        world.manager.apply(objects.claim_template(world.ns, name, setup.GPU_CLASS))
        world.submit(f"wants-{name}", template=name)
    other = objects.claim_template(world.ns, "drifted", setup.GPU_CLASS, count=2)
    world.admin(world.worker1).apply(other)


def _check(stage: Stage, world: World, address: str, shots: Path | None) -> None:
    browser = stage.browser
    browser.driver.get(address)
    browser.wait("the overview is shown", lambda: browser.title() == "Overview")
    assert "token" not in browser.driver.current_url, browser.driver.current_url
    views.check_all(stage)
    routes = views.routes(stage)
    stops = accessibility.check_keyboard(stage, routes)
    _focus_is_kept(stage, world)
    _changes_are_told(stage, world)
    _text_is_no_markup(stage, world)
    browser.assert_silent()
    _only_here(browser)
    looked = accessibility.check_appearances(stage, routes, shots)
    browser.assert_silent()
    _sign_in(browser, address)
    _below_a_path(browser, address)
    rights.check(stage, world)
    browser.driver.get(address)
    outages.check_offline(stage)
    outages.check_gone(stage)
    print(
        f"ok: {len(routes)} pages say what the commands say; axe found nothing on {looked}; {stops} stops of Tab; "
        "each user sees what their rights cover; "
        "offline, and without a daemon; nothing in the browser's log"
    )


def _focus_is_kept(stage: Stage, world: World) -> None:
    """A page that is drawn anew, because something has happened, leaves the focus on the same job."""
    browser = stage.browser
    browser.go("#/jobs", "Jobs")
    link = browser.driver.find_element(By.LINK_TEXT, stage.stuck)
    browser.script("arguments[0].focus()", link)
    world.submit("another")
    browser.wait("it is drawn anew", lambda: f"{world.ns}/another" in str(browser.rows()))
    assert browser.script("return document.activeElement.innerText") == stage.stuck


def _changes_are_told(stage: Stage, world: World) -> None:
    """By the stream, before the page would ask by itself; of two tabs one reads it, and both are told."""
    browser = stage.browser
    first = browser.driver.current_window_handle
    browser.go("#/jobs", "Jobs")
    token = browser.script("return sessionStorage.getItem('fedra-token')")
    page = str(browser.driver.current_url)
    browser.driver.switch_to.new_window("window")
    try:
        browser.driver.get(page.partition("#")[0] + f"#token={token}")
        browser.wait("the overview is shown", lambda: browser.title() == "Overview")
        browser.go("#/jobs", "Jobs")
        for name in ("told-1", "told-2"):
            _is_shown_soon(browser, world, name)
        locks = browser.driver.execute_async_script(
            "const done = arguments[0]; navigator.locks.query().then(({ held }) => done(held.length))"
        )
        assert locks == 1, f"{locks} tabs read the stream"
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)
    _is_shown_soon(browser, world, "told-3")


def _is_shown_soon(browser: Browser, world: World, name: str) -> None:
    """After a quiet moment, in which a page that has no stream would have asked by itself."""
    browser.wait("the page has not asked", lambda: browser.age() > _PERIOD, _CALM)
    begun = time.monotonic()
    world.submit(name)
    browser.wait(f"{name} is shown", lambda: f"{world.ns}/{name}" in str(browser.rows()))
    assert_quick(f"showing {name}", time.monotonic() - begun, _SOON)


def _text_is_no_markup(stage: Stage, world: World) -> None:
    """What a person has written is shown literally. (A breach of the policy would be in the browser's log, too.)"""
    browser = stage.browser
    evil = "<img id=evil src=x onerror=alert(1)>"
    _cordon(world, evil)
    browser.go("#/workers", "Workers")
    browser.wait("the text is shown", lambda: evil in browser.text())
    assert not browser.driver.find_elements(By.ID, "evil")
    _cordon(world, None)
    browser.wait("it is gone", lambda: evil not in browser.text())


def _cordon(world: World, reason: str | None) -> None:
    """Takes worker2 out of service, as `fedra cordon --reason` does; None: puts it back."""
    annotations = {f"cordon.fedra.dev/{world.worker2}": reason}
    world.manager.patch(
        "AdmissionCheck", None, world.check, {"metadata": {"annotations": annotations}}
    )


def _only_here(browser: Browser) -> None:
    requested = browser.script(
        "return performance.getEntriesByType('resource').map(entry => new URL(entry.name).host)"
    )
    assert len(set(requested)) == 1, set(requested)


def _sign_in(browser: Browser, address: str) -> None:
    """A tab without a token asks for one, and goes on where it was."""
    browser.script("sessionStorage.clear(); location.hash = '#/workers'")
    browser.wait("it asks for a token", lambda: browser.title() == "Who are you?")
    token = browser.driver.find_element(By.ID, "token")
    token.send_keys(address.partition("#token=")[2] + "\n")
    browser.wait("the workers are shown", lambda: browser.title() == "Workers")
    browser.assert_provoked("401")


def _below_a_path(browser: Browser, address: str) -> None:
    """As behind an ingress, or `kubectl proxy`: every address in the pages is relative."""
    with proxy.in_front_of(address, prefix="/some/where") as below:
        browser.driver.get(below)
        browser.wait("the overview is shown", lambda: browser.title() == "Overview")
        browser.go("#/jobs", "Jobs")
        browser.wait("there are jobs", lambda: bool(browser.rows()))
    browser.driver.get(address)
    browser.wait("the overview is shown again", lambda: browser.title() == "Overview")
    browser.assert_silent()


if __name__ == "__main__":
    sys.exit(main())
