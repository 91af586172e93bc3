#include "manager/text/capacity_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace fedra::text {

using verify::Capacity;

std::string QueuesText(const Capacity& capacity) {
  if (capacity.queues == 0) return "-";
  if (capacity.stopped == 0) return std::to_string(capacity.queues);
  return fmt::format("{}/{}", capacity.queues - capacity.stopped, capacity.queues);
}

std::string QuotaText(const Capacity& capacity, bool wide) {
  if (capacity.quota.empty()) return "-";
  const verify::QuotaUse& first = capacity.quota.front();
  if (!wide) return fmt::format("{:.0f}%", verify::ShareOf(first) * 100);
  const bool same_queue = std::ranges::all_of(capacity.quota, [&](const verify::QuotaUse& use) {
    return use.cluster_queue == first.cluster_queue;
  });
  return fmt::format("{} {}/{}{}", first.resource, first.reserved.ToString(),
                     first.nominal.ToString(),
                     same_queue ? "" : fmt::format(" ({})", first.cluster_queue));
}

std::string DevicesText(const Capacity& capacity) {
  if (!capacity.devices) return "-";
  return fmt::format("{}/{}", capacity.devices->in_use, capacity.devices->published);
}

}  // namespace fedra::text
