#pragma once
//
// Which CEL a Kubernetes release speaks: libraries, macros, the fields of `device` and their types.
//
// A scheduler compiles selectors with everything its own release knows ("stored expressions"), so
// the release of the worker decides what compiles. One table (cel/environment.cc) holds all of it;
// the table in docs/cel.md is printed from it. Source: k8s.io/apiserver pkg/cel/environment/base.go
// and k8s.io/dynamic-resource-allocation/cel of 1.34 to 1.37.
//
// Thread rules: plain values and constants.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fedra::cel {

// Kubernetes minor releases whose selectors and schedulers are known (docs/support.md). Ordered.
enum class KubernetesRelease : uint8_t { k134 = 34, k135, k136, k137 };

inline constexpr KubernetesRelease kDefaultRelease = KubernetesRelease::k136;
inline constexpr KubernetesRelease kOldestRelease = KubernetesRelease::k134;
inline constexpr KubernetesRelease kNewestRelease = KubernetesRelease::k137;

// "1.36", "v1.36.3", "v1.36.3+k3s1". Releases after the newest known one count as the newest;
// releases before the oldest are kInvalidArgument.
Result<KubernetesRelease> ParseRelease(std::string_view text);

// "1.36".
std::string_view ToString(KubernetesRelease release);

// One line of the environment table: something a selector can use, and where.
struct EnvironmentFeature {
  std::string_view name;  // "Kubernetes semver"
  KubernetesRelease since;
  std::optional<KubernetesRelease> until;  // the last release that has it; absent: still there
  std::string contents;                    // function names, or what it means
};
std::vector<EnvironmentFeature> EnvironmentTable();

}  // namespace fedra::cel
