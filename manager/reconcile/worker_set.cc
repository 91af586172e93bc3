#include "manager/reconcile/worker_set.h"

#include <utility>

namespace fedra::reconcile {

WorkerList::WorkerList(Workers workers, std::set<ClusterName> removed, bool drains)
    : workers_(std::move(workers)), removed_(std::move(removed)), drains_(drains) {
  for (const auto& worker : workers_) by_name_[worker->name()] = worker;
}

std::shared_ptr<Worker> WorkerList::Find(const ClusterName& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

placement::Membership WorkerList::MembershipOf(const ClusterName& name) const {
  if (!removed_.contains(name)) return placement::Membership::kConfigured;
  return drains_ ? placement::Membership::kDrained : placement::Membership::kKept;
}

void WorkerSet::Publish(WorkerList list) {
  auto next = std::make_shared<const WorkerList>(std::move(list));
  now_.With([&](auto& now) { now.swap(next); });
}

}  // namespace fedra::reconcile
