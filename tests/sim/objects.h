#pragma once
//
// The objects of one simulated cluster, seen from a test in the same process: an administrator's
// kubectl without HTTP, and with a way to wait.
//
// Resources are named as kubectl does: "jobs", "workloads", "events.events.k8s.io".
// Every write goes through the same verbs as a request does: defaulting, validation, watch events,
// actors.
//
// Thread rules: any thread but the engine's own.
// Errors: ErrorCode as a client would map the HTTP status; the message is the Status message.

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace fedra::sim {

class Core;
using Json = nlohmann::json;

class Objects final {
 public:
  explicit Objects(Core& core) : core_(core) {}

  // `object` is complete: apiVersion, kind, metadata. Answers what the server stored.
  Result<Json> Create(const Json& object);
  Result<Json> Get(std::string_view resource, const ObjectKey& key) const;
  // All namespaces when `ns` is empty.
  std::vector<Json> List(std::string_view resource, std::string_view ns = {}) const;
  // JSON merge patch, optionally of a subresource such as "status".
  Result<Json> Patch(std::string_view resource, const ObjectKey& key, const Json& patch,
                     std::string_view subresource = {});
  // Background propagation.
  Result<void> Delete(std::string_view resource, const ObjectKey& key);

  // Waits until `holds` is true for the object, which is null while it does not exist. False: it
  // was not within `timeout`.
  bool WaitFor(std::string_view resource, const ObjectKey& key,
               const std::function<bool(const Json& object)>& holds,
               std::chrono::milliseconds timeout = std::chrono::seconds(5)) const;

 private:
  Core& core_;
};

}  // namespace fedra::sim
