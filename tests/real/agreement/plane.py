"""The control plane of a comparison, without kubelets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from real import tools as real_tools
from real.agreement.cluster_writer import WITH_RULES
from real.control_plane import ControlPlane, Etcd
from real.pki import Pki


@contextmanager
def running_plane(
    release: str, folder: Path, more_gates: list[str], more_apis: list[str]
) -> Iterator[ControlPlane]:
    """Each release with its default gates, and `more_gates`; 1.36 with DeviceTaintRules, too, which are off there. Not
    for its controllers: nobody is evicted by a rule."""
    gates = (["DRADeviceTaintRules"] if release in WITH_RULES else []) + more_gates
    apis = ",".join(f"{api}=true" for api in ["resource.k8s.io/v1beta2", *more_apis])
    tools = real_tools.build(release)
    etcd = Etcd(tools, folder)
    flags = {
        "kube-apiserver": [f"--runtime-config={apis}", *_on(gates)],
        "kube-controller-manager": _on(more_gates),
        "kube-scheduler": _on(gates),
    }
    plane = ControlPlane("agreement", tools, Pki(folder / "pki"), etcd, folder, flags)
    try:
        plane.wait_ready()
        plane.start_controllers(kubelets=False)
        yield plane
    finally:
        plane.stop()
        etcd.stop()


def _on(gates: list[str]) -> list[str]:
    return [f"--feature-gates={','.join(f'{gate}=true' for gate in gates)}"] if gates else []
