"""Each view of the dashboard, beside what the command says that the page names."""

from __future__ import annotations

import collections
import json
import urllib.parse
from typing import Any

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser.stage import Stage
from scenarios import objects
from scenarios.resources import Object
from scenarios.world import QUEUE, TEMPLATE

_JOBS = "100"  # on a page
_MATRIX_JOBS, _MATRIX_WORKERS = "25", 20
_FIRST_ROWS = 3  # of the matrix, each of which is a command


def routes(stage: Stage) -> dict[str, str]:
    """Every view: its address and title."""
    return {
        "#/": "Overview",
        "#/workers": "Workers",
        f"#/worker?name={stage.worker}": stage.worker,
        "#/jobs": "Jobs",
        f"#/job?job={stage.stuck}": stage.stuck,
        "#/history": "History",
        "#/matrix": "Jobs by workers",
        "#/devices": "Devices",
        "#/map": "Device map",
        f"#/map?worker={stage.worker}": f"Devices of {stage.worker}",
        "#/templates?mode=Reconcile": "Templates",
        "#/check": "Check",
        "#/reasons": "Reasons",
        "#/reasons?name=TemplateMissing": "TemplateMissing",
    }


def check_all(stage: Stage) -> None:
    """Begins on the overview."""
    check_any(stage)
    blocked_jobs(stage)
    deleted_jobs(stage)
    templates(stage)
    explained(stage)
    nothing(stage)


def check_any(stage: Stage) -> None:
    """What every fleet has where a job is blocked, for whatever reason."""
    overview(stage)
    jobs(stage)
    one_job(stage)
    history(stage)
    workers(stage)
    one_worker(stage)
    devices(stage)
    device_map(stage)
    matrix(stage)
    pasted(stage)
    reasons(stage)


def overview(stage: Stage) -> None:
    browser = stage.browser
    browser.go("#/", "Overview")

    def agree() -> bool:
        counted = stage.document("status", "jobs", "--group-by", "state")["groups"]
        shown = {
            tuple(each.text.split("\n"))
            for each in browser.driver.find_elements(By.CSS_SELECTOR, ".totals li")
        }
        told = {(str(group["jobs"]), group["name"]) for group in counted}
        return {(count, state[2:]) for count, state in shown} == told

    browser.wait("the totals are the command's", agree)
    blocked = ("status", "jobs", "--state", "Blocked", "--group-by", "reason")
    reasons = stage.document(*blocked)["groups"]
    assert reasons, "no job is blocked"
    rows = {row[0]: row for row in browser.rows()}
    for group in reasons:
        row = rows[group["name"]]
        longest = f"{group['longest']['namespace']}/{group['longest']['name']}"
        assert (row[1], row[3], row[4]) == (str(group["jobs"]), longest, group["remedy"]), row
    away = {each["name"] for each in stage.document("status", "workers")["workers"] if each["why"]}
    assert away <= rows.keys(), (away, rows.keys())


def blocked_jobs(stage: Stage) -> None:
    """From a reason of the overview to the jobs that it is of."""
    browser = stage.browser
    browser.go("#/", "Overview")
    browser.driver.find_element(By.LINK_TEXT, "TemplateMissing").click()
    browser.wait("the blocked jobs are shown", lambda: browser.title() == "Jobs")
    _same_jobs(stage, "--state", "Blocked", "--reason", "TemplateMissing")
    assert stage.stuck.startswith(stage.ns)
    assert stage.stuck in {row[0] for row in browser.rows()}


def jobs(stage: Stage) -> None:
    """A page, the next one, those with a part of a name, and a filter that is wrong."""
    browser = stage.browser
    browser.go("#/jobs", "Jobs")
    first = _same_jobs(stage)
    if first["remaining"] > 0:
        behind = f"{first['remaining']} behind them"
        browser.wait(f"{behind} is said", lambda: behind in browser.text())
        browser.driver.find_element(By.LINK_TEXT, "Next page").click()
        shown = [f"{job['namespace']}/{job['name']}" for job in first["jobs"]]
        browser.wait(
            "the next page is shown", lambda: bool(browser.rows()) and _names(stage) != shown
        )
        _same_jobs(stage, "--continue", first["continue"])
    browser.go("#/jobs", "Jobs")
    browser.driver.find_element(By.TAG_NAME, "body").send_keys("/")
    part = stage.stuck.upper()[1:]
    browser.driver.switch_to.active_element.send_keys(part, Keys.RETURN)
    told = _same_jobs(stage, "--name", part)
    assert stage.stuck in {f"{job['namespace']}/{job['name']}" for job in told["jobs"]}, told
    browser.go("#/jobs?state=Wrong", "Jobs")
    browser.wait("a wrong state is refused in words", lambda: "there are" in browser.text())
    browser.assert_provoked("400")


