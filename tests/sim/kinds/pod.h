#pragma once
//
// core/v1 Pod as a job (Kueue's integration "pod"); groups of them are kueue/pod_groups.cc. Source:
// pkg/controller/jobs/pod of Kueue 0.19.2.
//
// Thread rules: constants and pure functions.

#include <string_view>

#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {

JobKind Pod();

bool IsGated(const Json& pod, std::string_view gate);
// Put there as Kueue's webhook does, with its label; or taken away.
void SetGate(bool gated, std::string_view gate, Json& pod);

}  // namespace fedra::sim
