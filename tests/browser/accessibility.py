"""axe-core's rules for WCAG 2.2 AA, and what no rule of it sees: narrow windows, and a user without a mouse.

axe-core is never in this repository. It comes from the npm registry by npm, once, into ~/.cache/fedra; its file must
be the one whose SHA-256 stands here. FEDRA_AXE names a copy where there is no npm; it must be the same file.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from selenium.webdriver.common.keys import Keys

from browser.chromium import NARROW, WIDE, Browser
from browser.stage import Stage

_VERSION = "4.14.1"
_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
_CACHED = Path.home() / ".cache/fedra" / f"axe-core-{_VERSION}" / "axe.min.js"
_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
# What axe found on the page: rule, how bad, where, and why.
_RUN = """
const [rules, done] = arguments;
axe.run(document, { runOnly: rules, resultTypes: ["violations"] }).then(
  found => done(found.violations.map(each => [each.id, each.impact, each.nodes.slice(0, 3).map(node =>
    `${node.target.join(" ")}: ${node.failureSummary}`)])),
  error => done([["axe", "critical", [String(error)]]]));
"""
_FOCUSABLE = "a[href], button, input, select, textarea, [tabindex='0']"
_MOST_STOPS = 400  # of one page

# What a user without a mouse sees of where they are.
_FOCUSED = """
const each = document.activeElement;
if (each === null || each === document.body) return null;
const all = [...document.querySelectorAll(arguments[0])];
const box = each.getBoundingClientRect(), style = getComputedStyle(each);
return {
  place: all.indexOf(each),
  html: each.outerHTML.slice(0, 200),
  name: (each.innerText || each.ariaLabel || each.labels?.[0]?.innerText || "").trim(),
  isSeen: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
  isMarked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
};
"""


def axe_source() -> str:
    """Of the script, which is fetched when it is not there yet."""
    file = Path(os.environ.get("FEDRA_AXE", _CACHED))
    if not file.exists() and file == _CACHED:
        _fetch()
    text = file.read_bytes()
    found = hashlib.sha256(text).hexdigest()
    assert found == _SHA256, f"{file} is not axe.min.js of axe-core {_VERSION}: {found}"
    return text.decode()


def _fetch() -> None:
    """npm heeds the user's proxy and registry. A package that is packed runs no script."""
    assert shutil.which(
        "npm"
    ), f"npm is needed once, to fetch axe-core {_VERSION}; or let FEDRA_AXE name its axe.min.js"
    with tempfile.TemporaryDirectory(prefix="fedra-axe-") as folder:
        command = ["npm", "pack", "--silent", f"axe-core@{_VERSION}"]
        subprocess.run(command, cwd=folder, check=True, timeout=120, stdout=subprocess.DEVNULL)
        with tarfile.open(Path(folder) / f"axe-core-{_VERSION}.tgz") as archive:
            script = archive.extractfile("package/axe.min.js")
            assert script is not None
            _CACHED.parent.mkdir(parents=True, exist_ok=True)
            fresh = _CACHED.with_suffix(".new")
            fresh.write_bytes(script.read())
            fresh.rename(_CACHED)


def check_appearances(stage: Stage, routes: dict[str, str], shots: Path | None) -> int:
    """Every view, wide and narrow, light and dark: axe finds nothing, and nothing is wider than the window.

    Returns how many pages axe has looked at. `shots`: where pictures are kept.
    """
    browser, source, looked = stage.browser, axe_source(), 0
    browser.driver.set_script_timeout(120)
    browser.script(source)
    problems: list[str] = []
    for size in (WIDE, NARROW):
        for dark in (False, True):
            browser.look(size, dark)
            for route, title in routes.items():
                browser.go(route, title)
                where = f"{route}, {size[0]} pixels, {'dark' if dark else 'light'}"
                problems += [f"{where}: {each}" for each in _violations(browser)]
                problems += _overflow(browser, where)
                looked += 1
                if shots:
                    name = f"{title.replace('/', '-')}-{size[0]}-{'dark' if dark else 'light'}.png"
                    browser.driver.save_screenshot(str(shots / name))
    browser.look(WIDE, dark=False)
    assert not problems, "\n".join(problems)
    return looked


def _violations(browser: Browser) -> list[str]:
    found: list[list[Any]] = browser.driver.execute_async_script(_RUN, list(_RULES))
    return [f"{rule} ({impact}): {'; '.join(nodes)}" for rule, impact, nodes in found]


def _overflow(browser: Browser, where: str) -> list[str]:
    """WCAG 1.4.10: at 320 pixels (1280 at 400 % zoom) only tables scroll horizontally."""
    wider = browser.script("return document.documentElement.scrollWidth - innerWidth")
    return [f"{where}: {wider} pixels wider than the window"] if wider > 0 else []


