// pkg/controller/resourceclaim of Kubernetes 1.36.3.

#include "tests/sim/scheduling/claim_controller.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fedra::sim {
namespace {

constexpr const char* kFieldManager = "kube-controller-manager";
constexpr const char* kPodClaimName = "resource.kubernetes.io/pod-claim-name";

Json OwnerReference(const ResourceType& type, const Json& owner) {
  return {
      {"apiVersion", type.ApiVersion()}, {"kind", type.kind},  {"name", owner["metadata"]["name"]},
      {"uid", owner["metadata"]["uid"]}, {"controller", true}, {"blockOwnerDeletion", true}};
}

}  // namespace

bool IsDone(const Json& pod) {
  const std::string_view phase = StringAt(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

std::string ClaimNameOf(const Json& pod, const Json& entry) {
  const std::string_view named = StringAt(entry, {"resourceClaimName"});
  if (!named.empty()) return std::string(named);
  const Json* status = EntryNamed(ArrayAt(pod, {"status", "resourceClaimStatuses"}), "name",
                                  StringAt(entry, {"name"}));
  return status == nullptr ? "" : std::string(StringAt(*status, {"resourceClaimName"}));
}

ClaimController::ClaimController(Core& core)
    : Actor(core),
      pods_(core.registry.Get("pods")),
      claims_(core.registry.FindNamed("resourceclaims")),
      templates_(core.registry.FindNamed("resourceclaimtemplates")),
      groups_(core.registry.FindNamed("podgroups")) {
  if (claims_ != nullptr) Begin();
}

void ClaimController::Notice(const Store& store, const ResourceType& type, const Event& event) {
  if (&type == &pods_ && event.type != EventType::kDeleted) Enqueue({&pods_, event.key});
  if (&type == &pods_ && event.type == EventType::kDeleted) {
    // Its named claims may be free now; generated ones go with their owner.
    const Json pod = ParseJson(*event.after).value_or(Json());
    for (const Json& entry : ArrayAt(pod, {"spec", "resourceClaims"})) {
      const std::string name(StringAt(entry, {"resourceClaimName"}));
      if (!name.empty()) Enqueue({claims_, {event.key.ns, name}});
    }
  }
  if (&type == groups_ && event.type != EventType::kDeleted) Enqueue({groups_, event.key});
  if (&type != templates_ && &type != groups_) return;
  for (const auto& [key, pod] : store.All(pods_)) {
    if (key.ns == event.key.ns && !IsDone(pod.body)) Enqueue({&pods_, key});
  }
  if (&type == groups_ || groups_ == nullptr) return;
  for (const auto& [key, group] : store.All(*groups_)) {
    if (key.ns == event.key.ns) Enqueue({groups_, key});
  }
}

void ClaimController::Reconcile(Store& store, const Place& place) {
  if (place.type == &pods_) {
    ReconcilePod(store, place.key);
  } else if (place.type == groups_) {
    Object* group = store.Find(*groups_, place.key);
    if (group != nullptr && !Terminating(group->body)) CreateClaims(store, place, *group);
  } else {
    ReconcileClaim(store, place.key);
  }
}

void ClaimController::ReconcilePod(Store& store, const ObjectKey& key) {
  Object* pod = store.Find(pods_, key);
  if (pod == nullptr || ArrayAt(pod->body, {"spec", "resourceClaims"}).empty()) return;
  if (!IsDone(pod->body) && !Terminating(pod->body))
    return CreateClaims(store, {&pods_, key}, *pod);
  for (const Json& entry : pod->body["spec"]["resourceClaims"]) {
    const std::string name(StringAt(entry, {"resourceClaimName"}));
    if (!name.empty()) ReconcileClaim(store, {key.ns, name});
  }
  DeleteGenerated(store, *pod);
}

void ClaimController::CreateClaims(Store& store, const Place& place, Object& owner) {
  Json statuses = ArrayAt(owner.body, {"status", "resourceClaimStatuses"});
  const size_t before = statuses.size();
  for (const Json& entry : ArrayAt(owner.body, {"spec", "resourceClaims"})) {
    if (!ClaimNameOf(owner.body, entry).empty()) continue;
    const std::string name = ClaimFor(store, place, owner.body, entry);
    if (!name.empty()) statuses.push_back({{"name", entry["name"]}, {"resourceClaimName", name}});
  }
  if (statuses.size() == before) return;
  owner.body["status"]["resourceClaimStatuses"] = std::move(statuses);
  store.Touch(*place.type, place.key, owner);
}

std::string ClaimController::ClaimFor(Store& store, const Place& place, const Json& owner,
                                      const Json& entry) {
  const std::string name(StringAt(owner, {"spec", "schedulingGroup", "podGroupName"}));
  if (name.empty() || groups_ == nullptr) return CreateClaim(store, place, owner, entry);
  const Object* group = store.Find(*groups_, {place.key.ns, name});
  if (group == nullptr) return "";
  for (const Json& shared : ArrayAt(group->body, {"spec", "resourceClaims"})) {
    if (shared == entry) return ClaimNameOf(group->body, shared);
  }
  return CreateClaim(store, place, owner, entry);
}

std::string ClaimController::CreateClaim(Store& store, const Place& place, const Json& owner,
                                         const Json& entry) {
  const std::string template_name(StringAt(entry, {"resourceClaimTemplateName"}));
  const Object* found = store.Find(*templates_, {place.key.ns, template_name});
  if (found == nullptr) return "";
  const Json* metadata = At(found->body, {"spec", "metadata"});
  Json claim = {{"apiVersion", claims_->ApiVersion()},
                {"kind", "ResourceClaim"},
                {"metadata", metadata == nullptr ? Json::object() : *metadata},
                {"spec", found->body["spec"]["spec"]}};
  claim["metadata"]["generateName"] =
      place.key.name + "-" + std::string(StringAt(entry, {"name"})) + "-";
  claim["metadata"]["annotations"][kPodClaimName] = entry["name"];
  claim["metadata"]["ownerReferences"] = Json::array({OwnerReference(*place.type, owner)});
  const auto created = verbs().Create(
      store,
      {.type = *claims_, .key = {place.key.ns, ""}, .subresource = {}, .manager = kFieldManager},
      std::move(claim));
  if (!created) return "";
  return std::string(StringAt(Json::parse(*created->object), {"metadata", "name"}));
}

void ClaimController::DeleteGenerated(Store& store, const Object& pod) {
  for (const Place& dependent :
       store.Dependents(std::string(StringAt(pod.body, {"metadata", "uid"})))) {
    if (dependent.type != claims_) continue;
    (void)verbs().Delete(store, {.type = *claims_,
                                 .key = dependent.key,
                                 .uid = {},
                                 .resource_version = {},
                                 .propagation = "Background"});
  }
}

// A named claim without consumers gives its devices back.
void ClaimController::ReconcileClaim(Store& store, const ObjectKey& key) {
  Object* claim = store.Find(*claims_, key);
  if (claim == nullptr || At(claim->body, {"status", "reservedFor"}) == nullptr) return;
  Json users = Json::array();
  for (const Json& consumer : claim->body["status"]["reservedFor"]) {
    if (StillUsedBy(store, consumer)) users.push_back(consumer);
  }
  if (users.size() == claim->body["status"]["reservedFor"].size()) return;
  if (users.empty()) {
    claim->body["status"].erase("reservedFor");
    claim->body["status"].erase("allocation");
  } else {
    claim->body["status"]["reservedFor"] = std::move(users);
  }
  store.Touch(*claims_, key, *claim);
}

bool ClaimController::StillUsedBy(const Store& store, const Json& consumer) const {
  const Place* place = store.WhereIs(std::string(StringAt(consumer, {"uid"})));
  if (place == nullptr) return false;
  const Object* pod = store.Find(*place->type, place->key);
  return pod != nullptr && !IsDone(pod->body);
}

}  // namespace fedra::sim
