#include "manager/verify/cache_words.h"

#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace fedra::verify {
namespace {

using dra::Reason;
using dra::ReasonCode;
using watch::CacheState;

constexpr size_t kMaxWords = 200;

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
      if (health.complete) return std::nullopt;  // a relist; what was known still holds
      return Reason{ReasonCode::kStaleData, std::string(what),
                    fmt::format("{} are still being listed", what)};
    case CacheState::kFailing:
      break;
  }
  return Reason{
      ReasonCode::kStaleData, std::string(what),
      fmt::format("{} cannot be watched: {}", what,
                  health.error ? Cut(health.error->message, kMaxWords) : "unknown error")};
}

}  // namespace fedra::verify