def _names(stage: Stage) -> list[str]:
    return [row[0] for row in stage.browser.rows()]


def _same_jobs(stage: Stage, *options: str) -> Object:
    """The page's jobs are those of the command, in its order."""
    told: Object = {}

    def agree() -> bool:
        nonlocal told
        told = stage.document("status", "jobs", "--limit", _JOBS, *options)
        listed = [
            (f"{job['namespace']}/{job['name']}", job["state"], job["worker"] or "-")
            for job in told["jobs"]
        ]
        return [(row[0], row[1].split()[-1], row[3]) for row in stage.browser.rows()] == listed

    stage.browser.wait(f"the jobs are those of {options}", agree)
    return told


def history(stage: Stage) -> None:
    """What has ended or was deleted, the newest first."""
    stage.browser.go("#/history", "History")
    assert _same_past(stage, "Finished,Failed,Deleted"), "nothing has ended"


def deleted_jobs(stage: Stage) -> None:
    """Those alone, each with a page of its own."""
    browser = stage.browser
    browser.go("#/history?state=Deleted", "History")
    gone = _same_past(stage, "Deleted")
    assert gone and "store.historyRetention" in browser.text(), gone
    browser.driver.find_element(By.LINK_TEXT, gone[0]).click()
    browser.wait("the deleted job is shown", lambda: browser.title() == gone[0])
    browser.wait("its history is there", lambda: "History of" in browser.text())


def _same_past(stage: Stage, states: str) -> list[str]:
    """The page's jobs are those of the command, in its order."""
    names: list[str] = []

    def agree() -> bool:
        nonlocal names
        question = ("--state", states, "--sort-by", "ended", "--limit", _JOBS)
        told = stage.document("status", "jobs", *question)["jobs"]
        names = [f"{job['namespace']}/{job['name']}" for job in told]
        words = [
            f"Deleted, last {job['state']}" if "removedAt" in job else job["state"] for job in told
        ]
        shown = [(row[0], row[1].partition(" ")[2], row[3]) for row in stage.browser.rows()]
        return shown == list(zip(names, words, (job["worker"] or "-" for job in told), strict=True))

    stage.browser.wait(f"the past jobs in {states} are those of the command", agree)
    return names


def one_job(stage: Stage) -> None:
    browser = stage.browser
    browser.go(f"#/job?job={stage.stuck}", stage.stuck)
    why = stage.document("why", stage.stuck)["jobs"][0]
    rows = {row[0]: row for row in browser.rows()}
    for worker in why["workers"]:
        row = rows[worker["name"]]
        assert row[1].split()[-1] == worker["verdict"], row
        for reason in worker["reasons"]:
            assert reason["code"] in row[3] and reason["message"] in row[3], row
    assert why["next"]["text"] in browser.text()
    assert f"fedra why {stage.stuck}" in browser.text()
    history = stage.document("history", stage.stuck)["jobs"][0]
    for event in history["events"]:
        assert event["message"] in browser.text(), event
    namespace, _, name = stage.stuck.partition("/")
    browser.go(f"#/job?job={name}&namespace={namespace}", name)
    assert f"fedra why {name} --namespace {namespace}" in browser.text(), browser.text()


def workers(stage: Stage) -> None:
    browser = stage.browser
    browser.go("#/workers", "Workers")
    told = stage.document("status", "workers")["workers"]
    listed = [(each["name"], each["state"], str(each["jobs"])) for each in told]
    shown = [(row[0], row[1].split()[-1], row[5]) for row in browser.rows()]
    assert shown == listed, shown


