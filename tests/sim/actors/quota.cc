#include "tests/sim/actors/quota.h"

#include <fmt/format.h>

#include <utility>

namespace fedra::sim {

void Quota::SetQueue(const std::string& queue,
                     std::map<std::string, Nominal, std::less<>> nominal) {
  queues_[queue].nominal = std::move(nominal);
}

const std::map<std::string, Nominal, std::less<>>& Quota::NominalOf(
    const std::string& queue) const {
  static const std::map<std::string, Nominal, std::less<>> nothing;
  const auto found = queues_.find(queue);
  return found == queues_.end() ? nothing : found->second.nominal;
}

const Amounts& Quota::UsedOf(const std::string& queue) const {
  static const Amounts none;
  const auto found = queues_.find(queue);
  return found == queues_.end() ? none : found->second.used;
}

std::string Quota::WhyNot(const std::string& queue, const Amounts& wanted) const {
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return fmt::format("ClusterQueue {} doesn't exist", queue);
  for (const auto& [resource, amount] : wanted) {
    const auto nominal = found->second.nominal.find(resource);
    if (nominal == found->second.nominal.end()) {
      return fmt::format("resource {} unavailable in ClusterQueue", resource);
    }
    const auto used = found->second.used.find(resource);
    const int64_t in_use = used == found->second.used.end() ? 0 : used->second;
    const int64_t missing = in_use + amount - nominal->second.milli;
    if (missing > 0) {
      return fmt::format("insufficient unused quota for {} in flavor {}, {} more needed", resource,
                         nominal->second.flavor, FormatMilli(missing));
    }
  }
  return {};
}

void Quota::Hold(const ObjectKey& workload, const std::string& queue, Amounts amounts) {
  (void)Release(workload);
  StopWaiting(workload);
  for (const auto& [resource, amount] : amounts) queues_[queue].used[resource] += amount;
  held_[workload] = {queue, std::move(amounts)};
}

std::string Quota::Release(const ObjectKey& workload) {
  const auto found = held_.find(workload);
  if (found == held_.end()) return {};
  const Held held = std::move(found->second);
  held_.erase(found);
  for (const auto& [resource, amount] : held.amounts) {
    queues_[held.queue].used[resource] -= amount;
  }
  return held.queue;
}

void Quota::Wait(const ObjectKey& workload, const std::string& queue, const Amounts& wanted) {
  std::string shape;
  for (const auto& [resource, amount] : wanted) shape += fmt::format("{}={};", resource, amount);
  const auto known = waiting_.find(workload);
  if (known != waiting_.end() && known->second.queue == queue && known->second.shape == shape) {
    return;
  }
  StopWaiting(workload);
  const uint64_t number = next_number_++;
  Line& line = queues_[queue].lines[shape];
  line.wanted = wanted;
  line.order[number] = workload;
  waiting_[workload] = {queue, std::move(shape), number};
}

void Quota::StopWaiting(const ObjectKey& workload) {
  const auto found = waiting_.find(workload);
  if (found == waiting_.end()) return;
  auto& lines = queues_[found->second.queue].lines;
  const auto line = lines.find(found->second.shape);
  line->second.order.erase(found->second.number);
  if (line->second.order.empty()) lines.erase(line);
  waiting_.erase(found);
}

std::vector<ObjectKey> Quota::NextFor(const std::string& queue) const {
  std::vector<ObjectKey> next;
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return next;
  for (const auto& [shape, line] : found->second.lines) {
    if (WhyNot(queue, line.wanted).empty()) next.push_back(line.order.begin()->second);
  }
  return next;
}

}  // namespace fedra::sim
