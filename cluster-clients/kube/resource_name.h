#pragma once
//
// How a resource is called where its version does not matter: in messages, and as a key.
//
// Pure. Source: GroupResource of apimachinery, which kubectl prints so.

#include <string>

#include "cluster-clients/kube/resource.h"

namespace fedra::kube {

// "jobs.batch"; "pods" of the core group. Two resources of one plural differ in it.
inline std::string ResourceName(const Resource& resource) {
  return resource.group.empty() ? resource.plural : resource.plural + "." + resource.group;
}

// "clusterprofiles.multicluster.x-k8s.io in fleet": of one namespace; of all when `ns` is empty.
inline std::string ResourceIn(const Resource& resource, const std::string& ns) {
  return ns.empty() ? ResourceName(resource) : ResourceName(resource) + " in " + ns;
}

}  // namespace fedra::kube
