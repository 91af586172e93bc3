#pragma once
//
// What rules out a worker apart from its devices, as facts: objects, queues, APIs, the
// connection, other jobs. verdict/reason_text.h puts them into words.
//
// A text in here is a name, or is quoted: what an API server, a Kueue or a person wrote. Plain
// values; fact_fields.h names every field for programs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/quantity.h"
#include "base/types.h"

namespace fedra::verdict {

// Nothing but words: of another program, or of a release of fedra that kept no facts.
struct Sentence {
  std::string text;

  bool operator==(const Sentence&) const = default;
};

// Objects of the worker that cannot be looked at.
struct Unreadable {
  enum class Cause { kForbidden, kNotServed, kListing, kFailing, kMalformed };

  std::string resource;  // "deviceclasses.resource.k8s.io", a kind, "Workload", "pod template"
  Cause cause = Cause::kFailing;
  std::string error;  // quoted; may be empty

  bool operator==(const Unreadable&) const = default;
};

// An object that the worker does not have.
struct Missing {
  // What becomes of a template that the manager has.
  enum class Copy {
    kNone,     // fedra copies nothing of this kind
    kUnknown,  // the manager's are not known
    kNowhere,  // the manager does not have it either
    kComes,    // it is copied together with the job
    kAssumed,  // a manifest has it, and it is judged as if it were created
    kForbidden,
    kRefused,
  };

  std::string kind;
  ObjectKey key;
  std::string named_by = {};   // "ResourceClaim ml/shared", "pods"; empty: the job itself
  bool being_deleted = false;  // it is there still
  Copy copy = Copy::kNone;
  std::string error = {};  // quoted: why it is not copied; of kAssumed: the manifest's place
  std::optional<Unreadable> unknown = std::nullopt;  // of kUnknown: why

  bool operator==(const Missing&) const = default;
};

// The worker's template is not the manager's.
struct Drift {
  struct Field {
    std::string path;  // "spec.devices.requests[0].exactly.count"
    // Compact JSON, cut when it is long; absent: there is no such field on that side.
    std::optional<std::string> there;
    std::optional<std::string> here;

    bool operator==(const Field&) const = default;
  };

  std::string object;         // "ResourceClaimTemplate ml/one-gpu"
  std::vector<Field> fields;  // the first few
  size_t total = 0;           // how many differ

  bool operator==(const Drift&) const = default;
};

// The quota of the worker's ClusterQueue for one resource, against the pods of one set.
struct Quota {
  enum class Limit {
    kNotCovered,  // no resource group has the resource
    kTooSmall,    // no flavor may ever hold so much
    kReserved,    // others hold it now
  };

  std::string queue;  // the ClusterQueue
  Limit limit = Limit::kNotCovered;
  std::string resource;
  std::string pod_set = {};
  int pods = 0;
  Quantity asked = {};     // by each of them
  Quantity most = {};      // that one flavor may hold; of kReserved: its nominal quota
  Quantity reserved = {};  // of that
  // that jobs ask for which were dispatched there and which its status does not count yet, of all
  // flavors; absent: none
  std::optional<Quantity> dispatched = {};

  bool operator==(const Quota&) const = default;
};

// A claim needs a capability that the configuration does not declare for the worker.
struct Undeclared {
  std::string claim;  // "ResourceClaimTemplate ml/fast"
  std::string capability;

  bool operator==(const Undeclared&) const = default;
};

// A claim asks for admin access, which its namespace does not allow there.
struct MissingLabel {
  std::string claim;  // "ResourceClaim ml/monitor"
  std::string label;

  bool operator==(const MissingLabel&) const = default;
};

// Queues that an administrator has closed.
struct QueueStopped {
  struct Stop {
    std::string queue;  // "ClusterQueue gpu"
    bool drains = false;

    bool operator==(const Stop&) const = default;
  };

  std::vector<Stop> stops;

  bool operator==(const QueueStopped&) const = default;
};

struct QueueInactive {
  std::string queue;  // "LocalQueue ml/gpu"
  std::string error;  // quoted

  bool operator==(const QueueInactive&) const = default;
};

// The worker serves no version of an API group that fedra reads.
struct ApiVersion {
  std::string group;
  std::string served;  // "v1alpha3"

  bool operator==(const ApiVersion&) const = default;
};

// An object of the name that fedra's would have.
struct NameTaken {
  std::string object;  // "Job ml/train"
  bool by_other_manager = false;

