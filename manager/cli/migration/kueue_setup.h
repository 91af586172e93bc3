#pragma once
//
// What Kueue's configuration says of its own MultiKueue: the ConfigMap that its pod mounts. Source:
// apis/config/v1beta2/configuration_types.go of Kueue 0.19.2. Gates that are set by arguments of
// the pod are not seen here.
//
// Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace fedra::cli {

// As Kueue's manifests and its chart name it.
inline constexpr const char* kKueueConfigMap = "kueue-manager-config";

struct KueueSetup {
  bool runs_multi_kueue = true;       // its feature gate; Kueue's default is on
  std::string origin = "multikueue";  // multiKueue.origin, or Kueue's default
  std::string dispatcher;             // multiKueue.dispatcherName; empty: Kueue's default
};

// kBadResponse when the ConfigMap holds no configuration that can be read.
Result<KueueSetup> ParseKueueSetup(const nlohmann::json& config_map);

}  // namespace fedra::cli
