#pragma once
//
// What an API server serves: its version, and which versions of which groups and resources.
// Plain values; filled by Cluster at every connect, and again when a watch was lost or finds that a
// resource is not, or no longer not, served.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster-clients/kube/resource.h"

namespace fedra::kube {

struct ServerInfo {
  std::string git_version;  // "v1.36.3"
  int major = 0;
  int minor = 0;
  std::map<std::string, std::vector<std::string>>
      groups;  // group -> served versions, preferred first
  std::set<std::string>
      resources;  // "resource.k8s.io/v1/resourceclaimtemplates" of the groups we ask for

  bool Serves(std::string_view group, std::string_view version) const;
  // Of the groups we ask for.
  bool Serves(const Resource& resource) const;

  bool operator==(const ServerInfo&) const = default;
};

}  // namespace fedra::kube
