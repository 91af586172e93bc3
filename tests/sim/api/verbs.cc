#include "tests/sim/api/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "tests/sim/api/rules.h"

namespace fedra::sim {
namespace {

std::string Name(const Json& body) { return std::string(StringAt(body, {"metadata", "name"})); }

// Metadata that no client can choose.
constexpr std::string_view kServerMetadata[] = {
    "uid",      "creationTimestamp",         "generation", "deletionTimestamp", "resourceVersion",
    "selfLink", "deletionGracePeriodSeconds"};

void KeepServerMetadata(const Json& from, Json& to) {
  for (const std::string_view field : kServerMetadata) {
    const auto kept = from.find(field);
    if (kept == from.end()) {
      to.erase(std::string(field));
    } else {
      to[std::string(field)] = *kept;
    }
  }
  to.erase("managedFields");
}

Outcome<void> CheckVersion(const WriteRequest& request, const Object& object, const Json& draft,
                           bool required) {
  const std::string_view uid = StringAt(draft, {"metadata", "uid"});
  const std::string_view actual = StringAt(object.body, {"metadata", "uid"});
  if (!uid.empty() && uid != actual) {
    return Refuse(Conflict(request.type, request.key.name,
                           fmt::format("StorageError: invalid object, Code: 4, Key: "
                                       "/registry/{}/{}, ResourceVersion: 0, AdditionalErrorMsg: "
                                       "Precondition failed: UID in precondition: {}, UID in "
                                       "object meta: {}",
                                       request.type.plural, request.key.ToString(), uid, actual)));
  }
  const std::string_view version = StringAt(draft, {"metadata", "resourceVersion"});
  if (version.empty() && required) return Refuse(NoVersion(request.type, request.key.name));
  if (!version.empty() && version != std::to_string(object.version)) {
    return Refuse(Modified(request.type, request.key.name));
  }
  return {};
}

Outcome<void> CheckPreconditions(const DeleteRequest& request, const Object& object) {
  const std::string_view uid = StringAt(object.body, {"metadata", "uid"});
  if (!request.uid.empty() && request.uid != uid) {
    return Refuse(Precondition(
        request.type, request.key.name,
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                    "object might have been deleted and then recreated",
                    request.uid, uid)));
  }
  const std::string version = std::to_string(object.version);
  if (!request.resource_version.empty() && request.resource_version != version) {
    return Refuse(Precondition(
        request.type, request.key.name,
        fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                    "ResourceVersion in record ({}). The object might have been modified",
                    request.resource_version, version)));
  }
  return {};
}

// Kinds that count changes of their spec.
bool HasGeneration(const ResourceType& type) {
  return type.custom || type.kind == "Job" || type.kind == "Pod";
}

ApplyRequest AsOwner(const WriteRequest& request) {
  return {.type = request.type,
          .name = request.key.name,
          .manager = request.manager,
          .subresource = request.subresource,
          .force = request.force};
}

// The part of a document whose fields have owners: identity and server metadata have none.
Json Owned(const Json& document, bool status_only) {
  Json owned = Json::object();
  for (const auto& member : document.items()) {
    if (member.key() == "apiVersion" || member.key() == "kind") continue;
    if (status_only != (member.key() == "status")) continue;
    owned[member.key()] = member.value();
  }
  const auto metadata = owned.find("metadata");
  if (metadata == owned.end() || !metadata->is_object()) return owned;
  for (const std::string_view field : kServerMetadata) metadata->erase(std::string(field));
  for (const char* field : {"name", "namespace", "generateName", "managedFields"}) {
    metadata->erase(field);
  }
  if (metadata->empty()) owned.erase(metadata);
  return owned;
}

// Whether everything but metadata, and a status that is written by itself, is the same.
bool SameContent(const ResourceType& type, const Json& a, const Json& b) {
  const auto content = [&type](const Json& body) {
    std::vector<std::pair<std::string, const Json*>> members;
    for (const auto& member : body.items()) {
      if (member.key() == "metadata" || (type.has_status && member.key() == "status")) continue;
      members.emplace_back(member.key(), &member.value());
    }
    return members;
  };
  const auto left = content(a);
  const auto right = content(b);
  return std::equal(
      left.begin(), left.end(), right.begin(), right.end(),
      [](const auto& x, const auto& y) { return x.first == y.first && *x.second == *y.second; });
}

