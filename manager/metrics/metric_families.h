#pragma once
//
// Every metric of the daemon as its readers know it. docs/metrics.md is generated from this.
//
// Thread rules: constants.

#include <span>
#include <string_view>

namespace fedra::metrics {

struct MetricFamily {
  std::string_view name;
  std::string_view type;    // "counter", "gauge", "histogram"
  std::string_view labels;  // "cluster, reason"; empty: none
  std::string_view help;
};
std::span<const MetricFamily> MetricFamilies();
// The one of this name, which must be among them.
const MetricFamily& FamilyOf(std::string_view name);

}  // namespace fedra::metrics
