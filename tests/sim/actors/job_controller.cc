// The status that a real Job controller writes: pkg/controller/job of Kubernetes 1.36.3.

#include "tests/sim/job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"
#include "tests/sim/actors/actor.h"
#include "tests/sim/actors/conditions.h"

namespace fedra::sim {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kOwn = "kubernetes.io/job-controller";
constexpr milliseconds kForever{-1};

const Json& StatusOf(const Json& job) {
  static const Json none = Json::object();
  const Json* status = At(job, {"status"});
  return status == nullptr ? none : *status;
}

bool Done(const Json& job) {
  return IsTrue(StatusOf(job), "Complete") || IsTrue(StatusOf(job), "Failed");
}

int64_t PodCount(const Json& job) {
  const int64_t parallelism = IntAt(job, {"spec", "parallelism"}, 1);
  return std::min(parallelism, IntAt(job, {"spec", "completions"}, parallelism));
}

// batch/v1's JobCondition: no observedGeneration, but a probe time.
void SetJobCondition(Json& status, const std::string& type, bool value, const std::string& reason,
                     const std::string& message) {
  SetCondition(status, {type, value, reason, message}, 0);
  Json& condition = const_cast<Json&>(*FindCondition(status, type));
  condition.erase("observedGeneration");
  condition["lastProbeTime"] = condition["lastTransitionTime"];
}

// Whether `status` differs from what the Job has; the probe times do not count.
void Save(Store& store, const Place& place, Object& job, Json status) {
  if (status == StatusOf(job.body)) return;
  job.body["status"] = std::move(status);
  store.Touch(*place.type, place.key, job);
}

}  // namespace

class JobController::Impl final : public Actor {
 public:
  Impl(Core& core, JobOptions options)
      : Actor(core),
        options_(options),
        jobs_(core.registry.Get("jobs")),
        pods_(core.registry.Get("pods")),
        nodes_(core.registry.Get("nodes")),
        templates_(core.registry.FindNamed("resourceclaimtemplates")),
        claims_(core.registry.FindNamed("resourceclaims")),
        classes_(core.registry.FindNamed("deviceclasses")) {
    Begin();
  }
  ~Impl() override { End(); }

 private:
  using Clock = std::chrono::steady_clock;

  void Notice(const Store& store, const ResourceType& type, const Event& event) override {
    if (&type == &jobs_) Enqueue({&jobs_, event.key});
    if (&type == &pods_ && event.type == EventType::kModified) NoticePod(store, event.key);
    if (&type != templates_ && &type != claims_ && &type != classes_) return;
    for (const ObjectKey& job : pending_) Enqueue({&jobs_, job});
  }

  // Its Job counts it again.
  void NoticePod(const Store& store, const ObjectKey& key) {
    const Object* pod = store.Find(pods_, key);
    if (pod == nullptr) return;
    for (const std::string& owner : pod->owner_uids) {
      const Place* job = store.WhereIs(owner);
      if (job != nullptr && job->type == &jobs_) Enqueue(*job);
    }
  }

  void Reconcile(Store& store, const Place& place) override {
    Object* job = store.Find(jobs_, place.key);
    const std::string_view manager =
        job == nullptr ? kOwn : StringAt(job->body, {"spec", "managedBy"});
    if (job == nullptr || (!manager.empty() && manager != kOwn) || Done(job->body)) {
      pending_.erase(place.key);
      running_until_.erase(place.key);
      return;
    }
    if (BoolAt(job->body, {"spec", "suspend"})) {
      Suspend(store, place, *job);
    } else {
      Run(store, place, *job);
    }
  }

  void Suspend(Store& store, const Place& place, Object& job) {
    pending_.erase(place.key);
    running_until_.erase(place.key);
    Json status = StatusOf(job.body);
    if (!IsTrue(status, "Suspended")) {
      SetJobCondition(status, "Suspended", true, "JobSuspended", "Job suspended");
    }
    status.erase("startTime");
    status.erase("active");
    status["ready"] = 0;
    status["terminating"] = 0;
    status["uncountedTerminatedPods"] = Json::object();
    DeletePods(store, job);
    Save(store, place, job, std::move(status));
  }

  void Run(Store& store, const Place& place, Object& job) {
    Json status = StatusOf(job.body);
    const int64_t pods = PodCount(job.body);
    if (IsTrue(status, "Suspended")) {
      SetJobCondition(status, "Suspended", false, "JobResumed", "Job resumed");
    }
    if (!status.contains("startTime")) status["startTime"] = Timestamp();
    status["active"] = pods;
    status["terminating"] = 0;
    status["uncountedTerminatedPods"] = Json::object();
    if (CountFailures(store, job, status)) return Save(store, place, job, std::move(status));
    const int64_t ready = store.All(nodes_).empty() ? ReadyByItself(store, place, job)
                                                    : ReadyOnNodes(store, place, job);
    status["ready"] = ready;
    if (ready == pods && TimeIsUp(place, job.body)) Complete(store, job, status);
    Save(store, place, job, std::move(status));
  }

