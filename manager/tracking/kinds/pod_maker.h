#pragma once
//
// What makes pods of which each is a job by itself: apps/v1 Deployment and ReplicaSet. No kinds of
// jobs; `check` judges one of their pods.
//
// Thread rules: pure functions.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/job.h"

namespace fedra::tracking {

// Reads the template of such an object, and nothing else of it; null: of another kind. Lives for
// the whole process.
const JobAdapter* FindPodMaker(std::string_view api_version, std::string_view kind);
// The LocalQueue of its pods, empty: none. Kueue's integration `deployment` gives them a
// Deployment's label (pkg/controller/jobs/deployment/deployment_webhook.go of 0.19.2); of a
// ReplicaSet they have what its template says.
std::string QueueOfPods(const nlohmann::json& maker);

}  // namespace fedra::tracking
