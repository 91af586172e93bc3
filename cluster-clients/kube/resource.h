#pragma once
//
// Which resource a request is about, and the URL paths that Kubernetes gives it.
// Plain values. Paths follow the API conventions: /api/v1/... for the core group,
// /apis/GROUP/VERSION/...

#include <string>
#include <string_view>

#include "base/types.h"

namespace fedra::kube {

struct Resource {
  std::string group;    // "" for the core group
  std::string version;  // "v1"
  std::string plural;   // "resourceclaimtemplates"
  std::string kind;     // "ResourceClaimTemplate"
  bool namespaced = true;

  // "v1" or "resource.k8s.io/v1", as in an object's apiVersion field.
  std::string ApiVersion() const;
  // The collection: of one namespace, or of the whole cluster when `ns` is empty.
  std::string CollectionPath(std::string_view ns) const;
  // One object, optionally a subresource such as "status". Names are percent-encoded.
  std::string ObjectPath(const ObjectKey& key, std::string_view subresource = {}) const;

  bool operator==(const Resource&) const = default;
};

}  // namespace fedra::kube
