"""The Kubernetes types that the tests touch, and where an API server serves them."""

from __future__ import annotations

import dataclasses
from typing import Any

Object = dict[str, Any]  # any Kubernetes object, as JSON


@dataclasses.dataclass(frozen=True)
class Resource:
    """One resource type: where it is served and how an object of it names its type."""

    api_version: str  # "v1" or "group/version"
    plural: str
    kind: str
    namespaced: bool = True

    def path(
        self, namespace: str | None = None, name: str | None = None, subresource: str = ""
    ) -> str:
        root = "/api/v1" if self.api_version == "v1" else f"/apis/{self.api_version}"
        parts = [root]
        if self.namespaced and namespace is not None:
            parts.append(f"namespaces/{namespace}")
        parts.append(self.plural)
        if name is not None:
            parts.append(name)
        if subresource:
            parts.append(subresource)
        return "/".join(parts)


KUEUE = "kueue.x-k8s.io/v1beta2"
_DRA = "resource.k8s.io/v1"
_RBAC = "rbac.authorization.k8s.io/v1"
_ADMISSION = "admissionregistration.k8s.io/v1"

# Every type that the tests touch, by kind.
RESOURCES: dict[str, Resource] = {
    resource.kind: resource
    for resource in (
        Resource("v1", "namespaces", "Namespace", namespaced=False),
        Resource("v1", "nodes", "Node", namespaced=False),
        Resource("v1", "pods", "Pod"),
        Resource("v1", "configmaps", "ConfigMap"),
        Resource("v1", "persistentvolumeclaims", "PersistentVolumeClaim"),
        Resource("v1", "secrets", "Secret"),
        Resource("v1", "serviceaccounts", "ServiceAccount"),
        Resource("v1", "services", "Service"),
        Resource("apps/v1", "deployments", "Deployment"),
        Resource("apps/v1", "statefulsets", "StatefulSet"),
        Resource("batch/v1", "jobs", "Job"),
        Resource("jobset.x-k8s.io/v1alpha2", "jobsets", "JobSet"),
        Resource("kubeflow.org/v2beta1", "mpijobs", "MPIJob"),
        Resource("kubeflow.org/v1", "tfjobs", "TFJob"),
        Resource("kubeflow.org/v1", "pytorchjobs", "PyTorchJob"),
        Resource("kubeflow.org/v1", "xgboostjobs", "XGBoostJob"),
        Resource("kubeflow.org/v1", "paddlejobs", "PaddleJob"),
        Resource("kubeflow.org/v1", "jaxjobs", "JAXJob"),
        Resource("ray.io/v1", "rayclusters", "RayCluster"),
        Resource("ray.io/v1", "rayjobs", "RayJob"),
        Resource("ray.io/v1", "rayservices", "RayService"),
        Resource("trainer.kubeflow.org/v1alpha1", "trainjobs", "TrainJob"),
        Resource("trainer.kubeflow.org/v1alpha1", "trainingruntimes", "TrainingRuntime"),
        Resource(
            "trainer.kubeflow.org/v1alpha1",
            "clustertrainingruntimes",
            "ClusterTrainingRuntime",
            False,
        ),
        Resource("workload.codeflare.dev/v1beta2", "appwrappers", "AppWrapper"),
        Resource("resource.nvidia.com/v1beta1", "computedomains", "ComputeDomain"),
        Resource("sparkoperator.k8s.io/v1beta2", "sparkapplications", "SparkApplication"),
        Resource("leaderworkerset.x-k8s.io/v1", "leaderworkersets", "LeaderWorkerSet"),
        Resource("tekton.dev/v1", "pipelineruns", "PipelineRun"),
        Resource("example.com/v1", "trainingruns", "TrainingRun"),
        Resource("events.k8s.io/v1", "events", "Event"),
        Resource("coordination.k8s.io/v1", "leases", "Lease"),
        Resource("fedra.dev/v1alpha1", "placementrecords", "PlacementRecord"),
        Resource(
            "apiextensions.k8s.io/v1",
            "customresourcedefinitions",
            "CustomResourceDefinition",
            False,
        ),
        Resource(_RBAC, "clusterroles", "ClusterRole", namespaced=False),
        Resource(_RBAC, "roles", "Role"),
        Resource(_RBAC, "rolebindings", "RoleBinding"),
        Resource(_RBAC, "clusterrolebindings", "ClusterRoleBinding", namespaced=False),
        Resource(_RBAC, "roles", "Role"),
        Resource(_RBAC, "rolebindings", "RoleBinding"),
        Resource(
            _ADMISSION, "mutatingadmissionpolicies", "MutatingAdmissionPolicy", namespaced=False
        ),
        Resource(
            _ADMISSION, "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", False
        ),
        Resource(
            _ADMISSION, "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", False
        ),
        Resource(
            _ADMISSION, "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", False
        ),
        Resource(_DRA, "deviceclasses", "DeviceClass", namespaced=False),
        Resource(_DRA, "resourceslices", "ResourceSlice", namespaced=False),
        Resource(_DRA, "resourceclaims", "ResourceClaim"),
        Resource(_DRA, "resourceclaimtemplates", "ResourceClaimTemplate"),
        Resource("resource.k8s.io/v1beta2", "devicetaintrules", "DeviceTaintRule", False),
        Resource("node.k8s.io/v1", "runtimeclasses", "RuntimeClass", namespaced=False),
        Resource("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", namespaced=False),
        Resource("scheduling.k8s.io/v1alpha2", "podgroups", "PodGroup"),
        Resource("multicluster.x-k8s.io/v1alpha1", "clusterprofiles", "ClusterProfile"),
        Resource(KUEUE, "workloads", "Workload"),
        Resource(KUEUE, "localqueues", "LocalQueue"),
        Resource(KUEUE, "clusterqueues", "ClusterQueue", namespaced=False),
        Resource(KUEUE, "resourceflavors", "ResourceFlavor", namespaced=False),
        Resource(KUEUE, "topologies", "Topology", namespaced=False),
        Resource(KUEUE, "admissionchecks", "AdmissionCheck", namespaced=False),
        Resource(KUEUE, "multikueueconfigs", "MultiKueueConfig", namespaced=False),
        Resource(KUEUE, "multikueueclusters", "MultiKueueCluster", namespaced=False),
        Resource(KUEUE, "workloadpriorityclasses", "WorkloadPriorityClass", namespaced=False),
    )
}
