#include "manager/reconcile/worker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/log.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_words.h"
#include "manager/verify/list_bounds.h"

namespace fedra::reconcile {
namespace {

using placement::Contact;
using verify::InVersion;
using watch::CacheHealth;
using watch::CacheState;

// From the begin of a connection to the answers to all lists.
constexpr std::chrono::minutes kLongestSettling{2};

size_t IndexOf(const tracking::JobAdapter& adapter) {
  const auto& all = tracking::JobAdapters();
  return static_cast<size_t>(std::find(all.begin(), all.end(), &adapter) - all.begin());
}

}  // namespace

template <class T>
typename watch::ObjectCache<T>::OnObject Worker::Input(InputChange::Kind kind) {
  return [this, kind](const ObjectKey& key, const auto& before, const auto& after) {
    // Kueue touches its queues' statuses all the time; only what verdicts look at counts.
    if (before != nullptr && after != nullptr && *before == *after) return;
    listener_.on_input(*this, {kind, key});
  };
}

TrackedCache<tracking::Job>::OnObject Worker::JobListener() {
  return [this](const ObjectKey& key, const auto& before, const auto& after) {
    const auto& job = after != nullptr ? after : before;
    const bool progress =
        before != nullptr && after != nullptr && tracking::IsProgress(*before, *after);
    if (!progress) listener_.on_job(key);
    // A list may show, in the place of a job, one of another workload.
    if (before != nullptr && before->prebuilt_workload != job->prebuilt_workload)
      ForgetJob(key, *before);
    if (job->prebuilt_workload.empty()) return;
    if (after == nullptr) return ForgetJob(key, *before);
    const ObjectKey workload{key.ns, after->prebuilt_workload};
    job_of_.With([&](auto& jobs) { jobs[workload] = key; });
    progress ? listener_.on_progress(workload) : listener_.on_workload(workload);
  };
}

void Worker::ForgetJob(const ObjectKey& key, const tracking::Job& job) {
  if (job.prebuilt_workload.empty()) return;
  const ObjectKey workload{key.ns, job.prebuilt_workload};
  job_of_.With([&](auto& jobs) {
    const auto found = jobs.find(workload);
    if (found != jobs.end() && found->second == key) jobs.erase(found);
  });
  listener_.on_workload(workload);
}

Worker::Worker(WorkerSettings settings, http::HttpLoop& loop, WorkerPool& pool, const Clock& clock,
               WorkerListener listener)
    : settings_(std::move(settings)),
      clock_(clock),
      listener_(std::move(listener)),
      access_({settings_.access,
               settings_.misconfigured ? settings_.misconfigured->message : std::string()}),
      // The kind of an older outage is not known yet; its beginning is.
      lost_(settings_.lost_since ? clock.Steady() - std::max(WallTime::duration::zero(),
                                                             clock.Now() - *settings_.lost_since)
                                 : clock.Steady()),
      clones_(
          &tracking::ParseClone,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            CountClones(before, after);
            listener_.on_workload(key);
          },
          [this](const CacheHealth&) { OnHealth(); }, clock),
      namespaces_(&verify::ParseNamespace, Input<verify::Namespace>(InputChange::Kind::kNamespace),
                  [this](const CacheHealth&) { OnHealth(); }),
      queues_(&verify::ParseLocalQueue, Input<verify::LocalQueue>(InputChange::Kind::kQueue),
              [this](const CacheHealth&) { OnHealth(); }),
      templates_(
          &verify::ParseTemplate, Input<verify::Claim>(InputChange::Kind::kTemplate),
          [this](const CacheHealth&) { OnHealth(); }, clock),
      claims_(&verify::ParseClaim, Input<verify::Claim>(InputChange::Kind::kClaim),
              [this](const CacheHealth&) { OnHealth(); }),
      classes_(&verify::ParseDeviceClass, Input<verify::DeviceClass>(InputChange::Kind::kClass),
               [this](const CacheHealth&) { OnHealth(); }),
      devices_(settings_.devices
                   ? std::make_unique<verify::DevicePicture>(
                         *settings_.devices,
                         [this] { listener_.on_input(*this, {InputChange::Kind::kDevices, {}}); },
                         [this] { OnHealth(); })
                   : nullptr),
      dependencies_(settings_.dependencies
                        ? std::make_unique<verify::DependencyPicture>(
                              *settings_.dependencies,
                              [this](const ObjectKey& key) {
                                listener_.on_input(*this, {InputChange::Kind::kDependency, key});
                              },
                              [this] { OnHealth(); })
                        : nullptr),
      cluster_(
          settings_.name, settings_.access, settings_.options, loop, pool, clock,
          [this](const ConnectionState& state) { OnState(state); }, [this] { OnServer(); }) {
  NotePhase();
  FEDRA_ASSERT(listener_.on_workload && listener_.on_job && listener_.on_progress &&
                   listener_.on_input && listener_.on_contact,
               "somebody listens to everything");
  if (devices_ != nullptr) {
    // The picture first: whoever the cache wakes finds it up to date.
    both_templates_ = std::make_unique<verify::TeeSink>(devices_->templates(), templates_.cache());
    both_claims_ = std::make_unique<verify::TeeSink>(devices_->claims(), claims_);
    both_classes_ = std::make_unique<verify::TeeSink>(devices_->classes(), classes_);
    pod_groups_ = &devices_->pod_groups();
  }
  if (dependencies_ != nullptr) pod_groups_ = &dependencies_->pod_groups();
  if (devices_ != nullptr && dependencies_ != nullptr) {
    both_pod_groups_ =
        std::make_unique<verify::TeeSink>(devices_->pod_groups(), dependencies_->pod_groups());
    pod_groups_ = both_pod_groups_.get();
  }
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters()) {
    jobs_.push_back(std::make_unique<TrackedCache<tracking::Job>>(
        adapter->parser(), JobListener(), [this](const CacheHealth&) { OnHealth(); }, clock));
  }
}

