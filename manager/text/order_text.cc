#include "manager/text/order_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "manager/report/line.h"
#include "manager/report/row_facts.h"
#include "manager/text/capacity_text.h"
#include "manager/text/status_format.h"

namespace fedra::text {
namespace {

constexpr size_t kMostQueues = 4;  // that are named

verify::Capacity CapacityOf(const std::optional<store::ClusterRow>& manager) {
  return manager ? report::CapacityOf(*manager) : verify::Capacity{};
}

// "Strict (annotation of ClusterQueue ml)", "Backfill".
std::string OrderOf(const verify::Capacity& capacity,
                    const report::WorkloadData::Incarnation& incarnation) {
  const std::string& order = incarnation.places.front().dispatch_order;
  if (order.empty()) return order;
  const auto own = std::ranges::find(capacity.orders, incarnation.row.cluster_queue,
                                     &verify::QueueOrder::cluster_queue);
  if (own == capacity.orders.end()) return order;
  return own->is_valid
             ? fmt::format("{} (annotation of ClusterQueue {})", order, own->cluster_queue)
             : fmt::format(
                   "{} (the annotation fedra.dev/order of ClusterQueue {} is "
                   "ignored: \"{}\")",
                   order, own->cluster_queue, own->order);
}

// "; ClusterQueue ml has weight 3 among queues that share by weight"; empty: they do not.
std::string ShareText(const verify::Capacity& capacity, const std::string& cluster_queue) {
  if (capacity.weights.empty()) return {};
  const auto own =
      std::ranges::find(capacity.weights, cluster_queue, &verify::QueueWeight::cluster_queue);
  const bool has_own = own != capacity.weights.end();
  if (!has_own && capacity.weights.size() >= verify::kMaxWeights) return {};  // it was cut off
  return fmt::format("; ClusterQueue {} has weight {:g} among queues that share by weight",
                     cluster_queue, has_own ? own->weight : 1.0);
}

// "ml/big4 (priority 1000, 4 pods, order Strict; gpu-east is kept for it)"
std::string FirstText(const report::FirstJob& first) {
  std::string facts = fmt::format("priority {}", first.row.priority);
  if (const auto needs = report::NeedsOf(first.row)) facts += ", " + Counted(needs->pods, "pod");
  if (!first.dispatch_order.empty()) facts += ", order " + first.dispatch_order;
  if (!first.kept.empty()) facts += fmt::format("; {} is kept for it", first.kept.value);
  return fmt::format("{} ({})", first.row.job.ToString(), facts);
}

// A job that is the first on these workers, or is in the middle of the line and holds it back.
struct Ahead {
  const report::FirstJob* job = nullptr;
  bool is_first = true;
  std::vector<std::string> workers;
};

// In the order of the configuration.
std::vector<Ahead> AheadOf(const report::WorkloadData::Incarnation& incarnation) {
  std::vector<Ahead> ahead;
  for (const store::PlaceRow& place : report::InOrderOf(incarnation.verdicts, incarnation.places)) {
    const auto found = incarnation.first.find(place.first);
    if (found == incarnation.first.end()) continue;
    const report::FirstJob& job = found->second;
    const auto its = job.places.find(place.cluster);
    const bool is_first = its == job.places.end() || its->second <= 1;
    const auto known = std::ranges::find_if(
        ahead, [&](const Ahead& each) { return each.job == &job && each.is_first == is_first; });
    if (known == ahead.end())
      ahead.push_back({&job, is_first, {place.cluster.value}});
    else
      known->workers.push_back(place.cluster.value);
  }
  return ahead;
}

}  // namespace

std::string OrderText(const report::WorkloadData& data,
                      const report::WorkloadData::Incarnation& incarnation) {
  const int priority = incarnation.row.priority;
  if (incarnation.places.empty())
    return priority == 0 ? std::string()
                         : fmt::format("it is in no line; its priority is {}", priority);
  const verify::Capacity capacity = CapacityOf(data.manager);
  std::string text = OrderOf(capacity, incarnation);
  text += fmt::format("{}its priority is {}", text.empty() ? "" : "; ", priority);
  text += ShareText(capacity, incarnation.row.cluster_queue);
  for (const Ahead& each : AheadOf(incarnation)) {
    const std::string where = fmt::format("{}", fmt::join(each.workers, ", "));
    const std::string who = FirstText(*each.job);
    text += each.is_first ? fmt::format("; first in line on {} is {}", where, who)
                          : fmt::format("; held back on {} by {}", where, who);
  }
  return text;
}

std::string QueueLines(const report::StatusData& data, const ViewSettings& settings) {
  if (!settings.style.headers) return {};
  const verify::Capacity capacity = CapacityOf(data.manager);
  std::string text;
  const auto warn = [&](const std::string& line) {
    text += Toned("QUEUE  " + line, Tone::kWarning, settings.style) + "\n";
  };
  const int named = std::min<int>(kMostQueues, static_cast<int>(capacity.stopped_queues.size()));
  for (int i = 0; i < named; ++i) {
    const verify::StoppedQueue& queue = capacity.stopped_queues[static_cast<size_t>(i)];
    warn(fmt::format("{} of the manager is not active{}{}", queue.name,
                     queue.why.empty() ? "" : ": ", queue.why));
  }
  if (capacity.stopped > named)
    warn(fmt::format("{} more of the manager's ClusterQueues are not active",
                     capacity.stopped - named));
  std::string own;
  for (const verify::QueueOrder& queue : capacity.orders) {
    if (queue.is_valid)
      own += fmt::format(", {} for ClusterQueue {}", queue.order, queue.cluster_queue);
    else
      warn(
          fmt::format("ClusterQueue {} of the manager: its annotation fedra.dev/order \"{}\" is "
                      "ignored, it must be Strict, Backfill or BestEffort",
                      queue.cluster_queue, queue.order));
  }
  const std::string order = data.daemon.heartbeat ? data.daemon.heartbeat->dispatch_order : "";
  const bool wide = settings.format == Format::kWide;
  if (!order.empty() && (wide || !own.empty())) text += fmt::format("ORDER  {}{}\n", order, own);
  return text;
}

}  // namespace fedra::text
