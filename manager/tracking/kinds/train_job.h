#pragma once
//
// What a TrainJob (trainer.kubeflow.org/v1alpha1) makes of its runtime: its pods, before any Kueue
// has seen it. Internal to tracking/kinds/. Pure.
//
// Source: RuntimeInfo of pkg/runtime/core/trainingruntime.go and the plugins of
// pkg/runtime/framework of Trainer 2.3.0, and getChildJobSet of pkg/controller/jobs/trainjob of
// Kueue 0.19.2. Patches of the job (spec.runtimePatches) are not applied: they cannot bring claims,
// requests or counts.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/pod_set.h"

namespace fedra::tracking {

// `runtime`: the spec of the runtime that the job names, which gets the job's number of nodes and
// their resources; the result points into it.
std::vector<PodTemplate> TrainJobPods(const nlohmann::json& job, nlohmann::json& runtime);

}  // namespace fedra::tracking
