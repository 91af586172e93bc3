#include "manager/verify/copies_there.h"

#include <algorithm>
#include <map>
#include <utility>

#include "manager/tracking/job_members.h"

namespace fedra::verify {

using tracking::JobPtr;
using tracking::Ownership;

void JoinGroup(const ObjectKey& workload, const std::vector<GroupObject>& found,
               CopiesThere& there) {
  std::map<ObjectKey, GroupObject> ours;
  for (const GroupObject& each : found) {
    if (tracking::IsOurs(each.whose)) {
      there.job_is = std::max(there.job_is, each.whose);
      ours.emplace(each.object->key, each);
    } else {
      there.in_the_way = each.object;
      there.in_the_way_is = each.whose;
    }
  }
  std::vector<JobPtr> members;
  for (const auto& [key, each] : ours) {
    // The first one gives the job its marks.
    const auto at = each.whose == Ownership::kOurs ? members.begin() : members.end();
    members.insert(at, each.object);
  }
  there.job = tracking::JoinMembers(workload, std::move(members));
}

std::vector<Namesake> Namesakes(const CopiesThere& there) {
  std::vector<Namesake> names;
  if (there.in_the_way != nullptr)
    names.push_back({tracking::ObjectText(*there.in_the_way), there.in_the_way_is});
  else if (there.job != nullptr)
    names.push_back({tracking::ObjectText(*there.job), there.job_is});
  if (there.clone != nullptr)
    names.push_back({"Workload " + there.clone->key.ToString(), there.clone_is});
  return names;
}

bool HoldsDevices(const CopiesThere& there) {
  return there.job != nullptr && tracking::IsOurs(there.job_is) &&
         !tracking::HaveAllEnded(*there.job);
}

bool HasQuota(const CopiesThere& there) {
  return there.clone != nullptr && tracking::IsOurs(there.clone_is) &&
         there.clone->QuotaReserved() && !there.clone->Finished();
}

}  // namespace fedra::verify
