#include "manager/verify/cluster_phase.h"

namespace fedra::verify {

ClusterPhase ClusterPhaseOf(ConnectionPhase connection, bool listed) {
  switch (connection) {
    case ConnectionPhase::kConnecting:
      return ClusterPhase::kConnecting;
    case ConnectionPhase::kConnected:
      return listed ? ClusterPhase::kConnected : ClusterPhase::kSyncing;
    case ConnectionPhase::kUnreachable:
      return ClusterPhase::kUnreachable;
    case ConnectionPhase::kRejected:
      return ClusterPhase::kRejected;
    case ConnectionPhase::kMisconfigured:
      break;
  }
  return ClusterPhase::kMisconfigured;
}

std::string_view ToString(ClusterPhase phase) {
  switch (phase) {
    case ClusterPhase::kConnecting:
      return fedra::ToString(ConnectionPhase::kConnecting);
    case ClusterPhase::kSyncing:
      return "Syncing";
    case ClusterPhase::kConnected:
      return fedra::ToString(ConnectionPhase::kConnected);
    case ClusterPhase::kUnreachable:
      return fedra::ToString(ConnectionPhase::kUnreachable);
    case ClusterPhase::kRejected:
      return fedra::ToString(ConnectionPhase::kRejected);
    case ClusterPhase::kMisconfigured:
      break;
  }
  return fedra::ToString(ConnectionPhase::kMisconfigured);
}

std::optional<ClusterPhase> ParseClusterPhase(std::string_view text) {
  for (const ClusterPhase phase :
       {ClusterPhase::kConnecting, ClusterPhase::kSyncing, ClusterPhase::kConnected,
        ClusterPhase::kUnreachable, ClusterPhase::kRejected, ClusterPhase::kMisconfigured}) {
    if (text == ToString(phase)) return phase;
  }
  return std::nullopt;
}

}  // namespace fedra::verify
