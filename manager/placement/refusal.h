#pragma once
//
// What it means that a worker will not take a workload, and would say the same again at once,
// however that is found out: by a write that it refuses, or by what its watch shows. Pure.

#include <string>

#include "manager/placement/action.h"

namespace fedra::placement {

struct RefusalRecord {
  RecordFailure failure;  // the worker is left alone for a while
  Note note;
};
// `message`: what the worker said, or what is there.
RefusalRecord RefusalOf(const ClusterName& cluster, verdict::ReasonCode reason, std::string message,
                        WallTime now);

}  // namespace fedra::placement
