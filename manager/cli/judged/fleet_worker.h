#pragma once
//
// One worker cluster as `check` and `devices` look at it: its objects, which watches
// (live_fleet.h) or a snapshot file (snapshot_file.h) feed, or which the daemon watches anyway, how
// it was reached, and what the configuration says of it. The verdict is verify::Verify's, as the
// daemon's is.
//
// Thread rules: each feed's sink by one thread at a time; verdicts from any thread.
// Lifetime: its feeds must end before the worker.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster-clients/connection_state.h"
#include "cluster-clients/kube/discovery.h"
#include "cluster-clients/watch/object_cache.h"
#include "config/configuration.h"
#include "manager/report/job_verdict.h"
#include "manager/tracking/kinds/submitted.h"
#include "manager/verify/verify.h"
#include "manager/verify/worker_objects.h"

namespace fedra::cli {

// What is verified, as the daemon's configuration says.
struct FleetWorkerSettings {
  ClusterName name;
  // Without the manager's UID. The default is that of the configuration.
  tracking::Identity us = {.origin = config::Configuration{}.origin};
  verify::WorkerObjectsOptions verified;
  // Of templates only where the manager's are known (SetManager).
  verify::Rules rules;
  std::vector<std::string> capabilities;  // that are declared
  // Only its ResourceClaims are read: where they are allocated matters to the other workers.
  bool claims_only = false;
};

// What `check` and `devices` know of the manager.
struct ManagerFacts {
  // Its templates, which must outlive the workers; null: they are not known.
  const verify::Cache<verify::ClaimSummary>* templates = nullptr;
  // UID of the management cluster, empty where it may not be read; nothing: it has not answered.
  std::optional<std::string> uid;
  // Its objects that jobs of these kinds name, which must outlive the workers, too.
  std::map<const tracking::JobAdapter*, const verify::ReferenceIndex*> references = {};
  // Why a job may not run on a worker, whatever that has (Excluded); nothing: it may, or that is
  // not known. What it looks at must outlive the workers. Empty: nothing is known.
  std::function<std::optional<verdict::Reason>(const tracking::Requirement& job,
                                               const ClusterName& worker)>
      why_not_allowed = {};
};

class FleetWorker final {
 public:
  // `on_health`: a list is complete or cannot be had.
  FleetWorker(FleetWorkerSettings settings, const std::function<void()>& on_health);
  // Of objects that another watches, as they are whenever a job is judged; they must outlive it.
  // Nothing is fed or assumed here: Inputs(), UseKinds() and AssumeTemplate() must not be called.
  FleetWorker(FleetWorkerSettings settings, const verify::WorkerObjects& watched,
              verify::WorkerFacts facts);
  ~FleetWorker();

  // What is to be read, when the server is known; null: it is not.
  std::vector<verify::Input> Inputs(const kube::ServerInfo* server);
  // Jobs of these kinds are looked at, too: before Inputs().
  void UseKinds(std::span<const tracking::JobAdapter* const> kinds);
  // Some first list is still to come.
  bool IsListing() const;
  // `tried`: for how long by this command; null: it is from a snapshot.
  void SetConnection(ConnectionState connection,
                     std::optional<std::chrono::milliseconds> tried = std::nullopt) {
    facts_.connection = std::move(connection);
    tried_ = tried;
  }
  void SetManager(ManagerFacts manager) { manager_ = std::move(manager); }
  // A template that is judged as if it existed there; `object` has all defaults written out.
  Result<void> AssumeTemplate(const std::string& object);

  const ManagerFacts& manager() const { return manager_; }
  const ClusterName& name() const { return settings_.name; }
  const FleetWorkerSettings& settings() const { return settings_; }
  const verify::WorkerObjects& objects() const { return objects_; }
  // Null when devices are not verified.
  const verify::DeviceState* devices() const { return objects_.devices(); }
  // Null: it is not there, or not known.
  std::shared_ptr<const verify::ClaimSummary> Template(const ObjectKey& key) const {
    return objects_.templates().Find(key);
  }
  // Why nothing is known of it; null: it has answered.
  std::optional<verdict::Reason> Silence() const;
  // Whether its classes and devices are known completely.
  bool IsKnown() const;
  // Whether the job may run there, and verify::IsUsable(); of a worker of which claims alone are
  // read, whether it is connected instead.
  bool IsUsable(const tracking::SubmittedJob& job) const;
  // Whether new nodes could bring devices.
  bool HasScalablePools() const {
    return settings_.verified.devices && !settings_.verified.devices->scalable_pools.empty();
  }

  report::JobVerdict Judge(const tracking::SubmittedJob& job) const;

 private:
  std::optional<verdict::Reason> WhyNotAllowed(const tracking::SubmittedJob& job) const;
  // What there has the names that copies of the job would have.
  verify::CopiesThere CopiesOf(const tracking::SubmittedJob& job) const;
  tracking::Ownership Whose(const tracking::CopyMarks& marks) const;

  const FleetWorkerSettings settings_;
  verify::WorkerFacts facts_;
  std::optional<std::chrono::milliseconds> tried_;
  ManagerFacts manager_;
  const std::unique_ptr<verify::WorkerObjects> own_;  // null: another's are looked at
  const verify::WorkerObjects& objects_;              // these, or those
};

using FleetWorkers = std::vector<std::unique_ptr<FleetWorker>>;

// The verdict of every worker, in their order. Of `others` only the claims matter: where one that
// the job names is allocated (verify/named_claims.h).
std::vector<report::JobVerdict> JudgeEverywhere(const tracking::SubmittedJob& job,
                                                const FleetWorkers& workers,
                                                const FleetWorkers& others = {});

}  // namespace fedra::cli