Worker::~Worker() { Stop(); }

void Worker::Start() {
  if (settings_.misconfigured) cluster_.SetMisconfigured(*settings_.misconfigured);
  cluster_.Start();
}

void Worker::Stop() { cluster_.Stop(); }

bool Worker::Reconfigure(const kube::AccessSettings& access, std::optional<Error> misconfigured) {
  Access fresh{access, misconfigured ? misconfigured->message : std::string()};
  const bool changed = access_.With([&](Access& current) {
    if (current == fresh) return false;
    current = std::move(fresh);
    return true;
  });
  if (!changed) return false;
  if (misconfigured) {
    cluster_.SetMisconfigured(std::move(*misconfigured));
  } else {
    cluster_.UpdateAccess(access);
  }
  return true;
}

void Worker::OnState(const ConnectionState&) {
  NotePhase();
  UpdateLoss();
  listener_.on_contact(*this);
}

// Not before the first connection is it known which version of the DRA API can be read there; and
// with an upgrade, or an API that is switched on, it is another one.
void Worker::OnServer() {
  const auto server = cluster_.server();
  verify::DraApi api = verify::ReadDraApi(server.get());
  if (dra_ == api) return;
  if (!dra_) {
    StartWatches();
  } else {
    log::Info("worker serves another release or other DRA APIs",
              {{"cluster", settings_.name.value},
               {"release", api.release},
               {"dra_version", api.version},
               {"taint_rules", api.taint_rules ? api.taint_rule_version : "not served"},
               {"pod_groups", api.pod_groups ? api.pod_group_version : "not served"}});
  }
  if (devices_ != nullptr) devices_->SetRelease(api);
  WatchDra(api);
  dra_ = std::move(api);
}

void Worker::OnHealth() {
  UpdateLoss();
  listener_.on_contact(*this);
}

void Worker::StartWatches() {
  cluster_.Watch({.resource = tracking::kWorkloads, .keeps_unserved = true}, clones_.cache());
  for (size_t i = 0; i < jobs_.size(); ++i) {
    cluster_.Watch({.resource = tracking::JobAdapters()[i]->resource(), .keeps_unserved = true},
                   jobs_[i]->cache());
  }
  cluster_.Watch({tracking::kNamespaces}, namespaces_);
  cluster_.Watch({tracking::kLocalQueues}, queues_);
  if (dependencies_ != nullptr) {
    for (const auto& input : dependencies_->Inputs())
      cluster_.Watch({.resource = input.resource, .metadata_only = true}, *input.sink);
  }
  if (devices_ == nullptr) return;
  const auto watch = [&](const kube::Resource& resource, watch::CacheSink& sink) {
    cluster_.Watch({.resource = resource, .bounds = verify::BoundsOf(resource)}, sink);
  };
  watch(tracking::kNodes, devices_->nodes());
  watch(tracking::kPods, devices_->pods());
}

