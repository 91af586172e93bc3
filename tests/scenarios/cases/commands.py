"""What programs and administrators rely on at the command line: streams, exit codes, orphans, completion."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shlex
import struct
import subprocess
import termios
from pathlib import Path

from scenarios import objects
from scenarios.cases.membership import administrator_kubeconfig
from scenarios.federated_job import (
    MANAGER_UID_ANNOTATION,
    UID_ANNOTATION,
    FederatedJob,
)
from scenarios.fedra_process import (
    CHECK_ERROR,
    CHECK_NOWHERE,
    CHECK_PLACEABLE,
    CHECK_UNKNOWN,
)
from scenarios.fedra_process import Fedra, Stream
from scenarios.fleet import MANAGER
from scenarios.modes import ORIGIN, ORIGIN_LABEL
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import always
from scenarios.world import QUEUE, TEMPLATE, World


@scenario("status-watch")
def a_stream_of_status(world: World) -> None:
    """fedra status -o json --watch: one whole document a line, one for each change, also across a restart."""
    fedra = world.start_fedra()
    stream = fedra.follow("status", "-o", "json", "--watch")
    first = world.eventually("the first document", stream.documents)[0]
    assert {worker["name"] for worker in first["workers"]} == set(world.workers), first
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.eventually("seen running", lambda: _last_state(stream, job) == "Running")
    fedra.restart()
    job.finish(world.worker1)
    world.eventually("seen finished", lambda: _last_state(stream, job) == "Finished")
    documents = stream.documents()
    heads = {(each["apiVersion"], each["kind"]) for each in documents}
    assert heads == {(first["apiVersion"], first["kind"])}, heads
    assert all(before != after for before, after in zip(documents, documents[1:])), "no change"
    stream.end()


@scenario("wait-for-a-job")
def wait_for_a_job(world: World) -> None:
    """fedra wait: until a job runs, until it has finished; a job that fails, one that is unknown, a timeout."""
    fedra = world.start_fedra()
    job = world.submit("train")
    waiting = fedra.begin("wait", job.key, "--for", "finished")
    running = fedra.cli("wait", job.key, "--for=running", "--timeout", "60s")
    assert running.code == 0 and f"Running on {world.worker1}" in running.stdout, running
    late = fedra.cli("wait", job.key, "--timeout", "1s")
    assert late.code == 4 and f"{job.key} is not finished after 1s" in late.stderr, late
    assert waiting.running(), "it has not finished"
    job.finish(world.worker1)
    world.eventually("the end of the wait", lambda: not waiting.running())
    assert waiting.exit_code() == 0, waiting.log_tail(5)
    report = fedra.cli("wait", job.key, "--for", "dispatched", "-o", "json")
    assert report.code == 0 and report.json()["jobs"][0]["state"] == "Finished", report
    unknown = fedra.cli("wait", f"{job.key}-2", "--timeout", "1s")
    assert unknown.code == 4 and "is known to fedra" in unknown.stderr, unknown
    doomed = world.submit("doomed")
    doomed.wait_running_on(world.worker1)
    ending = fedra.begin("wait", doomed.key)
    world.eventually("the wait has begun", lambda: "Running" in ending.log_tail(5))
    world.manager.delete("Job", world.ns, doomed.name)
    world.eventually("the end of the wait", lambda: not ending.running())
    assert ending.exit_code() == 3, ending.log_tail(5)

    # Its end is known to the second, and on a real cluster some time after the job's.
    def is_gone() -> bool:
        again = fedra.cli("wait", doomed.key, "--timeout", "1s")
        return again.code == 3 and "gone since" in again.stdout

    world.eventually("it is gone", is_gone)
    other = world.submit("other")
    other.wait_running_on(world.worker1)
    fedra.stop()
    alone = fedra.cli("wait", other.key, "--timeout", "1s")
    assert alone.code == 4 and "(the daemon is not running)" in alone.stderr, alone
    fedra.start()  # cleans up


@scenario("status-watch-terminal")
def a_screen_of_status(world: World) -> None:
    """fedra status --watch on a terminal that sends no keys: redrawn, cut to its height; with TERM=dumb whole, no escapes."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    screen = _watched_on_terminal(world, fedra, "xterm", "more line").split("\x1b[J")[0]
    assert screen.startswith("\x1b[H") and job.key not in screen, screen
    assert len(screen.splitlines()) == _TERMINAL_LINES, screen
    text = _watched_on_terminal(world, fedra, "dumb", job.key)
    assert "\x1b" not in text and "more line" not in text, text
    assert len(text.splitlines()) > _TERMINAL_LINES, text


_TERMINAL_LINES = 4


def _watched_on_terminal(world: World, fedra: Fedra, term: str, until: str) -> str:
    """What `fedra status --watch` has written to a small terminal when `until` stands there."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _TERMINAL_LINES, 120, 0, 0))
    os.set_blocking(ours, False)
    text = ""

    def look() -> bool:
        nonlocal text
        with contextlib.suppress(BlockingIOError):
            text += os.read(ours, 65536).decode()
        return until in text

    with subprocess.Popen(
        fedra.command("status", "--watch"),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        env={**os.environ, "TERM": term},
    ) as watching:
        try:
            world.eventually(f"{until!r} is shown", look)
        finally:
            watching.kill()
            os.close(theirs)
            os.close(ours)
    return text


def _last_state(stream: Stream, job: FederatedJob) -> str | None:
    jobs = stream.documents()[-1]["jobs"]
    states = [each["state"] for each in jobs if each["name"] == job.name]
    return states[0] if states else None


@scenario("status-watch-reader-gone")
def the_reader_goes_away(world: World) -> None:
    """The reader of the stream closes it (`| head -1`): the command ends, silently and without another change."""
    fedra = world.start_fedra()
    with subprocess.Popen(
        fedra.command("status", "-o", "name", "--watch"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as watching:
        try:
            assert watching.stdout is not None and watching.stdout.readline()
            assert watching.stderr is not None
            watching.stdout.close()
            world.eventually("the command ends", lambda: watching.poll() is not None)
            assert watching.stderr.read() == b""
        finally:
            watching.kill()


# What each command needs to print something; `run` prints nothing. --help is a unit test.
_PRINTING: dict[str, list[str]] = {
    "explain": [],
    "version": [],
    "completion": ["bash"],
    "status": [],
    "why": ["{job}"],
    "history": ["{job}"],
    "wait": ["{job}", "--for", "running"],
    "check": ["-f", "{manifest}"],
    "templates diff": ["-o", "json"],
    "devices": ["-o", "json"],
    "snapshot": ["-f", "-"],
    "support-bundle": ["-o", "-"],
    "orphans": ["-o", "json"],
    "dashboard": [],
    "join": ["--dry-run", "--kubeconfig", "{kubeconfig}", "--context", "{worker}"],
    "cel": ["device.driver == 'x'", "--slices", "{slices}"],
    "config validate": [],
    "config print-defaults": [],
    "config view": [],
}
# What prints nothing here, or has a scenario of its own.
_SILENT = {
    "run", "backup", "config", "templates", "leave", "migrate", "cordon", "drain", "uncordon",
    "logs", "retry", "move",
}  # fmt: skip
_UNCONFIGURED = {
    "explain",
    "version",
    "completion",
    "join",
    "cel",
    "config print-defaults",
}


@scenario("unwritable-output")
def output_cannot_be_written(world: World) -> None:
    """Every command of the command line fails with one line when the disk is full (/dev/full), --watch included."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    fish = _completion(fedra, "fish").splitlines()
    names = {line.split()[6] for line in fish if "__fish_use_subcommand" in line}
    assert names == {each.split()[0] for each in _PRINTING} | _SILENT, names
    folder = fedra.store.parent
    manifest, slices = folder / "job.json", folder / "slices.json"
    manifest.write_text(json.dumps(objects.job(world.ns, "another", QUEUE)))
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    slices.write_text(
        json.dumps(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": {"name": "s"},
                "spec": {
                    "driver": "x",
                    "pool": pool,
                    "allNodes": True,
                    "devices": [{"name": "d"}],
                },
            }
        )
    )
    words = {
        "job": f"{world.ns}/train",
        "manifest": str(manifest),
        "slices": str(slices),
    }
    words |= {
        "kubeconfig": administrator_kubeconfig(world, fedra),
        "worker": world.worker1,
    }
    for name, arguments in _PRINTING.items():
        given = [*name.split(), *(each.format(**words) for each in arguments)]
        command = fedra.command(*given)
        if name in _UNCONFIGURED:
            command = [command[0], *given]
        _fails_on_a_full_disk(name, command)
    for format in ("json", "yaml", "name"):
        _fails_on_a_full_disk("status", fedra.command("status", "--watch", "-o", format))


