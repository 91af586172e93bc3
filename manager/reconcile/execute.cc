#include "manager/reconcile/execute.h"

#include <variant>

namespace fedra::reconcile {

Result<void> Executor::Do(Execution& execution, const placement::Action& action) {
  return std::visit(
      [&](const auto& one) {
        constexpr bool kManager = requires { manager_.Do(execution, one); };
        constexpr bool kWorker = requires { workers_.Do(execution, one); };
        constexpr bool kBook = requires { bookkeeping_.Do(execution, one); };
        static_assert(int{kManager} + int{kWorker} + int{kBook} == 1,
                      "each action has exactly one target");
        if constexpr (kManager) {
          return manager_.Do(execution, one);
        } else if constexpr (kWorker) {
          // There IsOurs() is true of Kueue's copies, too.
          if (execution.gathered.view.kueue_copies)
            return Result<void>(Fail(ErrorCode::kInternal,
                                     "nothing is written on workers where Kueue copies the jobs"));
          return workers_.Do(execution, one);
        } else {
          return bookkeeping_.Do(execution, one);
        }
      },
      action);
}

Result<void> Executor::Execute(const Gathered& gathered, const placement::Decision& decision) {
  Execution execution(gathered);
  Result<void> outcome;
  for (const placement::Action& action : decision.actions) {
    if (!outcome && placement::NeedsAllBefore(action)) break;
    const Result<void> done = Do(execution, action);
    if (done) continue;
    if (outcome) outcome = done;
    if (!placement::IsIndependent(action)) break;
  }
  bookkeeping_.EndIntents(execution);
  return outcome;
}

}  // namespace fedra::reconcile
