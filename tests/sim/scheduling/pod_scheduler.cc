// pkg/scheduler of Kubernetes 1.36.3, as far as a scenario can tell: no score but that of the DRA
// plugin for alternatives, no preemption.

#include "tests/sim/scheduling/pod_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/sim/actors/conditions.h"
#include "tests/sim/scheduling/allocation.h"
#include "tests/sim/scheduling/claim_controller.h"

namespace fedra::sim {
namespace {

constexpr const char* kManager = "kube-scheduler";
constexpr std::string_view kDefaultScheduler = "default-scheduler";
constexpr std::string_view kImplicitClass = "deviceclass.resource.kubernetes.io/";

bool IsExtended(std::string_view resource) {
  if (resource.starts_with(kImplicitClass)) return true;
  const size_t slash = resource.find('/');
  return slash != std::string_view::npos && !resource.substr(0, slash).ends_with("kubernetes.io");
}

Json PodCondition(const char* type, bool value, const char* reason, const std::string& message) {
  Json condition = {
      {"type", type}, {"status", value ? "True" : "False"}, {"lastTransitionTime", Timestamp()}};
  if (!message.empty()) condition["message"] = message;
  if (reason[0] != '\0') condition["reason"] = reason;
  return condition;
}

// What a claim is reserved for: the pod, or the PodGroup that it was made for.
Json Consumer(const Json& claim, const Json& pod) {
  for (const Json& owner : ArrayAt(claim, {"metadata", "ownerReferences"})) {
    if (owner["kind"] != "PodGroup") continue;
    return {{"apiGroup", "scheduling.k8s.io"},
            {"resource", "podgroups"},
            {"name", owner["name"]},
            {"uid", owner["uid"]}};
  }
  return {{"resource", "pods"}, {"name", pod["metadata"]["name"]}, {"uid", pod["metadata"]["uid"]}};
}

// What the node's allocatable does not name at all may still come from devices.
bool HasRoom(const Amounts& room, const Json& pod_spec) {
  const auto has = [&room](const std::string& resource, int64_t amount) {
    const auto left = room.find(resource);
    return left != room.end() && left->second >= amount;
  };
  if (!has("pods", 1000)) return false;
  for (const auto& [resource, amount] : PodRequests(pod_spec)) {
    const bool by_devices = IsExtended(resource) && !room.contains(resource);
    if (!by_devices && !has(resource, amount)) return false;
  }
  return true;
}

// Whether an event may let a waiting pod fit: new or changed supply, or something that was given
// back.
bool Frees(const ResourceType& type, const Event& event) {
  const auto says = [&event](std::string_view text) {
    return event.after->find(text) != std::string::npos;
  };
  const auto said = [&event](std::string_view text) {
    return event.before != nullptr && event.before->find(text) != std::string::npos;
  };
  if (type.kind == "Pod") {
    return event.type == EventType::kDeleted || says(R"("phase":"Succeeded")") ||
           says(R"("phase":"Failed")");
  }
  if (type.kind == "ResourceClaim") {
    constexpr std::string_view kAllocation = R"("allocation":)";
    return event.type == EventType::kDeleted ? says(kAllocation)
                                             : said(kAllocation) && !says(kAllocation);
  }
  return type.kind == "Node" || type.kind == "ResourceSlice" || type.kind == "DeviceClass" ||
         type.kind == "DeviceTaintRule";
}

// computeScore of pkg/scheduler/framework/plugins/dynamicresources.
int ScoreOf(const Json& claim_spec, const Json& allocation) {
  constexpr int kMostAlternatives = 8;
  int score = 0;
  for (const Json& request : ArrayAt(claim_spec, {"devices", "requests"})) {
    int worth = kMostAlternatives;
    for (const Json& alternative : ArrayAt(request, {"firstAvailable"})) {
      const std::string name =
          fmt::format("{}/{}", StringAt(request, {"name"}), StringAt(alternative, {"name"}));
      const Json& results = ArrayAt(allocation, {"devices", "results"});
      if (std::any_of(results.begin(), results.end(),
                      [&](const Json& result) { return StringAt(result, {"request"}) == name; }))
        score += worth;
      --worth;
    }
  }
  return score;
}

}  // namespace

PodScheduler::PodScheduler(Core& core)
    : Actor(core),
      pods_(core.registry.Get("pods")),
      nodes_(core.registry.Get("nodes")),
      claims_(core.registry.FindNamed("resourceclaims")),
      classes_(core.registry.FindNamed("deviceclasses")) {
  Begin();
}

void PodScheduler::Notice(const Store& store, const ResourceType& type, const Event& event) {
  (void)store;
  if (&type == &pods_) Enqueue({&pods_, event.key});
  if (&type == claims_ && event.type == EventType::kAdded)
    for (const ObjectKey& pod : without_claims_) Enqueue({&pods_, pod});
  if (waiting_.empty() || !Frees(type, event)) return;
  for (const ObjectKey& pod : waiting_) Enqueue({&pods_, pod});
}

void PodScheduler::Reconcile(Store& store, const Place& place) {
  Object* pod = store.Find(pods_, place.key);
  const std::string_view scheduler =
      pod == nullptr ? "" : StringAt(pod->body, {"spec", "schedulerName"});
  if (pod == nullptr || IsDone(pod->body) || !StringAt(pod->body, {"spec", "nodeName"}).empty() ||
      At(pod->body, {"metadata", "deletionTimestamp"}) != nullptr ||
      !ArrayAt(pod->body, {"spec", "schedulingGates"}).empty() ||
      (!scheduler.empty() && scheduler != kDefaultScheduler) || store.All(nodes_).empty()) {
    waiting_.erase(place.key);
    without_claims_.erase(place.key);
    return;
  }
  const std::optional<std::vector<ObjectKey>> claims = ClaimsOf(store, place.key, pod->body);
  if (!claims) {
    without_claims_.insert(place.key);  // silently, as the real one does
    return;
  }
  without_claims_.erase(place.key);
  const Rooms rooms(store, pods_);
  const Inventory inventory = ReadInventory(store, core().registry);
  std::optional<Plan> chosen;
  const Json* where = nullptr;
  std::string error;  // on one node it ends the attempt for all
  for (const auto& [name, node] : store.All(nodes_)) {
    auto plan = Fit(store, pod->body, *claims, node.body, rooms, inventory, error);
    if (!plan || (chosen && chosen->score >= plan->score)) continue;
    chosen = std::move(plan);
    where = &node.body;
  }
  if (!error.empty()) return Refuse(store, place.key, *pod, "SchedulerError", error);
  if (!chosen) {
    const size_t nodes = store.All(nodes_).size();
    return Refuse(store, place.key, *pod, "Unschedulable",
                  fmt::format("0/{0} nodes are available: {0} cannot allocate all claims, or have "
                              "no room.",
                              nodes));
  }
  waiting_.erase(place.key);
  Bind(store, place.key, *claims, *std::move(chosen), *where);
}

std::optional<std::vector<ObjectKey>> PodScheduler::ClaimsOf(const Store& store,
                                                             const ObjectKey& key,
                                                             const Json& pod) const {
  std::vector<ObjectKey> claims;
  for (const Json& entry : ArrayAt(pod, {"spec", "resourceClaims"})) {
    const std::string name = ClaimNameOf(pod, entry);
    if (name.empty() || claims_ == nullptr) return std::nullopt;
    if (store.Find(*claims_, {key.ns, name}) == nullptr) return std::nullopt;
    claims.push_back({key.ns, name});
  }
  return claims;
}

std::optional<PodScheduler::Plan> PodScheduler::Fit(const Store& store, const Json& pod,
                                                    const std::vector<ObjectKey>& claims,
                                                    const Json& node, const Rooms& rooms,
                                                    const Inventory& inventory,
                                                    std::string& error) const {
  if (!AcceptsNode(pod["spec"], node) || BoolAt(node, {"spec", "unschedulable"}))
    return std::nullopt;
  if (!HasRoom(rooms.On(node), pod["spec"])) return std::nullopt;
  Plan plan;
  std::vector<const Json*> specs;
  for (const ObjectKey& key : claims) {
    const Json& claim = store.Find(*claims_, key)->body;
    const Json* allocation = At(claim, {"status", "allocation"});
    if (allocation == nullptr) {
      plan.claims.push_back(key);
      specs.push_back(&claim["spec"]);
    } else if (!SelectsNode(At(*allocation, {"nodeSelector"}), node)) {
      return std::nullopt;
    }
  }
  if (!AddExtended(store, pod, node, plan)) return std::nullopt;
  if (!plan.extended_claim.is_null()) specs.push_back(&plan.extended_claim);
  const auto find_class = [&](const std::string& name) -> const Json* {
    const Object* found = store.Find(*classes_, {"", name});
    return found == nullptr ? nullptr : &found->body;
  };
  auto [allocations, why] = AllocateOn(node, specs, inventory, find_class);
  if (!why.empty()) error = why;
  if (!allocations) return std::nullopt;
  if (!plan.extended_claim.is_null()) {
    plan.extended_allocation = std::move(allocations->back());
    allocations->pop_back();
  }
  plan.allocations = std::move(*allocations);
  for (size_t i = 0; i < plan.allocations.size(); ++i)
    plan.score += ScoreOf(*specs[i], plan.allocations[i]);
  return plan;
}

// KEP-5004: what the node's kubelet does not offer is asked of the class of that name.
bool PodScheduler::AddExtended(const Store& store, const Json& pod, const Json& node,
                               Plan& plan) const {
  Json requests = Json::array();
  const Json& containers = pod["spec"]["containers"];
  for (size_t i = 0; i < containers.size(); ++i) {
    size_t index = 0;
    const Amounts wanted = PodRequests({{"containers", Json::array({containers[i]})}});
    for (const auto& [resource, amount] : wanted) {
      const size_t number = index++;
      if (!IsExtended(resource) || At(node, {"status", "allocatable", resource}) != nullptr)
        continue;
      const Json* device_class = ClassFor(store, resource);
      if (device_class == nullptr) return false;
      const std::string request = fmt::format("container-{}-request-{}", i, number);
      requests.push_back({{"name", request},
                          {"exactly",
                           {{"deviceClassName", (*device_class)["metadata"]["name"]},
                            {"allocationMode", "ExactCount"},
                            {"count", amount / 1000}}}});
      plan.mappings.push_back({{"containerName", containers[i]["name"]},
                               {"resourceName", resource},
                               {"requestName", request}});
    }
  }
  if (!requests.empty()) plan.extended_claim = {{"devices", {{"requests", std::move(requests)}}}};
  return true;
}

// By its implicit name, or the newest that names the resource.
const Json* PodScheduler::ClassFor(const Store& store, const std::string& resource) const {
  if (classes_ == nullptr) return nullptr;
  if (resource.starts_with(kImplicitClass)) {
    const Object* found = store.Find(*classes_, {"", resource.substr(kImplicitClass.size())});
    return found == nullptr ? nullptr : &found->body;
  }
  const Json* newest = nullptr;
  for (const auto& [key, each] : store.All(*classes_)) {
    if (StringAt(each.body, {"spec", "extendedResourceName"}) != resource) continue;
    const auto age = [](const Json& object) {
      return StringAt(object, {"metadata", "creationTimestamp"});
    };
    if (newest == nullptr || age(each.body) > age(*newest)) newest = &each.body;
  }
  return newest;
}

void PodScheduler::Bind(Store& store, const ObjectKey& key, const std::vector<ObjectKey>& claims,
                        Plan plan, const Json& node) {
  for (size_t i = 0; i < plan.claims.size(); ++i) {
    Allocate(store, plan.claims[i], std::move(plan.allocations[i]));
  }
  Object& pod = *store.Find(pods_, key);
  for (const ObjectKey& claim : claims) Reserve(store, claim, pod.body);
  if (!plan.extended_claim.is_null()) CreateExtendedClaim(store, key, pod, plan);
  pod.body["spec"]["nodeName"] = node["metadata"]["name"];
  Json& status = pod.body["status"];
  status["phase"] = "Running";
  status["startTime"] = Timestamp();
  status["conditions"] = Json::array(
      {PodCondition("PodScheduled", true, "", ""), PodCondition("Ready", true, "", "")});
  store.Touch(pods_, key, pod);
}

void PodScheduler::CreateExtendedClaim(Store& store, const ObjectKey& key, Object& pod,
                                       const Plan& plan) {
  Json claim = {{"apiVersion", claims_->ApiVersion()},
                {"kind", "ResourceClaim"},
                {"spec", plan.extended_claim}};
  claim["metadata"] = {
      {"generateName", key.name + "-extended-resources-"},
      {"annotations", {{"resource.kubernetes.io/extended-resource-claim", "true"}}},
      {"ownerReferences", Json::array({{{"apiVersion", "v1"},
                                        {"kind", "Pod"},
                                        {"name", key.name},
                                        {"uid", pod.body["metadata"]["uid"]},
                                        {"controller", true},
                                        {"blockOwnerDeletion", true}}})}};
  const auto created = verbs().Create(
      store, {.type = *claims_, .key = {key.ns, ""}, .subresource = {}, .manager = kManager},
      std::move(claim));
  if (!created) return;
  const std::string name(StringAt(Json::parse(*created->object), {"metadata", "name"}));
  Allocate(store, {key.ns, name}, plan.extended_allocation);
  Reserve(store, {key.ns, name}, pod.body);
  pod.body["status"]["extendedResourceClaimStatus"] = {{"resourceClaimName", name},
                                                       {"requestMappings", plan.mappings}};
}

void PodScheduler::Allocate(Store& store, const ObjectKey& key, Json allocation) {
  for (Json& result : allocation["devices"]["results"]) {
    if (result.contains("consumedCapacity")) result["shareID"] = store.NewUid();
  }
  Object& claim = *store.Find(*claims_, key);
  claim.body["status"]["allocation"] = std::move(allocation);
  store.Touch(*claims_, key, claim);
}

void PodScheduler::Reserve(Store& store, const ObjectKey& key, const Json& pod) {
  Object& claim = *store.Find(*claims_, key);
  Json& consumers = claim.body["status"]["reservedFor"];
  const Json consumer = Consumer(claim.body, pod);
  if (std::find(consumers.begin(), consumers.end(), consumer) != consumers.end()) return;
  consumers.push_back(consumer);
  store.Touch(*claims_, key, claim);
}

void PodScheduler::Refuse(Store& store, const ObjectKey& key, Object& pod, const char* reason,
                          const std::string& message) {
  waiting_.insert(key);
  const Json* known =
      EntryNamed(ArrayAt(pod.body, {"status", "conditions"}), "type", "PodScheduled");
  if (known != nullptr && StringAt(*known, {"message"}) == message) return;
  pod.body["status"]["conditions"] =
      Json::array({PodCondition("PodScheduled", false, reason, message)});
  store.Touch(pods_, key, pod);
}

}  // namespace fedra::sim
