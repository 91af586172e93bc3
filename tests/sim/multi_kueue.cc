#include "tests/sim/multi_kueue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tests/sim/actors/conditions.h"
#include "tests/sim/api/json.h"
#include "tests/sim/kueue/names.h"

namespace fedra::sim {
namespace {

constexpr std::chrono::milliseconds kInterval{20};
constexpr std::string_view kController = "kueue.x-k8s.io/multikueue";
constexpr std::string_view kOriginOfCopies = "multikueue";
constexpr std::string_view kOriginOn = "kueue.x-k8s.io/multikueue-origin";

ObjectKey KeyOf(const Json& object) {
  return {std::string(StringAt(object, {"metadata", "namespace"})),
          std::string(StringAt(object, {"metadata", "name"}))};
}

const Json& StatusIn(const Json& object) {
  static const Json none = Json::object();
  const Json* status = At(object, {"status"});
  return status == nullptr ? none : *status;
}

bool IsOfOrigin(const Json& object) {
  return StringAt(object, {"metadata", "labels", kOriginOn}) == kOriginOfCopies;
}

bool KeepsClientsOut(const Faults& faults) {
  return faults.hang || faults.refuse || faults.reject_credentials || faults.expired_certificate ||
         faults.foreign_ca;
}

// A copy's metadata: name, labels and annotations, with the mark.
Json CopiedMetadata(const Json& source) {
  Json metadata = {{"name", source["metadata"]["name"]},
                   {"namespace", source["metadata"]["namespace"]},
                   {"labels", Json::object()},
                   {"annotations", Json::object()}};
  for (const char* part : {"labels", "annotations"})
    if (const Json* there = At(source, {"metadata", part})) metadata[part] = *there;
  metadata["labels"].erase(std::string(names::kJobUid));
  metadata["labels"][std::string(kOriginOn)] = kOriginOfCopies;
  return metadata;
}

// What Kueue writes as one server-side apply (prepareWorkloadPatch).
Json AdmissionBlock(const Json& status) {
  Json block = Json::object();
  for (const char* field :
       {"admission", "requeueState", "accumulatedPastExecutionTimeSeconds", "schedulingStats",
        "clusterName", "nominatedClusterNames", "unhealthyNodes", "preemptionGates",
        "resourceRequests", "admissionChecks", "conditions"}) {
    if (status.contains(field)) block[field] = status[field];
  }
  return block;
}

}  // namespace

class MultiKueue::Impl final {
 public:
  Impl(Server& manager, std::map<std::string, Server*> workers)
      : manager_(manager), workers_(std::move(workers)), thread_([this] { Run(); }) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

 private:
  // Of one MultiKueue-controlled check: its clusters, and which of them it is connected to.
  struct Scope {
    std::vector<std::string> clusters;
    std::map<std::string, Server*> connected;
  };

