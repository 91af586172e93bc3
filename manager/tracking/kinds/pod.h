#pragma once
//
// core/v1 Pod as a job of its own (Kueue's integration "pod"): a bare pod, or a pod of a
// Deployment; and as one of a group of pods (job_members.h).
//
// A pod does not say who runs it, so Kueue would start it on the manager, too. It starts nothing
// that is not admitted: the check of such a Workload stays Pending while a worker has the pod
// (JobAdapter::HoldsCheck), and the manager's pod stays gated.
//
// A copy that is deleted, by its Kueue, by us or by another client, fails by that as soon as its
// containers are stopped. That is no end of the manager's pod, which may run again.
//
// Sources: pkg/controller/jobs/pod and jobframework/stop_reason.go of Kueue 0.19.2;
// ValidatePodStatusUpdate and ValidateContainerStateTransition in pkg/apis/core/validation of
// Kubernetes 1.36.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/job.h"

namespace fedra::tracking {

const JobAdapter& PodAdapter();

// The group of which the pod is, by its metadata; empty: of none. A name that no Workload can have
// is none.
std::string PodGroupOf(const nlohmann::json& metadata);
// How many pods its group has, as it says; 0: it says no number above 0.
int PodGroupTotalOf(const nlohmann::json& metadata);

}  // namespace fedra::tracking
