"""Workers that are discovered from the MultiKueueClusters of the manager."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from real import multikueue
from scenarios import objects
from scenarios.fedra_process import CHECK_NOWHERE, Fedra
from scenarios.fleet import MANAGER
from scenarios.kubeconfig import Access
from scenarios.registry import scenario
from scenarios.resources import Object
from scenarios.world import QUEUE, TEMPLATE, World

_KUEUE_NAMESPACE = "kueue-system"
_RIGHTS = "manager-rbac-discovery.yaml"
_DISCOVERS = {"workersFrom": {"multiKueueClusters": True}}
# Of a Secret, while all workers can be used (manager/discovery/worker_discovery.cc).
_READ_INTERVAL = 30.0


@scenario("worker-discovered")
def worker_comes_with_its_multikueuecluster(world: World) -> None:
    """A MultiKueueCluster and its Secret make a worker, a rotated Secret is taken over, and its end removes the worker."""
    with _discovering(world) as fedra:
        world.add_template(MANAGER)
        world.add_template(world.worker1)
        job = world.submit("train", template=TEMPLATE)
        job.wait_message("no worker eligible")
        _create_cluster(world, world.worker1)
        _wait_note(world, fedra, world.worker1, "does not exist")
        usual = world.fleet.fedra_access(world.worker1)
        _put_kubeconfig(world, world.worker1, usual.to_kubeconfig())
        job.wait_running_on(world.worker1)
        assert world.worker1 in fedra.checked(_another(world)), "check sees what the daemon sees"
        assert world.worker1 in fedra.cli("config", "validate", "--connect").stdout

        _put_kubeconfig(world, world.worker1, _running_a_program(usual))
        _wait_note(
            world,
            fedra,
            world.worker1,
            "a credential plugin is refused",
            _READ_INTERVAL,
        )
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
        _put_kubeconfig(
            world,
            world.worker1,
            world.fleet.admin_access(world.worker1).to_kubeconfig(),
        )
        world.wait_worker_state(world.worker1, "Connected")
        assert fedra.logged("using the worker's changed kubeconfig") >= 2
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"

        world.manager.delete("MultiKueueCluster", None, world.worker1)
        _wait_note(world, fedra, world.worker1, "removed")
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
        job.finish(world.worker1)
        _wait_released(world, fedra)
        _assert_hidden(fedra, usual, world.fleet.admin_access(world.worker1))


@scenario("discovered-worker-alone")
def trouble_of_one_disturbs_no_other(world: World) -> None:
    """A MultiKueueCluster whose kubeconfig becomes insecure, or goes, or of a configured name, says so, and the others work on."""
    with _discovering(world) as fedra:
        world.add_template_everywhere()
        access = world.fleet.fedra_access(world.worker1)
        _put_kubeconfig(world, world.worker1, access.to_kubeconfig())
        _create_cluster(world, world.worker1)
        world.wait_worker_state(world.worker1, "Connected")
        # Of a configured worker's name.
        _create_cluster(world, world.worker2, secret=world.worker1)
        world.eventually(
            "the name is reported",
            lambda: "workers has one of this name" in fedra.cluster_trouble(MANAGER),
        )
        _put_kubeconfig(world, world.worker1, multikueue.insecure(access))
        _wait_note(world, fedra, world.worker1, "insecure-skip-tls-verify", _READ_INTERVAL)
        assert fedra.worker_states()[world.worker2] == "Connected"
        job = world.submit("train", template=TEMPLATE)
        job.wait_running_on(world.worker2)
        world.manager.patch(
            "Secret", _KUEUE_NAMESPACE, world.worker1, {"data": {"kubeconfig": None}}
        )
        _wait_note(world, fedra, world.worker1, "has no key", _READ_INTERVAL)
        job.finish(world.worker2)
        assert world.dispatched_to(world.worker1) == 0


# Rights that are taken away from the manager's account while it is used: only simulated clusters can.
@scenario("discovery-refused", fleets=("sim",))
def workers_stay_while_they_may_not_be_listed(world: World) -> None:
    """MultiKueueClusters that may not be read remove no worker and move no job, also when fedra is started again."""
    with _discovering(world) as fedra:
        world.add_template(MANAGER)
        world.add_template(world.worker1)
        access = world.fleet.fedra_access(world.worker1)
        _put_kubeconfig(world, world.worker1, access.to_kubeconfig())
        _create_cluster(world, world.worker1)
        job = world.submit("train", template=TEMPLATE)
        job.wait_running_on(world.worker1)
        fedra.stop()
        world.fleet.restricted_access(MANAGER, ["multikueueclusters"])
        fedra.start()
        _wait_note(world, fedra, world.worker1, "is not known")
        assert "workers are not discovered" in fedra.cluster_trouble(MANAGER)
        assert fedra.check(_another(world)).code == CHECK_NOWHERE, "worker1 is not known"
        world.fleet.reset()
        world.wait_worker_state(world.worker1, "Connected")
        assert job.cluster_name() == world.worker1 and job.check_state() == "Ready"
        job.finish(world.worker1)


@contextmanager
def _discovering(world: World) -> Iterator[Fedra]:
    """fedra with worker1 in its rights only, not in its configuration, for the scenario to be discovered."""
    world.manager.apply(
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": _KUEUE_NAMESPACE},
        }
    )
    world.fleet.grant(MANAGER, _RIGHTS)
    try:
        fedra = world.start_fedra(_DISCOVERS)
        fedra.remove_worker(world.worker1)
        _wait_released(world, fedra)
        yield fedra
    finally:
        for worker in world.workers:
            world.manager.delete("MultiKueueCluster", None, worker)
            world.manager.delete("Secret", _KUEUE_NAMESPACE, worker)


def _create_cluster(world: World, name: str, secret: str | None = None) -> None:
    source = {"kubeConfig": {"location": secret or name, "locationType": "Secret"}}
    world.manager.create(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "MultiKueueCluster",
            "metadata": {"name": name},
            "spec": {"clusterSource": source},
        }
    )


def _put_kubeconfig(world: World, name: str, kubeconfig: Object) -> None:
    text = yaml.safe_dump(kubeconfig)
    world.manager.apply(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": _KUEUE_NAMESPACE},
            "data": {"kubeconfig": base64.b64encode(text.encode()).decode()},
        }
    )


def _another(world: World) -> Object:
    return objects.job(world.ns, "another", QUEUE, template=TEMPLATE)


def _running_a_program(access: Access) -> Object:
    kubeconfig: Any = access.to_kubeconfig()
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/true"}
    kubeconfig["users"][0]["user"] = {"exec": plugin}
    return dict(kubeconfig)


def _wait_released(world: World, fedra: Fedra) -> None:
    world.eventually(
        f"{world.worker1} is released",
        lambda: world.worker1 not in fedra.worker_states(),
    )


def _wait_note(world: World, fedra: Fedra, worker: str, text: str, longer: float = 0.0) -> None:
    """Waits until `fedra status` says that of the worker."""
    world.eventually(
        f"status says of {worker}: {text}",
        lambda: text in (fedra.worker_notes().get(worker) or ""),
        world.fleet.patience + longer,
    )


def _assert_hidden(fedra: Fedra, *accesses: Access) -> None:
    """No credential is in the store, the log or any output."""
    secrets = [each.token or each.client_key or "" for each in accesses]
    texts = {
        "the log": fedra.log.read_text(errors="replace"),
        "status": fedra.cli("status", "-o", "json").stdout,
        "validate": fedra.cli("config", "validate", "--connect", "-o", "json").stdout,
        "snapshot": fedra.cli("snapshot", "-f", "-").stdout,
    }
    for file in fedra.store.parent.glob(f"{fedra.store.name}*"):
        texts[file.name] = file.read_bytes().decode(errors="replace")
    for secret in secrets:
        assert secret, "the test has a secret to look for"
        found = [name for name, text in texts.items() if secret in text]
        assert not found, f"a credential is in {found}"
