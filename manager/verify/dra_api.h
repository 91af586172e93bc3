#pragma once
//
// In which versions an API server's resource.k8s.io, and what belongs to it, can be read. Pure
// functions.
//
// Source: resource.k8s.io of Kubernetes 1.34 to 1.37. Taint rules are in other versions than the
// rest of the group. PodGroups: scheduling.k8s.io/v1alpha2 of 1.36, v1beta1 of 1.37.

#include <string>
#include <string_view>
#include <vector>

#include "cluster-clients/kube/discovery.h"
#include "cluster-clients/kube/resource.h"

namespace fedra::dra {
struct AllocatorFeatures;
}  // namespace fedra::dra

namespace fedra::verify {

// The newest version that can be read and is served; "v1" when nothing is known of the server.
std::string_view DraVersion(const kube::ServerInfo* server);
std::string_view TaintRuleVersion(const kube::ServerInfo* server);
std::string_view PodGroupVersion(const kube::ServerInfo* server);
kube::Resource InVersion(kube::Resource resource, std::string_view version);

// What of an API server decides how its devices are watched and judged.
struct DraApi {
  std::string release;             // "v1.36.3"; empty: nothing is known of the server
  std::string version;             // DraVersion()
  std::string taint_rule_version;  // TaintRuleVersion()
  bool taint_rules = false;        // whether it serves any version of them
  std::string pod_group_version;   // PodGroupVersion()
  bool pod_groups = false;         // likewise

  bool operator==(const DraApi&) const = default;
};
DraApi ReadDraApi(const kube::ServerInfo* server);
// By whose rules its devices are judged: its release's, or those of the nearest one that is known,
// and what it serves beside.
dra::AllocatorFeatures FeaturesOf(const DraApi& api);

// All versions that are served, preferred first; empty: none, or nothing is known of the server.
std::vector<std::string> ServedDraVersions(const kube::ServerInfo* server);

}  // namespace fedra::verify
