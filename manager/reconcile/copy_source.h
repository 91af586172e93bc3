#pragma once
//
// What FindCopies() asks of the caches: of a worker's its clones and jobs, and of the manager's the
// Workloads of an elastic job. A seam for tests, where the clusters go on between two answers.
//
// Thread rules: any thread. Lifetime: the caches must outlive it.

#include <memory>
#include <set>
#include <vector>

#include "manager/reconcile/manager_jobs.h"
#include "manager/reconcile/worker.h"
#include "manager/tracking/job_members.h"

namespace fedra::reconcile {

class CopySource {
 public:
  virtual ~CopySource() = default;

  virtual const ClusterName& worker() const = 0;
  virtual const tracking::JobKinds& kinds() const = 0;
  // Null: it is not there.
  virtual std::shared_ptr<const tracking::Workload> Clone(const ObjectKey& key) const = 0;
  virtual tracking::JobPtr Job(const tracking::JobAdapter& kind, const ObjectKey& key) const = 0;
  // The jobs there that name this workload.
  virtual std::set<tracking::JobKey> JobsOf(const ObjectKey& workload) const = 0;
  // As ManagerJobs::SlicesOf().
  virtual std::vector<std::shared_ptr<const tracking::Workload>> SlicesOf(
      const tracking::JobKey& job) const = 0;
};

class CachedCopies final : public CopySource {
 public:
  CachedCopies(const Worker& worker, const ManagerJobs& jobs) : worker_(worker), jobs_(jobs) {}

  const ClusterName& worker() const override { return worker_.name(); }
  const tracking::JobKinds& kinds() const override { return worker_.objects().kinds(); }
  std::shared_ptr<const tracking::Workload> Clone(const ObjectKey& key) const override {
    return worker_.objects().clones().Find(key);
  }
  tracking::JobPtr Job(const tracking::JobAdapter& kind, const ObjectKey& key) const override {
    return worker_.objects().jobs(kind).Find(key);
  }
  std::set<tracking::JobKey> JobsOf(const ObjectKey& workload) const override {
    return worker_.copies().JobsOf(workload);
  }
  std::vector<std::shared_ptr<const tracking::Workload>> SlicesOf(
      const tracking::JobKey& job) const override {
    return jobs_.SlicesOf(job);
  }

 private:
  const Worker& worker_;
  const ManagerJobs& jobs_;
};

}  // namespace fedra::reconcile
