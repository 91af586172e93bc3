#pragma once
//
// Who owns which field of an object: the part of managedFields and server-side apply that clients
// can observe (structured-merge-diff as of Kubernetes 1.36). Who applies takes part; who writes
// otherwise becomes the owner of what changed.
//
// Fields are named by paths such as `.status.admissionChecks[name="fedra"].state`, as conflict
// messages name them. Lists are atomic unless the schema says that their entries have keys
// (MergeKeys).
//
// Thread rules: plain values.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/api/status.h"

namespace fedra::sim {

using FieldSet = std::set<std::string, std::less<>>;

struct Owner {
  std::string manager;
  bool applies = false;     // server-side apply, else any other write
  std::string subresource;  // "status" or empty
  std::string api_version;
  FieldSet fields;
};
using Owners = std::vector<Owner>;

// The fields that identify an entry of the list at `path` (".spec.podSets" of a Workload: name), or
// nothing when the list is atomic.
std::vector<std::string> MergeKeys(const ResourceType& type, std::string_view path);

// All fields that a document with this content sets.
FieldSet FieldsOf(const ResourceType& type, const Json& document);

struct ApplyRequest {
  const ResourceType& type;
  std::string_view name;
  std::string manager;
  std::string subresource;
  bool force = false;
};

// Applies `config` to `live`: both hold only what may be written (metadata, spec, ... or status).
// Changes `owners`.
Outcome<void> Apply(const ApplyRequest& request, const Json& config, Json& live, Owners& owners);

// After any other write: `manager` owns what differs between `before` and `after`, no other one
// does.
void TakeOwnership(const ApplyRequest& request, const Json& before, const Json& after,
                   Owners& owners);

// What a server-side apply by `manager` that leaves out a field does to it: removes it, unless
// another one owns it as well. True: the caller may remove it.
bool MayDrop(const Owners& owners, std::string_view manager, std::string_view path);

}  // namespace fedra::sim