def check_keyboard(stage: Stage, routes: dict[str, str]) -> int:
    """Every view by Tab alone: each stop has a name, is seen and is marked, and there is no other thing to click.

    Returns the number of stops.
    """
    browser, stops = stage.browser, 0
    for route, title in routes.items():
        browser.go(route, title)
        reached = _walk(browser, route)
        script = "return document.querySelectorAll(arguments[0]).length"
        there = min(_MOST_STOPS, int(browser.script(script, _FOCUSABLE)))
        assert reached == list(range(there)), f"{route}: {reached} of {there}"
        stops += len(reached)
    _past_the_menu(browser)
    _from_reason_to_job(stage)
    _single_keys(stage)
    return stops


def _walk(browser: Browser, route: str) -> list[int]:
    """Places in the document, until Tab leaves it or begins again."""
    # The next Tab goes to the first element of the document.
    browser.script("document.body.tabIndex = -1; document.body.focus(); scrollTo(0, 0)")
    browser.script("document.body.removeAttribute('tabindex')")
    reached: list[int] = []
    while len(reached) < _MOST_STOPS:
        browser.press(Keys.TAB)
        stop = browser.script(_FOCUSED, _FOCUSABLE)
        if stop is None or stop["place"] in reached:
            break
        assert stop["name"], f"{route}: without a name: {stop['html']}"
        assert stop["isSeen"] and stop["isMarked"], f"{route}: not to be seen: {stop}"
        assert reached or "Skip to the page" in stop["html"], f"{route}: begins with {stop['html']}"
        reached.append(int(stop["place"]))
    return reached


def _past_the_menu(browser: Browser) -> None:
    browser.go("#/workers", "Workers")
    browser.script("document.getElementById('skip').focus()")
    browser.press(Keys.ENTER)
    assert browser.script("return document.activeElement.id") == "main"
    assert "#/workers" in browser.driver.current_url, browser.driver.current_url


def _from_reason_to_job(stage: Stage) -> None:
    """Overview, reason, job, and back, without a mouse."""
    browser = stage.browser
    browser.go("#/", "Overview")
    _tab_to(browser, "TemplateMissing")
    browser.press(Keys.ENTER)
    browser.wait("the jobs are shown", lambda: browser.title() == "Jobs")
    _tab_to(browser, stage.stuck)
    browser.press(Keys.ENTER)
    browser.wait("the job is shown", lambda: browser.title() == stage.stuck)
    browser.driver.back()
    browser.wait("the jobs are shown again", lambda: browser.title() == "Jobs")
    assert "reason=TemplateMissing" in browser.driver.current_url, browser.driver.current_url


def _tab_to(browser: Browser, name: str) -> None:
    for _ in range(_MOST_STOPS):
        browser.press(Keys.TAB)
        stop = browser.script(_FOCUSED, _FOCUSABLE)
        if stop is not None and stop["name"] == name:
            return
    raise AssertionError(f"no Tab leads to {name}")


def _single_keys(stage: Stage) -> None:
    """Those that `?` lists. Not while something is typed; and a user may switch them off (WCAG 2.1.4)."""
    browser = stage.browser
    browser.go("#/", "Overview")
    browser.press("g", "j")
    browser.wait("g j leads to the jobs", lambda: browser.title() == "Jobs")
    browser.press("j", "j", "k")
    first = browser.rows()[0][0]
    assert browser.script(_FOCUSED, _FOCUSABLE)["name"] == first, first
    browser.press(Keys.ENTER)
    browser.wait("Enter opens it", lambda: browser.title() == first)
    browser.press("u")
    browser.wait("u leads back", lambda: browser.title() == "Jobs")
    browser.press("/", "g", "w")
    assert browser.script("return document.activeElement.value") == "gw"
    browser.script("document.activeElement.value = ''; document.activeElement.blur()")
    browser.press("?")
    browser.wait("? lists them", lambda: "next and previous" in _dialog(browser))
    browser.press(Keys.SPACE, Keys.ESCAPE)
    browser.wait("Escape closes it", lambda: not _dialog(browser))
    browser.press("g", "w")
    assert browser.title() == "Jobs", "keys that are switched off"
    browser.script("document.getElementById('keys').click()")
    browser.wait("the button lists them, too", lambda: "next and previous" in _dialog(browser))
    browser.press(Keys.SPACE, Keys.ESCAPE)
    browser.wait("it is closed", lambda: not _dialog(browser))
    browser.press("g", "w")
    browser.wait("they work again", lambda: browser.title() == "Workers")


def _dialog(browser: Browser) -> str:
    return str(browser.script("return document.querySelector('dialog[open]')?.innerText ?? ''"))
