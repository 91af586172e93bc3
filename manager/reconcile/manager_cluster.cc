#include "manager/reconcile/manager_cluster.h"

#include <utility>

#include "base/assert.h"
#include "manager/tracking/manager_name.h"
#include "manager/verify/cluster_phase.h"

namespace fedra::reconcile {
namespace {

using watch::CacheHealth;

// Our own cluster is trusted with as much as it can hold.
constexpr watch::ListBounds kManagerBounds{.objects = 1'000'000, .bytes = size_t{8} << 30};

void Ignore(const CacheHealth&) {}

}  // namespace

ManagerCluster::ManagerCluster(ClusterSettings settings, tracking::JobKindsPtr kinds,
                               http::HttpLoop& loop, WorkerPool& pool, const Clock& clock,
                               ManagerListener listener, bool nominates)
    : listener_(std::move(listener)),
      misconfigured_(std::move(settings.misconfigured)),
      nominates_(nominates),
      jobs_(std::move(kinds), clock, ForJobs()),
      queues_({.on_order = listener_.on_order, .on_queue_checks = listener_.on_queue_checks}),
      templates_(
          jobs_,
          {.on_template = [this](const ObjectKey& key) { listener_.on_template(key); },
           .on_template_use = [this](const ObjectKey& key) { listener_.on_template_use(key); },
           .on_templates_health = [this] { listener_.on_templates_health(); }}),
      checks_(
          &tracking::ParseAdmissionCheck,
          [this](const ObjectKey&, const auto& before, const auto& after) {
            const bool is_other =
                before == nullptr || after == nullptr || !tracking::AskTheSame(*before, *after);
            is_other ? listener_.on_checks() : listener_.on_check_status();
          },
          Ignore),
      configs_(
          &tracking::ParseMultiKueueConfig,
          [this](const ObjectKey&, const auto&, const auto&) { listener_.on_checks(); },
          [this](const CacheHealth&) { listener_.on_checks(); }),
      worker_clusters_(
          &tracking::ParseMultiKueueCluster,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            listener_.on_worker_cluster(key.name);
            // Kueue counts its attempts in the condition.
            const auto is_active = [](const auto& cluster) {
              return cluster != nullptr && cluster->active.condition &&
                     cluster->active.condition->is_true;
            };
            const bool is_other = (before == nullptr) != (after == nullptr);
            if (nominates_ && (is_other || is_active(before) != is_active(after)))
              listener_.on_kueue_reach(ClusterName(key.name));
          },
          Ignore),
      records_(
          &tracking::ParseRecordObject, [](const ObjectKey&, const auto&, const auto&) {}, Ignore,
          clock),
      lists_([this](const ManagerInput& input) { return IsRead(input); }),
      cluster_(std::move(settings.name), std::move(settings.access), std::move(settings.options),
               loop, pool, clock,
               /*on_state=*/nullptr, [this] { OnServer(); }),
      identity_(cluster_, pool) {
  FEDRA_ASSERT(listener_.on_kinds && listener_.on_workload && listener_.on_progress &&
                   listener_.on_siblings && listener_.on_checks && listener_.on_check_status &&
                   listener_.on_worker_cluster && listener_.on_kueue_reach && listener_.on_order &&
                   listener_.on_queue_checks && listener_.on_template &&
                   listener_.on_template_use && listener_.on_templates_health,
               "every event must have a listener");
  MakeLists();
}

ManagerJobsListener ManagerCluster::ForJobs() {
  return {.on_kinds = listener_.on_kinds,
          .on_workload = listener_.on_workload,
          .on_progress = listener_.on_progress,
          .on_siblings = listener_.on_siblings,
          .on_object =
              [this](const ObjectKey& key, const tracking::Workload* now) {
                templates_.Index(key);
                queues_.Update(key, now);
              },
          .on_asks = [this](const ObjectKey& key) { templates_.Index(key); },
          .on_references = listener_.on_checks};
}

ManagerSinks ManagerCluster::Sinks() {
  return {
      .jobs = jobs_,
      .queues = queues_,
      .templates = templates_,
      .checks = checks_,
      .configs = configs_,
      .worker_clusters = worker_clusters_,
      .profiles = [this](const std::string& ns) -> watch::CacheSink& { return *profiles_.at(ns); },
      .records = records_.cache()};
}

