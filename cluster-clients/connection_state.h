#pragma once
//
// The state of the connection to a cluster. Plain values.

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace fedra {

enum class ConnectionPhase { kConnecting, kConnected, kUnreachable, kRejected, kMisconfigured };
// "Connecting", "Connected", ...: stable, used in logs and output.
std::string_view ToString(ConnectionPhase phase);

// The state of the connection.
struct ConnectionState {
  ConnectionPhase phase = ConnectionPhase::kConnecting;
  WallTime since{};  // when `phase` was entered; an outage has one `since` until it really ends
  std::optional<Error> why;  // kUnreachable, kRejected (401, 403, kTlsUntrusted), kMisconfigured
};

}  // namespace fedra
