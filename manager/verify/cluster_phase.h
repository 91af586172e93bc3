#pragma once
//
// How a cluster is, in one word, for status: its connection's phase, and whether its lists are
// complete. Pure functions.

#include <optional>
#include <string_view>

#include "cluster-clients/connection_state.h"

namespace fedra::verify {

enum class ClusterPhase {
  kConnecting,     // the first answer of its API server is awaited
  kSyncing,        // it answers, and its lists are not complete: the first ones, or after an outage
  kConnected,      // it answers, and everything that fedra reads there is listed
  kUnreachable,    // no contact
  kRejected,       // it does not accept our credentials
  kMisconfigured,  // its kubeconfig cannot be used
};

ClusterPhase ClusterPhaseOf(ConnectionPhase connection, bool listed);

// "Connecting", ...: stable, in the store's rows and in output.
std::string_view ToString(ClusterPhase phase);
std::optional<ClusterPhase> ParseClusterPhase(std::string_view text);

}  // namespace fedra::verify
