#pragma once
//
// What a simulated API server serves: one entry per resource, and the ways to find it.
//
// Thread rules: constant after construction.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fedra::sim {

struct ServerOptions;

struct ResourceType {
  std::string group;                  // "" for the core group
  std::vector<std::string> versions;  // served, preferred first; objects are stored as the first
  std::string plural;
  std::string singular;
  std::string kind;
  std::vector<std::string> short_names;
  bool namespaced = true;
  bool has_status = false;  // a status subresource: status and the rest are written apart
  bool custom = false;      // a CustomResourceDefinition: updates need a resourceVersion
  size_t index = 0;         // its place in the registry
  // The resource that holds these objects, when this is another view of them: core events are the
  // events of events.k8s.io. Null pointer: itself.
  const ResourceType* stored_as = nullptr;

  // "v1", "kueue.x-k8s.io/v1beta2": as in the objects.
  std::string ApiVersion() const { return ApiVersion(versions.front()); }
  std::string ApiVersion(std::string_view version) const;
  bool Serves(std::string_view version) const;
  const ResourceType& Stored() const { return stored_as == nullptr ? *this : *stored_as; }
};

class Registry final {
 public:
  explicit Registry(const ServerOptions& options);
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  const std::vector<ResourceType>& types() const { return types_; }
  // Each answers a null pointer when nothing fits.
  const ResourceType* Find(std::string_view group, std::string_view version,
                           std::string_view plural) const;
  // As kubectl names them: "jobs", "events.events.k8s.io".
  const ResourceType* FindNamed(std::string_view name) const;
  const ResourceType* FindKind(std::string_view api_version, std::string_view kind) const;
  // One that this library itself relies on; aborts when it is not served.
  const ResourceType& Get(std::string_view name) const;

 private:
  std::vector<ResourceType> types_;
};

}  // namespace fedra::sim
