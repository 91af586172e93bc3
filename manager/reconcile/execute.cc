#include "manager/reconcile/execute.h"

#include <chrono>
#include <functional>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "manager/reconcile/execution.h"

namespace fedra::reconcile {
namespace {

// Threads that may wait for one worker at once; and for how long one may wait before no further one
// joins.
constexpr size_t kCallsPerWorker = 6;
constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::milliseconds kBusy{50};

}  // namespace

Executor::Executor(Tools tools) : tools_(std::move(tools)) {
  for (const auto& worker : tools_.workers) {
    by_name_[worker->name()] = worker.get();
    gates_[worker->name()] = std::make_unique<CallGate>(tools_.clock, kCallsPerWorker, kPatience);
  }
}

Worker& Executor::Find(const ClusterName& name) const {
  const auto found = by_name_.find(name);
  FEDRA_ASSERT(found != by_name_.end(), "a decision names a configured worker");
  return *found->second;
}

Result<std::unique_ptr<CallGate::Pass>> Executor::Enter(const ClusterName& name) {
  auto pass = gates_.at(name)->TryEnter();
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
