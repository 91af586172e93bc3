#pragma once
//
// The workers at one moment, and the place where that is published.
//
// Readers take the list of now, and keep it for as long as they work with it: a worker that is
// removed meanwhile is stopped, but lives on in the lists that name it.
//
// Thread rules: WorkerList is immutable; WorkerSet may be used from any thread. Lifetime: code that
// publishes a list stops the workers that it no longer has.

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "manager/reconcile/worker.h"

namespace fedra::reconcile {

using Workers = std::vector<std::shared_ptr<Worker>>;

class WorkerList final {
 public:
  WorkerList() = default;
  // `workers` in the configuration's order; those in `removed` have left it (see
  // placement::Membership) and come last. `drains`: their jobs are taken back.
  explicit WorkerList(Workers workers, std::set<ClusterName> removed = {}, bool drains = false);

  auto begin() const { return workers_.begin(); }
  auto end() const { return workers_.end(); }
  size_t size() const { return workers_.size(); }
  const Workers& all() const { return workers_; }
  // Those of these names, in the same order. Costs what it gives, however many others there are.
  Workers Named(const std::set<ClusterName>& names) const;
  // Null: there is none of this name.
  std::shared_ptr<Worker> Find(const ClusterName& name) const;
  const std::set<ClusterName>& removed() const { return removed_; }
  bool drains() const { return drains_; }
  placement::Membership MembershipOf(const ClusterName& name) const;

 private:
  Workers workers_;
  std::unordered_map<ClusterName, size_t> by_name_;  // index in workers_
  std::set<ClusterName> removed_;
  bool drains_ = false;
};

class WorkerSet final {
 public:
  WorkerSet() : now_(std::make_shared<const WorkerList>()) {}

  std::shared_ptr<const WorkerList> Now() const { return now_.Copy(); }
  void Publish(WorkerList list);

 private:
  Guarded<std::shared_ptr<const WorkerList>> now_;
};

}  // namespace fedra::reconcile