// What everything else relies on: the large parts of an object are objects.
Outcome<void> CheckShape(const Json& body) {
  if (!body.is_object()) return Refuse(BadRequest("the object provided is not a JSON object"));
  for (const char* part : {"metadata", "spec", "status"}) {
    const auto found = body.find(part);
    if (found != body.end() && !found->is_object() && !found->is_null()) {
      return Refuse(BadRequest(fmt::format("json: cannot unmarshal into field .{}", part)));
    }
  }
  return {};
}

bool HasFinalizers(const ResourceType& type, const Json& body) {
  if (!ArrayAt(body, {"metadata", "finalizers"}).empty()) return true;
  return type.kind == "Namespace" && !ArrayAt(body, {"spec", "finalizers"}).empty();
}

Written DryRun(const Json& body) {
  return {.object = std::make_shared<const std::string>(Serialize(body))};
}

// Stores the changed object, or removes it when its last finalizer went.
Written Save(Store& store, const WriteRequest& request, Object& object) {
  store.Touch(request.type, request.key, object);
  Written written{.object = object.text};
  if (Terminating(object.body) && !HasFinalizers(request.type, object.body)) {
    store.Remove(request.type, request.key);
  }
  return written;
}

}  // namespace

Outcome<void> Verbs::CheckEnvelope(const WriteRequest& request, const Json& body) const {
  if (auto checked = CheckShape(body); !checked) return checked;
  const std::string_view kind = StringAt(body, {"kind"});
  const std::string_view api_version = StringAt(body, {"apiVersion"});
  if ((!kind.empty() || !api_version.empty()) &&
      registry_.FindKind(api_version, kind) != &request.type) {
    return Refuse(BadRequest(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: the object provided is unrecognized", kind,
        api_version, request.type.kind)));
  }
  const std::string_view ns = StringAt(body, {"metadata", "namespace"});
  if (request.type.namespaced && !ns.empty() && ns != request.key.ns) {
    return Refuse(BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  const std::string_view name = StringAt(body, {"metadata", "name"});
  if (!request.key.name.empty() && !name.empty() && name != request.key.name) {
    return Refuse(BadRequest(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                    request.key.name)));
  }
  return {};
}

Outcome<void> Verbs::CheckNamespace(const Store& store, const WriteRequest& request,
                                    std::string_view name) const {
  if (!request.type.namespaced) return {};
  const ResourceType& namespaces = registry_.Get("namespaces");
  const Object* ns = store.Find(namespaces, {"", request.key.ns});
  if (ns == nullptr) return Refuse(NotFound(namespaces, request.key.ns));
  if (!Terminating(ns->body)) return {};
  Failure failure = Forbidden(
      request.type, name,
      fmt::format("unable to create new content in namespace {} because it is being terminated",
                  request.key.ns));
  failure.details["causes"] = {
      {{"reason", "NamespaceTerminating"},
       {"message", fmt::format("namespace {} is being terminated", request.key.ns)},
       {"field", "metadata.namespace"}}};
  return Refuse(std::move(failure));
}

// AuthorizedForAdmin of pkg/registry/resource/utils.go.
Outcome<void> Verbs::CheckAdminAccess(const Store& store, const WriteRequest& request,
                                      const Json& body) const {
  const bool of_template = request.type.kind == "ResourceClaimTemplate";
  if (!of_template && request.type.kind != "ResourceClaim") return {};
  const Json& requests = of_template ? ArrayAt(body, {"spec", "spec", "devices", "requests"})
                                     : ArrayAt(body, {"spec", "devices", "requests"});
  const auto asks = std::find_if(requests.begin(), requests.end(), [](const Json& each) {
    return BoolAt(each, {"exactly", "adminAccess"});
  });
  if (asks == requests.end()) return {};
  const Object* ns = store.Find(registry_.Get("namespaces"), {"", request.key.ns});
  if (StringAt(ns->body, {"metadata", "labels", "resource.kubernetes.io/admin-access"}) == "true")
    return {};
  return Refuse(Invalid(
      request.type, Name(body),
      {{"FieldValueForbidden",
        fmt::format("spec.devices.requests[{}].adminAccess", asks - requests.begin()),
        "Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: "
        "true` label on the containing namespace"}}));
}