void Worker::WatchDra(const verify::DraApi& api) {
  const auto watch = [&](const kube::Resource& resource, std::string_view version,
                         watch::CacheSink& sink) {
    cluster_.Watch({.resource = InVersion(resource, version), .bounds = verify::BoundsOf(resource)},
                   sink);
  };
  if (pod_groups_ != nullptr) watch(tracking::kPodGroups, api.pod_group_version, *pod_groups_);
  if (devices_ == nullptr) {
    watch(tracking::kTemplates, api.version, templates_.cache());
    watch(tracking::kClaims, api.version, claims_);
    watch(tracking::kDeviceClasses, api.version, classes_);
    return;
  }
  watch(tracking::kTemplates, api.version, *both_templates_);
  watch(tracking::kClaims, api.version, *both_claims_);
  watch(tracking::kDeviceClasses, api.version, *both_classes_);
  watch(tracking::kResourceSlices, api.version, devices_->slices());
  watch(tracking::kTaintRules, api.taint_rule_version, devices_->taint_rules());
}

Contact Worker::contact() const {
  if (cluster_.state().phase != ConnectionPhase::kConnected) return Contact::kNone;
  bool synced = true;
  bool readable = true;
  const auto look = [&](CacheState state) {
    synced &= state == CacheState::kSynced;
    readable &= state != CacheState::kForbidden && state != CacheState::kNotServed;
  };
  look(clones_.cache().health().state);
  for (const auto& jobs : jobs_) {
    // A kind that is not served there is the verdict's business; it cannot hold jobs of ours.
    const CacheState state = jobs->cache().health().state;
    if (state != CacheState::kNotServed) look(state);
  }
  if (!readable) return Contact::kNone;
  return synced ? Contact::kFull : Contact::kSyncing;
}

bool Worker::IsSettled() const {
  const ConnectionPhase phase = cluster_.state().phase;
  if (phase != ConnectionPhase::kConnected) return phase != ConnectionPhase::kConnecting;
  const auto listing = [](const auto& cache) { return verify::IsOnItsWay(cache.health()); };
  bool any = listing(clones_.cache()) || listing(namespaces_) || listing(queues_) ||
             listing(templates_.cache()) || listing(claims_) || listing(classes_) ||
             (devices_ != nullptr && devices_->IsListing()) ||
             (dependencies_ != nullptr && dependencies_->IsListing());
  for (const auto& jobs : jobs_) any |= listing(jobs->cache());
  return !any;
}

bool Worker::IsSettling() const {
  if (IsSettled()) return false;
  const PhaseBegin begin = phase_begin_.Copy();
  return begin.since != cluster_.state().since ||  // entered this moment: OnState is about to come
         clock_.Steady() - begin.at < kLongestSettling;
}

// First what makes the worker unusable, then what leaves its verdicts open.
std::string Worker::sync_problem() const {
  const CacheHealth clones = clones_.cache().health();
  if (clones.state == CacheState::kNotServed)
    return verify::Problem(clones, "workloads.kueue.x-k8s.io");
  std::vector<verify::NamedHealth> caches{{"workloads.kueue.x-k8s.io", clones}};
  for (size_t i = 0; i < jobs_.size(); ++i)
    caches.push_back({tracking::JobAdapters()[i]->resource().plural, jobs_[i]->cache().health()});
  caches.push_back({"namespaces", namespaces_.health()});
  caches.push_back({"localqueues.kueue.x-k8s.io", queues_.health()});
  caches.push_back({"resourceclaimtemplates.resource.k8s.io", templates_.cache().health()});
  if (devices_ != nullptr) {
    for (auto& named : devices_->Healths()) caches.push_back(std::move(named));
  } else {
    caches.push_back({"resourceclaims.resource.k8s.io", claims_.health()});
    caches.push_back({"deviceclasses.resource.k8s.io", classes_.health()});
  }
  return verify::Problems(caches, clock_.Steady());
}