  bool operator==(const NameTaken&) const = default;
};

struct Connection {
  enum class State {
    kFailed,      // the error says it all
    kConnecting,  // for the first time
    kLost,        // since then
    kNotReached,  // by a command, within the time that it had
    kNoAnswer,    // likewise, and nothing was heard at all
    // Of Kueue's MultiKueue on the manager, which would copy the job there:
    kKueueInactive,   // its MultiKueueCluster is not Active; the error is the condition's message
    kNoKueueCluster,  // it has no MultiKueueCluster of that name
  };

  State state = State::kFailed;
  std::string error = {};                              // quoted; may be empty
  std::optional<WallTime> since = std::nullopt;        // of kLost
  std::optional<int64_t> tried_for_ms = std::nullopt;  // by a command; absent: as a snapshot has it

  bool operator==(const Connection&) const = default;
};

// Where a claim is, and so where its users belong.
struct ClaimPlace {
  std::string claim;                 // "ResourceClaim ml/shared"
  std::vector<std::string> workers;  // empty: not decided yet
  std::optional<ObjectKey> user;  // who was dispatched there, or is to be; absent: it is allocated

  bool operator==(const ClaimPlace&) const = default;
};

// No API reveals whether it runs there.
struct OtherScheduler {
  std::string name;

  bool operator==(const OtherScheduler&) const = default;
};

// A PodGroup that waits for more pods than there are.
struct Gang {
  std::string group;  // "PodGroup ml/train"
  int64_t min_count = 0;
  int64_t pods = 0;   // of the job
  int64_t there = 0;  // of others in the group, on the worker

  bool operator==(const Gang&) const = default;
};

// What a PodGroup demands and is not looked at.
struct GroupTerms {
  std::string group;                // "PodGroup ml/train"
  std::vector<std::string> fields;  // of its spec

  bool operator==(const GroupTerms&) const = default;
};

// What a kube-scheduler does that its release alone does not tell.
struct ReleaseDoubt {
  enum class Kind {
    kOrder,     // in which order it looks at pools and slices is chance, and decides
    kCounts,    // that decides only how many of the pods fit: never all
    kRefusals,  // devices that it refuses keep what they would have taken from others
    kRules,     // it panics when there are DeviceTaintRules
    kGates,     // `fields` belong to feature gates that are off by default
    kCounters,  // of two drivers' pools of one name, which counters it reads is chance
    kNearest,   // its release is not known; `release` is the nearest one that is
  };

  Kind kind = Kind::kOrder;
  std::string release;              // "1.35"
  std::vector<std::string> fields;  // "consumesCounters (DRAPartitionableDevices)"
  std::string version;              // "v1.38.0", which the worker tells: of kNearest alone

  bool operator==(const ReleaseDoubt&) const = default;
};

// What a pod demands and is not looked at.
struct PodTerms {
  std::string pod_set;
  std::vector<std::string> fields;  // of its spec: "affinity.podAffinity"

  bool operator==(const PodTerms&) const = default;
};

// DeviceTaintRules that select in ways which are not evaluated.
struct BroadTaintRules {
  size_t rules = 0;
  std::string first;

  bool operator==(const BroadTaintRules&) const = default;
};

// The worker is none of those that the job may use.
struct NotAllowed {
  std::string check;  // the AdmissionCheck that does not name it; empty: it was removed

  bool operator==(const NotAllowed&) const = default;
};

// The worker is out of service.
struct Cordoned {
  bool drains = false;  // what runs there is taken back, too
  std::string reason;   // in the administrator's words; may be empty

  bool operator==(const Cordoned&) const = default;
};

// A user has moved the job (`fedra move`), and for a while it is dispatched elsewhere.
struct MovedAway {
  std::string to = {};  // the worker that it is to go to; empty: any but this one
  WallTime until{};     // then this one counts as the others do

  bool operator==(const MovedAway&) const = default;
};

// Jobs that get the devices first.
struct InLine {
  size_t ahead = 0;                               // 0: some
  std::optional<ObjectKey> first = std::nullopt;  // of them; absent: not known, or withheld
  int priority = 0;                               // of the first
  std::string order = {};                         // that it is served by; may be empty

  bool operator==(const InLine&) const = default;
};

// What is free is kept for a job that was dispatched there.
struct Reserved {
  int spare = 0;     // devices
  int reserved = 0;  // at least
  ObjectKey job;     // without a name: it is withheld

  bool operator==(const Reserved&) const = default;
};

// The worker did not keep the job.
struct Setback {
  std::string message;  // "gpu-east refused the job: admission webhook ..."; empty: not known
  WallTime at{};
  // It refused, and is not asked before. Absent: it may be asked, but the others come first.
  std::optional<WallTime> paused_until;

  bool operator==(const Setback&) const = default;
};

}  // namespace fedra::verdict
