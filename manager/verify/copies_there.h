#pragma once
//
// What of a job is on a worker, and what follows from it for the verdict: which names are taken
// there, whether the job has its devices there already, and whether it has its quota.
//
// The daemon and `check` find the objects in different ways, and say the same of what they have
// found. Pure functions on values.

#include <memory>
#include <string>
#include <vector>

#include "base/types.h"
#include "manager/tracking/job.h"
#include "manager/tracking/ownership.h"
#include "manager/tracking/workload.h"

namespace fedra::verify {

// Null: it is not there. Whose they are decides what may be done with them.
struct CopiesThere {
  std::shared_ptr<const tracking::Workload> clone = nullptr;
  tracking::Ownership clone_is = tracking::Ownership::kForeign;
  // Of a group those of its objects that are ours, as one job.
  std::shared_ptr<const tracking::Job> job = nullptr;
  tracking::Ownership job_is = tracking::Ownership::kForeign;
  // Of a group an object that has the name of one of its own, and is not ours.
  std::shared_ptr<const tracking::Job> in_the_way = nullptr;
  tracking::Ownership in_the_way_is = tracking::Ownership::kForeign;
};

// An object there that may be a copy of one of a group's objects; never null.
struct GroupObject {
  std::shared_ptr<const tracking::Job> object;
  tracking::Ownership whose = tracking::Ownership::kForeign;
};
// Sets `job` and `in_the_way` of `there`. Ours are one job, with the marks of those that are of
// this admission, if any are; what is not ours is in the way. An object may be found twice.
void JoinGroup(const ObjectKey& workload, const std::vector<GroupObject>& found,
               CopiesThere& there);

// An object there that has the name of one that fedra would make.
struct Namesake {
  std::string object;  // "Job ml/train"
  tracking::Ownership whose = tracking::Ownership::kForeign;
};
// Of a group what is in its way counts, not what of it is there already.
std::vector<Namesake> Namesakes(const CopiesThere& there);

// Whether a job of ours is there whose pods hold their devices, or wait for them. One that has
// ended holds none: for another run they must be free.
bool HoldsDevices(const CopiesThere& there);
// Whether the clone, which is ours, has its quota there. One that has finished has given it back.
bool HasQuota(const CopiesThere& there);

}  // namespace fedra::verify
