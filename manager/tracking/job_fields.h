#pragma once
//
// What every kind of job says in the same place, and what is done with every kind's status.
// Internal to tracking/. Pure.

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "manager/tracking/job.h"

namespace fedra::tracking {

bool HasTrueCondition(const nlohmann::json& status, std::string_view type);

// The metadata of `object`; kBadResponse without name or UID.
Result<Job> ReadJobMetadata(const nlohmann::json& object, const JobAdapter& kind);
// Keeps of the object what will be needed: all of a manager's job, of a copy the status.
void KeepText(const nlohmann::json& object, Job& job);
// The status of a job whose text was kept.
nlohmann::json StatusOf(const Job& job);

// A merge patch of the status, bound to the version that was looked at.
std::string StatusPatchBody(const Job& local, nlohmann::json status);
// The merge patch (RFC 7396) that makes `to` out of `from`; an empty object when they are equal.
nlohmann::json MergeDifference(const nlohmann::json& from, const nlohmann::json& to);

// What a worker says goes to the manager's etcd: as much of it as a job needs, whatever it sends.
// `essential`: the members that stay when all of them are too much.
nlohmann::json BoundedStatus(nlohmann::json status, std::span<const std::string> essential);

// A copy's label of the clone's name; null: no label may be that long. Kueue 0.17 reads the label
// alone (PrebuiltWorkloadFor in pkg/controller/jobframework/interface.go of 0.17.0; the gate
// WorkloadIdentifierAnnotations, which came with 0.17.4, is off there), as do 0.18 and 0.19 with
// that gate off, and controllers that are built with an older one, such as tekton-kueue's (0.16.6).
// With it on, which is the default since 0.18, the annotation decides.
nlohmann::json PrebuiltLabel(const std::string& workload);
// The metadata of a copy of the job for a worker: CopyMetadata, and the clone's name.
nlohmann::json RemoteMetadata(const nlohmann::json& source, const Job& local,
                              const Workload& workload, const Identity& us);
// Takes off a pod template of the manager's job what its Kueue wrote there when it started the job:
// the worker's Kueue writes its own, and finishes a job in which they differ (FailedToStart).
void DropKueueMarks(nlohmann::json& pod_template);

}  // namespace fedra::tracking
