#pragma once
//
// The writing verbs of an API server on a Store: create, update, patch, server-side apply, delete.
//
// Thread rules: none of its own; the caller holds the store's lock.
// Errors: a Failure is the Status that a real server answers; nothing was changed then.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/api/store.h"

namespace fedra::sim {

struct WriteRequest {
  const ResourceType& type;
  ObjectKey key;            // no name: it is in the body
  std::string subresource;  // "status" or empty
  std::string manager;      // field manager
  bool dry_run = false;
  bool force = false;  // of an apply
};

struct DeleteRequest {
  const ResourceType& type;
  ObjectKey key;
  std::string uid;               // precondition when not empty
  std::string resource_version;  // precondition when not empty
  std::string propagation;  // "Background", "Foreground", "Orphan"; empty: the resource's default
  bool dry_run = false;
};

// Runs at creation before validation, like a mutating webhook.
using Mutator = std::function<void(const Store& store, const ResourceType& type, Json& body)>;

struct Written {
  Text object;
  bool created = false;
};

class Verbs final {
 public:
  Verbs(const Registry& registry, const std::vector<Mutator>& mutators)
      : registry_(registry), mutators_(mutators) {}

  Outcome<Written> Create(Store& store, const WriteRequest& request, Json body) const;
  Outcome<Written> Update(Store& store, const WriteRequest& request, Json body) const;
  Outcome<Written> MergePatch(Store& store, const WriteRequest& request, const Json& patch) const;
  Outcome<Written> JsonPatch(Store& store, const WriteRequest& request, const Json& patch) const;
  Outcome<Written> Apply(Store& store, const WriteRequest& request, Json config) const;
  // The object as it is marked for deletion, or nothing when it is gone.
  Outcome<std::optional<Text>> Delete(Store& store, const DeleteRequest& request) const;

 private:
  // Changes what the request may write: everything but the status, or only the status.
  using Change = std::function<Outcome<void>(Json& draft)>;

  Outcome<void> CheckEnvelope(const WriteRequest& request, const Json& body) const;
  Outcome<void> CheckNamespace(const Store& store, const WriteRequest& request,
                               std::string_view name) const;
  Outcome<void> CheckAdminAccess(const Store& store, const WriteRequest& request,
                                 const Json& body) const;
  Outcome<Written> Modify(Store& store, const WriteRequest& request, const Change& change,
                          Owners* owners) const;
  Outcome<Written> ModifyMain(Store& store, const WriteRequest& request, Object& object,
                              const Change& change, Owners* owners) const;
  Outcome<Written> ModifyStatus(Store& store, const WriteRequest& request, Object& object,
                                const Change& change, Owners* owners) const;

  const Registry& registry_;
  const std::vector<Mutator>& mutators_;
};

}  // namespace fedra::sim
