"""How fedra ends and what stops it: SIGTERM in the middle of work, a full disk, no descriptors, no memory."""

from __future__ import annotations

import contextlib
import socket
from concurrent.futures import ThreadPoolExecutor

from scenarios import objects
from scenarios.fedra_process import Fedra
from scenarios.registry import scenario
from scenarios.waiting import SLOWNESS, always
from scenarios.world import TEMPLATE, World

_BURST, _SOME = 60, 10

# What the system says of a write beyond the limit; what fedra adds to ENOSPC is a unit test of the store.
_REFUSAL = "File too large"

_TOO_MANY = "too many open files"

_NO_MEMORY = "fedra: out of memory: "


@scenario("drain-in-a-burst")
def ends_in_the_middle_of_a_burst(world: World) -> None:
    """SIGTERM while many jobs are on their way: fedra ends within 5 s, and after a restart each runs once."""
    world.add_template_everywhere()
    fedra = world.start_fedra()

    def submit(index: int) -> None:
        world.submit(f"train-{index}", template=TEMPLATE)

    with ThreadPoolExecutor(4) as pool:
        submitted = pool.map(submit, range(_BURST))
        world.eventually("some jobs are placed", lambda: len(_remote_uids(world)) >= _SOME)
        fedra.stop()
        before = _remote_uids(world)
        list(submitted)
    world.note(f"{len(before)} of {_BURST} placed at SIGTERM")
    fedra.start()
    world.eventually("all jobs are placed", lambda: len(_remote_uids(world)) == _BURST)
    after = _remote_uids(world)
    assert {name: after[name] for name in before} == before, "a job was made again"


def _remote_uids(world: World) -> dict[str, str]:
    return {
        job["metadata"]["name"]: job["metadata"]["uid"]
        for worker in world.workers
        for job in world.admin(worker).list("Job", world.ns)
    }


@scenario("health-port-taken", fleets=("sim",))
def ends_where_health_cannot_be_served(world: World) -> None:
    """http.health is another's port: fedra says so and ends, while what it serves already is asked; then it is free."""
    fedra = world.start_fedra()
    fedra.stop()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        fedra.change_settings({"http": {"health": address}})
        for _ in range(5):
            fedra.start(ready=False)
            assert fedra.process is not None
            while fedra.process.running():
                with contextlib.suppress(OSError):  # refused, or cut off
                    fedra.page("/readyz")
            assert fedra.process.exit_code() == 1, fedra.report()
        said = f"cannot listen on {address} (Address already in use); set http.health to a free one"
        assert fedra.logged(said) == 5, fedra.report()
    fedra.start()


@scenario("drain-with-a-hanging-worker")
def ends_although_a_worker_hangs(world: World) -> None:
    """SIGTERM while a worker does not answer the calls that are under way: fedra ends within 5 s."""
    fedra = world.start_fedra(links=[world.worker1])
    job = world.submit("before")
    job.wait_running_on(world.worker1)
    world.link(world.worker1).silence()
    jobs = [world.submit(f"train-{index}") for index in range(5)]
    for each in jobs:
        world.eventually("quota", lambda: objects.is_true(each.workload(), "QuotaReserved"))
    fedra.stop()
    world.restore(world.worker1)
    fedra.start()
    for each in (job, *jobs):
        each.finish(world.eventually(f"{each.key} runs", each.remote_jobs)[0])


@scenario("disk-full")
def no_space_for_the_store(world: World) -> None:
    """Not a byte more for the store: /readyz says so, nothing is sent unrecorded; with space again all goes on."""
    fedra = world.start_fedra()
    first = world.submit("first")
    first.wait_running_on(world.worker1)
    fedra.limit_files(0)
    job = world.submit("second")
    world.eventually("the store's problem is said", lambda: _complains(fedra))
    always("no job without a record", lambda: not job.remote_jobs(), 1)
    fedra.limit_files(None)
    job.wait_running_on(world.worker1)
    world.eventually("no problem any more", lambda: not _complains(fedra))
    fedra.restart()
    for each in (first, job):
        assert each.remote_jobs() == [world.worker1]
        each.finish(world.worker1)


def _complains(fedra: Fedra) -> bool:
    assert fedra.page("/livez") == "ok", "a restart would mend nothing"
    return str(fedra.store) in fedra.page("/readyz?verbose")


@scenario("disk-full-at-start")
def no_space_for_a_new_store(world: World) -> None:
    """A store that cannot be made for want of space: fedra ends with an error that names the file."""
    fedra = world.start_fedra()
    fedra.stop()
    fedra.delete_store()
    refused = fedra.cli("run", file_limit=0)
    assert refused.code == 1, refused
    assert str(fedra.store) in refused.stderr and _REFUSAL in refused.stderr, refused
    fedra.start()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    job.finish(world.worker1)


@scenario("memory-refused")
def no_memory_to_start(world: World) -> None:
    """A third of the address space that it takes (ulimit -v): fedra ends with one line that says so, and its store is as before."""
    fedra = world.start_fedra()
    job = world.submit("train")
    job.wait_running_on(world.worker1)
    taken = fedra.address_space_bytes()
    fedra.stop()
    if SLOWNESS == 1:  # no sanitizer, whose address space no limit allows
        refused = fedra.cli("run", memory_limit=taken // 3)
        assert refused.code == 1, refused
        assert _NO_MEMORY in refused.stderr, refused
    fedra.start()
    assert job.remote_jobs() == [world.worker1]
    assert "Placed" in fedra.history(job.key), "the store has forgotten"
    job.finish(world.worker1)


@scenario("descriptors-used-up")
def no_descriptors_left(world: World) -> None:
    """Not a socket more may be opened: the reason is said, and nothing is moved; with more of them all goes on."""
    fedra = world.start_fedra(links=[world.worker1])
    first = world.submit("first")
    first.wait_running_on(world.worker1)
    world.cut(world.worker1)
    world.wait_worker_state(world.worker1, "Unreachable")
    fedra.use_up_descriptors()
    world.restore(world.worker1)

    def is_told() -> bool:
        fedra.use_up_descriptors()  # one that closed would be free again
        return _TOO_MANY in fedra.cluster_trouble(world.worker1)

    world.eventually("the reason is said", is_told)
    before = fedra.cpu_seconds()
    always("it stays so", is_told, 2)
    assert fedra.cpu_seconds() - before < 1, "it is busy trying"
    job = world.submit("second")
    always(
        "the first stays where it runs",
        lambda: first.cluster_name() == world.worker1,
        1,
    )
    fedra.free_descriptors()
    world.wait_worker_state(world.worker1, "Connected")
    world.eventually("/readyz answers", lambda: fedra.page("/readyz") == "ok")
    for each in (first, job):
        each.finish(world.eventually(f"{each.key} runs", each.remote_jobs)[0])
