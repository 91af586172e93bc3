#include "manager/daemon/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"

namespace fedra {
namespace {

// Systemd asks for a ping every half of the limit; what comes late by one look is still in time.
constexpr int kLooksWithinLimit = 4;
constexpr int kNewsAfter = 2;  // looks without a ping; one may fall between two turns of a part

std::optional<int64_t> NumberIn(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

Watchdog::Watchdog(std::chrono::microseconds limit, std::vector<WatchedPart> parts,
                   std::function<void()> ping)
    : limit_(limit), interval_(limit / kLooksWithinLimit), ping_(std::move(ping)) {
  for (WatchedPart& part : parts) parts_.push_back({.part = std::move(part)});
}

void Watchdog::Tick(SteadyTime now) {
  last_tick_ = now;
  if (last_look_ && now - *last_look_ < interval_) return;
  last_look_ = now;
  if (last_ping_.load() == kNever) last_ping_ = now;
  Look();
}

bool Watchdog::HasTicked(SteadyTime now, SteadyTime::duration within) const {
  const SteadyTime last = last_tick_;
  return last == kNever || now - last <= within;
}

bool Watchdog::IsOverdue(SteadyTime now) const {
  const SteadyTime last = last_ping_;
  return last != kNever && now - last > limit_;
}

void Watchdog::Look() {
  for (Watched& watched : parts_) {
    const uint64_t progress = watched.part.progress();
    watched.moved = watched.moved || progress != watched.last;
    watched.last = progress;
  }
  if (const std::vector<std::string> silent = Silent(); !silent.empty()) {
    if (++silent_looks_ < kNewsAfter) return;
    log::Warn("parts of the daemon make no progress",
              {{"parts", fmt::format("{}", fmt::join(silent, ", "))}});
    return;
  }
  ping_();
  last_ping_ = *last_look_;
  silent_looks_ = 0;
  for (Watched& watched : parts_) watched.moved = false;
}

std::vector<std::string> Watchdog::Silent() const {
  std::vector<std::string> names;
  for (const Watched& watched : parts_)
    if (!watched.moved) names.push_back(watched.part.name);
  return names;
}

std::optional<std::chrono::microseconds> WatchdogLimit() {
  const std::optional<int64_t> limit = NumberIn("WATCHDOG_USEC");
  if (!limit || *limit <= 0) return std::nullopt;
  // A child that inherited the environment is not meant.
  if (const auto pid = NumberIn("WATCHDOG_PID"); pid && *pid != getpid()) return std::nullopt;
  return std::chrono::microseconds(*limit);
}

}  // namespace fedra
