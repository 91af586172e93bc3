#pragma once
//
// A job of any kind as fedra reads it, and what fedra must be able to do with a kind: one adapter
// per file.
//
// Thread rules: plain values; adapters are stateless constants that live for the whole process.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/types.h"
#include "cluster-clients/kube/resource.h"
#include "manager/tracking/workload.h"

namespace fedra::tracking {

struct Job {
  ObjectKey key;
  std::string uid;
  ResourceVersion version;
  WallTime created{};
  bool deleting = false;
  CopyMarks marks;                // of a remote job
  std::string prebuilt_workload;  // remote jobs: name of the clone
  std::string managed_by;         // spec.managedBy; empty when absent
  bool suspended = false;
  bool finished = false;  // Complete or Failed is True
  bool failed = false;
  int active_pods = 0;  // status.active
  // metadata.labels as a JSON object, of many labels the first; of a manager's job only.
  std::string labels_json = "{}";
  bool shows_activity = false;  // status says that something runs or is going down
  // As JSON: on the manager the complete object, for the copy to a worker; on a worker an object
  // with its status alone. Null for foreign jobs.
  std::shared_ptr<const std::string> text;
};

// Whether all that has changed between two states of a job is how its pods are getting on: what is
// mirrored, but decides nothing.
bool IsProgress(const Job& before, const Job& after);

// What fedra must know about one kind of job.
class JobAdapter {
 public:
  virtual ~JobAdapter() = default;

  using Parser = Result<Job> (*)(const nlohmann::json& object);

  virtual const kube::Resource& resource() const = 0;
  virtual Parser parser() const = 0;
  // The pod sets of a job that no Kueue has seen yet, from its spec.
  virtual std::vector<PodTemplate> PodTemplates(const nlohmann::json& spec) const = 0;
  // The body that creates the job on a worker: same name, labels, annotations and spec, our marks,
  // the clone's name, and without what only the manager's copy may carry.
  virtual Result<std::string> RemoteBody(const Job& local, const Workload& workload,
                                         const Identity& us) const = 0;
  // The merge patch that makes the manager's status equal to the worker's; nothing when there is
  // nothing to copy now.
  virtual std::optional<std::string> MirrorPatch(const Job& local, const Job& remote) const = 0;
  // The merge patch that takes all activity out of the manager's status; nothing when it shows
  // none. Kueue releases an evicted workload's quota only after that (IsActive in
  // pkg/controller/jobs/job/job_controller.go).
  virtual std::optional<std::string> ClearActivityPatch(const Job& local) const = 0;
};

// Every kind fedra can run, in a fixed order.
const std::vector<const JobAdapter*>& JobAdapters();
// By a Workload's owner; null when there is no adapter for its kind.
const JobAdapter* FindAdapter(const Owner& owner);

// batch/v1 Job.
const JobAdapter& BatchJobAdapter();

}  // namespace fedra::tracking
