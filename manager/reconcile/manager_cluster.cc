#include "manager/reconcile/manager_cluster.h"

#include <utility>

#include "base/assert.h"
#include "base/log.h"
#include "base/worker_pool.h"
#include "cluster-clients/kube/resource_name.h"
#include "manager/reconcile/cluster_phase.h"
#include "manager/reconcile/manager_queues.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/manager_name.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"
#include "manager/verify/dra_api.h"

namespace fedra::reconcile {
namespace {

using watch::CacheHealth;

void Ignore(const CacheHealth&) {}

}  // namespace

ManagerCluster::ManagerCluster(ClusterSettings settings, tracking::JobKindsPtr kinds,
                               http::HttpLoop& loop, WorkerPool& pool, const Clock& clock,
                               ManagerListener listener, bool nominates)
    : pool_(pool),
      kinds_(std::move(kinds)),
      listener_(std::move(listener)),
      misconfigured_(std::move(settings.misconfigured)),
      nominates_(nominates),
      workloads_(
          &tracking::ParseWorkload,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            const tracking::Workload& workload = after != nullptr ? *after : *before;
            IndexOwner({workload.requirement.kind, {key.ns, workload.owner.name}}, key, after);
            IndexTemplates(key);
            of_queues_.Update(key, after.get());
            listener_.on_workload(key);
          },
          Ignore, clock),
      jobs_(kinds_->all().size()),
      checks_(
          &tracking::ParseAdmissionCheck,
          [this](const ObjectKey&, const auto&, const auto&) { listener_.on_checks(); }, Ignore),
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
              listener_.on_checks();
          },
          Ignore),
      queues_(
          &tracking::ParseSharedQueue,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            OnQueue(key.name, before, after);
          },
          Ignore),
      local_queues_(
          &verify::ParseLocalQueue,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            const auto weight = [](const auto& queue) {
              return queue == nullptr ? std::nullopt : queue->weight;
            };
            OnLocalQueue(key, weight(before), weight(after));
          },
          Ignore),
      templates_(
          &verify::ParseTemplate,
          [this](const ObjectKey& key, const auto&, const auto&) { listener_.on_template(key); },
          [this](const CacheHealth&) { listener_.on_templates_health(); }),
      cluster_(std::move(settings.name), std::move(settings.access), std::move(settings.options),
               loop, pool, clock,
               /*on_state=*/nullptr, [this] { OnServer(); }) {
  FEDRA_ASSERT(listener_.on_kinds && listener_.on_workload && listener_.on_progress &&
                   listener_.on_checks && listener_.on_worker_cluster && listener_.on_order &&
                   listener_.on_template && listener_.on_template_use &&
                   listener_.on_templates_health,
               "every event must have a listener");
  MakeJobCaches(clock);
  MakeInputs();
}

void ManagerCluster::MakeInputs() {
  inputs_.clear();
  for (ManagerInput& input : ManagerInputs(*kinds_, nullptr, nominates_, discovery_)) {
    const watch::CacheSink& sink = input.sink(*this);
    inputs_.emplace_back(std::move(input), &sink);
  }
}

void ManagerCluster::DiscoverWorkers(Discovery discovery) {
  discovery_ = std::move(discovery);
  for (const std::string& ns : discovery_.profiles_in)
    profiles_.emplace(ns, std::make_unique<watch::ObjectCache<tracking::ClusterProfile>>(
                              &tracking::ParseClusterProfile,
                              [](const ObjectKey&, const auto&, const auto&) {}, Ignore));
  MakeInputs();
}

ManagerCluster::~ManagerCluster() { Stop(); }

std::string ManagerCluster::ClusterQueueOf(const ObjectKey& local_queue) const {
  const auto found = local_queues_.Find(local_queue);
  return found == nullptr ? std::string() : found->cluster_queue;
}

std::optional<double> ManagerCluster::WeightOf(const ObjectKey& local_queue) const {
  const auto found = local_queues_.Find(local_queue);
  return found == nullptr ? std::nullopt : found->weight;
}

void ManagerCluster::Start() {
  if (misconfigured_) cluster_.SetMisconfigured(*misconfigured_);
  cluster_.Start();
}

void ManagerCluster::Stop() {
  cluster_.Stop();  // and with it the call that Identify() may be in
  identifying_.Wait([](bool identifying) { return !identifying; }, [](bool&) {});
}

void ManagerCluster::DropOverdue() {
  for (const ObjectKey& key : workloads_.own().TakeOverdue()) listener_.on_workload(key);
  for (size_t i = 0; i < jobs_.size(); ++i) {
    for (const ObjectKey& key : jobs_[i].cache->own().TakeOverdue()) {
      if (const auto workload = WorkloadOf({kinds_->all()[i]->name(), key}))
        listener_.on_workload(*workload);
    }
  }
}