def devices(stage: Stage) -> None:
    browser = stage.browser
    browser.go("#/devices", "Devices")

    def agree() -> bool:
        told = stage.observed("devices")["workers"]
        shown = [(row[0], row[3], row[4], row[5]) for row in browser.rows()]
        return shown == [
            (
                each["class"] or "(no class)",
                str(each["total"]),
                str(each["free"]),
                str(each["allocated"]),
            )
            for worker in told
            for each in worker["classes"]
        ]

    browser.wait("the devices are the command's", agree)


def device_map(stage: Stage) -> None:
    """Each device with its state, on its node; the worker is chosen from a list, or by the link below its devices."""
    browser = stage.browser
    browser.go("#/map", "Device map")
    browser.driver.find_element(By.LINK_TEXT, stage.worker).click()
    browser.wait("the map is shown", lambda: browser.title() == f"Devices of {stage.worker}")
    script = (
        "return [...document.querySelectorAll('main .device')].map(each =>"
        " [each.querySelector('strong').innerText, each.querySelector('span').innerText.split(' ').pop()])"
    )

    def agree() -> bool:
        told = stage.observed("devices", "--map", "--worker", stage.worker)
        listed = [
            [device["name"], device["state"]]
            for node in told["nodes"]
            for pool in node["pools"]
            for device in pool["devices"]
        ]
        nodes = browser.driver.find_elements(By.CSS_SELECTOR, ".node h2")
        assert len(nodes) == len(told["nodes"]), nodes
        return sorted(browser.script(script)) == sorted(listed)

    browser.wait("the devices are the command's", agree)


def matrix(stage: Stage) -> None:
    browser = stage.browser
    browser.go("#/matrix", "Jobs by workers")
    listed = ("status", "jobs", "--state", "Blocked", "--limit", _MATRIX_JOBS)
    told = [f"{job['namespace']}/{job['name']}" for job in stage.document(*listed)["jobs"]]
    rows = browser.rows()
    assert [row[0] for row in rows] == told, rows
    for row in rows[:_FIRST_ROWS]:
        why = stage.document("why", row[0])["jobs"][0]["workers"]
        assert len(row) == 1 + min(_MATRIX_WORKERS, len(why)), row
        for cell, worker in zip(row[1:], why):
            assert worker["verdict"] in cell and worker["reasons"][0]["code"] in cell, (
                cell,
                worker,
            )


def pasted(stage: Stage) -> None:
    """What is pasted is judged as `fedra check` judges it, and is not judged anew while it is read."""
    browser = stage.browser
    browser.go("#/check", "Check")
    button = browser.driver.find_element(By.XPATH, "//button[text()='Check']")
    button.click()
    browser.wait("an empty form is refused", lambda: "Paste a manifest first" in browser.text())
    manifest = json.dumps(objects.job(stage.ns, "pasted", QUEUE, template=TEMPLATE))
    browser.driver.find_element(By.TAG_NAME, "textarea").send_keys(manifest)
    button.click()
    browser.wait("the verdicts are shown", lambda: f"Job {stage.ns}/pasted" in browser.text())
    told = stage.observed("check", "-f", "-", stdin=manifest)["items"][0]
    rows = {row[0]: row for row in browser.rows()}
    assert rows.keys() == {worker["name"] for worker in told["workers"]}, rows.keys()
    for worker in told["workers"]:
        assert worker["verdict"] in rows[worker["name"]][1], (rows, worker)
        for reason in worker["reasons"]:
            assert reason["code"] in rows[worker["name"]][3], (rows, reason)
    assert "pasted" not in browser.driver.current_url, browser.driver.current_url


def reasons(stage: Stage) -> None:
    """What each word means, as `fedra explain` says it, and how many jobs a reason blocks."""
    browser = stage.browser
    browser.go("#/reasons", "Reasons")
    told = _catalogue(stage)

    def agree() -> bool:
        blocked = ("status", "jobs", "--state", "Blocked", "--group-by", "reason")
        jobs = {group["name"]: group["jobs"] for group in stage.document(*blocked)["groups"]}
        listed = [
            [each["name"], each["group"], str(jobs.get(each["name"], 0)), each["summary"]]
            for each in told["items"]
        ]
        listed += [[each["name"], each["group"], each["summary"]] for each in told["states"]]
        listed += [[each["name"], each["summary"]] for each in told["events"]]
        return [list(row) for row in browser.rows()] == listed

    browser.wait("the words are the command's", agree)


def _catalogue(stage: Stage) -> Any:
    return stage.fedra.bare("explain", "-o", "json").json()


