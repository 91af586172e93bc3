#pragma once
//
// Everything Decide() may know about one workload at one moment: values, gathered by the
// reconciler.
//
// Plain values; pointers to immutable objects are shared with the caches.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/types.h"
#include "dra/judge/device_set.h"
#include "manager/tracking/job.h"
#include "manager/tracking/workload.h"
#include "manager/verify/copies_there.h"
#include "verdict/verdict.h"

namespace fedra::placement {

// Why Kueue asks fedra nothing about a workload whose ClusterQueue has a check of ours: it has
// decided about its quota, and written none of its AdmissionChecks.
enum class Unasked {
  kNo,       // it asks, or it is not ours
  kRefused,  // it cannot take the workload as it is, such as the claims of its pods, or may not yet
  // The pods ask for no resource that is counted there: no flavor is theirs, and no check is for
  // them. The job starts nowhere; one that runs on the manager is not ours.
  kAdmitted,
};

// The workload on the manager.
struct WorkloadView {
  ObjectKey key;                                       // of the Workload
  std::shared_ptr<const tracking::Workload> workload;  // null: it does not exist (any more)
  std::shared_ptr<const tracking::Job>
      job;                     // null: its job does not exist, or no adapter knows its kind
  bool kind_supported = true;  // an adapter for the owner's kind exists
  // Its check stays Pending while a worker has it (JobAdapter::HoldsCheck).
  bool holds_check = false;
  tracking::Adoption adoption = tracking::Adoption::kPrebuilt;  // of its kind
  std::string check;         // name of our AdmissionCheck on it; empty: not ours
  std::string second_check;  // another one of ours on it, which is a mistake; empty: none
  Unasked unasked = Unasked::kNo;
  // Kueue's MultiKueue copies, admits, mirrors and writes the check; fedra only nominates
  // (kueue.mode dispatcher).
  bool kueue_copies = false;
  // Kueue takes clusterName and nominations back when it evicts, so what is there is of the
  // reservation that the workload has now (kueue.mode multikueue).
  bool kueue_clears = false;
  // Of one of several Workloads of a job (Workload::is_part; parts.h): the worker that has the
  // first of them, where this is another one, empty: none has; and how many others each worker has.
  ClusterName first_on = {};
  std::map<ClusterName, int> siblings = {};
  // Of an elastic job: the other one of its Workloads that has its copy (slices.h); empty: none.
  std::string other_slice = {};

