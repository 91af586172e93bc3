#include "manager/cli/text/capacity_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fedra::cli {

using nlohmann::ordered_json;
using verify::Capacity;

Capacity CapacityOf(const store::ClusterRow& row) {
  return verify::ParseCapacity(row.capacity_json).value_or(Capacity());
}

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

std::string WhyStopped(const Capacity& capacity, const std::string& cluster_queue) {
  const auto found = std::ranges::find(capacity.stopped_queues, cluster_queue,
                                       &verify::StoppedQueue::cluster_queue);
  return found == capacity.stopped_queues.end() ? std::string() : found->why;
}

void PutCapacity(ordered_json& object, const Capacity& capacity) {
  if (capacity.queues > 0) {
    ordered_json stopped = ordered_json::array();
    for (const verify::StoppedQueue& queue : capacity.stopped_queues) {
      stopped.push_back(
          {{"name", queue.name}, {"clusterQueue", queue.cluster_queue}, {"why", queue.why}});
    }
    object["queues"] = {{"total", capacity.queues},
                        {"active", capacity.queues - capacity.stopped},
                        {"stopped", std::move(stopped)}};
  }
  if (!capacity.quota.empty()) {
    ordered_json& quota = object["quota"] = ordered_json::array();
    for (const verify::QuotaUse& use : capacity.quota) {
      quota.push_back({{"clusterQueue", use.cluster_queue},
                       {"flavor", use.flavor},
                       {"resource", use.resource},
                       {"nominal", use.nominal.ToString()},
                       {"reserved", use.reserved.ToString()}});
    }
  }
  if (capacity.devices) {
    object["devices"] = {{"published", capacity.devices->published},
                         {"inUse", capacity.devices->in_use}};
  }
}

}  // namespace fedra::cli
