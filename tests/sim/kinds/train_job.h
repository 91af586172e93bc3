#pragma once
//
// Kubeflow's TrainJob (trainer.kubeflow.org/v1alpha1): its pods are described by a TrainingRuntime
// or a ClusterTrainingRuntime that it names. Source: Trainer 2.3.0, and
// pkg/controller/jobs/trainjob of Kueue 0.19.2.
//
// Thread rules: constants and pure functions.

#include <string>
#include <utility>
#include <vector>

#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {

JobKind TrainJob();

// Kueue's webhook gives every job an entry of its own for what it will write at the start.
void AddKueuePatch(Json& job);
// The list is keyed by the manager: a copy that brings Kueue's entry is refused.
std::vector<std::pair<std::string, std::string>> TrainJobProblems(const Json& job);

}  // namespace fedra::sim