  // Counts pods that failed and takes them away, for others to be created. True: they were too
  // many, and the Job has failed.
  bool CountFailures(Store& store, const Object& job, Json& status) {
    int64_t failed = IntAt(status, {"failed"});
    const int64_t before = failed;
    for (const ObjectKey& key : PodsOf(store, job)) {
      if (StringAt(store.Find(pods_, key)->body, {"status", "phase"}) != "Failed") continue;
      store.Remove(pods_, key);
      ++failed;
    }
    if (failed == before) return false;
    status["failed"] = failed;
    if (failed <= IntAt(job.body, {"spec", "backoffLimit"}, 6)) return false;
    Fail(status);
    return true;
  }

  // Without nodes: all pods are ready once what they name exists.
  int64_t ReadyByItself(Store& store, const Place& place, const Object& job) {
    const bool schedulable = Schedulable(store, place.key.ns, job.body);
    const bool ready = schedulable && Started(place);
    if (schedulable) {
      pending_.erase(place.key);
    } else {
      pending_.insert(place.key);
    }
    if (options_.pods) {
      AdjustPods(store, job);
      MovePods(store, job, ready ? "Running" : "Pending");
    }
    return ready ? PodCount(job.body) : 0;
  }

  // With nodes: what scheduler and kubelet (scheduler.h) have made of the pods.
  int64_t ReadyOnNodes(Store& store, const Place& place, const Object& job) {
    AdjustPods(store, job);
    int64_t running = 0;
    for (const ObjectKey& key : PodsOf(store, job)) {
      running += StringAt(store.Find(pods_, key)->body, {"status", "phase"}) == "Running" ? 1 : 0;
    }
    return running == PodCount(job.body) && !Started(place) ? 0 : running;
  }

  // Whether everything that the pods name exists here. Free devices are not counted.
  bool Schedulable(const Store& store, const std::string& ns, const Json& job) const {
    for (const Json& claim : ArrayAt(job, {"spec", "template", "spec", "resourceClaims"})) {
      const std::string from_template(StringAt(claim, {"resourceClaimTemplateName"}));
      const std::string named(StringAt(claim, {"resourceClaimName"}));
      const ResourceType* type = from_template.empty() ? claims_ : templates_;
      const Object* found =
          type == nullptr ? nullptr
                          : store.Find(*type, {ns, from_template.empty() ? named : from_template});
      if (found == nullptr) return false;
      const Json* spec =
          from_template.empty() ? At(found->body, {"spec"}) : At(found->body, {"spec", "spec"});
      if (spec == nullptr || !ClassesExist(store, *spec)) return false;
    }
    return true;
  }

  bool ClassesExist(const Store& store, const Json& spec) const {
    const auto exists = [&](const Json& request) {
      const std::string name(StringAt(request, {"deviceClassName"}));
      return store.Find(*classes_, {"", name}) != nullptr;
    };
    for (const Json& request : ArrayAt(spec, {"devices", "requests"})) {
      const Json* exactly = At(request, {"exactly"});
      if (exactly != nullptr && !exists(*exactly)) return false;
      const Json& alternatives = ArrayAt(request, {"firstAvailable"});
      if (!alternatives.empty() && std::none_of(alternatives.begin(), alternatives.end(), exists)) {
        return false;
      }
    }
    return true;
  }

  bool Started(const Place& place) {
    if (options_.start_latency.count() == 0) return true;
    const auto now = Clock::now();
    const auto [entry, fresh] = starting_.try_emplace(place.key, now + options_.start_latency);
    if (entry->second <= now) return true;
    if (fresh) EnqueueAfter(place, options_.start_latency);
    return false;
  }

  milliseconds RunFor(const Json& job) const {
    const std::string_view text = StringAt(job, {"metadata", "annotations", kRunFor});
    if (text == "forever") return kForever;
    return text.empty() ? options_.run_for : ParseDuration(text).value_or(options_.run_for);
  }

  bool TimeIsUp(const Place& place, const Json& job) {
    const milliseconds run_for = RunFor(job);
    if (run_for < milliseconds(0)) return false;
    const auto now = Clock::now();
    const auto [entry, fresh] = running_until_.try_emplace(place.key, now + run_for);
    if (entry->second <= now) return true;
    if (fresh) EnqueueAfter(place, run_for);
    return false;
  }

