#include "manager/verify/cache_words.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace fedra::verify {
namespace {

using dra::Reason;
using dra::ReasonCode;
using watch::CacheState;

constexpr size_t kMaxErrorText = 200;

}  // namespace

std::optional<Reason> WhySilent(const watch::CacheHealth& health, std::string_view what) {
  switch (health.state) {
    case CacheState::kSynced:
      return std::nullopt;
    case CacheState::kForbidden:
      return Reason{ReasonCode::kForbidden, std::string(what),
                    fmt::format("not allowed to list or watch {} there (403)", what)};
    case CacheState::kNotServed:
      return Reason{ReasonCode::kApiMissing, std::string(what),
                    fmt::format("the API server does not serve {}", what)};
    case CacheState::kSyncing:
      return Reason{ReasonCode::kStaleData, std::string(what),
                    fmt::format("{} are still being listed", what)};
    case CacheState::kFailing:
      break;
  }
  return Reason{
      ReasonCode::kStaleData, std::string(what),
      fmt::format("{} cannot be watched: {}", what,
                  health.error ? Cut(health.error->message, kMaxErrorText) : "unknown error")};
}

Reason MissingDependency(std::string object) {
  std::string message = fmt::format("{}, which the pods name, does not exist there", object);
  return {ReasonCode::kDependencyMissing, std::move(object), std::move(message)};
}

bool IsOnItsWay(const watch::CacheHealth& health) {
  return health.IsListing() || (health.state == CacheState::kFailing && health.error &&
                                health.error->code == ErrorCode::kConnection);
}

}  // namespace fedra::verify
