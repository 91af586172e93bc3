#include "manager/verify/worker_objects.h"

#include <algorithm>
#include <utility>

#include "cluster-clients/kube/resource_name.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"
#include "manager/verify/dra_api.h"
#include "manager/verify/list_bounds.h"
#include "manager/verify/object_feed.h"

namespace fedra::verify {
namespace {

InputChange::Kind KindOf(DeviceChange change) {
  switch (change) {
    case DeviceChange::kTaken:
      return InputChange::Kind::kDevicesTaken;
    case DeviceChange::kOffer:
      return InputChange::Kind::kDevicesOffered;
    case DeviceChange::kNone:
    case DeviceChange::kFreed:
      break;
  }
  return InputChange::Kind::kDevices;
}

}  // namespace

template <class T>
typename watch::ObjectCache<T>::OnObject WorkerObjects::Changed(InputChange::Kind kind) {
  return [this, kind](const ObjectKey& key, const auto& before, const auto& after) {
    // Kueue touches its queues' statuses all the time; only what verdicts look at counts.
    if (before != nullptr && after != nullptr && *before == *after) return;
    listener_.on_input({kind, key});
  };
}

WatchSpec WatchOf(const Input& input) {
  return {.resource = input.resource,
          .metadata_only = input.metadata_only,
          .keeps_unserved = input.keeps_unserved,
          .labels = input.labels,
          .bounds = BoundsOf(input.resource)};
}

bool AreKnown(const watch::TrackedCache<tracking::Job>& jobs, const watch::CacheHealth& health) {
  return health.state == watch::CacheState::kSynced ||
         (health.state == watch::CacheState::kNotServed && jobs.cache().size() == 0);
}

WorkerObjects::WorkerObjects(const WorkerObjectsOptions& options, WorkerObjectsListener listener,
                             const Clock& clock)
    : kinds_(options.kinds),
      listener_(std::move(listener)),
      reads_quota_(options.queue_quota),
      clock_(clock),
      clones_(
          &tracking::ParseClone, listener_.on_clone,
          [this](const watch::CacheHealth&) { OnHealth(); }, clock),
      jobs_(kinds_->all().size()),
      namespaces_(&ParseNamespace, Changed<Namespace>(InputChange::Kind::kNamespace),
                  [this](const watch::CacheHealth&) { OnHealth(); }),
      queues_(&ParseLocalQueue, Changed<LocalQueue>(InputChange::Kind::kQueue),
              [this](const watch::CacheHealth&) { OnHealth(); }),
      cluster_queues_(
          &ParseClusterQueue,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            listener_.on_cluster_queue(key.name);
            // What is reserved ranks workers, but makes none of them eligible.
            if (before != nullptr && after != nullptr && SameLimits(*before, *after)) return;
            listener_.on_input({InputChange::Kind::kClusterQueue, key});
          },
          [this](const watch::CacheHealth&) { OnHealth(); }),
      templates_(
          &ParseTemplate, Changed<ClaimSummary>(InputChange::Kind::kTemplate),
          [this](const watch::CacheHealth&) { OnHealth(); }, clock),
      claims_(&ParseClaim, Changed<ClaimSummary>(InputChange::Kind::kClaim),
              [this](const watch::CacheHealth&) { OnHealth(); }),
      classes_(&ParseClass, Changed<ClassSummary>(InputChange::Kind::kClass),
               [this](const watch::CacheHealth&) { OnHealth(); }) {
  for (size_t i = 0; i < jobs_.size(); ++i) {
    const tracking::JobAdapter* const adapter = kinds_->all()[i];
    jobs_[i].cache = std::make_unique<watch::TrackedCache<tracking::Job>>(
        [adapter](const nlohmann::json& object) { return adapter->Parse(object); },
        [this, adapter](const ObjectKey& key, const auto& before, const auto& after) {
          listener_.on_job(*adapter, key, before, after);
        },
        [this](const watch::CacheHealth&) { OnHealth(); }, clock);
    jobs_[i].references = std::make_unique<ReferenceIndex>(
        adapter->ReferencedResources(),
        [this](const ObjectKey& key) { listener_.on_input({InputChange::Kind::kDependency, key}); },
        [this] { OnHealth(); });
    jobs_[i].sinks.emplace_back(kube::ResourceName(adapter->resource()), &jobs_[i].cache->cache());
    for (const Input& input : jobs_[i].references->Inputs())
      jobs_[i].sinks.emplace_back(kube::ResourceName(input.resource), input.sink);
  }
  UseKinds({kinds_->all().data(), 1});  // batch/v1 Job
  templates_sink_ = &templates_.cache();
  claims_sink_ = &claims_;
  classes_sink_ = &classes_;
  MakeOptionalParts(options);
  for (const Input& input : Inputs(nullptr)) {
    if (!IsOfJobs(*input.sink)) sinks_.emplace_back(kube::ResourceName(input.resource), input.sink);
  }
  NoteListing();
}

