// pkg/controller/resourceclaim of Kubernetes 1.36.3.

#include "tests/sim/scheduling/claim_controller.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fedra::sim {
namespace {

constexpr const char* kManager = "kube-controller-manager";
constexpr const char* kPodClaimName = "resource.kubernetes.io/pod-claim-name";

bool Terminating(const Json& object) {
  return At(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

Json OwnerReference(const Json& pod) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"name", pod["metadata"]["name"]},
          {"uid", pod["metadata"]["uid"]},
          {"controller", true},
          {"blockOwnerDeletion", true}};
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
      templates_(core.registry.FindNamed("resourceclaimtemplates")) {
  if (claims_ != nullptr) Begin();
}

void ClaimController::Notice(const Store& store, const ResourceType& type, const Event& event) {
  if (&type == &pods_ && event.type != EventType::kDeleted) Enqueue({&pods_, event.key});
  if (&type == &pods_ && event.type == EventType::kDeleted) {
    // Its named claims may be free now; generated ones go with their owner.
    const auto pod = ParseJson(*event.after);
    for (const Json& entry : ArrayAt(pod.value_or(Json()), {"spec", "resourceClaims"})) {
      const std::string name(StringAt(entry, {"resourceClaimName"}));
      if (!name.empty()) Enqueue({claims_, {event.key.ns, name}});
    }
  }
  if (&type != templates_) return;
  for (const auto& [key, pod] : store.All(pods_)) {
    if (key.ns == event.key.ns && !IsDone(pod.body)) Enqueue({&pods_, key});
  }
}

void ClaimController::Reconcile(Store& store, const Place& place) {
  if (place.type == &pods_) {
    ReconcilePod(store, place.key);
  } else {
    ReconcileClaim(store, place.key);
  }
}

void ClaimController::ReconcilePod(Store& store, const ObjectKey& key) {
  Object* pod = store.Find(pods_, key);
  if (pod == nullptr || ArrayAt(pod->body, {"spec", "resourceClaims"}).empty()) return;
  if (!IsDone(pod->body) && !Terminating(pod->body)) return CreateClaims(store, key, *pod);
  for (const Json& entry : pod->body["spec"]["resourceClaims"]) {
    const std::string name(StringAt(entry, {"resourceClaimName"}));
    if (!name.empty()) ReconcileClaim(store, {key.ns, name});
  }
  DeleteGenerated(store, *pod);
}

void ClaimController::CreateClaims(Store& store, const ObjectKey& key, Object& pod) {
  Json statuses = ArrayAt(pod.body, {"status", "resourceClaimStatuses"});
  const size_t before = statuses.size();
  for (const Json& entry : pod.body["spec"]["resourceClaims"]) {
    if (!ClaimNameOf(pod.body, entry).empty()) continue;
    const std::string name = CreateClaim(store, key, pod.body, entry);
    if (!name.empty()) statuses.push_back({{"name", entry["name"]}, {"resourceClaimName", name}});
  }
  if (statuses.size() == before) return;
  pod.body["status"]["resourceClaimStatuses"] = std::move(statuses);
  store.Touch(pods_, key, pod);
}

// Empty: the template does not exist.
std::string ClaimController::CreateClaim(Store& store, const ObjectKey& pod_key, const Json& pod,
                                         const Json& entry) {
  const std::string template_name(StringAt(entry, {"resourceClaimTemplateName"}));
  const Object* found = store.Find(*templates_, {pod_key.ns, template_name});
  if (found == nullptr) return "";
  const Json* metadata = At(found->body, {"spec", "metadata"});
  Json claim = {{"apiVersion", claims_->ApiVersion()},
                {"kind", "ResourceClaim"},
                {"metadata", metadata == nullptr ? Json::object() : *metadata},
                {"spec", found->body["spec"]["spec"]}};
  claim["metadata"]["generateName"] =
      pod_key.name + "-" + std::string(StringAt(entry, {"name"})) + "-";
  claim["metadata"]["annotations"][kPodClaimName] = entry["name"];
  claim["metadata"]["ownerReferences"] = Json::array({OwnerReference(pod)});
  const auto created = verbs().Create(
      store, {.type = *claims_, .key = {pod_key.ns, ""}, .subresource = {}, .manager = kManager},
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
