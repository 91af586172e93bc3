#pragma once
//
// Carries out a decision: one API write or one durable record per action, in order, until one
// fails; two that GoTogether() at once. Which target an action has is in the type that takes it.
//
// Thread rules: any thread; one workload by one thread at a time.
// Lifetime: the targets must outlive it.

#include "manager/placement/action.h"
#include "manager/reconcile/bookkeeping.h"
#include "manager/reconcile/manager_writes.h"
#include "manager/reconcile/worker_writes.h"

namespace fedra::reconcile {

class Executor final {
 public:
  Executor(ManagerWrites& manager, WorkerWrites& workers, Bookkeeping& bookkeeping)
      : manager_(manager), workers_(workers), bookkeeping_(bookkeeping) {}

  // The first failure. kConflict: the state has moved on, look again. kUnavailable with
  // retry_after: the worker is busy. Anything else: back off and look again.
  Result<void> Execute(const Gathered& gathered, const placement::Decision& decision);

 private:
  Result<void> Do(Execution& execution, const placement::Action& action);

  ManagerWrites& manager_;
  WorkerWrites& workers_;
  Bookkeeping& bookkeeping_;
};

}  // namespace fedra::reconcile
