#pragma once
//
// The resources fedra reads and writes, in the versions it speaks.

#include "cluster-clients/kube/resource.h"

namespace fedra::tracking {

inline const kube::Resource kWorkloads{"kueue.x-k8s.io", "v1beta2", "workloads", "Workload", true};
inline const kube::Resource kLocalQueues{"kueue.x-k8s.io", "v1beta2", "localqueues", "LocalQueue",
                                         true};
inline const kube::Resource kAdmissionChecks{"kueue.x-k8s.io", "v1beta2", "admissionchecks",
                                             "AdmissionCheck", false};
inline const kube::Resource kMultiKueueConfigs{"kueue.x-k8s.io", "v1beta2", "multikueueconfigs",
                                               "MultiKueueConfig", false};
inline const kube::Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline const kube::Resource kEvents{"events.k8s.io", "v1", "events", "Event", true};
inline const kube::Resource kTemplates{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                       "ResourceClaimTemplate", true};
inline const kube::Resource kClaims{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim",
                                    true};
inline const kube::Resource kDeviceClasses{"resource.k8s.io", "v1", "deviceclasses", "DeviceClass",
                                           false};

}  // namespace fedra::tracking
