#pragma once
//
// The kinds of jobs that a simulated Kueue manages and simulated operators run, as far as a
// federation manager can tell: which fields say what. Written apart from fedra's own table on
// purpose: a simulation that shared its mistakes would prove nothing.
//
// Thread rules: constants and pure functions.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/api/json.h"

namespace fedra::sim {

// Another object that a job names and that says what its operator runs.
struct Named {
  std::string group;
  std::string version;
  std::string plural;
  std::string ns;  // empty: of the cluster
  std::string name;
};

struct JobEnd {
  bool success = false;
  std::string message;
};

struct JobKind {
  std::string group;
  std::string version;
  std::string plural;
  std::string kind;
  std::vector<std::string> managed_by;  // path
  std::vector<std::string> suspend;     // path of a flag, or of a text
  std::string controller;               // the managedBy that means the cluster's own one

  // What a job names; what asks for its pod sets writes the object into the job as kNamed.
  // Empty: nothing.
  std::function<Named(const Json& job)> names;
  // Kueue's pod sets of a job.
  std::function<Json(const Json& job)> pod_sets;
  // Their templates in the job, in the same order. Makes one that Kueue makes when it starts the
  // job.
  std::function<std::vector<Json*>(Json& job)> templates;
  // Of a status: whether Kueue takes the job for active, and how it ended.
  std::function<bool(const Json& status)> active;
  std::function<std::optional<JobEnd>(const Json& status)> end;

  // What the operator writes while all pods run, when they have ended, and when there are none.
  std::function<void(const Json& pod_sets, Json& status)> run;
  std::function<void(bool success, Json& status)> finish;
  std::function<void(Json& status)> stop;

  // Of a job that the operator refuses to run: what it writes, and whether Kueue holds its Workload
  // back for that. Null: it takes all.
  std::function<void(Json& status)> refuse = {};
  std::function<bool(const Json& status)> on_hold = {};
  // Of a job whose pods do not get ready: what it writes while it waits for them. Null: it never
  // waits.
  std::function<void(Json& status)> begin = {};

  // What Kueue writes at `suspend` to stop one that runs, which the operator then ends: it never
  // goes on. Null: `suspended`.
  Json stopped = nullptr;
  Json suspended = true;  // what is at `suspend` in a suspended job; a text becomes empty
  // A job is a pod, which a scheduling gate of this name holds in place of `suspend`, and which can
  // only be stopped by deleting it; empty: it is no pod.
  std::string gate = {};
  // Kueue's webhook takes no prebuilt name from it.
  bool refuses_prebuilt = false;
  // Its operator does not look at managed_by.
  bool ignores_managed_by = false;
  // Its Workload is a group's, which it owns without controlling it, and is found by its name
  // alone: that of a copy by the UID that the copy tells.
  bool has_group = false;
  // Of a job for which Kueue makes several Workloads (kueue/parts.cc): how many. Null: one.
  std::function<int64_t(const Json& job)> parts = {};
};

// Beside the members of an object.
inline constexpr const char* kNamed = "named";

// What is wrong with a job that Kueue is to manage: field and problem, as its webhooks find it.
std::vector<std::pair<std::string, std::string>> Problems(const JobKind& kind, const Json& job);
// What the CRD fills in.
void SetKindDefaults(const JobKind& kind, Json& job);

// batch/v1 Job first, whose controller is job_controller.h.
const std::vector<JobKind>& JobKinds();

// Whether it was stopped for good.
bool IsStopped(const JobKind& kind, const Json& job);
void Stop(const JobKind& kind, Json& job);
bool IsSuspended(const JobKind& kind, const Json& job);
void SetSuspended(const JobKind& kind, bool suspended, Json& job);
// Empty: it says nothing.
std::string ManagedBy(const JobKind& kind, const Json& job);
void SetManagedBy(const JobKind& kind, std::string_view value, Json& job);

}  // namespace fedra::sim
