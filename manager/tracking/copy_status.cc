#include "manager/tracking/copy_status.h"

#include "cluster-clients/kube/json_text.h"

namespace fedra::tracking {

bool HasNoStatus(const Job& copy) {
  if (copy.text == nullptr) return false;
  const auto status = kube::FindMember(*copy.text, "status");
  return status == "{}" || status == "null";
}

}  // namespace fedra::tracking
