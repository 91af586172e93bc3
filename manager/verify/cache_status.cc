#include "manager/verify/cache_status.h"

#include <algorithm>
#include <chrono>
#include <ratio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "verdict/quoted.h"
#include "verdict/reason_text.h"

namespace fedra::verify {
namespace {

using verdict::Reason;
using verdict::ReasonCode;
using verdict::Unreadable;
using watch::CacheState;

constexpr size_t kMaxListing = 2;  // of the incomplete lists, how many are named

}  // namespace

std::optional<Unreadable> UnreadableFrom(const watch::CacheHealth& health, std::string_view what) {
  const auto because = [&](Unreadable::Cause cause) {
    return Unreadable{.resource = std::string(what), .cause = cause, .error = {}};
  };
  switch (health.state) {
    case CacheState::kSynced:
      return std::nullopt;
    case CacheState::kForbidden:
      return because(Unreadable::Cause::kForbidden);
    case CacheState::kNotServed:
      return because(Unreadable::Cause::kNotServed);
    case CacheState::kSyncing:
      return because(Unreadable::Cause::kListing);
    case CacheState::kFailing:
      break;
  }
  Unreadable failing = because(Unreadable::Cause::kFailing);
  if (health.error) failing.error = Cut(health.error->message, verdict::kMaxQuoted);
  return failing;
}

std::string Problem(const watch::CacheHealth& health, std::string_view what) {
  auto unreadable = UnreadableFrom(health, what);
  return unreadable ? verdict::MessageOf(*std::move(unreadable)) : std::string();
}

std::string Problems(std::vector<NamedHealth> caches, SteadyTime now) {
  std::erase_if(caches, [](const NamedHealth& cache) { return cache.health.IsCurrent(); });
  // What goes wrong first, then what takes longest.
  std::stable_sort(caches.begin(), caches.end(), [](const NamedHealth& a, const NamedHealth& b) {
    if (a.health.IsListing() != b.health.IsListing()) return b.health.IsListing();
    return a.health.IsListing() && a.health.since < b.health.since;
  });
  std::string text;
  size_t listing = 0;
  for (const auto& [what, health] : caches) {
    if (health.IsListing() && ++listing > kMaxListing) continue;
    text += (text.empty() ? "" : "; ") + Problem(health, what);
    // In steps, so that a report does not change with every second.
    const auto lasted =
        std::chrono::floor<std::chrono::duration<int, std::deca>>(now - health.since);
    if (health.IsListing() && lasted.count() > 0)
      text += fmt::format(" (for {})", FormatDuration(lasted));
  }
  if (listing > kMaxListing) text += fmt::format("; and {} more lists", listing - kMaxListing);
  return text;
}

std::optional<Reason> WhySilent(const watch::CacheHealth& health, std::string_view what) {
  std::optional<Unreadable> unreadable = UnreadableFrom(health, what);
  if (!unreadable) return std::nullopt;
  const ReasonCode code = health.state == CacheState::kForbidden   ? ReasonCode::kForbidden
                          : health.state == CacheState::kNotServed ? ReasonCode::kApiMissing
                                                                   : ReasonCode::kStaleData;
  return Reason{code, std::string(what), *std::move(unreadable)};
}

Reason MissingDependency(const std::string& kind, const ObjectKey& key) {
  return {ReasonCode::kDependencyMissing, fmt::format("{} {}", kind, key.ToString()),
          verdict::Missing{.kind = kind, .key = key, .named_by = "pods"}};
}

bool IsSyncing(const watch::CacheHealth& health) {
  return health.IsListing() || (health.state == CacheState::kFailing && health.error &&
                                health.error->code == ErrorCode::kConnection);
}

}  // namespace fedra::verify
