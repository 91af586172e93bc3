#pragma once
//
// What keeps a job that every API server takes from coming to fedra, or from being dispatched: it
// is not in a queue, another controller runs it, or Kueue admits it without a check. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/types.h"
#include "manager/cli/manifests/finding.h"
#include "manager/tracking/job.h"
#include "manager/tracking/kinds/submitted.h"

namespace fedra::cli {

// Where `part` stands in `whole`: "spec.groups[1].template"; `otherwise` when it is not in there.
std::string PlaceIn(const nlohmann::json& whole, const nlohmann::json& part,
                    const std::string& otherwise);

// `key`: the job's name, with its namespace.
void CheckQueueName(const nlohmann::json& job, const ObjectKey& key, Findings& findings);
void CheckManagedBy(const nlohmann::json& object, const tracking::JobAdapter& adapter,
                    Findings& findings);
// Whether it says what no dispatched job may (JobAdapter::WhyNever).
void CheckIsDispatched(const nlohmann::json& object, const tracking::JobAdapter& adapter,
                       Findings& findings);
// Whether it is in a queue and its pods ask for no resource, or for none that Kueue counts; claims
// do not count. `object`: the job, or a pod of the group that it is.
//
// Source: Kueue 0.19.2. A pod set without requests gets no flavor (resolvePodSetFlavors of
// pkg/scheduler/flavorassigner/flavorassigner.go), and a Workload that has quota only those
// AdmissionChecks that are for one of its flavors (admissionChecksForAdmission of
// pkg/workload/workload.go): here none. What Kueue adds to the pods' requests, a LimitRange's
// defaults and a RuntimeClass' overhead (AdjustResources of pkg/workload/resources.go), and what
// its ClusterQueue covers is not known here.
void CheckAsksForSomething(const tracking::SubmittedJob& job, const nlohmann::json& object,
                           Findings& findings);
// Whether it is in a queue and has more pod sets than a Workload may. `object` as above.
//
// Source: spec.podSets of Workload, MaxItems=18 (apis/kueue/v1beta2/workload_types.go:36 of Kueue
// 0.19.2; 10 in 0.18.3, 8 in 0.17.0). Its webhooks refuse Ray's kinds with more, of a group of pods
// it makes no Workload (errMsgIncorrectGroupRoleCount of
// pkg/controller/jobs/pod/pod_controller.go), and for other jobs it tries again and again, which
// its log alone tells (handleJobWithNoWorkload of pkg/controller/jobframework/reconciler.go).
void CheckPodSets(const tracking::SubmittedJob& job, const nlohmann::json& object,
                  Findings& findings);

}  // namespace fedra::cli
