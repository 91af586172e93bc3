#pragma once
//
// MultiKueueCluster of the manager: where the kubeconfig of one of MultiKueue's workers is, and
// whether Kueue is connected to it. Plain values. Source: kueue.x-k8s.io/v1beta2 of Kueue 0.19.2,
// apis/kueue/v1beta2/multikueue_types.go.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "manager/tracking/active_condition.h"

namespace fedra::tracking {

// The key of the Secret that holds the kubeconfig (MultiKueueConfigSecretKey).
inline constexpr const char* kKubeconfigKey = "kubeconfig";

struct MultiKueueCluster {
  enum class Source {
    kSecret,          // of this name, in Kueue's namespace
    kPath,            // a file, as Kueue's pod sees it
    kClusterProfile,  // of this name
    kNone,            // nothing that is known
  };
  std::string name;
  WallTime created{};
  Source source = Source::kNone;
  std::string location;  // name or path; empty: none is written
  // Whether Kueue is connected to it, or fedra in its place (kueue.mode multikueue).
  ActiveState active;
};

Result<MultiKueueCluster> ParseMultiKueueCluster(const nlohmann::json& object);

}  // namespace fedra::tracking
