#pragma once
//
// What the writers of one decision share. Lives for one Executor::Execute call.
//
// Thread rules: one thread.

#include <cstdint>
#include <memory>
#include <vector>

#include "manager/reconcile/gather.h"

namespace fedra::reconcile {

struct Execution {
  explicit Execution(const Gathered& seen)
      : gathered(seen), workload(seen.view.workload), job(seen.view.job) {}

  // A decision names clusters of its view only.
  const placement::ClusterView& View(const ClusterName& name) const;
  // As of the look; it may have been removed and stopped since, and then its calls fail.
  Worker& WorkerOf(const ClusterName& name) const;

  const Gathered& gathered;
  // The manager's objects as our own writes of this execution left them; null: there is none.
  std::shared_ptr<const tracking::Workload> workload;
  std::shared_ptr<const tracking::Job> job;
  // Announced in the store, to be ended when all is over.
  std::vector<int64_t> intents;
};

}  // namespace fedra::reconcile
