#pragma once
//
// What the lines (lines.h) know of a workload that looks for a worker: its place, in which
// order its queue has it go, and what it would take of each worker. Values.

#include <boost/container/flat_map.hpp>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/types.h"
#include "dra/judge/device_set.h"
#include "manager/placement/fair_turns.h"

namespace fedra::placement {

enum class OrderPolicy {
  // No workload passes one that waits for devices which both could use.
  kStrict,
  // The worker where the first in line lacks least is kept for it, for as long as it
  // waits there. Elsewhere others may pass it, at most `max_passes` times and no longer than
  // `max_wait`. Those that are not first may be passed until they are; but where one fits, and is
  // held by one that waits, it has the same bound.
  kBackfill,
  // Whatever fits goes; the order holds only among those that fit.
  kBestEffort,
};

// "Strict", "Backfill", "BestEffort"; wire values of the annotation fedra.dev/order.
std::string_view ToString(OrderPolicy policy);
std::optional<OrderPolicy> ParseOrderPolicy(std::string_view text);

struct OrderSettings {
  OrderPolicy policy = OrderPolicy::kBackfill;
  int max_passes = 16;
  std::chrono::milliseconds max_wait = std::chrono::minutes(10);  // from Contender::reserved_at

  bool operator==(const OrderSettings&) const = default;
};

// A workload's place among all that wait; the lesser goes first.
struct QueueRank {
  int priority = 0;  // as Kueue resolved it; higher goes first
  double turn = 0;   // of its queue, where queues share by weight; Lines gives it
  WallTime since{};  // its creation
  ObjectKey workload;

  std::weak_ordering operator<=>(const QueueRank& other) const;
  bool operator==(const QueueRank&) const = default;
};

// A workload that looks for a worker.
struct Contender {
  QueueRank rank;
  WallTime reserved_at{};  // since when its quota is reserved: what it lacks since then is a worker
  OrderSettings order;     // of its ClusterQueue
  // Absent: no ClusterQueue has a weight, and time alone decides.
  std::optional<Share> share = std::nullopt;
  // It was dispatched, and is admitted nowhere yet: it may get further workers, in its turn.
  bool dispatched = false;
  // And the workers that it was dispatched to have had their time: it waits for others. Only looks
  // know it.
  bool overdue = false;
};

// What a workload would take of one worker, as last judged.
struct Bid {
  enum class Chance {
    kFits,   // it could be dispatched there now
    kWaits,  // it fits once devices that are in use become free
    kNone,   // the reason against it is not a shortage of devices
    kAway,   // there is no contact: no workload is dispatched there, and nothing is judged anew
  };
  Chance chance = Chance::kNone;
  // Grows on that worker whenever devices may have become free. One that was judged before is
  // looked at again before any behind it is dispatched there.
  uint64_t as_of = 0;
  int missing = 0;                                // pods that do not fit; for kWaits
  std::shared_ptr<const dra::DeviceSet> devices;  // that could serve it; null: none

  bool operator==(const Bid&) const = default;
  // Whether they stand in the same line, and wait there alike.
  bool IsLike(const Bid& other) const { return chance == other.chance && devices == other.devices; }
};
// Flat, because those of thousands of workloads on a hundred workers are gone through one after the
// other.
using Bids = boost::container::flat_map<ClusterName, Bid>;

// Whether some worker would do once devices are free there.
bool WaitsAnywhere(const Bids& bids);
// The same lines, and the same chances there.
bool AreAlike(const Bids& a, const Bids& b);

// What the line on one worker says to a workload that bids there.
struct LineAnswer {
  // The nearest of those that go first; absent: it may be dispatched there.
  std::optional<ObjectKey> after;
  // One that goes first waits for devices itself; else they go at once, or are judged at once.
  bool after_waiting = false;
  size_t ahead = 0;  // how many go first; 0: they were not counted

  bool operator==(const LineAnswer&) const = default;
};

}  // namespace fedra::placement
