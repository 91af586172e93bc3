// The copies on the workers: what they are when they are made, and whose others there are.

#include <chrono>
#include <memory>
#include <utility>

#include "manager/tracking/workload.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {
namespace {

constexpr const char* kAnotherManager = "m2";

}  // namespace

std::shared_ptr<tracking::Workload> World::MakeClone(const ClusterView& worker,
                                                     tracking::CopyMarks marks) const {
  auto clone = std::make_shared<tracking::Workload>();
  clone->key = Key();
  clone->uid = "clone-" + worker.name.value;
  clone->created = std::chrono::floor<std::chrono::seconds>(now_);  // as API servers have it
  clone->marks = std::move(marks);
  if (workload_ != nullptr) clone->priority = workload_->priority;
  return clone;
}

std::shared_ptr<tracking::Job> World::MakeJob(const ClusterView& worker,
                                              tracking::CopyMarks marks) const {
  auto job = std::make_shared<tracking::Job>();
  job->key = {"ml", "train"};
  job->kind = kind_.adapter;
  job->uid = "remote-" + worker.name.value;
  job->prebuilt_workload = marks.workload.empty() ? kind_.workload : marks.workload;
  job->marks = std::move(marks);
  job->shows_activity = true;
  if (kind_.adoption == tracking::Adoption::kOwner) {  // Kueue leaves it, until it gets its queue
    job->suspended = true;
    job->shows_activity = false;
  }
  return job;
}

bool World::IsAdopted(const ClusterView& worker) const {
  return kind_.adoption != tracking::Adoption::kOwner ||
         (worker.job != nullptr && worker.job->queued && worker.clone != nullptr &&
          worker.clone->owner.uid == worker.job->uid);
}

void World::PutForeignJob(const std::string& name) {
  auto job = std::make_shared<tracking::Job>();
  job->key = {"ml", "train"};
  job->kind = kind_.adapter;
  job->uid = "foreign";
  worker(name).job = job;
}

void World::PutCopyOfAnotherManager(const std::string& name) {
  ClusterView& at = worker(name);
  if (at.clone != nullptr) return;
  auto clone = std::make_shared<tracking::Workload>();
  clone->key = Key();
  clone->uid = "theirs";
  clone->marks = {us_.origin, kAnotherManager, "uid-there", {}};
  at.clone = clone;
}

bool World::HasCopyOfAnotherManager(const std::string& name) {
  const ClusterView& at = worker(name);
  return at.clone != nullptr && at.clone->marks.made_by == kAnotherManager;
}

void World::RemoveCopyOfAnotherManager(const std::string& name) {
  if (HasCopyOfAnotherManager(name)) worker(name).clone = nullptr;
}

}  // namespace fedra::placement::testing
