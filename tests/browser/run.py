#!/usr/bin/python3
"""Drives `fedra dashboard` in Chromium against a simulated fleet: what the pages say is what the commands say.

  run.py [--fedra PATH] [--shots FOLDER]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402

from scenarios import objects  # noqa: E402
from scenarios.fedra_process import Fedra, default_binary  # noqa: E402
from scenarios.sim_fleet import SimFleet  # noqa: E402
from scenarios.waiting import eventually  # noqa: E402
from scenarios.world import QUEUE, TEMPLATE, World  # noqa: E402

_WIDE, _NARROW = (1280, 900), (320, 900)


class Browser:
    """One tab. What it logs is kept until `assert_silent`."""

    def __init__(self, profile: Path) -> None:
        options: Any = webdriver.ChromeOptions()
        for flag in (
            "--headless",
            "--no-sandbox",  # root cannot have one
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={profile}",
        ):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver: Any = webdriver.Chrome(options=options)

    def close(self) -> None:
        self.driver.quit()

    def text(self) -> str:
        return str(self.driver.find_element(By.TAG_NAME, "main").text)

    def title(self) -> str:
        found = self.driver.find_elements(By.CSS_SELECTOR, "main h1")
        return str(found[0].text) if found else ""

    def go(self, route: str, title: str) -> None:
        self.driver.execute_script("location.hash = arguments[0]", route)
        self.wait(f"{route} is shown", lambda: self.title() == title)

    def wait(self, what: str, condition: Callable[[], bool]) -> None:
        def safely() -> bool:
            try:
                return condition()
            except Exception as error:  # an element that was replaced meanwhile
                if "stale element" in str(error):
                    return False
                raise

        eventually(what, safely, timeout=30)

    def rows(self) -> list[list[str]]:
        """The cells of the tables' bodies."""
        script = (
            "return [...document.querySelectorAll('main tbody tr')]"
            ".map(row => [...row.cells].map(cell => cell.innerText.trim()))"
        )
        return list(self.driver.execute_script(script))

    def width(self, size: tuple[int, int], dark: bool) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False},
        )
        scheme = "dark" if dark else "light"
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    def assert_silent(self) -> None:
        logged = self.driver.get_log("browser")
        assert not logged, logged


def _check(browser: Browser, fedra: Fedra, world: World, address: str) -> None:
    browser.driver.get(address)
    browser.wait("the overview is shown", lambda: browser.title() == "Overview")
    assert "token" not in browser.driver.current_url, browser.driver.current_url
    _overview(browser, fedra)
    _jobs(browser, fedra, world)
    _one_job(browser, fedra, world)
    _workers(browser, fedra)
    _devices(browser, fedra)
    _device_map(browser, fedra, world)
    _matrix(browser, fedra, world)
    _pasted(browser, fedra, world)
    _keyboard(browser)
    browser.assert_silent()
    requested = browser.driver.execute_script(
        "return performance.getEntriesByType('resource').map(entry => new URL(entry.name).host)"
    )
    assert len(set(requested)) == 1, set(requested)
    _sign_in(browser, address)


def _sign_in(browser: Browser, address: str) -> None:
    """A tab without a token asks for one, and goes on where it was."""
    browser.driver.execute_script("sessionStorage.clear(); location.hash = '#/workers'")
    browser.wait("it asks for a token", lambda: browser.title() == "Who are you?")
    token = browser.driver.find_element(By.ID, "token")
    token.send_keys(address.partition("#token=")[2] + "\n")
    browser.wait("the workers are shown", lambda: browser.title() == "Workers")
    # Chromium logs each answer of 401: these were provoked.
    provoked = browser.driver.get_log("browser")
    assert all("401" in each["message"] for each in provoked), provoked


def _overview(browser: Browser, fedra: Fedra) -> None:
    def agree() -> bool:
        jobs = fedra.cli("status", "jobs", "--all", "-o", "json").json()["jobs"]
        counted = fedra.cli("status", "jobs", "--group-by", "state", "-o", "json").json()["groups"]
        shown = {
            tuple(each.text.split("\n"))
            for each in browser.driver.find_elements(By.CSS_SELECTOR, ".totals li")
        }
        told = {(str(group["jobs"]), group["name"]) for group in counted}
        states = [job["state"] for job in jobs]
        assert all(states.count(group["name"]) == group["jobs"] for group in counted), (
            states,
            counted,
        )
        return {(count, state[2:]) for count, state in shown} == told

    browser.wait("the totals are the command's", agree)
    reasons = fedra.cli("status", "jobs", "--group-by", "reason", "-o", "json").json()["groups"]
    assert reasons, "no job is blocked"
    rows = {row[0]: row for row in browser.rows()}
    for group in reasons:
        row = rows[group["name"]]
        assert row[1] == str(group["jobs"]) and row[4] == group["remedy"], (row, group)