def explained(stage: Stage) -> None:
    """From a job's reason to what it means; and one that there is not."""
    browser = stage.browser
    browser.go(f"#/job?job={stage.stuck}", stage.stuck)
    browser.driver.find_element(By.LINK_TEXT, "TemplateMissing").click()
    browser.wait("the reason is shown", lambda: browser.title() == "TemplateMissing")
    entry = next(each for each in _catalogue(stage)["items"] if each["name"] == "TemplateMissing")
    assert entry["cause"] in browser.text() and entry["remedy"] in browser.text(), browser.text()
    browser.go("#/reasons?name=Nothing", "Not found")
    assert "There is no reason, state or event Nothing" in browser.text(), browser.text()


def nothing(stage: Stage) -> None:
    """What is empty or not there says so, and how to go on."""
    browser = stage.browser
    browser.go("#/jobs?namespace=nowhere", "Jobs")
    assert "No job matches" in browser.text(), browser.text()
    job = urllib.parse.quote(f"{stage.ns}/none")
    browser.go(f"#/job?job={job}", "Not found")
    assert "is known to fedra" in browser.text(), browser.text()
    browser.go("#/nowhere", "Not found")
    browser.assert_provoked("404")


def one_worker(stage: Stage) -> None:
    browser = stage.browser
    browser.go("#/workers", "Workers")
    browser.driver.find_element(By.LINK_TEXT, stage.worker).click()
    browser.wait("the worker is shown", lambda: browser.title() == stage.worker)

    def agree() -> bool:
        told = stage.document("status", "workers")["workers"]
        worker = next(each for each in told if each["name"] == stage.worker)
        terms, values = (
            [each.text for each in browser.driver.find_elements(By.CSS_SELECTOR, f"main {tag}")]
            for tag in ("dt", "dd")
        )
        facts = dict(zip(terms, values, strict=True))
        can = worker["capabilities"]
        shown = [(row[0], row[2], row[3], row[4]) for row in browser.rows()]
        listed = [
            (use["clusterQueue"], use["resource"], use["reserved"], use["nominal"])
            for use in worker["quota"]
        ]
        return (
            worker["state"] in facts["State"]
            and facts["Kubernetes"] == worker["kubernetesVersion"]
            and ("Last contact" in facts) == (worker["state"] != "Connected")
            and facts["Jobs"] == str(worker["jobs"])
            and f"{worker['devices']['inUse']} of {worker['devices']['published']}"
            in facts["Devices"]
            and facts["Kinds of jobs"] == ", ".join(can["jobKinds"])
            and facts["Versions of Kueue's API"] == ", ".join(can["kueueVersions"])
            and facts["Versions of DRA"] == ", ".join(can["dra"]["versions"])
            and facts["Features of DRA"].startswith(", ".join(can["dra"]["features"]))
            and facts["Missing rights"] == (", ".join(can["missingRights"]) or "none is known")
            and shown == listed
        )

    browser.wait("it is what the command says", agree)
    browser.go("#/worker?name=nowhere", "Not found")
    assert "There is no worker nowhere" in browser.text(), browser.text()


def templates(stage: Stage) -> None:
    """As configured, and as if copies were made: of each template on how many workers what would be done."""
    browser = stage.browser
    browser.go("#/templates", "Templates")
    for mode, route in (
        ((), "#/templates"),
        (("--mode", "Reconcile"), "#/templates?mode=Reconcile"),
    ):
        browser.script("location.hash = arguments[0]", route)
        browser.wait("the templates are the command's", lambda: _same_templates(stage, *mode))
    assert browser.rows(), "nothing is to be done about any template"


def _same_templates(stage: Stage, *mode: str) -> bool:
    told = stage.observed("templates", "diff", *mode)
    listed: collections.Counter[tuple[str, ...]] = collections.Counter(
        (f"{step['namespace']}/{step['name']}", step["action"], step["why"])
        for step in told["items"]
    )
    listed.update(
        (f"{each['namespace']}/{each['name']}", each["why"]) for each in told["leftAlone"]
    )
    shown: dict[tuple[str, ...], int] = {}
    for row in stage.browser.rows():
        name, *action, count, _, why = row
        shown[(name, *action, why)] = int(count)
    return shown == dict(listed) and told["mode"] in stage.browser.text()
