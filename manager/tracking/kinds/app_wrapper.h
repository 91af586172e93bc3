#pragma once
//
// Where an AppWrapper (workload.codeflare.dev/v1beta2) has its pod templates: its components are
// whole objects, and each says, or lets its kind say, where in it they are. Internal to
// tracking/kinds/. Pure.
//
// Source: GetComponentPodSpecs and InferPodSets in pkg/utils/utils.go of AppWrapper 1.2.2, and
// pkg/controller/jobs/appwrapper of Kueue 0.19.2.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/pod_set.h"

namespace fedra::tracking {

// In the order and with the names of Kueue's pod sets. They point into `object`. What is no
// template there is left out, as Kueue does.
std::vector<PodTemplate> AppWrapperPods(const nlohmann::json& object);

}  // namespace fedra::tracking