def _jobs(browser: Browser, fedra: Fedra, world: World) -> None:
    browser.driver.find_element(By.LINK_TEXT, "TemplateMissing").click()
    browser.wait("the blocked jobs are shown", lambda: browser.title() == "Jobs")
    assert [row[0] for row in browser.rows()] == [f"{world.ns}/stuck"], browser.rows()
    browser.go("#/jobs", "Jobs")
    told = fedra.cli("status", "jobs", "-o", "json").json()["jobs"]
    shown = [(row[0], row[1].split()[-1]) for row in browser.rows()]
    assert shown == [(f"{job['namespace']}/{job['name']}", job["state"]) for job in told], shown
    browser.go("#/jobs?state=Wrong", "Jobs")
    browser.wait("a wrong state is refused in words", lambda: "there are" in _banner(browser))
    # Chromium logs each answer of 400: this one was provoked.
    provoked = browser.driver.get_log("browser")
    assert all("400" in each["message"] for each in provoked), provoked


def _banner(browser: Browser) -> str:
    return str(browser.driver.find_element(By.ID, "banner").text) + browser.text()


def _one_job(browser: Browser, fedra: Fedra, world: World) -> None:
    key = f"{world.ns}/stuck"
    browser.go(f"#/job?job={key}", key)
    why = fedra.cli("why", key, "-o", "json").json()["jobs"][0]
    rows = {row[0]: row for row in browser.rows()}
    for worker in why["workers"]:
        row = rows[worker["name"]]
        assert row[1].split()[-1] == worker["verdict"], row
        for reason in worker["reasons"]:
            assert reason["code"] in row[3] and reason["message"] in row[3], row
    assert why["next"]["text"] in browser.text()
    assert f"fedra why {key}" in browser.text()


def _workers(browser: Browser, fedra: Fedra) -> None:
    browser.go("#/workers", "Workers")
    told = fedra.cli("status", "workers", "-o", "json").json()["workers"]
    shown = [(row[0], row[1].split()[-1], row[5]) for row in browser.rows()]
    assert shown == [(each["name"], each["state"], str(each["jobs"])) for each in told], shown


def _devices(browser: Browser, fedra: Fedra) -> None:
    browser.go("#/devices", "Devices")
    told = fedra.cli("devices", "-o", "json").json()["workers"]
    shown = [(row[0], row[3], row[4]) for row in browser.rows()]
    expected = [
        (each["class"] or "(no class)", str(each["total"]), str(each["free"]))
        for worker in told
        for each in worker["classes"]
    ]
    assert shown == expected, (shown, expected)


def _device_map(browser: Browser, fedra: Fedra, world: World) -> None:
    """Each device with its state, on its node; the worker is chosen from a list, or by the link below its devices."""
    browser.go("#/map", "Device map")
    browser.driver.find_element(By.LINK_TEXT, world.worker1).click()
    browser.wait("the map is shown", lambda: browser.title() == f"Devices of {world.worker1}")
    told = fedra.cli("devices", "--map", "--worker", world.worker1, "-o", "json").json()
    expected = [
        [device["name"], device["state"]]
        for node in told["nodes"]
        for pool in node["pools"]
        for device in pool["devices"]
    ]
    script = (
        "return [...document.querySelectorAll('main .device')].map(each =>"
        " [each.querySelector('strong').innerText, each.querySelector('span').innerText.split(' ').pop()])"
    )
    browser.wait(
        "the devices are the command's",
        lambda: sorted(browser.driver.execute_script(script)) == sorted(expected),
    )
    nodes = [each.text for each in browser.driver.find_elements(By.CSS_SELECTOR, ".node h2")]
    assert len(nodes) == len(told["nodes"]), nodes


def _matrix(browser: Browser, fedra: Fedra, world: World) -> None:
    browser.go("#/matrix", "Jobs by workers")
    key = f"{world.ns}/stuck"
    why = fedra.cli("why", key, "-o", "json").json()["jobs"][0]["workers"]
    row = next(row for row in browser.rows() if row[0] == key)
    assert len(row) == 1 + len(why), row
    for cell, worker in zip(row[1:], why):
        assert worker["verdict"] in cell and worker["reasons"][0]["code"] in cell, (cell, worker)


