#pragma once
//
// The manager's ResourceClaimTemplates for a command that judges workers: what theirs are compared
// with, and what would be copied.
//
// Best effort: a command that needs only the workers goes on without them. Only lists and watches:
// nothing is ever written.
//
// Thread rules: any thread. Lifetime: the target of `on_change` must outlive it.

#include <atomic>
#include <functional>

#include "cluster-clients/cluster.h"
#include "cluster-clients/threads.h"
#include "manager/verify/existence.h"

namespace fedra::cli {

class ManagerTemplates final {
 public:
  // `on_change`: they are listed, or cannot be had.
  ManagerTemplates(kube::AccessSettings access, const ClusterOptions& options,
                   const std::function<void()>& on_change);

  bool IsSettled() const;
  // Null when they are not known.
  const verify::Cache<verify::Claim>* cache() const;

 private:
  void Watch();

  std::atomic<bool> watching_{false};
  Threads threads_{1};
  verify::Cache<verify::Claim> templates_;
  Cluster cluster_;
};

}  // namespace fedra::cli