Outcome<Written> Verbs::Create(Store& store, const WriteRequest& request, Json body) const {
  if (auto checked = CheckEnvelope(request, body); !checked) return Refuse(checked.error());
  Json& metadata = Make(body, {"metadata"});
  if (!metadata.is_object()) metadata = Json::object();
  DropNulls(body);
  if (!StringAt(metadata, {"resourceVersion"}).empty()) {
    return Refuse(InternalError("resourceVersion should not be set on objects to be created"));
  }
  const std::string_view prefix = StringAt(metadata, {"generateName"});
  if (Name(body).empty() && !prefix.empty()) {
    metadata["name"] = std::string(prefix) + store.NewSuffix();
  }
  ObjectKey key{request.type.namespaced ? request.key.ns : "", Name(body)};
  if (key.name.empty()) {
    return Refuse(Invalid(request.type, "",
                          {{"FieldValueRequired", "metadata.name",
                            "Required value: name or generateName is required"}}));
  }
  if (auto checked = CheckNamespace(store, request, key.name); !checked) {
    return Refuse(checked.error());
  }
  KeepServerMetadata(Json::object(), metadata);
  if (request.type.namespaced) metadata["namespace"] = key.ns;
  metadata["uid"] = store.NewUid();
  metadata["creationTimestamp"] = FormatRfc3339(SystemClock().Now());
  if (HasGeneration(request.type)) metadata["generation"] = 1;
  body["apiVersion"] = request.type.ApiVersion();
  body["kind"] = request.type.kind;
  // Nodes come with their status: a kubelet registers them whole.
  if (request.type.has_status && request.type.kind != "Node") body.erase("status");
  for (const Mutator& mutate : mutators_) mutate(store, request.type, body);
  SetDefaults(request.type, body);
  if (auto checked = CheckCreate(request.type, body); !checked) return Refuse(checked.error());
  if (auto checked = CheckAdminAccess(store, request, body); !checked)
    return Refuse(checked.error());
  if (store.Find(request.type, key) != nullptr) {
    return Refuse(AlreadyExists(request.type, key.name));
  }
  if (request.dry_run) return DryRun(body);
  Object& object = store.Insert(request.type, key, std::move(body));
  TakeOwnership(AsOwner(request), Json::object(), Owned(object.body, false), object.owners);
  return Written{.object = object.text, .created = true};
}

Outcome<Written> Verbs::Modify(Store& store, const WriteRequest& request, const Change& change,
                               Owners* owners) const {
  Object* object = store.Find(request.type, request.key);
  if (object == nullptr) return Refuse(NotFound(request.type, request.key.name));
  return request.subresource == "status" ? ModifyStatus(store, request, *object, change, owners)
                                         : ModifyMain(store, request, *object, change, owners);
}

