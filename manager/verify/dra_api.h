#pragma once
//
// In which versions an API server's resource.k8s.io can be read. Pure functions.
//
// Source: resource.k8s.io of Kubernetes 1.32 to 1.37. Taint rules are in other versions than the
// rest of the group.

#include <string>
#include <string_view>
#include <vector>

#include "cluster-clients/kube/discovery.h"
#include "cluster-clients/kube/resource.h"

namespace fedra::verify {

// The newest version that can be read and is served; "v1" when nothing is known of the server.
std::string_view DraVersion(const kube::ServerInfo* server);
std::string_view TaintRuleVersion(const kube::ServerInfo* server);
bool ServesTaintRules(const kube::ServerInfo* server);
kube::Resource InVersion(kube::Resource resource, std::string_view version);

// All versions that are served, preferred first; empty: none, or nothing is known of the server.
std::vector<std::string> ServedDraVersions(const kube::ServerInfo* server);

}  // namespace fedra::verify
