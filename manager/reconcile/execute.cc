#include "manager/reconcile/execute.h"

#include <chrono>
#include <functional>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "manager/reconcile/execution.h"

namespace fedra::reconcile {
namespace {

// When a worker that is waited for by enough threads is tried again.
constexpr std::chrono::milliseconds kBusy{50};

}  // namespace

Executor::Executor(Tools tools) : tools_(std::move(tools)), gates_(tools_.clock, {}) {
  for (const auto& worker : tools_.workers) by_name_[worker->name()] = worker.get();
}

Worker& Executor::Find(const ClusterName& name) const {
  const auto found = by_name_.find(name);
  FEDRA_ASSERT(found != by_name_.end(), "a decision names a configured worker");
  return *found->second;
}

Result<std::unique_ptr<CallGates::Pass>> Executor::Enter(const ClusterName& name) {
  auto pass = gates_.TryEnter(name);
  if (pass != nullptr) return pass;
  Error busy{ErrorCode::kUnavailable, name.value + " is busy or slow to answer", std::nullopt,
             kBusy};
  return Fail(std::move(busy));
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
