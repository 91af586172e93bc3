#pragma once
//
// Which workers there are, for a command that writes a worker's name on the manager, where only the
// daemon reads it: those that the manager's AdmissionChecks name, and those of the daemon whose
// configuration is on this machine.
//
// Thread rules: one user thread.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/kubeconfig.h"
#include "manager/cli/membership/member_clusters.h"
#include "manager/tracking/workload.h"
#include "store/reader.h"

namespace fedra::cli {

struct KnownWorkers {
  std::set<std::string> names;
  std::set<std::string> removed;  // of these: from the configuration, and it gets no jobs any more
  bool is_complete = false;       // there are no others
  std::string unsure;             // an AdmissionCheck that names no workers; empty: none is asked

  // Whether there is certainly no such worker.
  bool Lacks(const std::string& worker) const { return is_complete && !names.contains(worker); }
  // "there is no worker gpu-wst; did you mean gpu-west?"
  Error NoWorker(const std::string& worker) const;
};

using CheckPtr = std::shared_ptr<const tracking::AdmissionCheck>;

// Whether a fedra may be its controller, as far as its name tells.
bool MayBeServed(const tracking::AdmissionCheck& check);

// What the daemon knows whose configuration is on this machine.
class DaemonHere final {
 public:
  // Nothing: this user can read no configuration there, or it is of another manager.
  static std::optional<DaemonHere> Find(const std::string& config,
                                        const config::KubeAccess& manager);

  void AddTo(KnownWorkers& known) const;
  // Whether a worker has failed the workload. Nothing: this daemon does not know the workload, or
  // not how it is now.
  std::optional<bool> HasFailed(const tracking::Workload& workload) const;

 private:
  std::set<std::string> configured_;
  bool discovers_ = false;                 // there are others
  std::unique_ptr<store::Reader> memory_;  // null: this user cannot read it
};

// The workers of these checks, and of the daemon here, if there is one. A check that allows all
// that fedra is configured with, which the manager does not know, or whose workers cannot be read,
// says nothing.
KnownWorkers FindWorkers(const ManagerChecks& manager, const std::vector<CheckPtr>& meant,
                         const std::optional<DaemonHere>& here);

}  // namespace fedra::cli
