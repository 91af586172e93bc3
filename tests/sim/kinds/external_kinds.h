#pragma once
//
// Kinds that no Kueue knows: their controller makes their Workloads and starts them, and the
// simulated Kueue plays that part, too. For fedra they are in its configuration.
//
// Thread rules: constants and pure functions.

#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {

// Tekton's PipelineRun (tekton.dev/v1): held by a text in spec.status, and its pods are nowhere in
// it. tekton-kueue makes Workloads of one pod set.
JobKind PipelineRun();
// A kind of our own (example.com/v1), whose fields are where no built-in kind has them.
JobKind TrainingRun();

}  // namespace fedra::sim
