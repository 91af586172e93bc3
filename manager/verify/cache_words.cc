#include "manager/verify/cache_words.h"

#include <chrono>
#include <ratio>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"

namespace fedra::verify {
namespace {

using verdict::Reason;
using verdict::ReasonCode;
using watch::CacheState;

constexpr size_t kMaxErrorText = 200;

}  // namespace

std::string Problem(const watch::CacheHealth& health, std::string_view what) {
  switch (health.state) {
    case CacheState::kSynced:
      return {};
    case CacheState::kForbidden:
      return fmt::format("not allowed to list or watch {} (403)", what);
    case CacheState::kNotServed:
      return fmt::format("the API server does not serve {}", what);
    case CacheState::kSyncing:
      return fmt::format("{} are still being listed", what);
    case CacheState::kFailing:
      break;
  }
  return fmt::format("{} cannot be watched: {}", what,
                     health.error ? Cut(health.error->message, kMaxErrorText) : "unknown error");
}

std::string Problems(const std::vector<NamedHealth>& caches, SteadyTime now) {
  std::string text;
  for (const auto& [what, health] : caches) {
    if (health.state == CacheState::kSynced || health.state == CacheState::kNotServed) continue;
    text += (text.empty() ? "" : "; ") + Problem(health, what);
    // In steps, so that a report does not change with every second.
    const auto lasted =
        std::chrono::floor<std::chrono::duration<int, std::deca>>(now - health.since);
    if (health.IsListing() && lasted.count() > 0)
      text += fmt::format(" (for {})", FormatDuration(lasted));
  }
  return text;
}

std::optional<Reason> WhySilent(const watch::CacheHealth& health, std::string_view what) {
  if (health.state == CacheState::kSynced) return std::nullopt;
  const ReasonCode code = health.state == CacheState::kForbidden   ? ReasonCode::kForbidden
                          : health.state == CacheState::kNotServed ? ReasonCode::kApiMissing
                                                                   : ReasonCode::kStaleData;
  return Reason{code, std::string(what), Problem(health, what)};
}

Reason MissingDependency(std::string object) {
  std::string message = fmt::format("{}, which the pods name, does not exist there", object);
  return {ReasonCode::kDependencyMissing, std::move(object), std::move(message)};
}

bool IsSyncing(const watch::CacheHealth& health) {
  return health.IsListing() || (health.state == CacheState::kFailing && health.error &&
                                health.error->code == ErrorCode::kConnection);
}

}  // namespace fedra::verify
