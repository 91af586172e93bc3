#include "tests/sim/kueue/controller.h"

#include <utility>

#include "tests/sim/kinds/train_job.h"
#include "tests/sim/kueue/names.h"
#include "tests/sim/kueue/workload.h"

namespace fedra::sim {

KueueController::KueueController(Core& core, KueueOptions options)
    : Actor(core),
      workloads_(core.registry.Get("workloads")),
      priority_classes_(core.registry.Get("workloadpriorityclasses")),
      local_queues_(core.registry.Get("localqueues")),
      cluster_queues_(core.registry.Get("clusterqueues")),
      checks_(core.registry.Get("admissionchecks")),
      flavors_(core.registry.Get("resourceflavors")),
      topologies_(core.registry.Get("topologies")),
      namespaces_(core.registry.Get("namespaces")),
      templates_(core.registry.FindNamed("resourceclaimtemplates")),
      options_(std::move(options)) {
  for (const JobKind& kind : JobKinds()) {
    const ResourceType* type = core.registry.Find(kind.group, kind.version, kind.plural);
    if (type != nullptr) kinds_.emplace(type, &kind);
  }
  core.store.With([this](Store&) {
    this->core().mutators.push_back(
        [this](const Store&, const ResourceType& type, Json& body) { MutateOnCreate(type, body); });
  });
  Begin();
}

KueueController::~KueueController() {
  End();
  core().store.With([this](Store&) { core().mutators.clear(); });
}

void KueueController::SetOptions(KueueOptions options) {
  core().Write([&](Store& store) {
    options_ = std::move(options);
    EnqueueAll(store, workloads_);
  });
}

KueueOptions KueueController::options() {
  return core().store.With([this](Store&) { return options_; });
}

bool KueueController::Evict(const ObjectKey& workload, const std::string& reason,
                            const std::string& message) {
  return core().Write([&](Store& store) {
    Object* object = store.Find(workloads_, workload);
    if (object == nullptr || !QuotaReserved(object->body.value("status", Json::object()))) {
      return false;
    }
    Json status = object->body["status"];
    const int64_t generation = IntAt(object->body, {"metadata", "generation"});
    if (reason == "Preempted") {
      SetCondition(status, {"Preempted", true, "InClusterQueue", message}, generation);
    }
    PrepareEviction(status, object->owners, reason, message, generation);
    WriteStatus(store, {&workloads_, workload}, *object, std::move(status));
    return true;
  });
}

void KueueController::Notice(const Store& store, const ResourceType& type, const Event& event) {
  if (KindOf(&type) != nullptr) return NoticeJob(store, type, event);
  if (&type == &workloads_) return NoticeWorkload(store, event);
  if (&type == &local_queues_ || &type == &cluster_queues_) Enqueue({&type, event.key});
  if (&type == &checks_ || &type == &flavors_ || &type == &topologies_)
    EnqueueAll(store, cluster_queues_);
  if (&type == &cluster_queues_) EnqueueAll(store, local_queues_);
  // With devices charged, a template that appears may make Workloads admissible.
  const bool devices = type.kind == "ResourceClaimTemplate" || type.kind == "DeviceClass";
  if (devices && !options_.device_classes.empty()) EnqueueAll(store, workloads_);
}

const JobKind* KueueController::KindOf(const ResourceType* type) const {
  const auto found = kinds_.find(type);
  return found == kinds_.end() ? nullptr : found->second;
}

void KueueController::NoticeJob(const Store& store, const ResourceType& type, const Event& event) {
  Enqueue({&type, event.key});
  if (event.type == EventType::kDeleted) {
    for (const Place& dependent : store.Dependents(event.uid)) Enqueue(dependent);
    for (auto& [workload, jobs] : prebuilt_) jobs.erase({&type, event.key});
    const auto left = groups_.extract({&type, event.key});
    if (left.empty()) return;
    for (const auto& [pod, group] : groups_)
      if (group == left.mapped()) Enqueue(pod);
    return;
  }
  const Object* job = store.Find(type, event.key);
  const bool is_pod = job != nullptr && !KindOf(&type)->gate.empty();
  if (const std::string group = is_pod ? GroupNameOf(job->body) : ""; !group.empty())
    groups_[{&type, event.key}] = {event.key.ns, group};
  const std::string prebuilt = job == nullptr ? "" : PrebuiltNameOf(job->body);
  if (!prebuilt.empty()) prebuilt_[{event.key.ns, prebuilt}].insert({&type, event.key});
}

void KueueController::NoticeWorkload(const Store& store, const Event& event) {
  Enqueue({&workloads_, event.key});
  const Object* workload = store.Find(workloads_, event.key);
  if (workload != nullptr) {
    for (const Json& owner : ArrayAt(workload->body, {"metadata", "ownerReferences"})) {
      const ResourceType* type =
          core().registry.FindKind(StringAt(owner, {"apiVersion"}), StringAt(owner, {"kind"}));
      if (KindOf(type) == nullptr) continue;
      Enqueue({type, {event.key.ns, std::string(StringAt(owner, {"name"}))}});
    }
    // A clone has no owner before the job's copy is one.
    const std::string_view owner =
        StringAt(workload->body, {"metadata", "annotations", names::kJobOwnerName});
    for (const auto& [type, kind] : kinds_)
      if (kind->parts && !owner.empty()) Enqueue({type, {event.key.ns, std::string(owner)}});
  }
  for (const std::string& uid : event.owner_uids) {
    const Place* owner = store.WhereIs(uid);
    if (owner != nullptr && KindOf(owner->type) != nullptr) Enqueue(*owner);
  }
  const auto named = prebuilt_.find(event.key);
  if (named == prebuilt_.end()) return;
  for (const Place& job : named->second) Enqueue(job);
}

void KueueController::EnqueueAll(const Store& store, const ResourceType& type) {
  for (const auto& [key, object] : store.All(type)) Enqueue({&type, key});
}

void KueueController::Reconcile(Store& store, const Place& place) {
  if (const JobKind* kind = KindOf(place.type)) return ReconcileJob(store, place, *kind);
  if (place.type == &workloads_) return ReconcileWorkload(store, place);
  if (place.type == &cluster_queues_) return ReconcileClusterQueue(store, place);
  if (place.type == &local_queues_) return ReconcileLocalQueue(store, place);
}

// Kueue writes the status of a Workload as one forced server-side apply of all that it read, and so
// owns every field of it together with the one who wrote it.
void KueueController::WriteStatus(Store& store, const Place& place, Object& object, Json status) {
  const ApplyRequest request{.type = workloads_,
                             .name = place.key.name,
                             .manager = std::string(names::kAdmissionManager),
                             .subresource = "status"};
  const Json before = object.body.value("status", Json::object());
  TakeOwnership(request, {{"status", before}}, {{"status", status}}, object.owners);
  std::erase_if(object.owners,
                [&request](const Owner& owner) { return owner.manager == request.manager; });
  object.owners.push_back({.manager = request.manager,
                           .applies = true,
                           .subresource = request.subresource,
                           .api_version = workloads_.ApiVersion(),
                           .fields = FieldsOf(workloads_, {{"status", status}})});
  object.body["status"] = std::move(status);
  store.Touch(workloads_, place.key, object);
}

void KueueController::MutateOnCreate(const ResourceType& type, Json& body) const {
  const JobKind* kind = KindOf(&type);
  if (kind == nullptr || QueueNameOf(body).empty()) return;
  SetSuspended(*kind, true, body);
  if (!kind->gate.empty() && !GroupNameOf(body).empty()) PrepareGroupPod(body);
  // A CRD's default says that its own controller runs it: it counts as nothing.
  const std::string manager = ManagedBy(*kind, body);
  if (options_.default_managed_by && (manager.empty() || manager == kind->controller))
    SetManagedBy(*kind, names::kManagedBy, body);
  if (kind->kind == "TrainJob") AddKueuePatch(body);
}

class Kueue::Impl {
 public:
  Impl(Core& core, KueueOptions options) : controller(core, std::move(options)) {}
  KueueController controller;
};

Kueue::Kueue(Server& server, KueueOptions options)
    : impl_(std::make_unique<Impl>(server.core(), std::move(options))) {}
Kueue::~Kueue() = default;

void Kueue::SetOptions(KueueOptions options) { impl_->controller.SetOptions(std::move(options)); }
KueueOptions Kueue::options() const { return impl_->controller.options(); }
bool Kueue::Evict(const ObjectKey& workload, const std::string& reason,
                  const std::string& message) {
  return impl_->controller.Evict(workload, reason, message);
}

}  // namespace fedra::sim
