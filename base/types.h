#pragma once
//
// Strong types for the strings that must not be mixed up. Plain values.

#include <compare>
#include <functional>
#include <string>
#include <utility>

namespace fedra {

// A string with a meaning. `Tag` keeps different meanings apart at compile time.
template <class Tag>
struct Name {
  std::string value;

  Name() = default;
  explicit Name(std::string text) : value(std::move(text)) {}
  bool empty() const { return value.empty(); }
  auto operator<=>(const Name&) const = default;
};

// A configured cluster: a worker's name, or "manager".
using ClusterName = Name<struct ClusterNameTag>;

// A Kubernetes resourceVersion. Its order is that of cluster-clients/kube/resource_version.h, not
// that of its text.
using ResourceVersion = Name<struct ResourceVersionTag>;

// Namespace and name of one object of a known kind. Cluster-scoped objects have an empty namespace.
struct ObjectKey {
  std::string ns;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
  // "ns/name", or "name" for a cluster-scoped object.
  std::string ToString() const { return ns.empty() ? name : ns + "/" + name; }
};

}  // namespace fedra

template <class Tag>
struct std::hash<fedra::Name<Tag>> {
  size_t operator()(const fedra::Name<Tag>& name) const noexcept {
    return std::hash<std::string>()(name.value);
  }
};
template <>
struct std::hash<fedra::ObjectKey> {
  size_t operator()(const fedra::ObjectKey& key) const noexcept {
    return std::hash<std::string>()(key.ns) * 31 + std::hash<std::string>()(key.name);
  }
};
