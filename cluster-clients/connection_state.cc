#include "cluster-clients/connection_state.h"

namespace fedra {

std::string_view ToString(ConnectionPhase phase) {
  switch (phase) {
    case ConnectionPhase::kConnecting:
      return "Connecting";
    case ConnectionPhase::kConnected:
      return "Connected";
    case ConnectionPhase::kUnreachable:
      return "Unreachable";
    case ConnectionPhase::kRejected:
      return "Rejected";
    case ConnectionPhase::kMisconfigured:
      return "Misconfigured";
  }
  return "Connecting";
}

}  // namespace fedra
