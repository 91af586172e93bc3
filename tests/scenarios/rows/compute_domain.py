"""ComputeDomains of NVIDIA's DRA driver, and the part of its controller that matters to placement, played.

The controller makes the ResourceClaimTemplate that a domain names, in the domain's namespace and of the domain's UID:
templates/compute-domain-workload-claim-template.tmpl.yaml of k8s-dra-driver-gpu 2240711. Its daemons, for which the
pods wait in reality, are left out.
"""

from __future__ import annotations

from scenarios import objects
from scenarios.resources import RESOURCES, Object
from scenarios.rows.parts import device, device_class, exactly, opaque, pool, template
from scenarios.world import World

KIND = "ComputeDomain"
DRIVER, CHANNEL = "compute-domain.nvidia.com", "compute-domain-default-channel.nvidia.com"
_VERSION = "resource.nvidia.com/v1beta1"


def domain(name: str, nodes: int, template_name: str) -> Object:
    return {
        "apiVersion": _VERSION,
        "kind": KIND,
        "metadata": {"name": name},
        "spec": {
            "numNodes": nodes,
            "channel": {"resourceClaimTemplate": {"name": template_name}},
        },
    }


def channel_class() -> Object:
    """As the driver's chart has it."""
    here = f"device.attributes['{DRIVER}']"
    expression = f"device.driver == '{DRIVER}' && {here}.type == 'channel' && {here}.id == 0"
    return device_class(CHANNEL, expression)


def channels(node_name: str) -> list[Object]:
    """What the driver publishes of each node."""
    channel = device("channel-0", {"type": "channel", "id": 0})
    return pool(DRIVER, node_name, [channel], name=f"{node_name}-channels")


def template_of(made: Object) -> Object:
    """What the controller makes of a domain that exists."""
    parameters = {
        "apiVersion": _VERSION,
        "kind": "ComputeDomainChannelConfig",
        "domainID": made["metadata"]["uid"],
        "allocationMode": made["spec"]["channel"].get("allocationMode", "Single"),
    }
    return template(
        made["spec"]["channel"]["resourceClaimTemplate"]["name"],
        exactly("channel", CHANNEL),
        config=[opaque(DRIVER, parameters, "channel")],
    )


def create(world: World, worker: str, wanted: Object) -> None:
    """The domain there, and what its controller makes of it."""
    if world.fleet.kind == "real":
        _install_crd(world, worker)
    world.supply.put(worker, wanted)
    made = world.admin(worker).get(KIND, world.ns, wanted["metadata"]["name"])
    world.supply.put(worker, template_of(made))


def _install_crd(world: World, worker: str) -> None:
    resource = RESOURCES[KIND]
    group, _, version = resource.api_version.partition("/")
    name = f"{resource.plural}.{group}"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": KIND, "plural": resource.plural, "singular": KIND.lower()},
            "versions": [served],
        },
    }
    # It stays: deleting it would race with what the next case creates.
    world.admin(worker).apply(crd)
    world.eventually(
        f"{name} is served",
        lambda: objects.is_true(
            world.admin(worker).get("CustomResourceDefinition", None, name), "Established"
        ),
    )
