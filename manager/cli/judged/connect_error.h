#pragma once
//
// Why a command that has just started knows nothing of a cluster. Since when there is no contact is
// the daemon's to say (verify::ConnectionReason): here it would be the command's own start. Pure.

#include <chrono>
#include <optional>

#include "cluster-clients/connection_state.h"
#include "verdict/reason.h"

namespace fedra::cli {

// "not reached (tried for 5s): connection refused". `tried`: how long the command has waited; null:
// it is another one that tried, when a snapshot was taken.
verdict::Reason NotReached(const ConnectionState& connection,
                           std::optional<std::chrono::milliseconds> tried);

}  // namespace fedra::cli