  void Complete(Store& store, const Object& job, Json& status) {
    const int64_t pods = PodCount(job.body);
    if (StringAt(job.body, {"metadata", "annotations", kResult}) == "failure") {
      status["failed"] = IntAt(status, {"failed"}) + pods;
      Fail(status);
      return MovePods(store, job, "Failed");
    }
    status.erase("active");
    status["ready"] = 0;
    const char* message = "Reached expected number of succeeded pods";
    status["succeeded"] = IntAt(job.body, {"spec", "completions"}, pods);
    status["completionTime"] = Timestamp();
    SetJobCondition(status, "SuccessCriteriaMet", true, "CompletionsReached", message);
    SetJobCondition(status, "Complete", true, "CompletionsReached", message);
    MovePods(store, job, "Succeeded");
  }

  static void Fail(Json& status) {
    const char* message = "Job has reached the specified backoff limit";
    status.erase("active");
    status["ready"] = 0;
    SetJobCondition(status, "FailureTarget", true, "BackoffLimitExceeded", message);
    SetJobCondition(status, "Failed", true, "BackoffLimitExceeded", message);
  }

  std::vector<ObjectKey> PodsOf(const Store& store, const Object& job) const {
    std::vector<ObjectKey> keys;
    for (const Place& place :
         store.Dependents(std::string(StringAt(job.body, {"metadata", "uid"})))) {
      if (place.type == &pods_) keys.push_back(place.key);
    }
    return keys;
  }

  // As many as its parallelism says: it may have been lowered (manageJob of
  // pkg/controller/job/job_controller.go).
  void AdjustPods(Store& store, const Object& job) {
    std::vector<ObjectKey> pods = PodsOf(store, job);
    for (; static_cast<int64_t>(pods.size()) > PodCount(job.body); pods.pop_back())
      store.Remove(pods_, pods.back());
    for (auto i = static_cast<int64_t>(pods.size()); i < PodCount(job.body); ++i) {
      const std::string ns(StringAt(job.body, {"metadata", "namespace"}));
      (void)verbs().Create(
          store,
          {.type = pods_, .key = {ns, ""}, .subresource = {}, .manager = "kube-controller-manager"},
          MakePod(job.body, i));
    }
  }

  static Json MakePod(const Json& job, int64_t index) {
    Json pod = job["spec"]["template"];
    const std::string name(StringAt(job, {"metadata", "name"}));
    const bool indexed = StringAt(job, {"spec", "completionMode"}) == "Indexed";
    Json& metadata = pod["metadata"];
    metadata["generateName"] = indexed ? fmt::format("{}-{}-", name, index) : name + "-";
    metadata["labels"]["batch.kubernetes.io/job-name"] = name;
    metadata["labels"]["batch.kubernetes.io/controller-uid"] = job["metadata"]["uid"];
    if (indexed)
      metadata["labels"]["batch.kubernetes.io/job-completion-index"] = std::to_string(index);
    metadata["ownerReferences"] = Json::array({{{"apiVersion", "batch/v1"},
                                                {"kind", "Job"},
                                                {"name", name},
                                                {"uid", job["metadata"]["uid"]},
                                                {"controller", true},
                                                {"blockOwnerDeletion", true}}});
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    return pod;
  }

  void MovePods(Store& store, const Object& job, const char* phase) {
    for (const ObjectKey& key : PodsOf(store, job)) {
      Object* pod = store.Find(pods_, key);
      if (StringAt(pod->body, {"status", "phase"}) == phase) continue;
      Json& status = pod->body["status"];
      status["phase"] = phase;
      if (status["phase"] == "Failed") AddExitCodes(pod->body);
      store.Touch(pods_, key, *pod);
    }
  }

  // As if the first container had ended with an error.
  static void AddExitCodes(Json& pod) {
    const auto containers = ArrayAt(pod, {"spec", "containers"});
    if (containers.begin() == containers.end()) return;
    pod["status"]["containerStatuses"] =
        Json::array({{{"name", StringAt(*containers.begin(), {"name"})},
                      {"state", {{"terminated", {{"exitCode", 1}, {"reason", "Error"}}}}}}});
  }

  void DeletePods(Store& store, const Object& job) {
    for (const ObjectKey& key : PodsOf(store, job)) store.Remove(pods_, key);
  }

  const JobOptions options_;
  const ResourceType& jobs_;
  const ResourceType& pods_;
  const ResourceType& nodes_;
  const ResourceType* const templates_;
  const ResourceType* const claims_;
  const ResourceType* const classes_;

  // Under the store's lock.
  std::set<ObjectKey> pending_;  // Jobs whose pods wait for something that does not exist
  std::map<ObjectKey, Clock::time_point> starting_;
  std::map<ObjectKey, Clock::time_point> running_until_;
};

JobController::JobController(Server& server, JobOptions options)
    : impl_(std::make_unique<Impl>(server.core(), options)) {}
JobController::~JobController() = default;

}  // namespace fedra::sim