WorkerObjects::~WorkerObjects() = default;

void WorkerObjects::MakeOptionalParts(const WorkerObjectsOptions& options) {
  if (options.dependencies) {
    dependencies_ = std::make_unique<DependencyIndex>(
        *options.dependencies,
        [this](const ObjectKey& key) { listener_.on_input({InputChange::Kind::kDependency, key}); },
        [this] { OnHealth(); });
    pod_groups_sink_ = &dependencies_->pod_groups();
  }
  if (!options.devices) return;
  DeviceStateOptions devices = *options.devices;
  devices.kinds = kinds_;
  devices_ = std::make_unique<DeviceState>(
      std::move(devices), [this](DeviceChange change) { listener_.on_input({KindOf(change), {}}); },
      [this] { OnHealth(); });
  // The devices first: what a cache wakes finds them up to date.
  templates_sink_ = Tee(devices_->sinks().templates, templates_.cache());
  claims_sink_ = Tee(devices_->sinks().claims, claims_);
  classes_sink_ = Tee(devices_->sinks().classes, classes_);
  pod_groups_sink_ = dependencies_ == nullptr
                         ? &devices_->sinks().pod_groups
                         : Tee(devices_->sinks().pod_groups, dependencies_->pod_groups());
}

watch::CacheSink* WorkerObjects::Tee(watch::ObjectSink& first, watch::ObjectSink& second) {
  tees_.push_back(std::make_unique<TeeSink>(first, second));
  return tees_.back().get();
}

std::vector<Input> WorkerObjects::Inputs(const kube::ServerInfo* server) {
  const std::string_view version = DraVersion(server);
  std::vector<Input> inputs = {
      {.resource = tracking::kWorkloads, .sink = &clones_.cache(), .keeps_unserved = true}};
  AddKinds(server, inputs);
  inputs.push_back({tracking::kNamespaces, &namespaces_});
  inputs.push_back({tracking::kLocalQueues, &queues_});
  if (reads_quota_) inputs.push_back({tracking::kClusterQueues, &cluster_queues_});
  inputs.push_back({InVersion(tracking::kTemplates, version), templates_sink_});
  inputs.push_back({InVersion(tracking::kClaims, version), claims_sink_});
  inputs.push_back({InVersion(tracking::kDeviceClasses, version), classes_sink_});
  if (dependencies_ != nullptr) {
    const std::vector<Input> named = dependencies_->Inputs();
    inputs.insert(inputs.end(), named.begin(), named.end());
  }
  if (pod_groups_sink_ != nullptr) {
    inputs.push_back({InVersion(tracking::kPodGroups, PodGroupVersion(server)), pod_groups_sink_});
  }
  if (devices_ != nullptr) AddForDevices(version, server, inputs);
  return inputs;
}

// Whether a kind is served is known from the discovery: a list that may not be made is refused
// before the API server looks whether there is such a kind.
bool WorkerObjects::IsRead(size_t kind, const kube::ServerInfo* server) const {
  return jobs_[kind].used && (kind == 0 || server == nullptr || jobs_[kind].watched ||
                              server->Serves(kinds_->all()[kind]->resource()));
}

