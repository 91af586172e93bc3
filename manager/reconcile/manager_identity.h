#pragma once
//
// Which cluster the manager is: the UID of its namespace kube-system, which is written on every
// copy. Part of ManagerCluster. What tells our copies from others' takes the Identity from here.
//
// Thread rules: any thread. Lifetime: the cluster and the pool must outlive it; after the cluster's
// Stop(), Wait() must have returned before it goes.

#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "base/worker_pool.h"
#include "cluster-clients/cluster.h"
#include "manager/tracking/ownership.h"

namespace fedra::reconcile {

// The namespace whose UID stands for its cluster, for as long as that lives.
inline constexpr const char* kIdentityNamespace = "kube-system";
// Blocks for one call.
Result<std::string> ReadClusterUid(Cluster& cluster);

class ManagerIdentity final {
 public:
  ManagerIdentity(Cluster& cluster, WorkerPool& pool) : cluster_(cluster), pool_(pool) {}

  // Who we are on its copies: `settings`, which do not know the manager, with its UID.
  tracking::Identity Complete(const tracking::Identity& settings) const {
    return settings.OnManager(uid());
  }
  // Empty: not known.
  std::string uid() const { return uid_.Copy().value_or(""); }
  // Asks for the UID unless it is known. Blocks for one call. A server that does not let us read it
  // is no error: then the UID stays empty.
  Result<void> Identify();
  // Whether that has been done; if not, the pool is doing it when this returns.
  bool IdentifySoon();
  // Until the pool does nothing more of that.
  void Wait();

 private:
  Cluster& cluster_;
  WorkerPool& pool_;
  Guarded<std::optional<std::string>> uid_;  // nothing: it was not asked for
  Guarded<bool> identifying_;                // a function of the pool uses `this` until it is false
};

}  // namespace fedra::reconcile
