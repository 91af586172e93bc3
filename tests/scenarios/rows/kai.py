"""KAI-1 to KAI-4: gangs of the KAI Scheduler, as far as they can be seen without KAI.

Source: docs of github.com/NVIDIA/KAI-Scheduler. Its pods name schedulerName: kai-scheduler, which runs on no test
cluster: it is left out, or no pod would start. Scenario other-scheduler shows what fedra says of such pods.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.resources import Object
from scenarios.rows import compute_domain
from scenarios.rows.parts import by_template, device, device_class, exactly, node, pool, template
from scenarios.rows.published import container, grouped, of_kubeflow, pod, roles
from scenarios.rows.row import Case, Row, State

_GPU = "gpu.nvidia.com"
_EXTENDED = "nvidia.com/gpu"
_QUEUE = {"kai.scheduler/queue": "default-queue"}
_ONE_GPU = template("single-gpu", exactly("gpu", _GPU))
_WITHOUT_KAI = "schedulerName is left out: KAI runs on no test cluster"


def _gpus(node_name: str, count: int) -> list[Object]:
    return pool(_GPU, node_name, [device(f"gpu-{index}") for index in range(count)])


def _with_plugin(name: str, gpus: int) -> Object:
    return node(name, allocatable={_EXTENDED: str(gpus)})


KAI1 = Row(
    name="KAI-1",
    title="gang of four pods with a GPU each",
    forces="minMember pods at once, over nodes",
    everywhere=[device_class(_GPU), _ONE_GPU],
    workload=grouped(
        "gang",
        *(
            pod(
                f"gang-{index}",
                container("main", "ubuntu", "gpu", args=["sleep", "infinity"]),
                labels=_QUEUE,
                **by_template(gpu="single-gpu"),
            )
            for index in range(4)
        ),
    ),
    cases=[
        Case(
            State(
                "three GPUs on two nodes",
                [node("n1"), _gpus("n1", 2), node("n2"), _gpus("n2", 1)],
                reasons=("NotEnoughDevices", "PodsDoNotFit"),
            ),
            State(
                "four GPUs on three nodes",
                [
                    node("n1"),
                    _gpus("n1", 2),
                    node("n2"),
                    _gpus("n2", 1),
                    node("n3"),
                    _gpus("n3", 1),
                ],
                allocates=("gpu",) * 4,
            ),
            goes_to="worker2",
        ),
    ],
    note="Kueue's group of pods in place of the PodGroup of scheduling.run.ai, for which Kueue has no integration; "
    f"{_WITHOUT_KAI}",
)

KAI2 = Row(
    name="KAI-2",
    title="gpu-sharing: half a GPU by annotation (gpu-fraction)",
    forces="not DRA: KAI counts it in reservation pods of its own, so nothing can be judged from devices",
    workload=[
        pod(
            "gpu-sharing",
            container(
                "gpu-workload",
                "nvidia/cuda:13.0.2-base-ubi8",
                command=["nvidia-smi"],
                args=["-L"],
            ),
            labels=_QUEUE,
            annotations={"gpu-fraction": "0.5"},
        )
    ],
    cases=[
        Case(
            State("nothing is known against it", [node("n1")]),
            State("nothing is known against it", [node("n1")]),
            goes_to="worker1",
        ),
    ],
    note=f"only KAI reads the annotation; the pod goes by quota and order alone; {_WITHOUT_KAI}",
)

_DOMAIN = compute_domain.domain("imex-channel-injection", 1, "imex-channel-0")

KAI3 = Row(
    name="KAI-3",
    title="gpu-imex-pod: a GPU and an IMEX channel",
    forces="as N7, for one pod: both on one node",
    everywhere=[compute_domain.channel_class(), _DOMAIN],
    workload=[
        pod(
            "gpu-imex-pod",
            container(
                "main",
                "ubuntu",
                "imex-channel-0",
                command=["bash", "-c"],
                args=[
                    "nvidia-smi; ls -la /dev/nvidia-caps-imex-channels; trap 'exit 0' TERM; sleep 9000 & wait"
                ],
                resources={"limits": {_EXTENDED: "1"}},
            ),
            labels=_QUEUE,
            **by_template(**{"imex-channel-0": "imex-channel-0"}),
        )
    ],
    cases=[
        Case(
            State(
                "a GPU on one node, a channel on the other",
                [_with_plugin("n1", 1), node("n2"), compute_domain.channels("n2")],
                reasons=("NodesTooSmall", "NotEnoughDevices"),
            ),
            State(
                "both on one node",
                [_with_plugin("n1", 1), compute_domain.channels("n1")],
                allocates=("channel",),
            ),
            goes_to="worker2",
        ),
    ],
    note=f"the ComputeDomain is on both workers, its controller is played; {_WITHOUT_KAI}",
)


def _mnist(count: int) -> tuple[int, Object]:
    training = container(
        "pytorch",
        "ghcr.io/kubeflow/training-v1/pytorch-dist-mnist:latest",
        args=["--backend", "nccl", "--batch-size", "2048", "--epochs", "900"],
        resources={"limits": {_EXTENDED: "1"}},
    )
    return count, {"spec": {"containers": [training]}}


KAI4 = Row(
    name="KAI-4",
    title="pytorch-job: a PyTorchJob of one master and two workers, a GPU each",
    forces="pod sets that are one gang, of a device plugin's GPUs",
    workload=[
        of_kubeflow(
            "kubeflow.org/v1",
            "PyTorchJob",
            "pytorch-dist-mnist-nccl",
            roles("pytorchReplicaSpecs", Master=_mnist(1), Worker=_mnist(2)),
            labels=_QUEUE,
        )
    ],
    cases=[
        Case(
            State(
                "two GPUs on two nodes",
                [_with_plugin("n1", 1), _with_plugin("n2", 1)],
                reasons=("NodesTooSmall", "PodsDoNotFit"),
            ),
            State("three GPUs on two nodes", [_with_plugin("n1", 1), _with_plugin("n2", 2)]),
            goes_to="worker2",
        ),
    ],
    note=f"restartPolicy of the roles is left out; {_WITHOUT_KAI}",
)

ROWS: Sequence[Row] = [KAI1, KAI2, KAI3, KAI4]
