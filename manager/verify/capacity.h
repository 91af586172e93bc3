#pragma once
//
// What one cluster has to give, in numbers for people: its queues, their quota, its devices. It
// decides nothing: verdicts look at the objects themselves.
//
// Pure functions on plain values; CapacityOf() from any thread.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/quantity.h"
#include "base/result.h"
#include "manager/verify/worker_objects.h"

namespace fedra::verify {

// A LocalQueue or, of the manager, a ClusterQueue that admits nothing.
struct StoppedQueue {
  std::string name;  // "LocalQueue ml/gpu"
  std::string cluster_queue;
  std::string why;  // its stopPolicy, or Kueue's message; may be empty
  // The queue's own stopPolicy is the first cause, so that `why` says already which queue it is.
  // Neither printed nor stored: false of what was read back.
  bool why_names_it = false;

  bool operator==(const StoppedQueue&) const = default;
};

// What a ClusterQueue has of one resource in one flavor, and what its jobs hold of it.
struct QuotaUse {
  std::string cluster_queue, flavor, resource;
  Quantity nominal, reserved;

  bool operator==(const QuotaUse&) const = default;
};

struct DeviceTotals {
  int published = 0;
  int in_use = 0;  // held by a claim, as a whole or in part

  bool operator==(const DeviceTotals&) const = default;
};

// How a ClusterQueue of the manager wants its jobs ordered.
struct QueueOrder {
  std::string cluster_queue;
  std::string order;     // its annotation fedra.dev/order
  bool is_valid = true;  // false: it is ignored

  bool operator==(const QueueOrder&) const = default;
};

// So many weights are kept, by the queues' names.
inline constexpr size_t kMaxWeights = 256;

// The share of a ClusterQueue of the manager (spec.fairSharing.weight).
struct QueueWeight {
  std::string cluster_queue;
  double weight = 1;

  bool operator==(const QueueWeight&) const = default;
};

struct Capacity {
  int queues = 0;                            // LocalQueues; of the manager ClusterQueues
  int stopped = 0;                           // of them
  std::vector<StoppedQueue> stopped_queues;  // the first of them, by name
  std::vector<QueueOrder> orders;            // of the manager; bounded
  std::vector<QueueWeight> weights;          // of the manager, where one is set; bounded
  std::vector<QuotaUse> quota;               // what is used most comes first; bounded
  // Absent: devices are not verified, or not listed yet.
  std::optional<DeviceTotals> devices;

  bool operator==(const Capacity&) const = default;
};

// Of `queues` many these admit nothing.
Capacity QueuesOf(size_t queues, std::vector<StoppedQueue> stopped);
// The worker's queues alone, which is cheap.
Capacity QueuesOf(const WorkerObjects& objects);
Capacity CapacityOf(const WorkerObjects& objects);

// 1 is all of it; more when jobs hold what was lent.
double ShareOf(const QuotaUse& use);

// Adds what is known of {"queues": {"total": 2, "active": 1, "stopped": [{"name", "clusterQueue",
// "why"}], "orders": [{"clusterQueue", "order", "valid"}], "weights": [{"clusterQueue",
// "weight"}]}, "quota": [...], "devices":
// {"published": 8, "inUse": 3}}.
void PutCapacity(nlohmann::ordered_json& object, const Capacity& capacity);
// The same as one object, for the store.
std::string ToJsonText(const Capacity& capacity);
// kBadResponse for anything else; "{}" is a capacity of which nothing is known.
Result<Capacity> ParseCapacity(const std::string& text);

}  // namespace fedra::verify
