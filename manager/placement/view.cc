#include "manager/placement/view.h"

namespace fedra::placement {
namespace {

bool HasMarks(const std::string& origin_label, const std::string& manager_uid,
              std::string_view origin, std::string_view uid) {
  return origin_label == origin && !manager_uid.empty() && (uid.empty() || manager_uid == uid);
}

}  // namespace

bool IsOurs(const tracking::Workload& clone, std::string_view origin, std::string_view uid) {
  return HasMarks(clone.origin, clone.manager_uid, origin, uid);
}

bool IsOurs(const tracking::Job& job, std::string_view origin, std::string_view uid) {
  return HasMarks(job.origin, job.manager_uid, origin, uid);
}

bool HasOurs(const ClusterView& cluster, const Policy& policy) {
  return (cluster.clone != nullptr && IsOurs(*cluster.clone, policy.origin, {})) ||
         (cluster.job != nullptr && IsOurs(*cluster.job, policy.origin, {}));
}

}  // namespace fedra::placement
