#pragma once
//
// The pods of Ray's kinds, and what a RayJob has beside its RayCluster: the pod, or the container
// in the head's pod, that submits the job.
//
// Source: constructPodSets, getSubmitterTemplate and addSidecarSubmitterToHeadPodSet in
// pkg/controller/jobs/rayjob/rayjob_controller.go of Kueue 0.19.2, which does as KubeRay 1.6.
//
// Thread rules: pure.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/kinds/kind_row.h"
#include "manager/tracking/pod_set.h"

namespace fedra::tracking {

// Below `base` stands the spec of a RayCluster.
std::vector<PodSetRule> RayPodSets(const std::string& base);
// Those that stand in a RayJob.
std::vector<PodSetRule> RayJobPodSets();
// All of them: one without a template for the pod that submits it gets KubeRay's own.
std::vector<PodTemplate> RayJobPods(const nlohmann::json& object);

}  // namespace fedra::tracking
