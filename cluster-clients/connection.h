#pragma once
//
// The state of a connection and when to look again, as a pure state machine: its input is what a
// probe found, and what time it is.
//
// One outage has one `since`, whatever its reasons: it ends when the cluster answers, not when
// "refused" becomes "certificate expired".
//
// Thread rules: none of its own.

#include <chrono>
#include <optional>

#include "cluster-clients/cluster.h"

namespace fedra {

class ConnectionTracker final {
 public:
  struct Output {
    // The phase is another one, or the reason why it is misconfigured.
    bool changed = false;
    std::optional<std::chrono::milliseconds> probe_in;  // nothing: not before the access changes
  };

  ConnectionTracker(std::chrono::milliseconds probe_interval, WallTime now);

  Output Succeeded(WallTime now);
  // `jitter` in [0, 1) spreads the retries of many clusters.
  Output Failed(WallTime now, Error why, double jitter);
  // Settings that cannot be used at all.
  Output Misconfigured(WallTime now, Error why);
  // Other settings: whatever was known about failures is void, but an outage goes on.
  Output AccessChanged();

  const ConnectionState& state() const { return state_; }

 private:
  bool Enter(ConnectionPhase phase, WallTime now);

  const std::chrono::milliseconds probe_interval_;
  ConnectionState state_;
  int failures_ = 0;  // in a row
};

// What an error of a probe says about the connection.
ConnectionPhase PhaseOf(const Error& why);

// 0.5 s doubled each time, up to 2 s while the address answers "refused" (that costs nothing, and a
// cluster that comes back should be seen at once) and up to 15 s for everything else.
std::chrono::milliseconds ReconnectDelay(const Error& why, int failures, double jitter);

}  // namespace fedra
