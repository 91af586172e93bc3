#include "cluster-clients/connection.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"

namespace fedra {

using std::chrono::milliseconds;

ConnectionPhase PhaseOf(const Error& why) {
  switch (why.code) {
    case ErrorCode::kUnauthorized:
    case ErrorCode::kForbidden:
    case ErrorCode::kTlsUntrusted:
      return ConnectionPhase::kRejected;
    case ErrorCode::kInvalidArgument:
      return ConnectionPhase::kMisconfigured;
    default:
      return ConnectionPhase::kUnreachable;
  }
}

milliseconds ReconnectDelay(const Error& why, int failures, double jitter) {
  const milliseconds longest(why.code == ErrorCode::kConnection ? 2'000 : 15'000);
  return Shortened(ExponentialBackoff{milliseconds(500), longest}.After(failures), jitter);
}

ConnectionTracker::ConnectionTracker(milliseconds probe_interval, WallTime now)
    : probe_interval_(probe_interval) {
  state_.since = now;
}

// `since` is kept when one bad phase follows another.
bool ConnectionTracker::Enter(ConnectionPhase phase, WallTime now) {
  if (state_.phase == phase) return false;
  if (phase == ConnectionPhase::kConnected || state_.phase == ConnectionPhase::kConnected)
    state_.since = now;
  state_.phase = phase;
  return true;
}

ConnectionTracker::Output ConnectionTracker::Succeeded(WallTime now) {
  failures_ = 0;
  const bool changed = Enter(ConnectionPhase::kConnected, now);
  state_.why.reset();
  return {changed, probe_interval_};
}

ConnectionTracker::Output ConnectionTracker::Failed(WallTime now, Error why, double jitter) {
  if (PhaseOf(why) == ConnectionPhase::kMisconfigured) return Misconfigured(now, std::move(why));
  const bool changed = Enter(PhaseOf(why), now);
  const milliseconds delay = ReconnectDelay(why, ++failures_, jitter);
  state_.why = std::move(why);
  return {changed, delay};
}

ConnectionTracker::Output ConnectionTracker::Misconfigured(WallTime now, Error why) {
  const bool entered = Enter(ConnectionPhase::kMisconfigured, now);
  // The administrator has tried to mend it.
  const bool changed =
      entered || !state_.why || state_.why->code != why.code || state_.why->message != why.message;
  state_.why = std::move(why);
  return {changed, std::nullopt};
}

ConnectionTracker::Output ConnectionTracker::AccessChanged() {
  failures_ = 0;
  const bool changed = state_.phase == ConnectionPhase::kMisconfigured;
  if (changed) {
    state_.phase = ConnectionPhase::kConnecting;
    state_.why.reset();
  }
  return {changed, milliseconds(0)};
}

}  // namespace fedra