Outcome<Written> Verbs::ModifyMain(Store& store, const WriteRequest& request, Object& object,
                                   const Change& change, Owners* owners) const {
  Json draft = Json::object();
  for (const auto& member : object.body.items()) {
    if (request.type.has_status && member.key() == "status") continue;
    draft[member.key()] = member.value();
  }
  if (auto changed = change(draft); !changed) return Refuse(changed.error());
  if (auto checked = CheckShape(draft); !checked) return Refuse(checked.error());
  if (request.type.has_status) draft.erase("status");
  Json& metadata = Make(draft, {"metadata"});
  if (!metadata.is_object()) metadata = Json::object();
  const Json& old_metadata = object.body["metadata"];
  KeepServerMetadata(old_metadata, metadata);
  metadata["name"] = request.key.name;
  if (request.type.namespaced) metadata["namespace"] = request.key.ns;
  draft["apiVersion"] = object.body["apiVersion"];
  draft["kind"] = object.body["kind"];
  SetUpdateDefaults(request.type, draft);
  const bool same_content = SameContent(request.type, draft, object.body);
  if (same_content && metadata == old_metadata) {
    if (owners != nullptr && !request.dry_run) object.owners = std::move(*owners);
    return Written{.object = object.text};
  }
  if (!same_content && HasGeneration(request.type)) {
    metadata["generation"] = IntAt(old_metadata, {"generation"}) + 1;
  }
  if (auto checked = CheckUpdate(request.type, object.body, draft); !checked) {
    return Refuse(checked.error());
  }
  const auto status = object.body.find("status");
  const bool keep_status = request.type.has_status && status != object.body.end();
  if (request.dry_run) {
    if (keep_status) draft["status"] = *status;
    return DryRun(draft);
  }
  if (owners != nullptr) {
    object.owners = std::move(*owners);
  } else {
    TakeOwnership(AsOwner(request), Owned(object.body, false), Owned(draft, false), object.owners);
  }
  if (keep_status) draft["status"] = std::move(*status);
  object.body = std::move(draft);
  return Save(store, request, object);
}

Outcome<Written> Verbs::ModifyStatus(Store& store, const WriteRequest& request, Object& object,
                                     const Change& change, Owners* owners) const {
  const Json none = Json::object();
  const Json* found = At(object.body, {"status"});
  const Json& before = found == nullptr ? none : *found;
  Json draft = {{"metadata", {{"resourceVersion", object.body["metadata"]["resourceVersion"]}}},
                {"status", before}};
  if (auto changed = change(draft); !changed) return Refuse(changed.error());
  if (auto checked = CheckShape(draft); !checked) return Refuse(checked.error());
  Json status = draft.contains("status") ? std::move(draft["status"]) : Json::object();
  if (status.is_null()) status = Json::object();
  if (status == before) {
    if (owners != nullptr && !request.dry_run) object.owners = std::move(*owners);
    return Written{.object = object.text};
  }
  if (auto checked = CheckStatus(request.type, object.body, status); !checked) {
    return Refuse(checked.error());
  }
  if (request.dry_run) {
    Json body = object.body;
    body["status"] = std::move(status);
    return DryRun(body);
  }
  if (owners != nullptr) {
    object.owners = std::move(*owners);
  } else {
    TakeOwnership(AsOwner(request), {{"status", before}}, {{"status", status}}, object.owners);
  }
  object.body["status"] = std::move(status);
  return Save(store, request, object);
}

Outcome<Written> Verbs::Update(Store& store, const WriteRequest& request, Json body) const {
  if (auto checked = CheckEnvelope(request, body); !checked) return Refuse(checked.error());
  DropNulls(body);
  const Object* object = store.Find(request.type, request.key);
  if (object == nullptr) return Refuse(NotFound(request.type, request.key.name));
  if (auto checked = CheckVersion(request, *object, body, request.type.custom); !checked) {
    return Refuse(checked.error());
  }
  const Change replace = [&body](Json& draft) -> Outcome<void> {
    draft = std::move(body);
    return {};
  };
  return Modify(store, request, replace, nullptr);
}

Outcome<Written> Verbs::MergePatch(Store& store, const WriteRequest& request,
                                   const Json& patch) const {
  if (!patch.is_object()) return Refuse(BadRequest("the patch is not a JSON object"));
  const Object* object = store.Find(request.type, request.key);
  if (object == nullptr) return Refuse(NotFound(request.type, request.key.name));
  if (auto checked = CheckVersion(request, *object, patch, false); !checked) {
    return Refuse(checked.error());
  }
  const Change merge = [&patch](Json& draft) -> Outcome<void> {
    draft.merge_patch(patch);
    return {};
  };
  return Modify(store, request, merge, nullptr);
}

Outcome<Written> Verbs::JsonPatch(Store& store, const WriteRequest& request,
                                  const Json& patch) const {
  const Change apply = [&](Json& draft) -> Outcome<void> {
    try {
      draft = draft.patch(patch);
    } catch (const Json::exception& error) {
      return Refuse(Failure{.code = 422,
                            .reason = "Invalid",
                            .message = fmt::format("the server rejected our request due to an "
                                                   "error in our request: {}",
                                                   error.what())});
    }
    return {};
  };
  return Modify(store, request, apply, nullptr);
}

