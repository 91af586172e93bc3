#pragma once
//
// What fedra remembers, as plain rows: one struct per table of store/migrations/*.sql.
//
// Texts such as `phase`, `state`, `outcome` or `reason` belong to the layer that writes them: the
// store keeps them as they are and never decides on them. Secrets never come here.
//
// Thread rules: plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/types.h"

namespace fedra::store {

// One configured cluster as the daemon last saw it. Key: name.
struct ClusterRow {
  ClusterName name;
  int position = 0;  // place in the configuration file, from 0; the order of every listing
  // Connecting, Syncing, Connected, Unreachable, Rejected, Misconfigured
  std::string phase;
  WallTime phase_since{};  // when `phase` began
  std::string why;  // what is wrong with its connection or its lists, for people; empty: nothing.
                    // Of the manager, while it is connected: what is left out meanwhile
  // When contact was lost: the worker-lost clock, which survives restarts. Null: not lost, or its
  // jobs stay whatever the time (dispatch.rejectedWorkers: Keep).
  std::optional<WallTime> lost_since;
  // The last answer of its API server. Null: none since it was configured.
  std::optional<WallTime> last_contact;
  std::string kubernetes_version;  // "1.36.3"; empty: not known yet
  std::string dra_version;  // served version of resource.k8s.io, "v1"; empty: none or not known
  std::string note;         // of its queues, what an operator should know, one line; empty: nothing
  WallTime updated_at{};    // when the daemon last looked
  // Its queues, quota and devices, {"queues": {...}, ...}; "{}": not known.
  std::string capacity_json = "{}";
  // From the configuration; it is kept until nothing of ours is left there.
  bool is_removed = false;
  // What an administrator wants of it: Cordoned, it gets no new jobs; Draining, its jobs are taken
  // back, too.
  std::string cordon = {};  // empty: none
  // Kinds of jobs, DRA and missing rights there, {"jobKinds": [...], ...}; "{}": not known.
  std::string capabilities_json = "{}";

  bool operator==(const ClusterRow&) const = default;
};

// One Kueue Workload of the manager with the job that owns it. Key: uid.
struct WorkloadRow {
  std::string uid;       // metadata.uid of the Workload on the manager
  ObjectKey key;         // the Workload: "ml/job-train-7b-1a2b3"
  std::string job_kind;  // "Job", "JobSet", ...: the adapter's name
  ObjectKey job;         // the job: "ml/train-7b"
  std::string queue;     // LocalQueue name, in the job's namespace
  // Waiting, Blocked, Dispatching, Running, Requeued, Suspended, Finished, Failed, Deleted
  std::string state;
  ClusterName worker;      // where it is or is dispatched to; empty: nowhere
  std::string note;        // why it is in this state, one line; empty when there is nothing to say
  WallTime created_at{};   // metadata.creationTimestamp of the job
  WallTime state_since{};  // when `state` began
  std::optional<WallTime> finished_at;  // null: not finished
  WallTime updated_at{};                // when the daemon last looked at it
  // When it went away on the manager; such rows are history only. Null: it lives.
  std::optional<WallTime> removed_at;
  // {"claims": ["shared"], "pods": 2, "templates": ["one-gpu"]}; "{}": not known
  std::string needs_json = "{}";
  std::string labels_json = "{}";  // metadata.labels of the job
  std::string cluster_queue;       // of the manager, behind `queue`; empty: not known
  std::string waits_for;  // Quota, Kueue, AdmissionCheck, Job: while Waiting; empty: not known
  int priority = 0;       // as Kueue resolved it
  // The codes against any worker, each once, in the order of letters: what lists of jobs are
  // filtered and grouped by. Without blanks.
  std::vector<std::string> reasons = {};

  bool operator==(const WorkloadRow&) const = default;
};

// A cluster that did not keep a workload, so that it is not the first choice again.
struct PlacementFailure {
  ClusterName cluster;
  std::string reason;  // a code of the reason catalogue
  WallTime at{};
  std::string message;   // for people
  bool refused = false;  // a write was refused, and would be again
  int times = 1;         // that it failed so far, with this one

  bool operator==(const PlacementFailure&) const = default;
};

// Where one workload was dispatched: what a restarted daemon needs to continue. Key: uid.
struct PlacementRow {
  std::string uid;  // of the Workload on the manager
  ObjectKey key;    // the Workload
  std::string job_kind;
  ObjectKey job;
  int attempt = 0;                     // number of the running attempt, from 1; 0: none yet
  std::vector<ClusterName> nominated;  // clusters that may hold a clone now, in order of preference
  // When `nominated` was chosen: the admission time-out counts from here. Null: nothing nominated.
  std::optional<WallTime> nominated_at;
  std::vector<PlacementFailure> failures;  // oldest first
  // What was last written into its AdmissionCheck: when the quota was reserved that the workload
  // held then, by the manager's clock (null: not known), and a hash of the facts.
  std::optional<WallTime> reported_in;
  int64_t reported_facts = 0;

