#pragma once
//
// The counters of one family that has a label beside the cluster. A look at a workload counts a
// verdict for each worker, and a family's Add() wants a map of labels, which it hashes and compares
// under its lock: here it is asked once for each counter. Internal.
//
// Thread rules: any thread. Lifetime: the family must outlive it.

#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/family.h>

#include "base/types.h"

namespace fedra::metrics {

class ClusterCounters final {
 public:
  using Family = prometheus::Family<prometheus::Counter>;

  // No counter of the family may ever be removed.
  ClusterCounters(Family& family, std::string label) : family_(family), label_(std::move(label)) {}

  // `value`: of a closed list.
  void Increment(const ClusterName& cluster, std::string_view value) {
    Of(cluster, value).Increment();
  }

 private:
  using Values = std::map<std::string, prometheus::Counter*, std::less<>>;

  prometheus::Counter& Of(const ClusterName& cluster, std::string_view value) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = counters_.find(cluster);
      if (found != counters_.end()) {
        const auto counter = found->second.find(value);
        if (counter != found->second.end()) return *counter->second;
      }
    }
    const std::string text(value);
    prometheus::Counter& counter = family_.Add({{"cluster", cluster.value}, {label_, text}});
    const std::unique_lock lock(mutex_);
    counters_[cluster].emplace(text, &counter);
    return counter;
  }

  Family& family_;
  const std::string label_;
  std::shared_mutex mutex_;
  std::unordered_map<ClusterName, Values> counters_;  // under mutex_
};

}  // namespace fedra::metrics