Outcome<Written> Verbs::Apply(Store& store, const WriteRequest& request, Json config) const {
  if (auto checked = CheckEnvelope(request, config); !checked) return Refuse(checked.error());
  if (At(config, {"metadata", "managedFields"}) != nullptr) {
    return Refuse(BadRequest("metadata.managedFields must be nil"));
  }
  DropNulls(config);
  const Object* object = store.Find(request.type, request.key);
  if (object == nullptr && !request.subresource.empty()) {
    return Refuse(NotFound(request.type, request.key.name));
  }
  const bool status_only = request.subresource == "status";
  const Json owned = Owned(config, status_only);
  if (object == nullptr) {
    config["metadata"]["name"] = request.key.name;
    // Unlike in a create, a version is no mistake here, and means nothing (Kubernetes 1.36.3).
    config["metadata"].erase("resourceVersion");
    auto created = Create(store, request, std::move(config));
    if (created && !request.dry_run) {
      Object& fresh = *store.Find(request.type, request.key);
      fresh.owners.clear();
      Json live = Owned(fresh.body, false);
      (void)sim::Apply(AsOwner(request), owned, live, fresh.owners);
    }
    return created;
  }
  if (auto checked = CheckVersion(request, *object, config, false); !checked) {
    return Refuse(checked.error());
  }
  Owners owners = object->owners;
  const Change apply = [&](Json& draft) -> Outcome<void> {
    Json live = Owned(draft, status_only);
    if (auto applied = sim::Apply(AsOwner(request), owned, live, owners); !applied) {
      return Refuse(applied.error());
    }
    if (status_only) {
      draft["status"] = live.contains("status") ? std::move(live["status"]) : Json::object();
      return {};
    }
    Json metadata = draft["metadata"];
    for (const char* field : {"labels", "annotations", "finalizers", "ownerReferences"}) {
      metadata.erase(field);
    }
    if (live.contains("metadata")) metadata.update(live["metadata"]);
    draft = std::move(live);
    draft["metadata"] = std::move(metadata);
    return {};
  };
  return Modify(store, request, apply, &owners);
}

Outcome<std::optional<Text>> Verbs::Delete(Store& store, const DeleteRequest& request) const {
  Object* object = store.Find(request.type, request.key);
  if (object == nullptr) return Refuse(NotFound(request.type, request.key.name));
  if (auto checked = CheckPreconditions(request, *object); !checked) {
    return Refuse(checked.error());
  }
  if (request.dry_run) return object->text;
  std::string propagation = request.propagation;
  // Jobs keep the default of batch/v1's first days: their pods and Workloads are orphaned.
  if (propagation.empty()) propagation = request.type.kind == "Job" ? "Orphan" : "Background";
  Json& metadata = object->body["metadata"];
  const auto add_finalizer = [&metadata](std::string_view name) {
    Json& finalizers = metadata["finalizers"];
    if (!finalizers.is_array()) finalizers = Json::array();
    if (std::find(finalizers.begin(), finalizers.end(), name) == finalizers.end()) {
      finalizers.push_back(name);
    }
  };
  if (!Terminating(object->body)) {
    if (propagation == "Foreground") add_finalizer(kForeground);
    if (propagation == "Orphan") add_finalizer(kOrphan);
    if (!HasFinalizers(request.type, object->body)) {
      store.Remove(request.type, request.key);
      return std::nullopt;
    }
    metadata["deletionTimestamp"] = FormatRfc3339(SystemClock().Now());
    metadata["deletionGracePeriodSeconds"] = 0;
    if (HasGeneration(request.type)) metadata["generation"] = IntAt(metadata, {"generation"}) + 1;
    if (request.type.kind == "Namespace") object->body["status"]["phase"] = "Terminating";
    store.Touch(request.type, request.key, *object);
  }
  return object->text;
}

}  // namespace fedra::sim
