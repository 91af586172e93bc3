#pragma once
//
// core/v1 Pod as a job of its own (Kueue's integration "pod"): a bare pod, or a pod of a
// Deployment. A pod of a group is not: its Workload is of all of them.
//
// A pod does not say who runs it, so Kueue would start it on the manager, too. It starts nothing
// that is not admitted: the check of such a Workload stays Pending while a worker has the pod
// (JobAdapter::HoldsCheck), and the manager's pod stays gated.
//
// Sources: pkg/controller/jobs/pod of Kueue 0.19.2; ValidatePodStatusUpdate and
// ValidateContainerStateTransition in pkg/apis/core/validation of Kubernetes 1.36.

#include "manager/tracking/job.h"

namespace fedra::tracking {

const JobAdapter& PodAdapter();

}  // namespace fedra::tracking
