#pragma once
//
// The answers to /version, /apis and /apis/GROUP/VERSION, read into a ServerInfo. Pure.
// Errors: kBadResponse when the answer is something else.

#include <string_view>

#include "base/result.h"
#include "cluster-clients/kube/discovery.h"

namespace fedra::kube {

Result<void> ReadVersion(std::string_view body, ServerInfo& info);
Result<void> ReadGroups(std::string_view body, ServerInfo& info);
// `group_version` is "resource.k8s.io/v1", or "v1".
Result<void> ReadResources(std::string_view body, std::string_view group_version, ServerInfo& info);

}  // namespace fedra::kube
