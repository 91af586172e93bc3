#include "manager/reconcile/execute.h"

#include <functional>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "manager/reconcile/execution.h"

namespace fedra::reconcile {
Executor::Executor(Tools tools) : tools_(std::move(tools)) {
  for (const auto& worker : tools_.workers) by_name_[worker->name()] = worker.get();
}

Worker& Executor::Find(const ClusterName& name) const {
  const auto found = by_name_.find(name);
  FEDRA_ASSERT(found != by_name_.end(), "a decision names a configured worker");
  return *found->second;
}

Result<void> Executor::Execute(const Picture& picture, const placement::Decision& decision) {
  Execution execution(*this, picture);
  Result<void> outcome;
  for (const placement::Action& action : decision.actions) {
    if (!outcome && placement::NeedsAllBefore(action)) break;
    const Result<void> done = std::visit(std::ref(execution), action);
    if (done) continue;
    if (outcome) outcome = done;
    if (!placement::IsIndependent(action)) break;
  }
  return outcome;
}

}  // namespace fedra::reconcile
