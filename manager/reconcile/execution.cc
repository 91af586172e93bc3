#include "manager/reconcile/execution.h"

#include <algorithm>

#include "base/assert.h"

namespace fedra::reconcile {

using placement::ClusterView;

const ClusterView& Execution::View(const ClusterName& name) const {
  const auto found = std::find_if(gathered.clusters.begin(), gathered.clusters.end(),
                                  [&](const ClusterView& cluster) { return cluster.name == name; });
  FEDRA_ASSERT(found != gathered.clusters.end(), "a decision names a cluster of its view");
  return *found;
}

Worker& Execution::WorkerOf(const ClusterName& name) const {
  const auto worker = gathered.workers->Find(name);
  FEDRA_ASSERT(worker != nullptr, "a decision names a worker of its view");
  return *worker;
}

}  // namespace fedra::reconcile
