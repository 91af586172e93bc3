#pragma once
//
// One of the Kubernetes releases that fedra knows, of an input's bytes.

#include <cstddef>

#include "cel/environment.h"

namespace fedra::cel {

inline KubernetesRelease AnyRelease(size_t choice) {
  constexpr auto kOldest = static_cast<size_t>(kOldestRelease);
  constexpr size_t kReleases = static_cast<size_t>(kNewestRelease) - kOldest + 1;
  return static_cast<KubernetesRelease>(kOldest + choice % kReleases);
}

}  // namespace fedra::cel
