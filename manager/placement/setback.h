#pragma once
//
// A worker that failed a workload a short while ago, for `why` and `check`: its words, and when it
// is tried again. Pure.

#include <optional>
#include <string>

#include "manager/placement/view.h"

namespace fedra::placement {

struct Setback {
  std::string
      words;  // "refused the job: admission webhook ...": without the worker's name in front
  WallTime at{};
  // It refused, and is not asked before. Null: it may be asked, but the others come first.
  std::optional<WallTime> paused_until;
};

// Nothing: the worker has not failed the workload, or so long ago that it does not count.
std::optional<Setback> SetbackOf(const PlacementRecord& record, const ClusterName& cluster,
                                 WallTime now);

}  // namespace fedra::placement
