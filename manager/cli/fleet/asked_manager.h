#pragma once
//
// What a command that judges workers asks the manager: its ResourceClaimTemplates, which the
// workers' are compared with and which would be copied, the objects that the judged jobs name,
// which workers its AdmissionChecks allow them, and which cluster it is.
//
// Best effort: a command that needs only the workers goes on without them. Only lists and watches:
// nothing is ever written.
//
// Thread rules: one user thread. Lifetime: the target of `on_change` must outlive it.

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "cluster-clients/cluster.h"
#include "cluster-clients/threads.h"
#include "manager/cli/fleet/asked_scopes.h"
#include "manager/cli/judged/fleet_worker.h"

namespace fedra::cli {

class AskedManager final {
 public:
  // `controller_name`, `kueue_copies`: as of AskedScopes. `kinds`: of the jobs that will be judged.
  // `on_change`: something is listed, or cannot be had.
  AskedManager(ClusterSettings settings, const std::string& controller_name, bool kueue_copies,
               std::span<const tracking::JobAdapter* const> kinds,
               const std::function<void()>& on_change);
  ~AskedManager();

  bool HasAnswered() const;
  // Null when they are not known.
  const verify::Cache<verify::ClaimSummary>* cache() const;
  // Asks for its UID, when it is connected. Blocks for one call.
  void Identify();
  ManagerFacts Facts() const;

 private:
  void Watch();

  std::atomic<bool> watching_{false};
  Threads threads_{1};
  std::optional<std::string> uid_;  // as of ManagerFacts; of the user thread
  verify::Cache<verify::ClaimSummary> templates_;
  std::map<const tracking::JobAdapter*, verify::ReferenceIndex> references_;
  AskedScopes scopes_;
  Cluster cluster_;
};

}  // namespace fedra::cli
