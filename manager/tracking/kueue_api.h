#pragma once
//
// The literal strings of the protocol with Kueue (kueue.x-k8s.io/v1beta2, seen on 0.19.2) and of
// our own marks on objects. Wire values: they must not change.

#include <string_view>

namespace fedra::tracking {

// Labels and annotations of Kueue.
inline constexpr std::string_view kQueueNameLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kMinParallelismAnnotation = "kueue.x-k8s.io/job-min-parallelism";
inline constexpr std::string_view kOriginLabel = "kueue.x-k8s.io/multikueue-origin";
// On a copy, the name of its Workload: an annotation, and a label for those who read no annotation.
inline constexpr std::string_view kPrebuiltWorkload = "kueue.x-k8s.io/prebuilt-workload-name";
// On the copy of a StatefulSet, the UID of the manager's.
inline constexpr std::string_view kOriginUid = "kueue.x-k8s.io/multikueue-origin-uid";
inline constexpr std::string_view kJobUidLabel = "kueue.x-k8s.io/job-uid";
// On pods, the pod set of their Workload, which is written when the job is started.
inline constexpr std::string_view kPodSetLabel = "kueue.x-k8s.io/podset";
// On a job that Kueue is stopping in two steps.
inline constexpr std::string_view kStopping = "kueue.x-k8s.io/stopping";
// Keeps Kueue from considering a job. The manager's Kueue has done so already.
inline constexpr std::string_view kAdmissionGatedBy = "kueue.x-k8s.io/admission-gated-by";
inline constexpr std::string_view kResourceInUse = "kueue.x-k8s.io/resource-in-use";  // finalizer
// The only managedBy value that every job kind's validation accepts.
inline constexpr std::string_view kManagedBy = "kueue.x-k8s.io/multikueue";

// The controller of the AdmissionChecks that Kueue's own MultiKueue serves.
inline constexpr std::string_view kMultiKueueController = "kueue.x-k8s.io/multikueue";

// Of pods (pkg/controller/jobs/pod of Kueue 0.19.2), beside what only kinds/pod.cc needs: on the
// Workload of a group, "true".
inline constexpr std::string_view kIsGroupWorkload = "kueue.x-k8s.io/is-group-workload";
// On every pod that Kueue manages: a label, "true", and a finalizer.
inline constexpr std::string_view kManaged = "kueue.x-k8s.io/managed";
// On each pod of a group, as an annotation: how many pods it has, all of which must succeed.
inline constexpr std::string_view kPodGroupTotalCount = "kueue.x-k8s.io/pod-group-total-count";
// How fedra calls a group of pods. No API has such a kind, for it is no name of a type: PodGroup is
// one of scheduling.k8s.io, and may be one of `kinds`.
inline constexpr std::string_view kGroupOfPods = "Pod group";

// On a Workload of which several objects are owners: which kind of them is the job
// ("apps/v1, Kind=StatefulSet").
inline constexpr std::string_view kJobOwnerGvk = "kueue.x-k8s.io/job-owner-gvk";
inline constexpr std::string_view kJobOwnerName = "kueue.x-k8s.io/job-owner-name";
// Of several Workloads of one job, which is which. The first one decides for all.
inline constexpr std::string_view kComponentIndexAnnotation =
    "kueue.x-k8s.io/component-workload-index";
// Of an elastic job (Kueue's gate ElasticJobsViaWorkloadSlices; pkg/workloadslicing of 0.19.2): on
// the job and its Workloads, "true"; on the Workloads, which all carry the first one's name, that
// name, and on one that makes the job larger the key of the one that it replaces.
inline constexpr std::string_view kElasticJob = "kueue.x-k8s.io/elastic-job";
inline constexpr std::string_view kSliceName = "kueue.x-k8s.io/workload-slice-name";
inline constexpr std::string_view kSliceReplaces = "kueue.x-k8s.io/workload-slice-replacement-for";

// The field manager with which Kueue writes what it decides about a Workload
// (constants.AdmissionName).
inline constexpr std::string_view kAdmissionManager = "kueue-admission";

// Ours: on every clone and every remote job, the UID of the manager's Workload.
inline constexpr std::string_view kWorkloadUidAnnotation = "fedra.dev/workload-uid";

// Ours: on the copy of a job that does not name its Workload as Kueue has it (kPrebuiltWorkload),
// that name.
inline constexpr std::string_view kWorkloadAnnotation = "fedra.dev/workload";

// Ours: on the copy of one of several objects that are one job, the UID of that object on the
// manager: one that is replaced may leave its name to its successor.
inline constexpr std::string_view kMemberUidAnnotation = "fedra.dev/member-uid";

// Ours: on every copy of whatever kind, the UID of the management cluster's namespace kube-system.
inline constexpr std::string_view kManagerUidAnnotation = "fedra.dev/manager-uid";

// Ours: on every copy of a ResourceClaimTemplate, `origin` and the UID of the manager's template.
inline constexpr std::string_view kCopyOriginLabel = "fedra.dev/origin";
inline constexpr std::string_view kTemplateUidAnnotation = "fedra.dev/template-uid";
// A template or claim may say what its driver must be able to do, as a list with commas.
inline constexpr std::string_view kCapabilitiesAnnotation = "fedra.dev/capabilities";
// A claim may say whether its users must share it on one worker: PreferTogether, RequireTogether.
inline constexpr std::string_view kSharedAnnotation = "fedra.dev/shared";
// A ClusterQueue of the manager may say how its jobs stand in line: Strict, Backfill, BestEffort.
inline constexpr std::string_view kOrderAnnotation = "fedra.dev/order";
// Who owns the fields of a copy.
inline constexpr std::string_view kTemplateManager = "fedra-template-sync";

// The kind of a priority class that a Workload may change while it holds quota.
inline constexpr std::string_view kWorkloadPriorityClass = "WorkloadPriorityClass";

// Condition types of a Workload.
inline constexpr std::string_view kQuotaReserved = "QuotaReserved";
inline constexpr std::string_view kAdmitted = "Admitted";
inline constexpr std::string_view kEvicted = "Evicted";
inline constexpr std::string_view kFinished = "Finished";
inline constexpr std::string_view kRequeued = "Requeued";
inline constexpr std::string_view kActive = "Active";  // of AdmissionCheck and LocalQueue

// Reasons of the conditions Evicted and Requeued after which Kueue queues a Workload at once.
inline constexpr std::string_view kPreempted = "Preempted";
inline constexpr std::string_view kNodeFailures = "NodeFailures";

// Reasons of the Finished condition with a special meaning.
inline constexpr std::string_view kSucceeded = "Succeeded";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kFailedToStart =
    "FailedToStart";  // the job was admitted, and can never be started; it stays suspended
inline constexpr std::string_view kOutOfSync =
    "OutOfSync";  // the worker's job did not match its clone
inline constexpr std::string_view kOwnerNotFound = "OwnerNotFound";  // the worker's job was deleted
inline constexpr std::string_view kSliceReplaced =
    "WorkloadSliceReplaced";  // another Workload of the elastic job has taken its place

// The longest message of an admission check that the CRD accepts is 32768; ours stay readable.
inline constexpr size_t kMaxCheckMessage = 1024;

}  // namespace fedra::tracking