void Worker::NotePhase() {
  phase_begin_.With([&](PhaseBegin& begin) {
    const WallTime since = cluster_.state().since;
    if (begin.since != since) begin = {since, clock_.Steady()};
  });
}

void Worker::UpdateLoss() {
  // Looked at under the lock: several reflectors report at the same time, and the last of them to
  // write must not have looked first.
  lost_.With([&](std::optional<SteadyTime>& lost) {
    const Contact now = contact();
    if (now == Contact::kFull) {
      lost.reset();
    } else if (!lost) {
      lost = clock_.Steady();
    }
  });
}

std::optional<WallTime> Worker::lost_since() const {
  const auto lost = lost_.Copy();
  if (!lost) return std::nullopt;
  return clock_.Now() - std::chrono::duration_cast<WallTime::duration>(clock_.Steady() - *lost);
}

void Worker::DropOverdue() {
  for (const ObjectKey& key : clones_.own().TakeOverdue()) listener_.on_workload(key);
  for (const auto& jobs : jobs_) {
    for (const ObjectKey& key : jobs->own().TakeOverdue()) listener_.on_job(key);
  }
  for (const ObjectKey& key : templates_.own().TakeOverdue())
    listener_.on_input(*this, {InputChange::Kind::kTemplate, key});
}

std::shared_ptr<const tracking::Job> Worker::Job(const tracking::JobAdapter& adapter,
                                                 const ObjectKey& job) const {
  return jobs_[IndexOf(adapter)]->Find(job);
}

std::optional<ObjectKey> Worker::JobOf(const ObjectKey& workload) const {
  return job_of_.With([&](const auto& jobs) -> std::optional<ObjectKey> {
    const auto found = jobs.find(workload);
    return found == jobs.end() ? std::nullopt : std::optional(found->second);
  });
}

TrackedCache<tracking::Job>& Worker::jobs(const tracking::JobAdapter& adapter) {
  return *jobs_[IndexOf(adapter)];
}

bool Worker::IsOurs(const tracking::Workload& clone) const {
  return placement::IsOurs(clone, settings_.origin, {});
}

void Worker::CountClones(const std::shared_ptr<const tracking::Workload>& before,
                         const std::shared_ptr<const tracking::Workload>& after) {
  const auto ours = [&](const auto& clone) { return clone != nullptr && IsOurs(*clone) ? 1 : 0; };
  const auto waiting = [&](const auto& clone) {
    return clone != nullptr && IsOurs(*clone) && !clone->Admitted() && !clone->Finished() ? 1 : 0;
  };
  our_clones_ += ours(after) - ours(before);
  waiting_clones_ += waiting(after) - waiting(before);
}

int Worker::waiting_clones() const { return waiting_clones_.load() + clones_.own().unseen(); }

bool Worker::CanHold(const verify::Claim& original) const {
  const auto ns = namespaces_.Find({"", original.key.ns});
  return ns != nullptr && !ns->terminating && (ns->admin_access || !original.admin_access) &&
         std::all_of(original.device_classes.begin(), original.device_classes.end(),
                     [&](const std::string& name) { return classes_.Find({"", name}) != nullptr; });
}

std::vector<std::string> Worker::DraVersions() const {
  return verify::ServedDraVersions(cluster_.server().get());
}

verify::WorkerPicture Worker::Picture(const tracking::JobAdapter& adapter,
                                      const tracking::Workload* workload,
                                      const tracking::Job* job) const {
  const auto& jobs = *jobs_[IndexOf(adapter)];
  return {.name = settings_.name,
          .connection = cluster_.state(),
          .namespaces = namespaces_,
          .queues = queues_,
          .templates = templates_.cache(),
          .claims = claims_,
          .classes = classes_,
          .workload = workload,
          .job = job,
          .job_kind_served = jobs.cache().health().state != CacheState::kNotServed,
          .capabilities = settings_.capabilities,
          .dra_versions = DraVersions()};
}

}  // namespace fedra::reconcile
