// The Active conditions of ClusterQueues and LocalQueues: pkg/cache/scheduler/clusterqueue.go and
// pkg/controller/core/localqueue_controller.go of Kueue 0.19.2.

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "tests/sim/kueue/controller.h"
#include "tests/sim/kueue/workload.h"

namespace fedra::sim {
namespace {

bool Stopped(const Json& queue) {
  const std::string_view policy = StringAt(queue, {"spec", "stopPolicy"});
  return !policy.empty() && policy != "None";
}

std::map<std::string, Nominal, std::less<>> NominalQuota(const Json& queue) {
  std::map<std::string, Nominal, std::less<>> nominal;
  for (const Json& group : ArrayAt(queue, {"spec", "resourceGroups"})) {
    for (const Json& flavor : ArrayAt(group, {"flavors"})) {
      for (const Json& resource : ArrayAt(flavor, {"resources"})) {
        const std::string name(StringAt(resource, {"name"}));
        const auto quota = resource.find("nominalQuota");
        if (quota == resource.end()) continue;
        // Only the first flavor of a resource is used.
        nominal.try_emplace(name,
                            Nominal{std::string(StringAt(flavor, {"name"})), ParseMilli(*quota)});
      }
    }
  }
  return nominal;
}

// Bytes in powers of 1024, as far as they are whole (pkg/resources/requests.go, ResourceQuantity).
std::string TotalText(const std::string& resource, int64_t milli) {
  constexpr std::string_view kSuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const bool is_bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  if (!is_bytes || milli == 0 || milli % 1000 != 0) return FormatMilli(milli);
  int64_t amount = milli / 1000;
  size_t power = 0;
  for (; amount % 1024 == 0 && power + 1 < std::size(kSuffixes); ++power) amount /= 1024;
  return fmt::format("{}{}", amount, kSuffixes[power]);
}

// status.flavorsReservation: one flavor for each resource is all that this Kueue uses.
Json Reservation(const std::map<std::string, Nominal, std::less<>>& nominal, const Amounts& used) {
  std::map<std::string, Json> flavors;
  for (const auto& [resource, quota] : nominal) {
    const auto found = used.find(resource);
    Json& resources = flavors.try_emplace(quota.flavor, Json::array()).first->second;
    resources.push_back({{"name", resource},
                         {"total", TotalText(resource, found == used.end() ? 0 : found->second)},
                         {"borrowed", "0"}});
  }
  Json list = Json::array();
  for (auto& [flavor, resources] : flavors)
    list.push_back({{"name", flavor}, {"resources", std::move(resources)}});
  return list;
}

// Names in an order that does not depend on time, as "a,b".
std::string Joined(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, ","));
}

}  // namespace

std::vector<std::string> CheckNames(const Json& cluster_queue) {
  std::vector<std::string> names;
  for (const Json& check :
       ArrayAt(cluster_queue, {"spec", "admissionChecksStrategy", "admissionChecks"})) {
    names.emplace_back(StringAt(check, {"name"}));
  }
  return names;
}

