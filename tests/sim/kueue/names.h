#pragma once
//
// Kueue's protocol strings (v1beta2, 0.19.2).

#include <string_view>

namespace fedra::sim::names {

inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kPriorityLabel = "kueue.x-k8s.io/priority-class";
inline constexpr std::string_view kPrebuilt = "kueue.x-k8s.io/prebuilt-workload-name";
inline constexpr std::string_view kJobUid = "kueue.x-k8s.io/job-uid";
inline constexpr std::string_view kFinalizer = "kueue.x-k8s.io/resource-in-use";
inline constexpr std::string_view kManagedBy = "kueue.x-k8s.io/multikueue";
// What Kueue writes into the pod templates of a job that it starts.
inline constexpr std::string_view kPodSet = "kueue.x-k8s.io/podset";
inline constexpr std::string_view kLocalQueue = "kueue.x-k8s.io/local-queue-name";
inline constexpr std::string_view kClusterQueue = "kueue.x-k8s.io/cluster-queue-name";
// Of pods: on those that it manages, a label and a finalizer; on those of a group its name, how
// many there are, and what Kueue and users say of them.
inline constexpr std::string_view kManaged = "kueue.x-k8s.io/managed";
inline constexpr std::string_view kGroupName = "kueue.x-k8s.io/pod-group-name";
inline constexpr std::string_view kGroupTotal = "kueue.x-k8s.io/pod-group-total-count";
inline constexpr std::string_view kRoleHash = "kueue.x-k8s.io/role-hash";
inline constexpr std::string_view kServing = "kueue.x-k8s.io/pod-group-serving";
inline constexpr std::string_view kRetriable = "kueue.x-k8s.io/retriable-in-group";
// Of the Workload of a StatefulSet: whose it is; and of a copy of one, what it is a copy of.
inline constexpr std::string_view kJobOwnerGvk = "kueue.x-k8s.io/job-owner-gvk";
inline constexpr std::string_view kJobOwnerName = "kueue.x-k8s.io/job-owner-name";
inline constexpr std::string_view kOriginUid = "kueue.x-k8s.io/multikueue-origin-uid";
inline constexpr std::string_view kIsGroup = "kueue.x-k8s.io/is-group-workload";
// Of several Workloads of one job, which is which.
inline constexpr std::string_view kComponentIndex = "kueue.x-k8s.io/component-workload-index";
// Of an elastic job and its Workloads; of these the first one's name, and the one that is replaced.
inline constexpr std::string_view kElastic = "kueue.x-k8s.io/elastic-job";
inline constexpr std::string_view kSliceName = "kueue.x-k8s.io/workload-slice-name";
inline constexpr std::string_view kSliceReplaces = "kueue.x-k8s.io/workload-slice-replacement-for";
inline constexpr std::string_view kOrigin = "kueue.x-k8s.io/multikueue-origin";
// Field manager of the admission status.
inline constexpr std::string_view kAdmissionManager = "kueue-admission";

}  // namespace fedra::sim::names
