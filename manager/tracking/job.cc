#include "manager/tracking/job.h"

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

}  // namespace fedra::tracking