def _fails_on_a_full_disk(name: str, command: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    last = f"fedra {name}: cannot write the output: No space left on device"
    # Before it only warnings of the configuration: a real token ends within a day.
    assert ran.returncode == 1 and ran.stderr.splitlines()[-1:] == [last], (
        command,
        ran,
    )
    assert ran.stderr.count("cannot write") == 1, (command, ran)


# kwok's nodes have no kubelet that could be asked for a log.
@scenario("logs", fleets=("sim",))
def what_a_job_prints(world: World) -> None:
    """fedra logs: the last lines of a job's pod, by the caller's context for the worker; none any more when it has ended."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    kubeconfig = administrator_kubeconfig(world, fedra)
    command = ("logs", job.key, "--tail", "2", "--kubeconfig", kubeconfig)
    world.eventually("stored", lambda: _state_in(fedra, fedra.store, job) == "Running")
    shown = fedra.cli(*command)
    assert shown.code == 0 and shown.stdout == "line 99 of main\nline 100 of main\n", shown
    # The simulation's containers print nothing more.
    assert fedra.cli(*command, "--follow").stdout == shown.stdout
    _fails_on_a_full_disk("logs", fedra.command(*command))
    wrong = fedra.cli(*command, "-c", "other")
    assert wrong.code == 1 and "there is no container other; there are: main" in wrong.stderr, wrong
    administrator_kubeconfig(world, fedra, {"elsewhere": world.worker1})
    unnamed = fedra.cli(*command)
    told = f'no context "{world.worker1}" (known: {MANAGER}, elsewhere)'
    assert unnamed.code == 1 and told in unnamed.stderr, unnamed
    assert fedra.cli(*command, "--worker-context", "elsewhere").stdout == shown.stdout
    job.finish(world.worker1)
    world.eventually("stored", lambda: _state_in(fedra, fedra.store, job) == "Finished")
    gone = fedra.cli(*command, "--worker-context", "elsewhere")
    assert gone.code == 3 and "has no pods there any more" in gone.stderr, gone
    waiting = world.submit("waiting", template="unheard")
    waiting.wait_message("no worker eligible")
    world.eventually("stored", lambda: _state_in(fedra, fedra.store, waiting) == "Blocked")
    nowhere = fedra.cli("logs", waiting.key, "--kubeconfig", kubeconfig)
    assert nowhere.code == 3 and f"fedra why {waiting.key}" in nowhere.stderr, nowhere


@scenario("snapshot-kinds-of-files")
def a_snapshot_never_replaces_a_device(world: World) -> None:
    """fedra snapshot -f DEVICE, LINK: both stay what they are; a full device is one line and exit code 1."""
    fedra = world.start_fedra()
    folder = fedra.store.parent
    full = fedra.cli("snapshot", "-f", "/dev/full")
    assert full.code == 1, full
    assert full.stderr.splitlines() == [
        "fedra snapshot: /dev/full: cannot be written: No space left on device"
    ], full
    assert Path("/dev/full").is_char_device() and Path("/dev/null").is_char_device()
    assert fedra.cli("snapshot", "-f", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()
    link = folder / "link"
    link.symlink_to("snapshot")
    assert fedra.cli("snapshot", "-f", str(link)).code == 0
    assert link.is_symlink() and json.loads((folder / "snapshot").read_text())
    assert not list(folder.glob("*.tmp"))


@scenario("backup")
def the_store_is_copied(world: World) -> None:
    """fedra backup while the daemon runs: the copy answers as the store did; it overwrites nothing."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    world.eventually("stored", lambda: _state_in(fedra, fedra.store, job) == "Running")
    copy = fedra.store.with_name("copy.db")
    made = fedra.cli("backup", str(copy))
    assert made.code == 0 and copy.stat().st_mode & 0o777 == 0o600, made
    again = fedra.cli("backup", str(copy))
    assert again.code == 1 and "exists" in again.stderr, again
    job.finish(world.worker1)
    world.eventually("stored", lambda: _state_in(fedra, fedra.store, job) == "Finished")
    assert _state_in(fedra, copy, job) == "Running"


def _state_in(fedra: Fedra, store: Path, job: FederatedJob) -> str | None:
    status = json.loads(fedra.cli("status", "--store", str(store), "-o", "json").stdout)
    return next((each["state"] for each in status["jobs"] if each["name"] == job.name), None)


@scenario("orphans")
def orphans_are_listed_and_deleted(world: World) -> None:
    """A job whose workload is gone: listed, deleted with --delete --yes only; what is not ours is neither."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    # Both at once might be spread: what is on its way counts.
    living = world.submit("living")
    living.wait_running_on(world.worker1)
    assert _orphans(fedra) == [], "both have a workload"
    fedra.stop()
    clone = objects.present(job.clone(world.worker1))["metadata"]["name"]
    world.manager.delete("Job", world.ns, job.name)
    world.eventually("the workload is gone", lambda: job.workload() is None)
    foreign = [world.admin(world.worker1).create(each) for each in _foreign_jobs(world)]
    left = [(world.worker1, "Job", job.name), (world.worker1, "Workload", clone)]
    assert _orphans(fedra) == left
    refused = fedra.cli("orphans", "--delete")
    assert refused.code == 1 and "--yes" in refused.stderr, refused
    always("nothing is deleted yet", lambda: _orphans(fedra) == left, 1)
    deleted = fedra.cli("orphans", "--delete", "--yes")
    assert deleted.code == 0, deleted
    assert deleted.stderr.count("deleted ") == len(left), deleted
    world.eventually("both are gone", lambda: _orphans(fedra) == [])
    assert job.remote_job(world.worker1) is None
    assert living.remote_jobs() == living.clones() == [world.worker1]
    _remove_untouched(world, foreign)
    fedra.start()
    living.finish(world.worker1)


# The fault is the simulation's.
@scenario("orphans-unidentified", fleets=("sim",))
def manager_does_not_say_who_it_is(world: World) -> None:
    """Without an answer on who the manager is nothing is an orphan; refused, only what names no manager."""
    assert isinstance(world.fleet, SimFleet)
    fedra = world.start_fedra()
    fedra.stop()
    worker = world.admin(world.worker1)
    created = []
    for name, annotations in {
        "theirs": {
            UID_ANNOTATION: "living-there",
            MANAGER_UID_ANNOTATION: "another-cluster",
        },
        "of-no-manager": {UID_ANNOTATION: "dead"},
    }.items():
        job = objects.job(world.ns, name, QUEUE, managed_by=False)
        job["metadata"] |= {
            "labels": {ORIGIN_LABEL: ORIGIN},
            "annotations": annotations,
        }
        created.append(worker.create(job))
    world.fleet.hide_identity(MANAGER, 500)
    failed = fedra.cli("orphans", "--delete", "--yes")
    assert failed.code == 1 and "cannot be told from ours" in failed.stderr, failed
    world.fleet.end_faults(MANAGER)
    world.fleet.hide_identity(MANAGER, 403)
    refused = fedra.cli("orphans", "--delete", "--yes")
    world.fleet.end_faults(MANAGER)
    assert "left out" in refused.stderr and "of-no-manager" in refused.stdout, refused
    assert "theirs" not in refused.stdout, refused
    _remove_untouched(world, created[:1])


def _orphans(fedra: Fedra) -> list[tuple[str, str, str]]:
    """Worker, kind and name."""
    output = fedra.cli("orphans", "-o", "json")
    report = output.json()
    assert output.code == 0 and report["unreadWorkers"] == [], output
    return [(each["worker"], each["kind"], each["name"]) for each in report["items"]]


def _foreign_jobs(world: World) -> list[Object]:
    """Of nobody, of another manager, and with one of our two marks each. No queue: nothing touches them."""
    marks: dict[str, tuple[dict[str, str], dict[str, str]]] = {
        "of-nobody": ({}, {}),
        "of-another": ({ORIGIN_LABEL: "other"}, {UID_ANNOTATION: "dead"}),
        "label-alone": ({ORIGIN_LABEL: ORIGIN}, {}),
        "uid-alone": ({}, {UID_ANNOTATION: "dead"}),
    }
    jobs = []
    for name, (labels, annotations) in marks.items():
        job = objects.job(world.ns, name, QUEUE, managed_by=False)
        job["metadata"] |= {"labels": labels, "annotations": annotations}
        jobs.append(job)
    return jobs


def _remove_untouched(world: World, foreign: list[Object]) -> None:
    client = world.admin(world.worker1)
    for before in foreign:
        name = before["metadata"]["name"]
        now = client.get("Job", world.ns, name)
        assert now["metadata"]["uid"] == before["metadata"]["uid"], f"{name} was made again"
        assert "deletionTimestamp" not in now["metadata"], f"{name} is being deleted"
        assert objects.canonical(now["spec"]) == objects.canonical(before["spec"])
        client.delete("Job", world.ns, name)


@scenario("check-exit-codes")
def exit_codes_of_check(world: World) -> None:
    """fedra check of several documents on stdin: 0 if all fit, 3 if one fits nowhere, 4 unknown, 1 a mistake."""
    world.add_template(world.worker2)
    access = world.fleet.restricted_access(world.worker1, without=["resourceclaimtemplates"])
    fedra = world.start_fedra(accesses={world.worker1: access})
    plain = objects.job(world.ns, "plain", QUEUE)
    on_worker2 = objects.job(world.ns, "on-worker2", QUEUE, template=TEMPLATE)
    unknown = objects.job(world.ns, "unknown", QUEUE, template="no-such-template")
    nowhere = objects.job(world.ns, "nowhere", "no-such-queue")
    for wanted, jobs in (
        (CHECK_PLACEABLE, [plain, on_worker2]),
        (CHECK_NOWHERE, [plain, nowhere, on_worker2]),
        (CHECK_UNKNOWN, [plain, unknown]),
        (
            CHECK_NOWHERE,
            [unknown, nowhere],
        ),  # the certain No outweighs what is not known
    ):
        output = fedra.check(*jobs)
        names = [job["metadata"]["name"] for job in jobs]
        assert output.code == wanted, (names, output)
        assert [each["job"]["name"] for each in output.json()["items"]] == names, output
    mistake = fedra.check(plain, objects.claim_template(world.ns, "no-class", class_name=""))
    assert mistake.code == CHECK_ERROR and "no-class" in mistake.stdout, mistake
    quoted = objects.job(world.ns, "quoted", QUEUE)
    quoted["spec"]["parallelism"] = "3"  # no API server takes it, and it is not read as one pod
    refused = fedra.check(quoted)
    assert refused.code == CHECK_ERROR and not refused.json()["items"][0]["workers"], refused
    (finding,) = refused.json()["findings"]
    assert finding["path"] == "spec.parallelism" and finding["line"] > 1, finding
    no_yaml = fedra.cli("check", "-f", "-", "-o", "json", stdin="kind: Job\n  spec: [")
    assert no_yaml.code == CHECK_ERROR and no_yaml.stderr, no_yaml
    assert not world.manager.list("Job", world.ns), "check must write nothing"


@scenario("completion")
def completion_scripts(world: World) -> None:
    """fedra completion: bash accepts and uses the script, zsh's too; fish's names the commands."""
    fedra = world.start_fedra(check_active=False)
    for shell in ("bash", "zsh"):
        script = _completion(fedra, shell)
        syntax = _bash("-n", stdin=script)
        assert syntax.returncode == 0 and not syntax.stderr, (shell, syntax)
    for line, option in (("sta", "status"), ("status --wa", "--watch")):
        assert option in _offered(_completion(fedra, "bash"), line), (line, option)
    fish = _completion(fedra, "fish").splitlines()
    assert all(line.startswith("complete -c fedra ") for line in fish), fish
    assert any("__fish_use_subcommand -a status " in line for line in fish), fish
    for line in fish:
        shlex.split(line.replace("\\'", ""))  # raises at a quote that does not close
    refused = fedra.bare("completion", "tcsh")
    assert refused.code != 0 and "tcsh" in refused.stderr, refused


def _completion(fedra: Fedra, shell: str) -> str:
    output = fedra.bare("completion", shell)
    assert output.code == 0 and output.stdout and not output.stderr, output
    return output.stdout


def _offered(script: str, line: str) -> list[str]:
    """What bash offers behind `fedra LINE`."""
    words = shlex.join(["fedra", *line.split()])
    calls = f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _fedra"
    result = _bash(stdin=f'{script}\n{calls}\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n')
    assert result.returncode == 0 and not result.stderr, result
    return result.stdout.split()


def _bash(*options: str, stdin: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "--norc", *options],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=30,
    )
