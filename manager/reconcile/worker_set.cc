#include "manager/reconcile/worker_set.h"

#include <utility>

namespace fedra::reconcile {

WorkerList::WorkerList(Workers workers, std::set<ClusterName> removed, bool drains)
    : workers_(std::move(workers)), removed_(std::move(removed)), drains_(drains) {
  for (size_t i = 0; i < workers_.size(); ++i) by_name_[workers_[i]->name()] = i;
}

Workers WorkerList::Named(const std::set<ClusterName>& names) const {
  std::set<size_t> places;
  for (const ClusterName& name : names)
    if (const auto found = by_name_.find(name); found != by_name_.end())
      places.insert(found->second);
  Workers named;
  for (const size_t place : places) named.push_back(workers_[place]);
  return named;
}

std::shared_ptr<Worker> WorkerList::Find(const ClusterName& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : workers_[found->second];
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