  // Whether fedra has to do with it: it is shown to people.
  bool concerns_us() const { return !check.empty() || unasked != Unasked::kNo; }
};

// Whether what we know of a cluster may be acted upon.
enum class Contact {
  kNone,     // unreachable, rejected, misconfigured, or connecting: nothing can be done there now
  kSyncing,  // connected, but not everything of ours there has been listed yet
  kFull,     // connected and listed
};

// Whether a cluster is in the configuration. One that was removed from it gets nothing new, and
// stays until nothing of ours is left there (dispatch.removedWorkers).
enum class Membership {
  kConfigured,
  kKept,     // removed: what runs there may finish
  kDrained,  // removed: what runs there is taken back
};

// The workload as one worker shows it.
struct ClusterView : verify::CopiesThere {
  ClusterName name;
  Contact contact = Contact::kNone;
  std::optional<WallTime> lost_since;  // since when it has been unreachable; null with contact
  std::string lost_why;                // "connection refused"; for messages
  bool fault_is_ours = false;          // it does not take our credentials, or they cannot be read
  // It is being connected, or its lists are arriving, and not for long yet: what it has, and
  // whether it can be used, is about to be known.
  bool resyncing = false;
  // It fits there and is in line behind jobs that are dispatched, or judged, at this moment.
  bool in_turn_soon = false;
  // The workload's AdmissionCheck may use it, it is configured, and no other Workload of the job
  // calls for another one (parts.h).
  bool allowed = true;
  // Of WorkloadView::kueue_copies: whether Kueue is connected to it. One that is not is a No.
  bool kueue_connected = true;
  Membership membership = Membership::kConfigured;
  // An administrator wants it empty, for this reason, which may be empty: what runs there is taken
  // back.
  std::optional<std::string> drained_for;
  verdict::Verdict verdict;  // kUnknown when the workload was not judged
  // The devices there that could serve it, free or not; null: not known, or it wants none.
  std::shared_ptr<const dra::DeviceSet> serving;
  // Of the ResourceClaims that the job names, and of the other Workloads that it has: what uses
  // them belongs together.
  int claims_in_use = 0;
  int waiting_clones = 0;  // our clones there that are not admitted yet, this workload's aside
  // A copy of the job is there and is left out of `job`: of several Workloads this one is the
  // first, and others run by it (parts.h); or another slice has it (slices.h).
  bool spares_job = false;
  // Of a slice of an elastic job: the clone by which the job runs there, where that is another
  // slice's (slices.h); null: there is none.
  std::shared_ptr<const tracking::Workload> runs_by = nullptr;
  // How pods of a job that has failed there ended: "exit code 1 (3 pods)"; empty: it has not, or
  // its pods are not watched.
  std::string pod_failures;
  bool pods_watched = false;
};

// A cluster that did not keep the workload: it is tried again after the others.
struct Failure {
  ClusterName cluster;
  verdict::ReasonCode reason = verdict::ReasonCode::kRecentlyFailed;
  WallTime at{};
  std::string message = {};  // "gpu-east refused the job: ..."
  bool refused = false;      // it refused a write, and would again
  int times = 1;             // that it failed this workload so far, refusals or not, with this one
};

// The worker on which the job is being created, since it admitted the clone, and since when.
struct Placing {
  ClusterName cluster;  // empty: none
  WallTime since{};
  // Since when the job's end has been known to this process, by its clock; null: it has not.
  std::optional<WallTime> end_seen = std::nullopt;
};

// What was last written into the workload's check.
struct CheckReport {
  WallTime reserved_at{};  // QuotaReserved's transition at that time: which reservation it was in
  uint64_t facts = 0;      // Message::facts
  // Hash of the text. In memory only; 0: another process wrote it, perhaps in other words.
  uint64_t rendering = 0;

  bool operator==(const CheckReport&) const = default;
};

// What the API objects do not say. Kept in the store, but for what is said to be in memory only;
// losing it costs time-outs and history only.
struct PlacementRecord {
  int attempt = 0;                       // number of nomination rounds so far
  std::vector<ClusterName> nominated;    // of the running round
  std::optional<WallTime> nominated_at;  // start of the running round
  std::vector<Failure> failures;         // oldest first, one per cluster
  // Perhaps of an earlier round. In memory only: after a restart it is given its time again.
  std::optional<Placing> placing;
  // Null: not known. Nothing was written, the store was lost, or it is an earlier release's.
  std::optional<CheckReport> reported;
  // In memory only: since when this process runs. What was written before may be missing here.
  WallTime kept_since{};
};

enum class DispatchPolicy {
  kBest,  // the first `candidates` of the ranking; after the admission time-out the next
  kRace,  // all eligible clusters at once; the first that admits wins
};

// What to do with a worker about which the answer is Unknown.
enum class UnknownPolicy { kTryLast, kNever };

struct Policy {
  DispatchPolicy kind = DispatchPolicy::kBest;
  int candidates = 1;                                    // kBest: how many at once
  std::chrono::milliseconds admission_timeout{120'000};  // kBest: then the next candidates
  std::chrono::milliseconds worker_lost_timeout{900'000};
  UnknownPolicy unknown = UnknownPolicy::kTryLast;
  // Whether jobs leave a worker that rejects our credentials as they leave one that is lost.
  bool leaves_rejected = false;
  // How long, from its end, the copies of a failed job stay on its worker; 0: not at all.
  std::chrono::milliseconds keep_failed{0};
  int failure_log_lines = 0;  // of a failed job's pod, that are kept in the history
};

// Whether this cluster shows a clone or job of ours, of this or an earlier incarnation.
bool HasOurs(const ClusterView& cluster);
// Whether the clone, or the job, that it shows is of this incarnation of the workload.
bool HasOwnClone(const ClusterView& cluster);
bool HasOwnJob(const ClusterView& cluster);

}  // namespace fedra::placement
