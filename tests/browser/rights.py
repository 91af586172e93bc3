"""The pages over TLS: each user sees what their rights cover, and a page says what they do not."""

from __future__ import annotations

from selenium.webdriver.common.by import By

from browser.stage import Stage
from scenarios.users import User, tokens_of
from scenarios.world import World

_FLEET = User("of-the-fleet", fleet=True)
_TENANT = User("of-a-namespace", here=True)


def check(stage: Stage, world: World) -> None:
    browser = stage.browser
    address = f"https://127.0.0.1:{stage.fedra.last_logged('port')}/"
    with tokens_of(world, (_FLEET, _TENANT)) as tokens:
        _sign_in(stage, address, tokens[_FLEET.name])
        _of_the_fleet(stage)
        _sign_in(stage, address, tokens[_TENANT.name])
        _of_a_namespace(stage)
        # Whatever else a browser complains about, such as a script's error, is one.
        browser.assert_provoked("40")


def _sign_in(stage: Stage, address: str, token: str) -> None:
    browser = stage.browser
    browser.driver.get(address)
    browser.script("sessionStorage.clear(); location.hash = '#/'; location.reload()")
    browser.wait("it asks for a token", lambda: browser.title() == "Who are you?")
    browser.driver.find_element(By.ID, "token").send_keys(f"{token}\n")
    browser.wait("the overview is shown", lambda: browser.title() == "Overview")


def _of_the_fleet(stage: Stage) -> None:
    """The workers, and a form for a namespace where jobs may not be seen in all of them."""
    browser = stage.browser
    assert "workers are connected" in browser.text(), browser.text()
    assert "They are not shown: you may not list" in browser.text(), browser.text()
    field = browser.driver.find_element(By.CSS_SELECTOR, "main form input[name=namespace]")
    field.send_keys(f"{stage.ns}\n")
    browser.wait("it is refused, too", lambda: f"in the namespace {stage.ns}" in browser.text())
    browser.go("#/workers", "Workers")
    assert stage.worker in str(browser.rows()), browser.rows()
    browser.go("#/jobs", "Jobs")
    browser.wait("a namespace is asked for", lambda: "you may not list" in browser.text())


def _of_a_namespace(stage: Stage) -> None:
    """The jobs, and that workers are not shown."""
    browser = stage.browser
    assert "They are not shown: you may not get the path /fedra/fleet" in browser.text()
    assert browser.driver.find_elements(By.CSS_SELECTOR, ".totals li"), browser.text()
    browser.go(f"#/?namespace={stage.ns}", "Overview")
    command = f"fedra status jobs --namespace {stage.ns} --group-by state"
    browser.wait("it is of the namespace", lambda: command in browser.text())
    browser.go("#/jobs", "Jobs")
    browser.wait("its jobs are shown", lambda: stage.stuck in str(browser.rows()))
    browser.go("#/workers", "Nothing to show")
    assert "/fedra/fleet" in browser.text(), browser.text()