void KueueController::ReconcileClusterQueue(Store& store, const Place& place) {
  Object* queue = store.Find(cluster_queues_, place.key);
  if (queue == nullptr) {
    quota_.SetQueue(place.key.name, {});
    queue_generations_.erase(place);
    return WakeQueue(store, place.key.name);
  }
  quota_.SetQueue(place.key.name, NominalQuota(queue->body));
  std::vector<std::string> missing_flavors;
  for (const auto& [resource, nominal] : quota_.NominalOf(place.key.name)) {
    if (store.Find(flavors_, {"", nominal.flavor}) == nullptr) {
      missing_flavors.push_back(nominal.flavor);
    }
  }
  std::vector<std::string> missing;
  std::vector<std::string> inactive;
  for (const std::string& name : CheckNames(queue->body)) {
    const Object* check = store.Find(checks_, {"", name});
    if (check == nullptr) {
      missing.push_back(name);
    } else if (!IsTrue(check->body.value("status", Json::object()), "Active")) {
      inactive.push_back(name);
    }
  }
  std::vector<std::pair<std::string, std::string>> problems;
  if (Stopped(queue->body)) problems.emplace_back("Stopped", "is stopped");
  if (!missing_flavors.empty()) {
    problems.emplace_back("FlavorNotFound",
                          "references missing ResourceFlavor(s): " + Joined(missing_flavors));
  }
  if (!missing.empty()) {
    problems.emplace_back("AdmissionCheckNotFound",
                          "references missing AdmissionCheck(s): " + Joined(missing));
  }
  if (!inactive.empty()) {
    problems.emplace_back("AdmissionCheckInactive",
                          "references inactive AdmissionCheck(s): " + Joined(inactive));
  }
  Condition condition{"Active", true, "Ready", "Can admit new workloads"};
  if (!problems.empty()) {
    std::vector<std::string> texts;
    for (const auto& [reason, text] : problems) texts.push_back(text);
    condition = {"Active", false, problems.front().first,
                 fmt::format("Can't admit new workloads: {}.", fmt::join(texts, ", "))};
  }
  Json& status = Make(queue->body, {"status"});
  if (!status.is_object()) status = Json::object();
  const int64_t generation = IntAt(queue->body, {"metadata", "generation"});
  const bool turned = SetCondition(status, condition, generation);
  Json reservation = Reservation(quota_.NominalOf(place.key.name), quota_.UsedOf(place.key.name));
  const bool used = status.value("flavorsReservation", Json()) != reservation;
  if (used) status["flavorsReservation"] = std::move(reservation);
  if (turned || used) store.Touch(cluster_queues_, place.key, *queue);
  // Quota that becomes free wakes the workloads that fit into it: see Free().
  if (IsNews(place, generation) || turned) WakeQueue(store, place.key.name);
}

bool KueueController::IsNews(const Place& queue, int64_t generation) {
  const auto [seen, is_new] = queue_generations_.try_emplace(queue, generation);
  return is_new || std::exchange(seen->second, generation) != generation;
}

void KueueController::ReconcileLocalQueue(Store& store, const Place& place) {
  Object* queue = store.Find(local_queues_, place.key);
  if (queue == nullptr) {
    queue_generations_.erase(place);
    return EnqueueAll(store, workloads_);
  }
  const std::string cluster_name(StringAt(queue->body, {"spec", "clusterQueue"}));
  const Object* cluster = store.Find(cluster_queues_, {"", cluster_name});
  constexpr const char* kCannotSubmit = "Can't submit new workloads to clusterQueue";
  Condition condition{"Active", true, "Ready", "Can submit new workloads to localQueue"};
  if (Stopped(queue->body)) {
    condition = {"Active", false, "Stopped", "LocalQueue is stopped"};
  } else if (cluster == nullptr) {
    condition = {"Active", false, "ClusterQueueDoesNotExist", kCannotSubmit};
  } else if (!IsTrue(cluster->body.value("status", Json::object()), "Active")) {
    condition = {"Active", false, "ClusterQueueIsInactive", kCannotSubmit};
  }
  Json& status = Make(queue->body, {"status"});
  if (!status.is_object()) status = Json::object();
  const int64_t generation = IntAt(queue->body, {"metadata", "generation"});
  const bool turned = SetCondition(status, condition, generation);
  if (turned) store.Touch(local_queues_, place.key, *queue);
  if (IsNews(place, generation) || turned) WakeQueue(store, cluster_name);
}

void KueueController::WakeQueue(const Store& store, const std::string& cluster_queue) {
  for (const auto& [key, workload] : store.All(workloads_)) {
    const std::string queue = QueuesOf(store, workload.body).cluster_name;
    if (queue == cluster_queue || queue.empty()) Enqueue({&workloads_, key});
  }
}

KueueController::Queues KueueController::QueuesOf(const Store& store, const Json& workload) const {
  Queues queues;
  queues.local_name = StringAt(workload, {"spec", "queueName"});
  const std::string ns(StringAt(workload, {"metadata", "namespace"}));
  queues.local = store.Find(local_queues_, {ns, queues.local_name});
  if (queues.local == nullptr) return queues;
  queues.cluster_name = StringAt(queues.local->body, {"spec", "clusterQueue"});
  queues.cluster = store.Find(cluster_queues_, {"", queues.cluster_name});
  return queues;
}

}  // namespace fedra::sim
