#pragma once
//
// apps/v1 StatefulSet, whose pods are a group of Kueue's: pkg/controller/jobs/statefulset of
// 0.19.2. Its pods are not made: that they are gated says an annotation of its template. Pure.

#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {

JobKind StatefulSet();

}  // namespace fedra::sim
