#include "manager/tracking/job.h"

#include <tuple>

namespace fedra::tracking {

const std::vector<const JobAdapter*>& JobAdapters() {
  static const std::vector<const JobAdapter*> adapters = {&BatchJobAdapter()};
  return adapters;
}

const JobAdapter* FindAdapter(const Owner& owner) {
  for (const JobAdapter* adapter : JobAdapters()) {
    if (adapter->resource().ApiVersion() == owner.api_version &&
        adapter->resource().kind == owner.kind)
      return adapter;
  }
  return nullptr;
}

bool IsProgress(const Job& before, const Job& after) {
  const auto decisive = [](const Job& job) {
    return std::tie(job.uid, job.deleting, job.marks, job.prebuilt_workload, job.managed_by,
                    job.suspended, job.finished, job.failed);
  };
  return decisive(before) == decisive(after);
}

}  // namespace fedra::tracking