  bool operator==(const PlacementRow&) const = default;
};

// One cluster's part in one attempt (a race has several). Key: uid, number, cluster.
struct AttemptRow {
  std::string uid;
  int number = 0;  // from 1
  ClusterName cluster;
  WallTime started_at{};
  std::optional<WallTime> ended_at;  // null: still going on
  // Finished, Failed, Deleted, LostRace, TimedOut, Withdrawn, Evicted, Refused; Requeued: ended,
  // and fedra has not seen how; or a code of the reason catalogue: ClusterUnreachable,
  // Forbidden, NameConflict. Empty: going on.
  std::string outcome;
  std::string message;  // for people; may be empty

  bool operator==(const AttemptRow&) const = default;
};

// A clone that was about to be made: the first remote write of an attempt, stored in the commit
// that begins the attempt and ended after it. A daemon that died between looks at these workloads
// first. Later writes are not announced, it would cost each of them a commit: their names are known
// and every workload is looked at after a start. Key: id.
struct IntentRow {
  int64_t id = 0;       // from Store::NewIntentId()
  std::string uid;      // of the Workload on the manager
  std::string action;   // CreateClone
  ClusterName cluster;  // where the write goes
  ObjectKey key;        // the object there
  WallTime at{};

  bool operator==(const IntentRow&) const = default;
};

// What must still be cleaned up on a worker that could not be reached. Key: cluster, uid.
struct ResidueRow {
  ClusterName cluster;
  ObjectKey key;    // the clone there (the same name as on the manager)
  std::string uid;  // of the Workload on the manager: what our objects there are labelled with
  std::string job_kind;
  ObjectKey job;  // the remote job
  WallTime since{};

  bool operator==(const ResidueRow&) const = default;
};

// The last answer of one cluster to one workload's requirement. Key: uid, cluster.
struct VerdictRow {
  std::string uid;
  ClusterName cluster;
  std::string outcome;       // Yes, MayScale, Unknown, No
  std::string reasons_json;  // [{"code": ..., "object": ..., "facts": {...}}, ...]; "[]" for Yes
  int pods_fitting = 0;
  int pods_wanted = 0;
  WallTime checked_at{};
  std::string alternatives_json =
      "[]";          // [1, 0]: the chosen alternatives, from 0; "[]" without any
  int headroom = 0;  // free devices beyond the need

  bool operator==(const VerdictRow&) const = default;
};

// A workload's place in line for the devices of one cluster. Key: uid, cluster.
struct PlaceRow {
  std::string uid;
  ClusterName cluster;
  int place = 1;         // 1: first in line
  int passes = 0;        // how often others took devices that it could have used, on any cluster
  bool is_kept = false;  // what becomes free there is kept for it
  // The Workload that goes first there, "ml/job-big-1a2b3": the one that holds this one, or else
  // the first in the line. Empty: itself, or not known.
  std::string first = {};
  std::string dispatch_order = {};  // Strict, Backfill, BestEffort: of its ClusterQueue
  // It has been passed as often, or has waited as long, as its order allows: none passes it.
  bool is_bound_reached = false;

  bool operator==(const PlaceRow&) const = default;
};

// One line of a workload's history. Append-only; kept after the workload is gone, until retention.
// Key: id.
struct EventRow {
  int64_t id = 0;   // given by the store, increasing; ignored by AddEvent
  std::string uid;  // of the Workload on the manager
  ObjectKey key;    // the Workload
  WallTime at{};
  std::string reason;   // UpperCamelCase, from the catalogue of events
  ClusterName cluster;  // empty: about no cluster in particular
  std::string message;

  bool operator==(const EventRow&) const = default;
};

// HeartbeatRow::role.
inline constexpr std::string_view kLeaderRole = "Leader";
inline constexpr std::string_view kStandbyRole = "Standby";

// When the daemon last wrote, and who it is. One row.
struct HeartbeatRow {
  WallTime at{};
  int64_t pid = 0;
  std::string version;              // of fedra: "0.1.0"
  WallTime started_at{};            // of this process
  std::string dispatch_order = {};  // that it runs with; a ClusterQueue may say otherwise
  // Keys of the configuration that have changed and need a restart, "dispatch.order, store.path".
  std::string restart_needed = {};
  // kLeaderRole or kStandbyRole; empty: there are no replicas, and so nothing of what follows.
  std::string role = {};
  std::string identity = {};  // of this process among them
  std::string leader = {};    // the holder of the Lease, as last seen; empty: none, or not known
  std::optional<WallTime> leader_since = {};  // by the leader's clock
  int takeovers = 0;                          // how often the Lease has got another holder
  // Why this one could not lead now, or what is wrong with the Lease; empty: nothing.
  std::string lead_problem = {};
  // Sections of the configuration in which this standby's differs from the leader's, "dispatch,
  // workers"; empty: none.
  std::string config_differs = {};
  // When a daemon that was no standby wrote its heartbeat here last: what is stored of jobs is as
  // of then. Null: none did. Kept by the store: not written.
  std::optional<WallTime> decided_at = {};

  bool operator==(const HeartbeatRow&) const = default;
};

}  // namespace fedra::store
