#include "manager/cli/snapshots/snapshot_codec.h"

#include <utility>

namespace fedra::cli {
namespace {

using watch::CacheState;

constexpr std::pair<CacheState, std::string_view> kCacheStates[] = {
    {CacheState::kSynced, "Synced"},
    {CacheState::kSyncing, "Listing"},
    {CacheState::kForbidden, "Forbidden"},
    {CacheState::kNotServed, "NotServed"},
    {CacheState::kFailing, "Failing"}};

constexpr std::pair<verify::Drift, std::string_view> kDrifts[] = {
    {verify::Drift::kIgnore, "Ignore"},
    {verify::Drift::kWarn, "Warn"},
    {verify::Drift::kRequire, "Require"}};

constexpr ConnectionPhase kPhases[] = {ConnectionPhase::kConnecting, ConnectionPhase::kConnected,
                                       ConnectionPhase::kUnreachable, ConnectionPhase::kRejected,
                                       ConnectionPhase::kMisconfigured};

}  // namespace

std::string_view WordOf(CacheState state) {
  for (const auto& [known, word] : kCacheStates)
    if (known == state) return word;
  return {};
}

std::optional<CacheState> ParseCacheState(std::string_view word) {
  for (const auto& [state, known] : kCacheStates)
    if (known == word) return state;
  return std::nullopt;
}

std::string_view WordOf(verify::Drift drift) {
  for (const auto& [known, word] : kDrifts)
    if (known == drift) return word;
  return {};
}

std::optional<verify::Drift> ParseDrift(std::string_view word) {
  for (const auto& [drift, known] : kDrifts)
    if (known == word) return drift;
  return std::nullopt;
}

std::optional<ConnectionPhase> ParsePhase(std::string_view word) {
  for (const ConnectionPhase phase : kPhases)
    if (ToString(phase) == word) return phase;
  return std::nullopt;
}

ErrorCode ParseErrorCode(std::string_view word) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code)
    if (ToString(static_cast<ErrorCode>(code)) == word) return static_cast<ErrorCode>(code);
  return ErrorCode::kInternal;
}

}  // namespace fedra::cli
