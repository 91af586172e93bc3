#include "tests/sim/actors/garbage_collector.h"

#include <algorithm>

namespace fedra::sim {
namespace {

// The real collector hears of a deletion through its own watch: controllers that look at the
// dependents of a deleted object usually see them once more.
constexpr auto kLag = std::chrono::milliseconds(20);

bool HasFinalizer(const Object& object, std::string_view name) {
  const Json& finalizers = ArrayAt(object.body, {"metadata", "finalizers"});
  return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

void Erase(Json& array, std::string_view name) {
  array.erase(std::remove(array.begin(), array.end(), name), array.end());
}

std::string Uid(const Object& object) {
  return std::string(StringAt(object.body, {"metadata", "uid"}));
}

// Without its last finalizer a terminating object goes away.
void Finalize(Store& store, const Place& place, Object& object, std::string_view finalizer) {
  Json& finalizers = object.body["metadata"]["finalizers"];
  Erase(finalizers, finalizer);
  const bool last = finalizers.empty();
  store.Touch(*place.type, place.key, object);
  if (last) store.Remove(*place.type, place.key);
}

bool OwnersGone(const Store& store, const Object& object) {
  return !object.owner_uids.empty() &&
         std::all_of(object.owner_uids.begin(), object.owner_uids.end(),
                     [&store](const std::string& uid) { return store.WhereIs(uid) == nullptr; });
}

}  // namespace

void GarbageCollector::Notice(const Store& store, const ResourceType& type, const Event& event) {
  if (event.type != EventType::kDeleted) {
    const Object* object = store.Find(type, event.key);
    if (object == nullptr) return;
    if (Terminating(object->body) ||
        (event.type == EventType::kAdded && !object->owner_uids.empty())) {
      Enqueue({&type, event.key});
    }
    return;
  }
  for (const Place& dependent : store.Dependents(event.uid)) EnqueueAfter(dependent, kLag);
  for (const std::string& uid : event.owner_uids) {
    if (const Place* owner = store.WhereIs(uid)) Enqueue(*owner);
  }
  const ResourceType& namespaces = core().registry.Get("namespaces");
  const Object* ns = store.Find(namespaces, {"", event.key.ns});
  if (ns != nullptr && Terminating(ns->body)) Enqueue({&namespaces, {"", event.key.ns}});
}

void GarbageCollector::Reconcile(Store& store, const Place& place) {
  Object* object = store.Find(*place.type, place.key);
  if (object == nullptr) return;
  if (!Terminating(object->body)) {
    if (OwnersGone(store, *object)) Delete(store, place, "Background");
    return;
  }
  if (HasFinalizer(*object, kOrphan)) return Orphan(store, place, *object);
  if (HasFinalizer(*object, kForeground)) return DeleteForeground(store, place, *object);
  if (place.type->kind == "Namespace") EmptyNamespace(store, place, *object);
}

void GarbageCollector::Delete(Store& store, const Place& place, const char* propagation) {
  (void)verbs().Delete(store, {.type = *place.type,
                               .key = place.key,
                               .uid = {},
                               .resource_version = {},
                               .propagation = propagation});
}

void GarbageCollector::Orphan(Store& store, const Place& place, Object& object) {
  const std::string uid = Uid(object);
  for (const Place& dependent : store.Dependents(uid)) {
    Object* child = store.Find(*dependent.type, dependent.key);
    Json& owners = child->body["metadata"]["ownerReferences"];
    owners.erase(
        std::remove_if(owners.begin(), owners.end(),
                       [&uid](const Json& owner) { return StringAt(owner, {"uid"}) == uid; }),
        owners.end());
    if (owners.empty()) child->body["metadata"].erase("ownerReferences");
    store.Touch(*dependent.type, dependent.key, *child);
  }
  Finalize(store, place, object, kOrphan);
}

void GarbageCollector::DeleteForeground(Store& store, const Place& place, Object& object) {
  bool blocked = false;
  const std::string uid = Uid(object);
  for (const Place& dependent : store.Dependents(uid)) {
    const Object* child = store.Find(*dependent.type, dependent.key);
    const Json* reference =
        EntryNamed(ArrayAt(child->body, {"metadata", "ownerReferences"}), "uid", uid);
    const bool blocks = reference != nullptr && BoolAt(*reference, {"blockOwnerDeletion"});
    Delete(store, dependent, blocks ? "Foreground" : "Background");
    blocked = blocked || (blocks && store.Find(*dependent.type, dependent.key) != nullptr);
  }
  if (!blocked) Finalize(store, place, object, kForeground);
}

void GarbageCollector::EmptyNamespace(Store& store, const Place& place, Object& object) {
  bool left = false;
  for (const ResourceType& type : core().registry.types()) {
    if (!type.namespaced) continue;
    std::vector<ObjectKey> keys;
    for (const auto& [key, content] : store.All(type)) {
      if (key.ns == place.key.name) keys.push_back(key);
    }
    for (const ObjectKey& key : keys) {
      Delete(store, {&type, key}, "Background");
      left = left || store.Find(type, key) != nullptr;
    }
  }
  if (left) return;
  object.body["spec"]["finalizers"] = Json::array();
  store.Touch(*place.type, place.key, object);
  if (ArrayAt(object.body, {"metadata", "finalizers"}).empty()) {
    store.Remove(*place.type, place.key);
  }
}

}  // namespace fedra::sim
