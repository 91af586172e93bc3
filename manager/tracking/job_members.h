#pragma once
//
// A job of several objects, a group of pods: the objects as one Job, and how the copies on a worker
// differ from what is on the manager.
//
// Kueue makes one Workload of a group, under the group's name, and names every pod as an owner. A
// pod that fails may be replaced by another one of the group, under any name that is free. A copy
// stands for the object with its name and its UID: what is left of a pod that was replaced says
// nothing of its successor.
//
// Whose an object is was decided before: of a worker's objects only ours are given here.
//
// Sources: Finished, IsSuspended and FindMatchingWorkloads of pkg/controller/jobs/pod/
// pod_controller.go, Kueue 0.19.2. Its MultiKueue (pod_multikueue_adapter.go there) copies every
// pod of a group at every look, ended ones too; we do not run again what has ended.
//
// Pure functions on values.

#include <memory>
#include <utility>
#include <vector>

#include "base/types.h"
#include "manager/tracking/job.h"

namespace fedra::tracking {

using JobPtr = std::shared_ptr<const Job>;

// The objects as the one job of this Workload. Its marks are those of the first. Null: there are
// none.
JobPtr JoinMembers(const ObjectKey& workload, std::vector<JobPtr> members);

// The objects that a job is made of: its members, or itself. `job` may be null.
std::vector<JobPtr> ObjectsOf(const JobPtr& job);

// Whether no object of it runs any more, or will. A group may be finished while some of its objects
// run, and all of them may have ended while another one is to come.
bool HaveAllEnded(const Job& job);

// What follows is of the manager's job and of our copies on one worker; both may be null. A job of
// one object is its own copy's original, whatever its name.

struct CopyPair {
  JobPtr local;
  JobPtr remote;
};
// Each copy with the object that it stands for; without those that stand for none.
std::vector<CopyPair> PairsOf(const JobPtr& local, const JobPtr& remote);

// What must be created on the worker: objects that have neither ended nor are being deleted, and
// whose names are free there.
std::vector<JobPtr> MissingOf(const JobPtr& local, const JobPtr& remote);

// Copies of a group that must go: they stand for no object of the manager's, or for one that is
// being deleted; are of an earlier admission; or were deleted there, and are in the way of another
// copy. Without those for which nothing is left to be done.
std::vector<JobPtr> SurplusOf(const JobPtr& local, const JobPtr& remote);

// Whether something is left to be done to remove the copy.
bool IsToBeRemoved(const Job& copy);

// Whether the copies show an end, of the job or of one of its objects, that the manager's do not,
// and could.
bool ShowsNewEnd(const JobPtr& local, const JobPtr& remote);

}  // namespace fedra::tracking
