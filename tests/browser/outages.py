"""What a page says when the answer does not come: of a browser that is offline, of a daemon that is gone."""

from __future__ import annotations

from browser.stage import Stage

_SLOWEST = 45.0  # seconds: the page asks again at most every 30


def check_offline(stage: Stage) -> None:
    """What was shown stays readable and says how old it is; another view says that there is no answer; all comes back."""
    browser = stage.browser
    browser.go("#/workers", "Workers")
    rows = [row[:2] for row in browser.rows()]  # behind them are ages
    browser.set_offline(True)
    browser.wait(
        "it is said that this is old", lambda: "Shown is what was known" in browser.banner()
    )
    assert [row[:2] for row in browser.rows()] == rows, browser.rows()
    browser.wait("the age grows", lambda: browser.age() > 5)
    browser.go("#/jobs", "Jobs")
    assert "this browser is offline" in browser.text(), browser.text()
    browser.set_offline(False)
    browser.wait(
        "the jobs are shown", lambda: bool(browser.rows()) and not browser.banner(), _SLOWEST
    )
    browser.assert_provoked("ERR_INTERNET_DISCONNECTED")


def check_gone(stage: Stage) -> None:
    """What was shown stays, and the page says since when it is old. The daemon is started again."""
    browser = stage.browser
    browser.go("#/workers", "Workers")
    stage.fedra.stop()
    browser.wait(
        "the page says that the daemon does not answer",
        lambda: "Shown is what was known" in browser.banner() and bool(browser.rows()),
    )
    stage.fedra.start()
    browser.wait("it is as of now again", lambda: not browser.banner(), _SLOWEST)
