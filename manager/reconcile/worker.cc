#include "manager/reconcile/worker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/log.h"

namespace fedra::reconcile {
namespace {

using placement::Contact;
using watch::CacheHealth;
using watch::CacheState;

// From the begin of a connection to the answers to all lists.
constexpr std::chrono::minutes kLongestResync{2};

// In the place of a Workload's UID, where only who made its clone matters.
constexpr std::string_view kAnyWorkload = "any";

bool RejectsUs(const ConnectionState& connection) {
  return connection.phase == ConnectionPhase::kRejected && connection.why &&
         connection.why->code == ErrorCode::kUnauthorized;
}

// Without them no pod is seen.
AssumeCache::Pods PodsThere(const verify::DeviceState* devices) {
  if (devices == nullptr) {
    return {.version = [] { return uint64_t{0}; }, .holding = [](const ObjectKey&) { return 0; }};
  }
  return {.version = [devices] { return devices->pods().version(); },
          .holding = [devices](const ObjectKey& job) { return devices->pods().Holding(job); }};
}

}  // namespace

watch::TrackedCache<tracking::Job>::OnObject Worker::JobListener() {
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
      lost_(Loss{.since = settings_.lost_since
                              ? clock.Steady() - std::max(WallTime::duration::zero(),
                                                          clock.Now() - *settings_.lost_since)
                              : clock.Steady()}),
      objects_(
          settings_.verified,
          {.on_clone =
               [this](const ObjectKey& key, const auto& before, const auto& after) {
                 CountClones(before, after);
                 listener_.on_workload(key);
               },
           .on_job = JobListener(),
           .on_input =
               [this](const verify::InputChange& change) { listener_.on_input(*this, change); },
           .on_health = [this] { OnHealth(); }},
          clock),
      assumed_(PodsThere(objects_.devices()), clock),
      cluster_(
          settings_.name, settings_.access, settings_.options, loop, pool, clock,
          [this](const ConnectionState& state) { OnState(state); }, [this] { OnServer(); }) {
  NotePhase();
  FEDRA_ASSERT(listener_.on_workload && listener_.on_job && listener_.on_progress &&
                   listener_.on_input && listener_.on_contact,
               "somebody listens to everything");
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
  if (dra_) {
    log::Info("worker serves another release or other DRA APIs",
              {{"cluster", settings_.name.value},
               {"release", api.release},
               {"dra_version", api.version},
               {"taint_rules", api.taint_rules ? api.taint_rule_version : "not served"},
               {"pod_groups", api.pod_groups ? api.pod_group_version : "not served"}});
  }
  objects_.SetServer(server.get());
  // What is watched as before goes on; what is read in another version now is listed anew.
  for (const verify::Input& input : objects_.Inputs(server.get())) {
    cluster_.Watch(verify::WatchOf(input), *input.sink);
  }
  dra_ = std::move(api);
}

void Worker::OnHealth() {
  UpdateLoss();
  listener_.on_contact(*this);
}

Contact Worker::contact() const { return ContactOver(cluster_.state()); }

Contact Worker::ContactOver(const ConnectionState& connection) const {
  if (connection.phase != ConnectionPhase::kConnected) return Contact::kNone;
  bool synced = true;
  bool readable = true;
  const auto look = [&](CacheState state) {
    synced &= state == CacheState::kSynced;
    readable &= state != CacheState::kForbidden && state != CacheState::kNotServed;
  };
  look(objects_.clones().cache().health().state);
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters()) {
    // A kind that is not served there is the verdict's business; it cannot hold jobs of ours.
    const CacheState state = objects_.jobs(*adapter).cache().health().state;
    if (state != CacheState::kNotServed) look(state);
  }
  if (!readable) return Contact::kNone;
  return synced ? Contact::kFull : Contact::kSyncing;
}

bool Worker::HasAnswered() const { return HasAnsweredOver(cluster_.state()); }

bool Worker::HasAnsweredOver(const ConnectionState& connection) const {
  if (connection.phase != ConnectionPhase::kConnected)
    return connection.phase != ConnectionPhase::kConnecting;
  return !objects_.IsListing();
}

WorkerStatus Worker::Status() const {
  WorkerStatus status;
  status.connection = cluster_.state();
  status.contact = ContactOver(status.connection);
  status.answered = HasAnsweredOver(status.connection);
  if (!status.answered) {
    const PhaseBegin begin = phase_begin_.Copy();
    // Entered this moment: OnState is about to come.
    const bool is_new = begin.since != status.connection.since;
    status.resyncing = is_new || clock_.Steady() - begin.at < kLongestResync;
  }
  if (status.contact == Contact::kFull) return status;
  status.rejects_us = RejectsUs(status.connection);
  status.keeps_jobs = KeepsJobs(status.connection);
  const SteadyTime now = clock_.Steady();
  const std::optional<Loss> loss = lost_.Copy();
  const SteadyTime lost = loss ? BeginOf(*loss, status.connection) : now;
  status.lost_since = clock_.Now() - std::chrono::duration_cast<WallTime::duration>(now - lost);
  status.problem = ProblemOver(status.connection);
  return status;
}

std::string Worker::Problem() const { return ProblemOver(cluster_.state()); }

// First what makes the worker unusable, then what leaves its verdicts open.
std::string Worker::ProblemOver(const ConnectionState& connection) const {
  if (connection.phase != ConnectionPhase::kConnected)
    return connection.why ? connection.why->message : std::string("connecting");
  const CacheHealth clones = objects_.clones().cache().health();
  if (clones.state == CacheState::kNotServed)
    return verify::Problem(clones, "workloads.kueue.x-k8s.io");
  return verify::Problems(objects_.Healths(), clock_.Steady());
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
  lost_.With([&](std::optional<Loss>& lost) {
    const ConnectionState connection = cluster_.state();
    if (ContactOver(connection) == Contact::kFull) {
      lost.reset();
    } else {
      if (!lost) lost = Loss{.since = clock_.Steady()};
      lost->since = BeginOf(*lost, connection);
      if (connection.phase != ConnectionPhase::kConnecting) lost->kept = KeepsJobs(connection);
    }
  });
}

bool Worker::KeepsJobs(const ConnectionState& connection) const {
  return settings_.keeps_rejected && RejectsUs(connection);
}

// Jobs that stayed for hours must not move at the first second in which the worker is silent.
// Between the two states it is asked again: that is neither.
SteadyTime Worker::BeginOf(const Loss& loss, const ConnectionState& connection) const {
  const bool ended =
      loss.kept && connection.phase != ConnectionPhase::kConnecting && !KeepsJobs(connection);
  return ended ? clock_.Steady() : loss.since;
}

void Worker::DropOverdue() {
  UpdateLoss();  // the reason of a bad phase may change without a word
  for (const ObjectKey& key : objects_.clones().own().TakeOverdue()) listener_.on_workload(key);
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters()) {
    for (const ObjectKey& key : objects_.jobs(*adapter).own().TakeOverdue()) listener_.on_job(key);
  }
  for (const ObjectKey& key : objects_.templates().own().TakeOverdue())
    listener_.on_input(*this, {verify::InputChange::Kind::kTemplate, key});
}

