#include "manager/reconcile/manager_cluster.h"

#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/log.h"
#include "base/worker_pool.h"
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
using watch::CacheState;

void Ignore(const CacheHealth&) {}

// Without another kind of job fedra runs Jobs nevertheless.
bool IsWithheld(const CacheHealth& health) {
  return health.state == CacheState::kForbidden || health.state == CacheState::kNotServed;
}

}  // namespace

ManagerCluster::ManagerCluster(ClusterSettings settings, tracking::JobKindsPtr kinds,
                               http::HttpLoop& loop, WorkerPool& pool, const Clock& clock,
                               ManagerListener listener)
    : pool_(pool),
      kinds_(std::move(kinds)),
      listener_(std::move(listener)),
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
                   listener_.on_checks && listener_.on_order && listener_.on_template &&
                   listener_.on_template_use && listener_.on_templates_health,
               "every event must have a listener");
  MakeJobCaches(clock);
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

void ManagerCluster::Start() { cluster_.Start(); }
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
        "origin on the same workers is not told apart (the rule is in deploy/manager-rbac.yaml)",
        {{"error", found.error().message}});
  }
  uid_.With([&](std::optional<std::string>& known) { known = found.value_or(""); });
  return {};
}

// Our own cluster is trusted with as much as it can hold.
constexpr watch::ListBounds kManagerBounds{.objects = 1'000'000, .bytes = size_t{8} << 30};

std::vector<ManagerInput> ManagerInputs(const kube::ServerInfo* server) {
  using Manager = ManagerCluster;
  return {
      {tracking::kWorkloads, [](Manager& m) -> auto& { return m.workloads_.cache(); }},
      {tracking::kAdmissionChecks, [](Manager& m) -> auto& { return m.checks_; }},
      {tracking::kMultiKueueConfigs, [](Manager& m) -> auto& { return m.configs_; }},
      {tracking::kClusterQueues, [](Manager& m) -> auto& { return m.queues_; }},
      {tracking::kLocalQueues, [](Manager& m) -> auto& { return m.local_queues_; }},
      {verify::InVersion(tracking::kTemplates, verify::DraVersion(server)),
       [](Manager& m) -> auto& { return m.templates_; }},
  };
}

// What is watched as before goes on; only the version of the templates can change, and kinds of
// jobs can be added.
void ManagerCluster::OnServer() {
  NoteKinds(cluster_.server().get());
  const auto watch = [&](const kube::Resource& resource, watch::CacheSink& sink) {
    cluster_.Watch({.resource = resource, .keeps_unserved = true, .bounds = kManagerBounds}, sink);
  };
  for (const ManagerInput& input : ManagerInputs(cluster_.server().get()))
    watch(input.resource, input.sink(*this));
  for (size_t i = 0; i < jobs_.size(); ++i) {
    if (!jobs_[i].used) continue;
    watch(kinds_->all()[i]->resource(), jobs_[i].cache->cache());
    for (const auto& [resource, sink] : jobs_[i].references->Inputs()) watch(resource, *sink);
  }
}

bool ManagerCluster::IsListed() const {
  bool listed = workloads_.cache().health().complete && checks_.health().complete;
  for (size_t i = 0; i < jobs_.size(); ++i) {
    const CacheHealth health = jobs_[i].cache->cache().health();
    if (jobs_[i].used) listed &= health.complete || (i > 0 && IsWithheld(health));
  }
  // MultiKueueConfigs are optional: a Kueue without them does not serve the kind. ClusterQueues and
  // LocalQueues say in which order and with which shares jobs are dispatched; they may be withheld.
  const auto answered = [](const CacheHealth& health) {
    return health.complete || health.state == CacheState::kNotServed ||
           health.state == CacheState::kForbidden;
  };
  return listed && answered(configs_.health()) && answered(queues_.health()) &&
         answered(local_queues_.health());
}

store::ClusterRow ManagerRow(const ConnectionState& state, const std::string& problem,
                             const kube::ServerInfo* server, WallTime now) {
  store::ClusterRow row;
  row.name = ClusterName(std::string(tracking::kManagerName));
  row.position = -1;
  // Connected means usable, as for a worker: not before the lists are complete.
  const bool usable = state.phase == ConnectionPhase::kConnected && problem.empty();
  row.phase = ToString(ClusterPhaseOf(state.phase, usable));
  row.phase_since = state.since;
  row.why = usable ? "" : state.why ? state.why->message : problem;
  if (usable) row.last_contact = now;
  if (server != nullptr) row.kubernetes_version = server->git_version;
  row.updated_at = now;
  return row;
}

bool ManagerCluster::IsUsable() const {
  return cluster_.state().phase == ConnectionPhase::kConnected && Problem().empty();
}

store::ClusterRow ManagerCluster::Row(WallTime now) const {
  return ManagerRow(cluster_.state(), Problem(), cluster_.server().get(), now);
}

verify::Capacity ManagerCluster::Queues() const { return CapacityOf(queues_.List()); }

std::string ManagerCluster::Problem() const {
  std::string text = verify::Problem(workloads_.cache().health(), "workloads");
  if (text.empty()) text = verify::Problem(checks_.health(), "admissionchecks");
  if (text.empty() && configs_.health().state != CacheState::kNotServed)
    text = verify::Problem(configs_.health(), "multikueueconfigs");
  for (size_t i = 0; text.empty() && i < jobs_.size(); ++i) {
    const CacheHealth health = jobs_[i].cache->cache().health();
    if (jobs_[i].used && !(i > 0 && IsWithheld(health)))
      text = verify::Problem(health, kinds_->all()[i]->resource().plural);
  }
  return text;
}

}  // namespace fedra::reconcile
