#pragma once
//
// The manager's ResourceClaimTemplates for a command that judges workers: what theirs are compared
// with, and what would be copied.
//
// Best effort: a command that needs only the workers goes on without them.
//
// Thread rules: any thread. Lifetime: loop, pool and the target of `on_change` must outlive it.

#include <functional>
#include <string>

#include "cluster-clients/cluster.h"
#include "config/load.h"
#include "manager/verify/existence.h"

namespace fedra::cli {

class ManagerTemplates final {
 public:
  // `on_change`: they are listed, or cannot be had.
  ManagerTemplates(const config::Loaded& loaded, http::HttpLoop& loop, WorkerPool& pool,
                   std::function<void()> on_change);

  bool IsSettled() const;
  // Null when they are not known.
  const verify::Cache<verify::Claim>* cache() const;

 private:
  verify::Cache<verify::Claim> templates_;
  Cluster cluster_;
};

}  // namespace fedra::cli