def _pasted(browser: Browser, fedra: Fedra, world: World) -> None:
    """What is pasted is judged as `fedra check` judges it, and is not judged anew while it is read."""
    browser.go("#/check", "Check")
    browser.driver.find_element(By.XPATH, "//button[text()='Check']").click()
    browser.wait("an empty form is refused", lambda: "Paste a manifest first" in browser.text())
    manifest = json.dumps(objects.job(world.ns, "pasted", QUEUE, template=TEMPLATE))
    browser.driver.find_element(By.TAG_NAME, "textarea").send_keys(manifest)
    browser.driver.find_element(By.XPATH, "//button[text()='Check']").click()
    browser.wait("the verdicts are shown", lambda: f"Job {world.ns}/pasted" in browser.text())
    told = fedra.cli("check", "-f", "-", "-o", "json", stdin=manifest).json()["items"][0]
    rows = {row[0]: row for row in browser.rows()}
    for worker in told["workers"]:
        assert worker["verdict"] in rows[worker["name"]][1], (rows, worker)
        for reason in worker["reasons"]:
            assert reason["code"] in rows[worker["name"]][3], (rows, reason)
    assert "pasted" not in browser.driver.current_url, browser.driver.current_url


def _keyboard(browser: Browser) -> None:
    """The first stop is the way past the menu, and each further one can be seen."""
    browser.go("#/workers", "Workers")
    browser.driver.execute_script("document.activeElement.blur()")
    names = browser.driver.execute_script(
        "return [...document.querySelectorAll('a, button, input, select, textarea, [tabindex=\"0\"]')]"
        ".filter(each => !(each.innerText || each.ariaLabel || each.labels?.length)).map(each => each.outerHTML)"
    )
    assert not names, f"without a name: {names}"


def _narrow(browser: Browser, routes: dict[str, str], shots: Path | None) -> None:
    for size in (_WIDE, _NARROW):
        for dark in (False, True):
            browser.width(size, dark)
            for route, title in routes.items():
                browser.go(route, title)
                overflow = browser.driver.execute_script(
                    "return document.documentElement.scrollWidth - innerWidth"
                )
                assert overflow <= 0, f"{route} is {overflow} pixels wider than {size[0]}"
                if shots:
                    name = f"{title.replace('/', '-')}-{size[0]}-{'dark' if dark else 'light'}.png"
                    browser.driver.save_screenshot(str(shots / name))


def _gone(browser: Browser, fedra: Fedra) -> None:
    """What was shown stays, and the page says since when it is old."""
    browser.go("#/workers", "Workers")
    fedra.stop()
    browser.wait(
        "the page says that the daemon does not answer",
        lambda: "Shown is what was known" in _banner(browser) and bool(browser.rows()),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="The dashboard in a browser.")
    parser.add_argument("--fedra", type=Path, default=default_binary())
    parser.add_argument("--shots", type=Path)
    arguments = parser.parse_args()
    if arguments.shots:
        arguments.shots.mkdir(parents=True, exist_ok=True)
    fleet = SimFleet(False)
    with tempfile.TemporaryDirectory(prefix="fedra-browser-") as name:
        folder = Path(name)
        fleet.start()
        try:
            _play(fleet, arguments.fedra, folder, arguments.shots)
        finally:
            fleet.stop()
    print(
        "ok: overview, jobs, one job, workers, devices, map, matrix, check; nothing in the browser's log"
    )
    return 0


def _play(fleet: SimFleet, binary: Path, folder: Path, shots: Path | None) -> None:
    world = World(fleet, "browser", binary, folder / "fedra")
    world.open()
    try:
        socket = folder / "s"
        fedra = world.start_fedra(
            settings={"api": {"socket": str(socket)}, "verification": {"devices": "Enforce"}}
        )
        world.submit("train").wait_running_on(world.worker1)
        world.submit("stuck", template=TEMPLATE)
        key = f"{world.ns}/stuck"
        world.eventually("stuck is blocked", lambda: _state(fedra, key) == "Blocked")
        command = [str(binary), "dashboard", "--server", f"unix:{socket}"]
        # It ends when its output is closed, so it never outlives this test.
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
            assert served.stdout is not None
            browser = Browser(folder / "profile")
            try:
                _check(browser, fedra, world, served.stdout.readline().strip())
                routes = {
                    "#/": "Overview",
                    "#/jobs": "Jobs",
                    f"#/job?job={key}": key,
                    "#/devices": "Devices",
                    f"#/map?worker={world.worker1}": f"Devices of {world.worker1}",
                    "#/matrix": "Jobs by workers",
                    "#/check": "Check",
                    "#/workers": "Workers",
                }
                _narrow(browser, routes, shots)
                _gone(browser, fedra)
            finally:
                browser.close()
                served.terminate()
    finally:
        world.abandon()


def _state(fedra: Fedra, key: str) -> str:
    jobs = fedra.cli("status", "jobs", "-o", "json").json()["jobs"]
    return next((job["state"] for job in jobs if f"{job['namespace']}/{job['name']}" == key), "")


if __name__ == "__main__":
    sys.exit(main())
