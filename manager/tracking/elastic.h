#pragma once
//
// Elastic jobs, which grow and shrink while they run: the annotation kElasticJob, with Kueue's gate
// ElasticJobsViaWorkloadSlices.
//
// A job that grows gets another Workload, a slice, which replaces the one before once it has quota.
// Its clone does the same on the worker; then the copy, which runs on, gets its name and the new
// size. Of one that shrinks the clone's counts are lowered, then the copy's size. So does Kueue's
// MultiKueue (reconcileGroup in pkg/controller/admissionchecks/multikueue/workload.go,
// syncElasticJob in pkg/controller/jobs/job/job_multikueue_adapter.go, syncWorkerReplicas in
// pkg/controller/jobs/raycluster/raycluster_multikueue_adapter.go, 0.19.2). Where that would shrink
// a first slice the worker's Kueue finishes the clone as OutOfSync as soon as it sees the one write
// without the other: it compares the two unless the clone says that it replaces another one
// (ensureOneWorkload in pkg/controller/jobframework/reconciler.go). So ours then names one that
// does not exist. Itself it must not name: the scheduler, which comes back to one with a topology
// when a node fails, would take it for its own predecessor and finish it (getInitialAssignments in
// pkg/scheduler/scheduler.go).
//
// What a clone replaces is the clone by which the job runs there. Of a job that grows twice before
// its worker has room, the manager has finished the slice between the two, which has no quota
// there: the worker's Kueue would look for room beside what runs (ReplacedWorkloadSlice in
// pkg/workloadslicing). MultiKueue leaves that clone there, and waits for it first.
//
// A user may scale a job at any time, as Kueue's webhooks let it be while it is suspended or runs
// (validateUpdate of job_webhook.go, ValidateUpdate of raycluster_webhook.go): so also between the
// quota of its Workload and the creation of its copy. A copy of another size than its clone would
// end that (OutOfSync, too), so it is made as large as its Workload (JobAdapter::RemoteBody), and
// follows the job with the next one. Of a RayJob or RayService it is not: their copies keep the
// size that they were made with, and the job is given back instead.
//
// Pure functions on values.

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "manager/tracking/job.h"
#include "manager/tracking/pod_set.h"
#include "manager/tracking/workload.h"

namespace fedra::tracking {

// Of a Workload; null: its job is not elastic.
std::shared_ptr<const Slice> ReadSlice(const nlohmann::json& workload);
bool IsElastic(const nlohmann::json& job_metadata);
// Fills what an elastic job says of its size. `sizes`: what Kueue lets users change of it.
void ReadSize(const std::vector<PodTemplate>& templates, const nlohmann::json& sizes, Job& job);

// Whether the Workload is of the elastic job as it is now: of one that has just grown it is not,
// until Kueue has made another one, nor of one that shrinks until Kueue has lowered its counts.
bool IsOfSize(const Workload& workload, const Job& job);
// Whether the copy is as the Workload and the job want it.
bool IsUpToDate(const Job& copy, const Job& job, const Workload& workload);

// Whether Kueue has lowered counts of the Workload, and the clone has still more.
bool IsToShrink(const Workload& workload, const Workload& clone);
// Whether the clone, which waits, is to replace another one than that by which its job runs there.
bool ReplacesOther(const Workload& clone, const Workload& runs_by);
// The merge patch of the clone for both, bound to what was seen of it. `replaces`: the name of that
// other clone; empty: the job runs by this one.
Result<std::string> ClonePatch(const Workload& workload, const Workload& clone,
                               const std::string& replaces);
// "ml/job-train-1a2b3", as the annotation kSliceReplaces has it.
std::string ReplacedKey(const std::string& ns, const std::string& name);

// The merge patch that gives the copy to the Workload and, where that is of the job's size, makes
// it as large as the job. `there`: the copy, complete; the patch is bound to its version.
Result<std::string> SlicePatch(const nlohmann::json& there, const Job& job,
                               const Workload& workload, const Identity& us);

}  // namespace fedra::tracking
