#pragma once
//
// A Kueue Workload as fedra reads it: the manager's own, and its clones on workers.
//
// Plain values, made once from JSON at the border. What is copied to a worker (the spec) is kept as
// the original text and never re-modelled. Source: kueue.x-k8s.io/v1beta2 of Kueue 0.19.2.

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"
#include "manager/tracking/job_requests.h"
#include "manager/tracking/ownership.h"
#include "manager/tracking/pod_set.h"
#include "manager/tracking/requirement.h"

namespace fedra::tracking {

struct Condition {
  bool is_true = false;
  std::string reason;
  std::string message;
  WallTime since{};  // lastTransitionTime; the epoch when absent
};

enum class CheckState { kPending, kReady, kRetry, kRejected };
std::string_view ToString(CheckState state);

struct AdmissionCheckState {
  std::string name;
  CheckState state = CheckState::kPending;
  std::string message;
  WallTime since{};  // lastTransitionTime; the epoch when absent
};

// The job that owns a Workload: its controller reference; of a group of pods the group.
struct Owner {
  std::string api_version;  // "batch/v1"; empty when the Workload has no owner
  std::string kind;  // kGroupOfPods: a group of pods, which has the Workload's name and no UID
  std::string name;
  std::string uid;
};

// spec.priorityClassRef and spec.priority.
struct Priority {
  std::string group, kind, name;  // empty: no class
  int value = 0;
  bool operator==(const Priority&) const = default;
};

// One of the Workloads of an elastic job. One that makes the job larger replaces the one before as
// soon as it has quota, and the job runs on; a smaller job keeps its Workload, of which Kueue
// lowers the counts.
struct Slice {
  std::string chain;            // the same of all Workloads of the job: the first one's name
  std::string replaces;         // the name of the Workload before; empty: it is the first one
  std::vector<int> pod_counts;  // of each pod set
};

struct Workload {
  ObjectKey key;
  std::string uid;
  ResourceVersion version;
  bool deleting = false;  // deletionTimestamp is set
  std::vector<std::string> finalizers;
  WallTime created{};
  Owner owner;

  CopyMarks marks;                              // of a clone
  std::shared_ptr<const JobRequests> requests;  // null: no user asks for anything
  std::shared_ptr<const Slice> slice;           // null: its job is not elastic

  bool active = true;  // spec.active
  Priority priority;
  Requirement requirement;
  // The complete object as text, for cloning and for status patches. Kept while there may be
  // something to write: quota is reserved or a placement is recorded, and it is not finished. Null
  // otherwise, which keeps 100,000 queued and finished workloads small.
  std::shared_ptr<const std::string> text;

  // status
  std::optional<Condition> quota_reserved;
  std::optional<Condition> admitted;
  std::optional<Condition> evicted;
  std::optional<Condition> finished;
  std::vector<AdmissionCheckState> checks;
  std::string cluster_queue;  // that reserved its quota; empty: none has
  bool has_flavors = false;   // of that quota: some pod set has one
  // Of that quota: some pod set gets its place in a topology from a worker, and Kueue does not
  // admit the Workload before it is said that it has (StatusPatch). Kueue leaves it so on managers
  // of MultiKueue's AdmissionChecks (delayedTopologyRequest).
  bool awaits_topology = false;
  std::string cluster_name;
  std::vector<std::string> nominated;
  // Of several Workloads of one job, which all go to one worker: a LeaderWorkerSet has one for each
  // of its replicas.
  bool is_part = false;
  bool follows = false;       // a part, and not the first: it goes where that one goes
  bool is_pod_group = false;  // several pods own it, and none of them is the job
  // Of the pods of a group, those that were replaced included, ascending; of a manager's Workload
  // only.
  std::vector<std::string> member_uids;

  // Kueue has evicted it and never queues it again by itself: it takes the Workload of a single pod
  // for one that ends with its pod (ReconcileGenericJob in
  // pkg/controller/jobframework/reconciler.go of 0.19.2, with the gate
  // SkipReassignmentForPodOwnedWorkloads). A pod that waits here is not deleted, though.
  bool is_left_unqueued = false;