  void Run() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kInterval, [this] { return stopped_; })) {
      lock.unlock();
      Pass();
      lock.lock();
    }
  }

  void Pass() {
    std::map<std::string, Server*> connected;
    for (const Json& cluster : manager_.objects().List("multikueueclusters")) {
      const std::string name(StringAt(cluster, {"metadata", "name"}));
      const auto worker = workers_.find(name);
      const bool is_connected = worker != workers_.end() && !Terminating(cluster) &&
                                !KeepsClientsOut(worker->second->faults());
      if (is_connected) connected[name] = worker->second;
      SetActive("multikueueclusters", cluster,
                {"Active", is_connected, is_connected ? "Active" : "ClientConnectionFailed",
                 is_connected ? "Connected" : "connection refused"});
    }
    std::map<std::string, Scope> scopes;
    for (const Json& check : manager_.objects().List("admissionchecks")) {
      if (StringAt(check, {"spec", "controllerName"}) != kController) continue;
      scopes[std::string(StringAt(check, {"metadata", "name"}))] = ScopeOf(check, connected);
    }
    // Nothing is its own: of thousands of Workloads none need be copied.
    if (connected.empty() && scopes.empty()) return;
    std::set<ObjectKey> living;
    for (const Json& workload : manager_.objects().List("workloads")) {
      if (!Terminating(workload)) living.insert(KeyOf(workload));
      for (const Json& state : ArrayAt(workload, {"status", "admissionChecks"})) {
        const auto scope = scopes.find(std::string(StringAt(state, {"name"})));
        if (scope == scopes.end()) continue;
        if (!Terminating(workload)) Reconcile(workload, state, scope->second);
        break;
      }
    }
    // What belongs to no Workload any more.
    for (const auto& [name, worker] : connected) {
      for (const Json& copy : worker->objects().List("workloads"))
        if (IsOfOrigin(copy) && !living.contains(KeyOf(copy))) Remove(*worker, KeyOf(copy), copy);
    }
  }

  void SetActive(std::string_view resource, const Json& object, const Condition& condition) {
    Json status = StatusIn(object);
    if (!SetCondition(status, condition, IntAt(object, {"metadata", "generation"}))) return;
    (void)manager_.objects().Patch(resource, KeyOf(object),
                                   {{"status", {{"conditions", status["conditions"]}}}}, "status");
  }

  Scope ScopeOf(const Json& check, const std::map<std::string, Server*>& connected) {
    Scope scope;
    const std::string config(StringAt(check, {"spec", "parameters", "name"}));
    const auto found = manager_.objects().Get("multikueueconfigs", {"", config});
    if (found) {
      for (const Json& name : ArrayAt(*found, {"spec", "clusters"})) {
        const auto worker = connected.find(name.get<std::string>());
        scope.clusters.push_back(name);
        if (worker != connected.end()) scope.connected.insert(*worker);
      }
    }
    const bool usable = !scope.connected.empty();
    SetActive("admissionchecks", check,
              {"Active", usable, usable ? "Active" : (found ? "NoUsableClusters" : "BadConfig"),
               usable ? "The admission check is active" : "no cluster can be used"});
    return scope;
  }

  // As Kueue does: the whole block, of its manager.
  void Write(const Json& workload, const Json& status) {
    const ObjectKey key = KeyOf(workload);
    const Json body = {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                       {"kind", "Workload"},
                       {"metadata",
                        {{"name", key.name},
                         {"namespace", key.ns},
                         {"resourceVersion", workload["metadata"]["resourceVersion"]}}},
                       {"status", AdmissionBlock(status)}};
    const std::string target = fmt::format(
        "/apis/kueue.x-k8s.io/v1beta2/namespaces/{}/workloads/{}/status"
        "?fieldManager={}&force=true",
        key.ns, key.name, names::kAdmissionManager);
    (void)manager_.Call("PATCH", target, Serialize(body), "application/apply-patch+yaml");
  }

  static void SetState(Json& status, std::string_view check, std::string_view state,
                       const std::string& message) {
    for (Json& entry : status["admissionChecks"]) {
      if (StringAt(entry, {"name"}) != check) continue;
      if (StringAt(entry, {"state"}) != state) entry["lastTransitionTime"] = Timestamp();
      entry["state"] = state;
      entry["message"] = message;
    }
  }

  void Remove(Server& worker, const ObjectKey& key, const Json& copy) {
    for (const Json& job : worker.objects().List("jobs", key.ns)) {
      if (IsOfOrigin(job) &&
          StringAt(job, {"metadata", "annotations", names::kPrebuilt}) == key.name)
        (void)worker.objects().Delete("jobs", KeyOf(job));
    }
    if (!ArrayAt(copy, {"metadata", "finalizers"}).empty())
      (void)worker.objects().Patch("workloads", key, {{"metadata", {{"finalizers", nullptr}}}});
    (void)worker.objects().Delete("workloads", key);
  }

  void RemoveAllBut(const std::string& kept, const ObjectKey& key, const Scope& scope,
                    const std::map<std::string, Json>& copies) {
    for (const auto& [name, copy] : copies)
      if (name != kept) Remove(*scope.connected.at(name), key, copy);
  }

  // reconcileGroup().
  void Reconcile(const Json& workload, const Json& state, const Scope& scope) {
    const std::string check(StringAt(state, {"name"}));
    const std::string_view is = StringAt(state, {"state"});
    const Json& status = StatusIn(workload);
    const ObjectKey key = KeyOf(workload);
    const Json* owner = nullptr;
    for (const Json& each : ArrayAt(workload, {"metadata", "ownerReferences"})) owner = &each;
    if (is == "Rejected") return;
    if (owner == nullptr || StringAt(*owner, {"kind"}) != "Job") {
      Json changed = status;
      SetState(changed, check, "Rejected", "No multikueue adapter found");
      return Write(workload, changed);
    }
    std::map<std::string, Json> copies;
    for (const auto& [name, worker] : scope.connected)
      if (auto copy = worker->objects().Get("workloads", key)) copies[name] = *std::move(copy);
    const ObjectKey job{key.ns, std::string(StringAt(*owner, {"name"}))};
    if (IsTrue(status, "Finished") || !IsTrue(status, "QuotaReserved")) {
      RemoveAllBut({}, key, scope, copies);
      if (!IsTrue(status, "Finished")) ClearActivity(job);
      return;
    }
    for (const auto& [name, copy] : copies) {
      const Json& there = StatusIn(copy);
      if (const Json* finished = FindCondition(there, "Finished"); IsTrue(there, "Finished"))
        return CopyEnd(workload, *finished, check, is, job, *scope.connected.at(name));
      if (IsTrue(there, "Evicted") && is == "Ready") {
        Json changed = status;
        SetState(changed, check, "Retry",
                 fmt::format("Workload evicted on worker cluster: \"{}\", resetting for "
                             "re-admission. Previously: \"Ready\"",
                             name));
        return Write(workload, changed);
      }
    }
    Place(workload, state, scope, copies, job);
  }

  // The rest of reconcileGroup(): no copy has ended, or was evicted.
  void Place(const Json& workload, const Json& state, const Scope& scope,
             const std::map<std::string, Json>& copies, const ObjectKey& job) {
    const std::string check(StringAt(state, {"name"}));
    const std::string_view is = StringAt(state, {"state"});
    const Json& status = StatusIn(workload);
    const ObjectKey key = KeyOf(workload);
    std::string winner;
    for (const auto& [name, copy] : copies)
      if (IsTrue(StatusIn(copy), "Admitted") && winner.empty()) winner = name;
    // Kueue gives the quota back once the job shows that nothing runs.
    if (IsTrue(status, "Evicted")) {
      RemoveAllBut({}, key, scope, copies);
      return ClearActivity(job);
    }
    if (winner.empty() && is == "Ready") {
      const std::string placed(StringAt(status, {"clusterName"}));
      if (!scope.connected.contains(placed)) return;
      Json changed = status;
      SetState(changed, check, "Retry", "Admitting remote no longer exists, Previously: \"Ready\"");
      return Write(workload, changed);
    }
    if (!winner.empty()) {
      RemoveAllBut(winner, key, scope, copies);
      SyncJob(job, key.name, *scope.connected.at(winner));
      if (is == "Ready") return;
      Json changed = status;
      SetState(changed, check, "Ready", fmt::format("The workload was admitted on \"{}\"", winner));
      changed["clusterName"] = winner;
      changed.erase("nominatedClusterNames");
      return Write(workload, changed);
    }
    if (is != "Pending" || !StringAt(status, {"clusterName"}).empty()) return;
    Nominate(workload, state, scope, copies);
  }

  // nominateAndSynchronizeWorkers() with an external dispatcher.
  void Nominate(const Json& workload, const Json& state, const Scope& scope,
                const std::map<std::string, Json>& copies) {
    const Json& checks = ArrayAt(workload, {"status", "admissionChecks"});
    const bool waits = std::any_of(checks.begin(), checks.end(), [&](const Json& other) {
      return other["name"] != state["name"] && StringAt(other, {"state"}) != "Ready";
    });
    if (waits) return;
    const Json& nominated = ArrayAt(workload, {"status", "nominatedClusterNames"});
    for (const auto& [name, worker] : scope.connected) {
      const bool wanted = std::find(nominated.begin(), nominated.end(), name) != nominated.end();
      const auto copy = copies.find(name);
      if (!wanted && copy != copies.end()) Remove(*worker, KeyOf(workload), copy->second);
      if (!wanted || copy != copies.end()) continue;
      (void)worker->objects().Create({{"apiVersion", workload["apiVersion"]},
                                      {"kind", workload["kind"]},
                                      {"metadata", CopiedMetadata(workload)},
                                      {"spec", workload["spec"]}});
    }
  }

  void CopyEnd(const Json& workload, const Json& finished, const std::string& check,
               std::string_view is, const ObjectKey& job, Server& worker) {
    Json changed = StatusIn(workload);
    if (StringAt(finished, {"reason"}) == "OutOfSync") {
      if (is != "Ready") return;
      SetState(changed, check, "Retry", "the remote workload is out of sync");
      return Write(workload, changed);
    }
    CopyStatus(job, worker);
    (void)SetCondition(changed,
                       {"Finished", true, std::string(StringAt(finished, {"reason"})),
                        std::string(StringAt(finished, {"message"}))},
                       IntAt(workload, {"metadata", "generation"}));
    Write(workload, changed);
  }

  void SyncJob(const ObjectKey& key, const std::string& workload, Server& worker) {
    const auto local = manager_.objects().Get("jobs", key);
    if (!local) return;
    if (worker.objects().Get("jobs", key)) {
      if (!BoolAt(*local, {"spec", "suspend"})) CopyStatus(key, worker);
      return;
    }
    Json job = {{"apiVersion", (*local)["apiVersion"]},
                {"kind", (*local)["kind"]},
                {"metadata", CopiedMetadata(*local)},
                {"spec", (*local)["spec"]}};
    job["metadata"]["annotations"][std::string(names::kPrebuilt)] = workload;
    job["spec"].erase("managedBy");
    job["spec"].erase("selector");
    if (At(job, {"spec", "template", "metadata", "labels"}) != nullptr) {
      Json& labels = Make(job, {"spec", "template", "metadata", "labels"});
      for (const char* label : {"controller-uid", "batch.kubernetes.io/controller-uid", "job-name",
                                "batch.kubernetes.io/job-name"})
        labels.erase(label);
    }
    (void)worker.objects().Create(job);
  }

  void CopyStatus(const ObjectKey& key, Server& worker) {
    const auto local = manager_.objects().Get("jobs", key);
    const auto remote = worker.objects().Get("jobs", key);
    if (!local || !remote || StatusIn(*local) == StatusIn(*remote)) return;
    Json patch = StatusIn(*remote);
    for (const auto& field : StatusIn(*local).items())
      if (!patch.contains(field.key())) patch[field.key()] = nullptr;
    (void)manager_.objects().Patch("jobs", key, {{"status", patch}}, "status");
  }

  void ClearActivity(const ObjectKey& key) {
    const auto local = manager_.objects().Get("jobs", key);
    if (!local || IntAt(StatusIn(*local), {"active"}) == 0) return;
    (void)manager_.objects().Patch(
        "jobs", key,
        {{"status", {{"active", nullptr}, {"ready", nullptr}, {"terminating", nullptr}}}},
        "status");
  }

  Server& manager_;
  const std::map<std::string, Server*> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;  // last: it uses the others
};

MultiKueue::MultiKueue(Server& manager, std::map<std::string, Server*> workers)
    : impl_(std::make_unique<Impl>(manager, std::move(workers))) {}
MultiKueue::~MultiKueue() = default;

}  // namespace fedra::sim
