#include "manager/reconcile/execute.h"

#include <iterator>
#include <optional>
#include <utility>
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
  // What came of the next action, which was begun with the one before.
  std::optional<WorkerWrites::Sent> sent;
  for (auto at = decision.actions.begin(); at != decision.actions.end(); ++at) {
    const placement::Action& action = *at;
    if (!outcome && placement::NeedsAllBefore(action)) break;
    Result<void> done;
    if (sent) {
      done = workers_.Conclude(execution, std::get<placement::CreateClone>(action),
                               *std::exchange(sent, std::nullopt));
    } else if (const auto next = std::next(at); next != decision.actions.end() &&
                                                placement::GoTogether(action, *next) &&
                                                workers_.MaySend(execution)) {
      const auto send = [&, seen = execution] {
        sent = workers_.Send(seen, std::get<placement::CreateClone>(*next));
      };
      done = manager_.Do(execution, std::get<placement::Nominate>(action), send);
    } else {
      done = Do(execution, action);
    }
    if (done) continue;
    if (outcome) outcome = done;
    if (!placement::IsIndependent(action)) break;
  }
  bookkeeping_.EndIntents(execution);
  return outcome;
}

}  // namespace fedra::reconcile
