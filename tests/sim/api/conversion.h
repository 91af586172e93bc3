#pragma once
//
// The same object in another served version: resource.k8s.io v1, v1beta2 (same shape) and v1beta1
// (flat device requests, `basic` devices), and events of events.k8s.io as core events.
//
// Pure. Thread rules: free functions.

#include <string>
#include <string_view>

#include "tests/sim/api/resource_types.h"
#include "tests/sim/api/store.h"

namespace fedra::sim {

// The resource and version that a request speaks.
struct View {
  const ResourceType* type = nullptr;
  std::string version;

  // Whether objects look different from how they are stored.
  bool Converts() const { return type->stored_as != nullptr || version != type->versions.front(); }
};

// From how a client wrote it to how it is stored, and back.
void ToStored(const View& view, Json& object);
void FromStored(const View& view, Json& object);

// Serialised objects and lists of them.
std::string ObjectFromStored(const View& view, std::string_view text);
std::string ListFromStored(const View& view, std::string_view text);

}  // namespace fedra::sim
