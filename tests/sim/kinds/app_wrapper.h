#pragma once
//
// AppWrapper (workload.codeflare.dev/v1beta2): whole objects, wrapped. Source: AppWrapper 1.2.2,
// and pkg/controller/jobs/appwrapper of Kueue 0.19.2.
//
// Thread rules: constants and pure functions.

#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {

JobKind AppWrapper();

}  // namespace fedra::sim