  bool QuotaReserved() const { return quota_reserved && quota_reserved->is_true; }
  bool Admitted() const { return admitted && admitted->is_true; }
  bool Evicted() const { return evicted && evicted->is_true; }
  bool Finished() const { return finished && finished->is_true; }
  // Whether Kueue has decided about its quota before any AdmissionCheck: refused it, or reserved it
  // without a flavor, for which there are none.
  bool IsDecidedUnchecked() const {
    return checks.empty() && quota_reserved && !(QuotaReserved() && has_flavors);
  }
  // Where it was dispatched, as the manager's Workload says: the worker that has it, and those that
  // are nominated.
  std::set<ClusterName> PlacedOn() const;
  bool IsPlacedOn(const ClusterName& worker) const;
  // Null when the workload does not have this check.
  const AdmissionCheckState* Check(std::string_view name) const;
  // JobRequests::retry_at; nothing: no user has asked.
  std::optional<WallTime> RetryAt() const;
  // JobRequests::move; null: no user has asked.
  const MoveRequest* Move() const;
};

// kBadResponse when the object is not a Workload we can read.
Result<Workload> ParseWorkload(const nlohmann::json& object);
// The same without text and requirement: all that is needed of a clone, and of foreign objects even
// less.
Result<Workload> ParseClone(const nlohmann::json& object);

// The body that creates the clone of `workload` on a worker: name, labels, annotations and spec as
// they are, without the job-uid label and JobRequests, with our marks; no owner references,
// finalizers or status (cloneForCreate in pkg/controller/admissionchecks/multikueue/workload.go of
// Kueue). `replaces`: the name of the clone by which the job of a slice runs there (elastic.h);
// empty: none is.
Result<std::string> CloneBody(const Workload& workload, const Identity& us,
                              const std::string& replaces = {});

// The merge patch that takes Kueue's resource-in-use finalizer off a clone that is to be deleted;
// bound to its UID and its version.
std::string FinalizersPatch(const Workload& clone);

// Whether the clone must be given the workload's priority: of the classes only a
// WorkloadPriorityClass may change while quota is reserved (PriorityChanged of Kueue 0.19.2).
bool PriorityDiffers(const Workload& workload, const Workload& clone);
// The merge patch that does so, bound to the clone's UID and to what was seen of it.
std::string PriorityPatch(const Workload& workload, const Workload& clone);

// How much later than the quota's reservation, at least, a check is dated that stays Pending while
// a worker has the job. Kubernetes keeps whole seconds.
inline constexpr std::chrono::seconds kHeldAfterQuota{1};

// What one status write of ours changes; everything else stays.
struct StatusChange {
  std::string check;  // our AdmissionCheck's name
  CheckState state = CheckState::kPending;
  std::string message;
  std::optional<std::vector<std::string>> nominated;  // empty list: cleared
  std::optional<std::string> cluster_name;            // empty: cleared
};

// A JSON merge patch for the status subresource, bound to the resourceVersion we looked at.
//
// It carries the whole admissionChecks list, which is safe because of that binding: a list that
// another client else has changed meanwhile answers 409. One atomic write leaves no moment in which
// clusterName is set and the check still Pending; nulls clear fields that Kueue has come to co-own.
//
// A check that becomes Ready says for every pod set that its place in a topology is the worker's:
// MultiKueue says so where it sees one there (updateDelayedTopologyRequest in
// pkg/controller/admissionchecks/multikueue/workload.go of Kueue 0.19.2), and admission there is
// what decides.
//
// A Pending check is never dated before the quota that the workload holds was reserved: so an
// object shows by itself whether we have written its check since then. Kueue dates a check when it
// makes it and when it resets it at an eviction, both before the next reservation, and leaves a
// Pending one as it is (resetChecksOnEviction of Kueue 0.19.2). One that stays Pending beside a
// clusterName is dated after it: a reset of the same second is not.
Result<std::string> StatusPatch(const Workload& workload, const StatusChange& change, WallTime now);

// The body of a server-side apply of the status subresource as kAdmissionManager: the status that
// we looked at, changed by the merge patch `patch` and in nothing else; bound to its
// resourceVersion.
//
// Kueue writes its status as one apply of that manager, which removes every field that it leaves
// out and no other manager owns. Nominations, or a clusterName, written under another name would
// survive that apply: the webhook refuses the two together, and MultiKueue places no Workload that
// has a clusterName. So we apply as Kueue does, with the whole status as it is: an apply that left
// out fields of this manager would remove them. Fields of other managers keep their owners, and
// Kueue's next apply gives them up.
Result<std::string> StatusApply(const Workload& workload, const std::string& patch);
// The same of nominatedClusterNames alone.
Result<std::string> NominationsApply(const Workload& workload,
                                     const std::vector<std::string>& nominated);

// The same binding for a condition Requeued that becomes True, as Kueue writes it of other
// Workloads.
Result<std::string> RequeuedPatch(const Workload& workload, WallTime now);
// The same binding for a condition Finished copied from a worker whose job is gone.
Result<std::string> FinishedPatch(const Workload& workload, std::string_view reason,
                                  std::string_view message, WallTime now);

}  // namespace fedra::tracking
