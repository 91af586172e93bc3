#pragma once
//
// The resources fedra reads and writes, in the versions it speaks.

#include "cluster-clients/kube/resource.h"

namespace fedra::tracking {

inline const kube::Resource kWorkloads{"kueue.x-k8s.io", "v1beta2", "workloads", "Workload", true};
inline const kube::Resource kLocalQueues{"kueue.x-k8s.io", "v1beta2", "localqueues", "LocalQueue",
                                         true};
inline const kube::Resource kClusterQueues{"kueue.x-k8s.io", "v1beta2", "clusterqueues",
                                           "ClusterQueue", false};
inline const kube::Resource kAdmissionChecks{"kueue.x-k8s.io", "v1beta2", "admissionchecks",
                                             "AdmissionCheck", false};
inline const kube::Resource kMultiKueueConfigs{"kueue.x-k8s.io", "v1beta2", "multikueueconfigs",
                                               "MultiKueueConfig", false};
inline const kube::Resource kMultiKueueClusters{"kueue.x-k8s.io", "v1beta2", "multikueueclusters",
                                                "MultiKueueCluster", false};
inline const kube::Resource kClusterProfiles{"multicluster.x-k8s.io", "v1alpha1", "clusterprofiles",
                                             "ClusterProfile", true};
// Ours: deploy/placement-records.yaml.
inline const kube::Resource kPlacementRecords{"fedra.dev", "v1alpha1", "placementrecords",
                                              "PlacementRecord", true};
inline const kube::Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
inline const kube::Resource kSecrets{"", "v1", "secrets", "Secret", true};
inline const kube::Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline const kube::Resource kEvents{"events.k8s.io", "v1", "events", "Event", true};
inline const kube::Resource kTemplates{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                       "ResourceClaimTemplate", true};
inline const kube::Resource kClaims{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim",
                                    true};
inline const kube::Resource kDeviceClasses{"resource.k8s.io", "v1", "deviceclasses", "DeviceClass",
                                           false};

inline const kube::Resource kResourceSlices{"resource.k8s.io", "v1", "resourceslices",
                                            "ResourceSlice", false};
inline const kube::Resource kTaintRules{"resource.k8s.io", "v1beta2", "devicetaintrules",
                                        "DeviceTaintRule", false};
inline const kube::Resource kPodGroups{"scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup",
                                       true};
inline const kube::Resource kNodes{"", "v1", "nodes", "Node", false};
inline const kube::Resource kPods{"", "v1", "pods", "Pod", true};

}  // namespace fedra::tracking