std::vector<ManagerInput> ManagerCluster::Inputs(const kube::ServerInfo* server) const {
  return ManagerInputs(jobs_.kinds(), server, nominates_, discovery_, reads_records_);
}

void ManagerCluster::MakeLists() {
  const ManagerSinks sinks = Sinks();
  std::vector<ManagerLists::List> lists;
  for (ManagerInput& input : Inputs(nullptr)) {
    const watch::CacheSink& sink = input.sink(sinks);
    lists.push_back({std::move(input), &sink});
  }
  lists_.Set(std::move(lists));
}

void ManagerCluster::DiscoverWorkers(Discovery discovery) {
  discovery_ = std::move(discovery);
  for (const std::string& ns : discovery_.profiles_in)
    profiles_.emplace(ns, std::make_unique<watch::ObjectCache<tracking::ClusterProfile>>(
                              &tracking::ParseClusterProfile,
                              [](const ObjectKey&, const auto&, const auto&) {}, Ignore));
  MakeLists();
}

void ManagerCluster::ReadRecords() {
  reads_records_ = true;
  MakeLists();
}

ManagerCluster::~ManagerCluster() { Stop(); }

void ManagerCluster::Start() {
  if (misconfigured_) cluster_.SetMisconfigured(*misconfigured_);
  cluster_.Start();
}

void ManagerCluster::Stop() {
  cluster_.Stop();  // and with it the call that Identify() may be in
  identity_.Wait();
}

std::weak_ptr<const void> ManagerCluster::Relist() {
  return cluster_.Relist([this](const watch::CacheSink& sink) { return lists_.IsAwaited(sink); });
}

void ManagerCluster::DropOverdue() {
  for (const ObjectKey& key : jobs_.TakeOverdue()) listener_.on_workload(key);
  // They have the names of their Workloads.
  for (const ObjectKey& key : records_.own().TakeOverdue()) listener_.on_workload(key);
}

bool ManagerCluster::IsRead(const ManagerInput& input) const {
  return input.kind == nullptr || jobs_.IsInUse(*input.kind);
}

// What is watched as before goes on; only the version of the templates can change, and kinds of
// jobs can be added.
void ManagerCluster::OnServer() {
  const auto server = cluster_.server();
  jobs_.NoteKinds(server.get());
  const ManagerSinks sinks = Sinks();
  for (const ManagerInput& input : Inputs(server.get())) {
    if (!IsRead(input)) continue;
    cluster_.Watch({.resource = input.resource,
                    .keeps_unserved = true,
                    .ns = input.ns,
                    .labels = input.labels,
                    .bounds = kManagerBounds},
                   input.sink(sinks));
  }
}

bool ManagerCluster::IsListedNow() const {
  return cluster_.state().phase == ConnectionPhase::kConnected && lists_.AreListedAnew();
}

store::ClusterRow ManagerRow(const ConnectionState& state, const std::string& problem,
                             const std::vector<Gap>& gaps, const kube::ServerInfo* server,
                             WallTime now) {
  store::ClusterRow row;
  row.name = ClusterName(std::string(tracking::kManagerName));
  row.position = -1;
  // Connected means usable, as for a worker: not before the lists are complete.
  const bool usable = state.phase == ConnectionPhase::kConnected && problem.empty();
  row.phase = ToString(verify::ClusterPhaseOf(state.phase, usable));
  row.phase_since = state.since;
  if (usable) {
    row.last_contact = now;
    for (const Gap& gap : gaps) row.why += (row.why.empty() ? "" : "; ") + gap.why;
  } else {
    row.why = state.why ? state.why->message : problem;
  }
  if (server != nullptr) row.kubernetes_version = server->git_version;
  row.updated_at = now;
  return row;
}

bool ManagerCluster::IsUsable() const {
  return cluster_.state().phase == ConnectionPhase::kConnected && lists_.Problem().empty();
}

store::ClusterRow ManagerCluster::Row(WallTime now) const {
  return ManagerRow(cluster_.state(), lists_.Problem(), lists_.Gaps(), cluster_.server().get(),
                    now);
}

}  // namespace fedra::reconcile
