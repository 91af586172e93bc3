"""Debian's Chromium without a window, driven by selenium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from scenarios.waiting import eventually

WIDE, NARROW = (1280, 900), (320, 900)

_PATIENCE = 30.0  # seconds

# From the new address to the frame in which the view stands, in milliseconds.
_TIMED = """
const [route, title, done] = arguments;
const main = document.getElementById("main");
const begun = performance.now();
const isShown = () => location.hash === route && main.querySelector("h1")?.textContent === title
  && main.querySelector("tbody tr");
const watcher = new MutationObserver(() => {
  if (!isShown()) return;
  watcher.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
});
watcher.observe(main, { childList: true, subtree: true });
location.hash = route;
"""


class Browser:
    """One tab. What it logs is kept until `logged` or `assert_silent`."""

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
        options.accept_insecure_certs = True  # the daemon made its own
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver: Any = webdriver.Chrome(options=options)

    def close(self) -> None:
        self.driver.quit()

    def script(self, text: str, *arguments: object) -> Any:
        return self.driver.execute_script(text, *arguments)

    def press(self, *keys: str) -> None:
        """Keys, one after the other, wherever the focus is."""
        actions: Any = ActionChains
        actions(self.driver).send_keys(*keys).perform()

    def text(self) -> str:
        return str(self.driver.find_element(By.TAG_NAME, "main").text)

    def banner(self) -> str:
        return str(self.driver.find_element(By.ID, "banner").text)

    def age(self) -> int:
        """In seconds, of what is shown; -1: nothing is said about it."""
        words = str(self.driver.find_element(By.ID, "age").text).split()
        return int(words[2].rstrip("s")) if len(words) == 4 and words[2].endswith("s") else -1

    def title(self) -> str:
        found = self.driver.find_elements(By.CSS_SELECTOR, "main h1")
        return str(found[0].text) if found else ""

    def go(self, route: str, title: str) -> None:
        self.script("location.hash = arguments[0]", route)
        self.wait(f"{route} is shown", lambda: self.title() == title)

    def timed(self, route: str, title: str) -> float:
        """Opens a view with a table, other than the one shown; returns the milliseconds until the table is rendered."""
        return float(self.driver.execute_async_script(_TIMED, route, title))

    def wait(self, what: str, condition: Callable[[], bool], timeout: float = _PATIENCE) -> None:
        def safely() -> bool:
            try:
                return condition()
            except Exception as error:  # an element that was replaced meanwhile
                if "stale element" in str(error):
                    return False
                raise

        eventually(what, safely, timeout)

    def rows(self) -> list[list[str]]:
        """The cells of the tables' bodies."""
        script = (
            "return [...document.querySelectorAll('main tbody tr')]"
            ".map(row => [...row.cells].map(cell => cell.innerText.trim()))"
        )
        return list(self.script(script))

    def look(self, size: tuple[int, int], dark: bool) -> None:
        """How large the window is, and which colours its user prefers."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False},
        )
        scheme = "dark" if dark else "light"
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {
                "features": [
                    {"name": "prefers-color-scheme", "value": scheme},
                    # Otherwise axe may measure a colour in the middle of a transition.
                    {"name": "prefers-reduced-motion", "value": "reduce"},
                ]
            },
        )

    def set_offline(self, offline: bool) -> None:
        """As if its machine had lost its network; loopback, too."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd(
            "Network.emulateNetworkConditions",
            {"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
        )

    def logged(self) -> list[str]:
        """What it has logged since the last look: breaches of the policy, errors of scripts, failed requests."""
        return [str(each["message"]) for each in self.driver.get_log("browser")]

    def assert_provoked(self, status: str) -> None:
        """Chromium logs each answer that is an error: those that a test has asked for, and nothing else."""
        found = self.logged()
        assert all(status in each for each in found), found

    def assert_silent(self) -> None:
        found = self.logged()
        assert not found, found
