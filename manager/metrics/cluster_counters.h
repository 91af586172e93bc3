#pragma once
//
// Metrics of one family, found by the cluster's name. A look at a workload counts a verdict for
// each worker, and each event of a watch its bytes; a family's Add() wants a map of labels, which
// it hashes and compares under its lock: here it is asked once for each metric. Internal.
//
// Thread rules: any thread. Lifetime: the family must outlive it.

#include <functional>
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

// Of a family whose one label is the cluster.
template <class Metric>
class ByCluster final {
 public:
  // No metric of the family may ever be removed. `arguments`: of each new one, such as buckets.
  template <class... Arguments>
  explicit ByCluster(prometheus::Family<Metric>& family, const Arguments&... arguments)
      : make_([&family, arguments...](const ClusterName& cluster) {
          return &family.Add({{"cluster", cluster.value}}, arguments...);
        }) {}

  Metric& Of(const ClusterName& cluster) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = metrics_.find(cluster);
      if (found != metrics_.end()) return *found->second;
    }
    Metric* const made = make_(cluster);
    const std::unique_lock lock(mutex_);
    return *metrics_.emplace(cluster, made).first->second;
  }

 private:
  const std::function<Metric*(const ClusterName&)> make_;
  std::shared_mutex mutex_;
  std::unordered_map<ClusterName, Metric*> metrics_;  // under mutex_
};

// Of a family that has a label beside the cluster.
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
