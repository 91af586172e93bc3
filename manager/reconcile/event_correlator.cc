#include "manager/reconcile/event_correlator.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace fedra::reconcile {
namespace {

constexpr double kBurst = 25;                    // of one object and type
constexpr std::chrono::minutes kRefill{5};       // for one more
constexpr size_t kSimilar = 10;                  // messages; the last of them is combined
constexpr std::chrono::minutes kSimilarFor{10};  // after the last one

}  // namespace

std::optional<EventCorrelator::Written> EventCorrelator::Correlate(const Event& event,
                                                                   SteadyTime now) {
  const bool is_combined = IsCombined(event, now);
  int& left_out =
      left_out_[fmt::format("{}\n{}\n{}\n{}", event.object, event.is_warning, event.reason,
                            is_combined ? std::string_view() : event.message)];
  if (!MayWrite(event, now)) {
    ++left_out;
    return std::nullopt;
  }
  return Written{.is_combined = is_combined, .times = 1 + std::exchange(left_out, 0)};
}

bool EventCorrelator::IsCombined(const Event& event, SteadyTime now) {
  Similar& similar =
      similar_[fmt::format("{}\n{}\n{}", event.object, event.is_warning, event.reason)];
  if (now - similar.last > kSimilarFor) similar.messages.clear();
  similar.last = now;
  similar.messages.emplace(event.message);
  if (similar.messages.size() < kSimilar) return false;
  similar.messages.erase(similar.messages.begin());
  return true;
}

bool EventCorrelator::MayWrite(const Event& event, SteadyTime now) {
  Budget& budget = budgets_[fmt::format("{}\n{}", event.object, event.is_warning)];
  const double more =
      budget.since ? std::chrono::duration<double>(now - *budget.since) / kRefill : kBurst;
  budget.left = std::min(kBurst, budget.left + more);
  budget.since = now;
  if (budget.left < 1) return false;
  budget.left -= 1;
  return true;
}

}  // namespace fedra::reconcile