Result<std::string> ReadClusterUid(Cluster& cluster) {
  FEDRA_ASSIGN_OR_RETURN(const std::string found,
                         cluster.Get(tracking::kNamespaces, {"", kIdentityNamespace}));
  FEDRA_ASSIGN_OR_RETURN(watch::Meta meta, watch::ScanMeta(found));
  return std::move(meta.uid);
}

bool ManagerCluster::IdentifySoon() {
  if (uid_.Copy()) return true;
  if (identifying_.With([](bool& identifying) { return std::exchange(identifying, true); }))
    return false;
  pool_.Submit([this] {
    (void)Identify();  // what waits for it asks again
    identifying_.With([this](bool& identifying) {
      identifying = false;
      identifying_.Notify();  // under the lock: who waits may be about to destroy it
    });
  });
  return false;
}

Result<void> ManagerCluster::Identify() {
  if (uid_.Copy()) return {};
  const Result<std::string> found = ReadClusterUid(cluster_);
  if (!found) {
    if (!IsRefusal(found.error().code)) return Fail(found.error());
    log::Warn(
        "the namespace kube-system of the manager cannot be read: another fedra with the same "
        "origin on the same workers cannot be distinguished (the rule is in "
        "deploy/manager-rbac.yaml)",
        {{"error", found.error().message}});
  }
  uid_.With([&](std::optional<std::string>& known) { known = found.value_or(""); });
  return {};
}

// Our own cluster is trusted with as much as it can hold.
constexpr watch::ListBounds kManagerBounds{.objects = 1'000'000, .bytes = size_t{8} << 30};

bool ManagerCluster::IsRead(const ManagerInput& input) const {
  return input.kind == nullptr || jobs_[kinds_->IndexOf(*input.kind)].used;
}

template <class Visit>
void ManagerCluster::VisitRead(Visit visit) const {
  for (const auto& [input, sink] : inputs_) {
    if (IsRead(input)) visit(input, sink->health());
  }
}

// What is watched as before goes on; only the version of the templates can change, and kinds of
// jobs can be added.
void ManagerCluster::OnServer() {
  const auto server = cluster_.server();
  NoteKinds(server.get());
  for (const ManagerInput& input : ManagerInputs(*kinds_, server.get(), nominates_, discovery_)) {
    if (!IsRead(input)) continue;
    cluster_.Watch({.resource = input.resource,
                    .keeps_unserved = true,
                    .ns = input.ns,
                    .labels = input.labels,
                    .bounds = kManagerBounds},
                   input.sink(*this));
  }
}

bool ManagerCluster::IsListed() const {
  bool listed = true;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    listed = listed && HasAnswered(input, health);
  });
  return listed;
}

bool ManagerCluster::IsListedNow() const {
  bool listed = cluster_.state().phase == ConnectionPhase::kConnected;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    listed = listed && IsListedAnew(input, health);
  });
  return listed;
}

store::ClusterRow ManagerRow(const ConnectionState& state, const std::string& problem,
                             const std::vector<Gap>& gaps, const kube::ServerInfo* server,
                             WallTime now) {
  store::ClusterRow row;
  row.name = ClusterName(std::string(tracking::kManagerName));
  row.position = -1;
  // Connected means usable, as for a worker: not before the lists are complete.
  const bool usable = state.phase == ConnectionPhase::kConnected && problem.empty();
  row.phase = ToString(ClusterPhaseOf(state.phase, usable));
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
  return cluster_.state().phase == ConnectionPhase::kConnected && Problem().empty();
}

store::ClusterRow ManagerCluster::Row(WallTime now) const {
  return ManagerRow(cluster_.state(), Problem(), Gaps(), cluster_.server().get(), now);
}

verify::Capacity ManagerCluster::Queues() const { return CapacityOf(queues_.List()); }

std::string ManagerCluster::Problem() const {
  std::string text;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    if (text.empty() && IsNeeded(input, health)) text = verify::Problem(health, NameOf(input));
  });
  return text;
}

std::vector<Gap> ManagerCluster::Gaps() const {
  std::vector<Gap> gaps;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    if (auto gap = GapOf(input, health)) gaps.push_back(*std::move(gap));
  });
  return gaps;
}

std::vector<Gap> ManagerCluster::TakeNewGaps() {
  std::vector<Gap> fresh;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    auto gap = GapOf(input, health);
    known_gaps_.With([&](std::set<std::string>& known) {
      if (health.IsCurrent()) known.erase(NameOf(input));
      if (gap && known.insert(gap->resource).second) fresh.push_back(*std::move(gap));
    });
  });
  return fresh;
}

}  // namespace fedra::reconcile
