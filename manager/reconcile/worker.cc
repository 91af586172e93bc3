#include "manager/reconcile/worker.h"

#include <utility>

#include "base/assert.h"

namespace fedra::reconcile {
namespace {

using placement::Contact;
using watch::CacheHealth;
using watch::CacheState;

// From the begin of a connection to the answers to all lists.
constexpr std::chrono::minutes kLongestResync{2};

// Without them no pod is seen.
AssumeCache::Pods PodsThere(const verify::DeviceState* devices) {
  if (devices == nullptr) {
    return {.version = [] { return uint64_t{0}; },
            .holding = [](const tracking::JobKey&) { return verify::PodCounts(); }};
  }
  return {
      .version = [devices] { return devices->pods().version(); },
      .holding = [devices](const tracking::JobKey& job) { return devices->pods().Holding(job); }};
}

AssumedQuota::Queues QueuesThere(const verify::WorkerObjects& objects) {
  return {
      .behind =
          [&objects](const ObjectKey& local_queue) {
            const auto queue = objects.queues().Find(local_queue);
            return queue == nullptr ? std::string() : queue->cluster_queue;
          },
      .find =
          [&objects](const std::string& cluster_queue) {
            return objects.cluster_queues().Find({"", cluster_queue});
          },
      .is_device =
          [&objects](const std::string& resource) { return verify::DevicesOf(objects)(resource); }};
}

}  // namespace

Worker::Worker(WorkerSettings settings, http::HttpLoop& loop, WorkerPool& pool, const Clock& clock,
               WorkerListener listener)
    : settings_(std::move(settings)),
      clock_(clock),
      listener_(std::move(listener)),
      access_({settings_.cluster.access, settings_.cluster.misconfigured
                                             ? settings_.cluster.misconfigured->message
                                             : std::string()}),
      outage_(settings_.lost_since, settings_.keeps_rejected, clock),
      copies_({.on_workload = listener_.on_workload,
               .on_job = listener_.on_job,
               .on_progress = listener_.on_progress}),
      objects_(settings_.verified, ForObjects(), clock),
      assumed_(PodsThere(objects_.devices()), clock, QueuesThere(objects_)),
      kinds_(cluster_, objects_, clock),
      cluster_(
          settings_.cluster.name, settings_.cluster.access, settings_.cluster.options, loop, pool,
          clock, [this](const ConnectionState& state) { OnState(state); },
          [this] { kinds_.OnServer(); }) {
  NotePhase();
  FEDRA_ASSERT(listener_.on_workload && listener_.on_job && listener_.on_progress &&
                   listener_.on_input && listener_.on_contact,
               "every event must have a listener");
}

verify::WorkerObjectsListener Worker::ForObjects() {
  const auto on_clone = [this](const ObjectKey& key, const auto& before, const auto& after) {
    copies_.OnClone(key, before.get(), after.get());
  };
  const auto on_job = [this](const tracking::JobAdapter& kind, const ObjectKey& key,
                             const auto& before, const auto& after) {
    copies_.OnJob({kind.name(), key}, before.get(), after.get());
  };
  return {.on_clone = on_clone,
          .on_job = on_job,
          .on_input =
              [this](const InputChange& change) {
                if (change.kind == InputChange::Kind::kQueue) assumed_.OnQueue(change.key);
                listener_.on_input(*this, change);
              },
          .on_cluster_queue = [this](const std::string& name) { assumed_.OnClusterQueue(name); },
          .on_health = [this] { OnHealth(); }};
}

Worker::~Worker() { Stop(); }

void Worker::Start() {
  if (settings_.cluster.misconfigured) cluster_.SetMisconfigured(*settings_.cluster.misconfigured);
  cluster_.Start();
}

void Worker::Stop() { cluster_.Stop(); }

std::weak_ptr<const void> Worker::RelistCopies() {
  return cluster_.Relist(
      [this](const watch::CacheSink& sink) { return objects_.IsOfCopies(sink); });
}

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
  // Every cluster serves batch/v1. What is wrong with another kind concerns its jobs only.
  const CacheState jobs = objects_.jobs(*objects_.kinds().all().front()).cache().health().state;
  if (jobs != CacheState::kNotServed) look(jobs);
  if (!readable) return Contact::kNone;
  return synced ? Contact::kFull : Contact::kSyncing;
}

Readability Worker::Readable() const {
  const ConnectionState connection = cluster_.state();
  Readability now{.contact = ContactOver(connection),
                  .phase = {connection.phase, connection.since},
                  .why = connection.why ? connection.why->message : std::string(),
                  .lists = {}};
  for (const verify::NamedHealth& list : objects_.Healths()) {
    const watch::CacheHealth& health = list.health;
    now.lists.push_back({health.state, health.since,
                         health.error == nullptr ? std::string() : health.error->message});
  }
  return now;
}

bool Worker::HasAnswered() const { return HasAnsweredOver(cluster_.state()); }

bool Worker::HasAnsweredOver(const ConnectionState& connection) const {
  if (connection.phase != ConnectionPhase::kConnected)
    return connection.phase != ConnectionPhase::kConnecting;
  return !objects_.IsListing();
}

WorkerStatus Worker::Status() const { return StatusOver(cluster_.state()); }

WorkerLook Worker::Look(const tracking::JobAdapter* kind) const {
  const ConnectionState connection = cluster_.state();
  return {.status = StatusOver(connection),
          .kind = kinds_.StatusOf(kind),
          .facts = FactsOver(connection)};
}

WorkerStatus Worker::StatusOver(ConnectionState connection) const {
  WorkerStatus status;
  status.connection = std::move(connection);
  status.contact = ContactOver(status.connection);
  status.answered = HasAnsweredOver(status.connection);
  if (!status.answered) {
    const PhaseBegin begin = phase_begin_.Copy();
    // Entered this moment: OnState is about to come.
    const bool is_new = begin.since != status.connection.since;
    status.resyncing = is_new || clock_.Steady() - begin.at < kLongestResync;
  }
  if (status.contact == Contact::kFull) return status;
  status.fault_is_ours = IsOurFault(status.connection);
  status.keeps_jobs = outage_.KeepsJobs(status.connection);
  status.lost_since = outage_.Since(status.connection);
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
  outage_.Update([this]() -> WorkerOutage::Sight {
    const ConnectionState connection = cluster_.state();
    return {connection, ContactOver(connection) == Contact::kFull};
  });
}

void Worker::DropOverdue() {
  UpdateLoss();
  for (const ObjectKey& key : objects_.clones().own().TakeOverdue()) listener_.on_workload(key);
  for (const tracking::JobAdapter* kind : objects_.kinds().all()) {
    for (const ObjectKey& key : objects_.jobs(*kind).own().TakeOverdue())
      listener_.on_job({kind->name(), key});
  }
  for (const ObjectKey& key : objects_.templates().own().TakeOverdue())
    listener_.on_input(*this, {verify::InputChange::Kind::kTemplate, key});
}

int Worker::waiting_clones(const tracking::Identity& us) const {
  return copies_.ClonesOf(us).waiting + objects_.clones().own().unseen();
}

verify::WorkerFacts Worker::Facts() const { return FactsOver(cluster_.state()); }

verify::WorkerFacts Worker::FactsOver(ConnectionState connection) const {
  return {.connection = std::move(connection),
          .capabilities = settings_.capabilities,
          .dra_versions = verify::ServedDraVersions(cluster_.server().get())};
}

}  // namespace fedra::reconcile