void WorkerObjects::AddKinds(const kube::ServerInfo* server, std::vector<Input>& inputs) {
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (!IsRead(i, server)) continue;
    jobs_[i].watched = server != nullptr;
    inputs.push_back({.resource = kinds_->all()[i]->resource(),
                      .sink = &jobs_[i].cache->cache(),
                      .keeps_unserved = true,
                      .labels = kinds_->all()[i]->labels_on_worker()});
    const std::vector<Input> named = jobs_[i].references->Inputs();
    inputs.insert(inputs.end(), named.begin(), named.end());
  }
}

void WorkerObjects::AddForDevices(std::string_view version, const kube::ServerInfo* server,
                                  std::vector<Input>& inputs) {
  const auto add = [&](kube::Resource resource, watch::CacheSink& sink) {
    inputs.push_back({std::move(resource), &sink});
  };
  add(InVersion(tracking::kResourceSlices, version), devices_->sinks().slices);
  add(InVersion(tracking::kTaintRules, TaintRuleVersion(server)), devices_->sinks().taint_rules);
  add(tracking::kNodes, devices_->sinks().nodes);
  add(tracking::kPods, devices_->sinks().pods);
}

void WorkerObjects::UseKinds(std::span<const tracking::JobAdapter* const> kinds) {
  for (const tracking::JobAdapter* kind : kinds) jobs_[kinds_->IndexOf(*kind)].used = true;
  NoteListing();
}

bool WorkerObjects::Uses(const tracking::JobAdapter& kind) const {
  return jobs_[kinds_->IndexOf(kind)].used;
}

void WorkerObjects::SetServer(const kube::ServerInfo* server) {
  for (size_t i = 0; server != nullptr && i < jobs_.size(); ++i) {
    if (!jobs_[i].used || IsRead(i, server)) continue;
    jobs_[i].cache->cache().SetHealth({.state = watch::CacheState::kNotServed,
                                       .complete = false,
                                       .error = nullptr,
                                       .since = clock_.Steady()});
  }
  if (devices_ != nullptr && server != nullptr) devices_->SetRelease(ReadDraApi(server));
}

bool WorkerObjects::IsOfJobs(const watch::CacheSink& sink) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [&](const JobsOfKind& jobs) { return &sink == &jobs.cache->cache(); });
}

bool WorkerObjects::IsOfCopies(const watch::CacheSink& sink) const {
  return &sink == &clones_.cache() || IsOfJobs(sink);
}

template <class Visit>
void WorkerObjects::VisitSinks(Visit visit) const {
  for (const auto& [name, sink] : sinks_) visit(name, *sink);
  for (const JobsOfKind& jobs : jobs_) {
    if (!jobs.used) continue;
    const bool is_served = jobs.cache->cache().health().state != watch::CacheState::kNotServed;
    for (size_t i = 0; i < (is_served ? jobs.sinks.size() : 1); ++i)
      visit(jobs.sinks[i].first, *jobs.sinks[i].second);
  }
}

std::vector<NamedHealth> WorkerObjects::Healths() const {
  std::vector<NamedHealth> healths;
  VisitSinks([&](const std::string& name, const watch::CacheSink& sink) {
    healths.push_back({name, sink.health()});
  });
  return healths;
}

void WorkerObjects::OnHealth() {
  NoteListing();
  listener_.on_health();
}

void WorkerObjects::NoteListing() {
  // Looked at under the lock: several lists change at the same time, and the last of them to write
  // must not have looked first.
  is_listing_.With([&](bool& listing) {
    listing = false;
    VisitSinks([&](const std::string&, const watch::CacheSink& sink) {
      listing = listing || IsSyncing(sink.health());
    });
  });
}

const ReferenceIndex& WorkerObjects::references(const tracking::JobAdapter& adapter) const {
  return *jobs_[kinds_->IndexOf(adapter)].references;
}

watch::TrackedCache<tracking::Job>& WorkerObjects::jobs(const tracking::JobAdapter& adapter) {
  return *jobs_[kinds_->IndexOf(adapter)].cache;
}

const watch::TrackedCache<tracking::Job>& WorkerObjects::jobs(
    const tracking::JobAdapter& adapter) const {
  return *jobs_[kinds_->IndexOf(adapter)].cache;
}

}  // namespace fedra::verify
