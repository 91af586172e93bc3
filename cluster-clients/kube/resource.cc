#include "cluster-clients/kube/resource.h"

#include "cluster-clients/kube/url.h"

namespace fedra::kube {

std::string Resource::ApiVersion() const { return group.empty() ? version : group + "/" + version; }

std::string Resource::CollectionPath(std::string_view ns) const {
  std::string path = group.empty() ? "/api/" : "/apis/" + PercentEncode(group) + "/";
  path += PercentEncode(version);
  if (namespaced && !ns.empty()) path += "/namespaces/" + PercentEncode(ns);
  return path + "/" + PercentEncode(plural);
}

std::string Resource::ObjectPath(const ObjectKey& key, std::string_view subresource) const {
  std::string path = CollectionPath(key.ns) + "/" + PercentEncode(key.name);
  if (!subresource.empty()) path += "/" + PercentEncode(subresource);
  return path;
}

}  // namespace fedra::kube