std::optional<ObjectKey> Worker::JobOf(const ObjectKey& workload) const {
  return job_of_.With([&](const auto& jobs) -> std::optional<ObjectKey> {
    const auto found = jobs.find(workload);
    return found == jobs.end() ? std::nullopt : std::optional(found->second);
  });
}

void Worker::CountClones(const std::shared_ptr<const tracking::Workload>& before,
                         const std::shared_ptr<const tracking::Workload>& after) {
  const auto add = [&](auto& counts, const tracking::Workload* clone, int change) {
    if (clone == nullptr) return;
    tracking::CopyMarks maker = clone->marks;
    if (!maker.source_uid.empty()) maker.source_uid = kAnyWorkload;
    const auto [at, is_new] = counts.try_emplace(std::move(maker));
    at->second.all += change;
    if (!clone->Admitted() && !clone->Finished()) at->second.waiting += change;
    if (clone->Finished()) at->second.ended += change;
    if (at->second.all == 0) counts.erase(at);
  };
  clone_counts_.With([&](auto& counts) {
    add(counts, after.get(), 1);
    add(counts, before.get(), -1);
  });
}

Worker::CloneCount Worker::OurClones(const std::string& manager_uid) const {
  const tracking::Identity us{settings_.origin, manager_uid};
  return clone_counts_.With([&](const auto& counts) {
    CloneCount ours;
    for (const auto& [maker, count] : counts) {
      if (!tracking::IsOurs(tracking::OwnershipOf(maker, us, {}))) continue;
      ours.all += count.all;
      ours.waiting += count.waiting;
      ours.ended += count.ended;
    }
    return ours;
  });
}

int Worker::waiting_clones(const std::string& manager_uid) const {
  return OurClones(manager_uid).waiting + objects_.clones().own().unseen();
}

int Worker::our_clones(const std::string& manager_uid) const {
  const CloneCount ours = OurClones(manager_uid);
  return ours.all - ours.ended;
}

bool Worker::CanHold(const verify::ClaimSummary& original) const {
  const auto ns = objects_.namespaces().Find({"", original.key.ns});
  return ns != nullptr && !ns->terminating && (ns->admin_access || !original.admin_access) &&
         std::all_of(original.device_classes.begin(), original.device_classes.end(),
                     [&](const std::string& name) {
                       return objects_.classes().Find({"", name}) != nullptr;
                     });
}

verify::WorkerFacts Worker::Facts() const {
  return {.connection = cluster_.state(),
          .capabilities = settings_.capabilities,
          .dra_versions = verify::ServedDraVersions(cluster_.server().get())};
}

}  // namespace fedra::reconcile
