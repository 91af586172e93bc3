#include "manager/verify/capacity.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/verify/queue_stop.h"
#include "verdict/reason_text.h"

namespace fedra::verify {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using tracking::Member;
using tracking::Text;

// Enough to name what is wrong; a row of the store stays small.
constexpr size_t kMaxStopped = 16;
constexpr size_t kMaxQuota = 16;

void AddQuota(Capacity& capacity, const ClusterQueue& queue) {
  for (const auto& [resource, flavors] : queue.resources) {
    for (const auto& [flavor, quota] : flavors) {
      if (quota.nominal && quota.nominal->Sign() > 0)
        capacity.quota.push_back({queue.name, flavor, resource, *quota.nominal, quota.reserved});
    }
  }
}

int CountOf(const json& object, const char* name) {
  const json& value = Member(object, name);
  return value.is_number_integer() ? value.get<int>() : 0;
}

}  // namespace

double ShareOf(const QuotaUse& use) {
  return use.reserved.AsApproximateDouble() / use.nominal.AsApproximateDouble();
}

Capacity QueuesOf(size_t queues, std::vector<StoppedQueue> stopped) {
  Capacity capacity;
  capacity.queues = static_cast<int>(queues);
  capacity.stopped = static_cast<int>(stopped.size());
  std::ranges::sort(stopped, {}, &StoppedQueue::name);
  if (stopped.size() > kMaxStopped) stopped.resize(kMaxStopped);
  capacity.stopped_queues = std::move(stopped);
  return capacity;
}

Capacity QueuesOf(const WorkerObjects& objects) {
  const auto queues = objects.queues().List();
  std::vector<StoppedQueue> stopped;
  for (const auto& queue : queues) {
    if (queue->active) continue;
    const auto stop = StopOf(*queue, objects.cluster_queues());
    std::string name = "LocalQueue " + queue->key.ToString();
    const bool names_it = stop && stop->stops.front().queue == name;
    stopped.push_back({.name = std::move(name),
                       .cluster_queue = queue->cluster_queue,
                       .why = stop ? verdict::MessageOf(*stop) : queue->why_inactive,
                       .why_names_it = names_it});
  }
  return QueuesOf(queues.size(), std::move(stopped));
}

Capacity CapacityOf(const WorkerObjects& objects) {
  Capacity capacity = QueuesOf(objects);
  for (const auto& queue : objects.cluster_queues().List()) AddQuota(capacity, *queue);
  std::ranges::sort(capacity.quota, {}, [](const QuotaUse& use) {
    return std::tuple(-ShareOf(use), use.cluster_queue, use.resource, use.flavor);
  });
  if (capacity.quota.size() > kMaxQuota) capacity.quota.resize(kMaxQuota);
  const DeviceState* devices = objects.devices();
  if (devices != nullptr && !devices->obstacles().Lists()) {
    DeviceTotals& totals = capacity.devices.emplace();
    for (const auto& [driver, stock] : devices->Stock()) {
      totals.in_use += stock.allocated + stock.shared;
      totals.published += stock.free + stock.allocated + stock.shared + stock.tainted;
    }
  }
  return capacity;
}

void PutCapacity(ordered_json& object, const Capacity& capacity) {
  if (capacity.queues > 0) {
    ordered_json stopped = ordered_json::array();
    for (const StoppedQueue& queue : capacity.stopped_queues) {
      stopped.push_back(
          {{"name", queue.name}, {"clusterQueue", queue.cluster_queue}, {"why", queue.why}});
    }
    object["queues"] = {{"total", capacity.queues},
                        {"active", capacity.queues - capacity.stopped},
                        {"stopped", std::move(stopped)}};
    for (const QueueOrder& queue : capacity.orders) {
      object["queues"]["orders"].push_back({{"clusterQueue", queue.cluster_queue},
                                            {"order", queue.order},
                                            {"valid", queue.is_valid}});
    }
    for (const QueueWeight& queue : capacity.weights) {
      object["queues"]["weights"].push_back(
          {{"clusterQueue", queue.cluster_queue}, {"weight", queue.weight}});
    }
  }
  if (!capacity.quota.empty()) {
    ordered_json& quota = object["quota"] = ordered_json::array();
    for (const QuotaUse& use : capacity.quota) {
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

std::string ToJsonText(const Capacity& capacity) {
  ordered_json object = ordered_json::object();
  PutCapacity(object, capacity);
  // Kueue's message may be no UTF-8.
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Result<Capacity> ParseCapacity(const std::string& text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Fail(ErrorCode::kBadResponse, "no JSON object");
  Capacity capacity;
  const json& queues = Member(object, "queues");
  capacity.queues = CountOf(queues, "total");
  capacity.stopped = capacity.queues - CountOf(queues, "active");
  for (const json& queue : Member(queues, "stopped"))
    capacity.stopped_queues.push_back({.name = Text(queue, "name"),
                                       .cluster_queue = Text(queue, "clusterQueue"),
                                       .why = Text(queue, "why")});
  for (const json& queue : Member(queues, "orders")) {
    const json& valid = Member(queue, "valid");
    capacity.orders.push_back({Text(queue, "clusterQueue"), Text(queue, "order"),
                               valid.is_boolean() && valid.get<bool>()});
  }
  for (const json& queue : Member(queues, "weights")) {
    const json& weight = Member(queue, "weight");
    if (weight.is_number())
      capacity.weights.push_back({Text(queue, "clusterQueue"), weight.get<double>()});
  }
  for (const json& use : Member(object, "quota")) {
    const auto nominal = tracking::ReadQuantity(Member(use, "nominal"));
    const auto reserved = tracking::ReadQuantity(Member(use, "reserved"));
    if (!nominal || !reserved || nominal->Sign() <= 0) continue;
    capacity.quota.push_back({Text(use, "clusterQueue"), Text(use, "flavor"), Text(use, "resource"),
                              *nominal, *reserved});
  }
  const json& devices = Member(object, "devices");
  if (devices.is_object()) {
    capacity.devices = DeviceTotals{CountOf(devices, "published"), CountOf(devices, "inUse")};
  }
  return capacity;
}

}  // namespace fedra::verify
