#pragma once
//
// The manager's ResourceClaimTemplates, and which workloads that have not ended name them. Part of
// ManagerCluster.
//
// Thread rules: any thread. The listener is called by the pool's threads, outside of every lock.
// Lifetime: `jobs` must outlive it; what feeds the cache ends before it goes.

#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/types.h"
#include "manager/reconcile/manager_jobs.h"
#include "manager/verify/existence.h"

namespace fedra::reconcile {

struct ManagerTemplatesListener {
  // As in ManagerListener.
  std::function<void(const ObjectKey& claim_template)> on_template;
  std::function<void(const ObjectKey& claim_template)> on_template_use;
  std::function<void()> on_templates_health;
};

// What the workloads want of one template.
struct TemplateUse {
  bool named = false;             // by one that has not ended
  std::set<ClusterName> workers;  // that have, or are getting, a workload that names it
};

class ManagerTemplates final {
 public:
  ManagerTemplates(const ManagerJobs& jobs, ManagerTemplatesListener listener);

  const verify::Cache<verify::ClaimSummary>& cache() const { return cache_; }
  watch::CacheSink& sink() { return cache_; }

  // Whether a workload that has not ended names this template.
  bool IsNamed(const ObjectKey& claim_template) const;
  TemplateUse UseOf(const ObjectKey& claim_template) const;
  std::vector<ObjectKey> Named() const;

  // The Workload, or what its job asks for, has changed.
  void Index(const ObjectKey& workload);

 private:
  // Both ways.
  struct NamedTemplatesIndex {
    std::unordered_map<ObjectKey, std::set<ObjectKey>> by_template;
    std::unordered_map<ObjectKey, std::set<ObjectKey>> by_workload;
  };

  // Constant after construction.
  const ManagerJobs& jobs_;
  const ManagerTemplatesListener listener_;

  Guarded<NamedTemplatesIndex> named_;
  verify::Cache<verify::ClaimSummary> cache_;
};

}  // namespace fedra::reconcile
