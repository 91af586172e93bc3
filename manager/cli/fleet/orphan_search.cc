#include "manager/cli/fleet/orphan_search.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/cli/judged/connect_error.h"
#include "manager/reconcile/manager_cluster.h"
#include "manager/reconcile/remove_copy.h"
#include "manager/tracking/resources.h"
#include "manager/wiring.h"
#include "verdict/reason_text.h"

namespace fedra::cli {
namespace {

using verify::Cache;

template <class T>
std::unique_ptr<Cache<T>> MakeCache(typename Cache<T>::Parser parser, FleetSignal& signal) {
  return std::make_unique<Cache<T>>(
      std::move(parser), [](const ObjectKey&, const auto&, const auto&) {},
      [&signal](const watch::CacheHealth&) { signal.Raise(); });
}

}  // namespace

// What is listed of one cluster; of the manager its Workloads only.
struct OrphanSearch::Listed {
  std::unique_ptr<Cache<tracking::Workload>> workloads;
  struct OfKind {
    const tracking::JobAdapter* kind = nullptr;
    std::unique_ptr<Cache<tracking::Job>> cache;
    std::atomic<bool> is_listed = false;  // the worker serves the kind
  };
  std::vector<std::unique_ptr<OfKind>> jobs;
};

OrphanSearch::OrphanSearch(const config::Loaded& loaded, std::chrono::milliseconds timeout,
                           const Terminal& terminal)
    : kinds_(ToKinds(loaded.configuration)), us_(ToIdentity(loaded.configuration)) {
  clusters_.push_back(ToManager(loaded));
  for (auto& worker : ToWorkers(loaded)) clusters_.push_back(std::move(worker.cluster));
  for (size_t i = 0; i < clusters_.size(); ++i) {
    Listed listed;
    listed.workloads = MakeCache<tracking::Workload>(&tracking::ParseClone, signal_);
    for (const tracking::JobAdapter* kind : kinds_->all()) {
      if (i == 0) break;
      auto jobs = std::make_unique<Listed::OfKind>();
      jobs->kind = kind;
      jobs->cache = MakeCache<tracking::Job>(
          [kind](const nlohmann::json& object) { return kind->Parse(object); }, signal_);
      listed.jobs.push_back(std::move(jobs));
    }
    listed_.push_back(std::move(listed));
  }
  live_ = std::make_unique<LiveFleet>(
      clusters_, [this](size_t i, const kube::ServerInfo* server) { return Feeds(i, server); },
      [this](size_t i) { return IsListing(i); }, signal_);
  live_->Wait(timeout, terminal);
  if (!ProblemOf(0).empty()) return;
  const Result<std::string> uid = reconcile::ReadClusterUid(live_->cluster(0));
  if (!uid) nameless_ = ToString(uid.error());
  us_ = IdentityOf(ToIdentity(loaded.configuration), uid);
}

OrphanSearch::~OrphanSearch() = default;

std::string OrphanSearch::Problem() const {
  if (std::string problem = ProblemOf(0); !problem.empty())
    return "without the manager's Workloads nothing can be said: " + problem;
  if (us_) return {};
  return "another manager's copies cannot be told from ours: " + ToString(us_.error());
}

std::vector<verify::Input> OrphanSearch::Feeds(size_t cluster, const kube::ServerInfo* server) {
  Listed& listed = listed_[cluster];
  std::vector<verify::Input> feeds = {{tracking::kWorkloads, listed.workloads.get()}};
  for (const auto& jobs : listed.jobs) {
    const kube::Resource& resource = jobs->kind->resource();
    jobs->is_listed = jobs->is_listed || (server != nullptr && server->Serves(resource));
    if (jobs->is_listed) feeds.push_back({resource, jobs->cache.get()});
  }
  return feeds;
}

bool OrphanSearch::IsListing(size_t cluster) const {
  bool any = listed_[cluster].workloads->health().IsListing();
  for (const auto& jobs : listed_[cluster].jobs)
    any |= jobs->is_listed && jobs->cache->health().IsListing();
  return any;
}

std::string OrphanSearch::ProblemOf(size_t cluster) const {
  const ConnectionState state = live_->state(cluster);
  if (state.phase != ConnectionPhase::kConnected)
    return verdict::MessageOf(NotReached(state, live_->waited()));
  std::string problem;
  const auto look = [&](const auto& cache, const std::string& what) {
    const watch::CacheHealth health = cache.health();
    const bool absent = health.state == watch::CacheState::kNotServed && cluster > 0;
    if (!problem.empty() || health.complete || absent) return;
    problem = fmt::format("{} cannot be listed: {}", what,
                          health.error ? health.error->message : "no answer in time");
  };
  look(*listed_[cluster].workloads, "workloads.kueue.x-k8s.io");
  for (const auto& jobs : listed_[cluster].jobs) {
    if (jobs->is_listed) look(*jobs->cache, jobs->kind->resource().plural);
  }
  return problem;
}

OrphanGaps OrphanSearch::Gaps() const {
  OrphanGaps gaps;
  if (!nameless_.empty())
    gaps.left_out = "copies that name their manager are left out: " + nameless_;
  for (size_t i = 1; i < clusters_.size(); ++i) {
    const std::string problem = ProblemOf(i);
    if (!problem.empty()) gaps.workers.push_back({clusters_[i].name.value, problem});
  }
  return gaps;
}

LivingWorkloads OrphanSearch::Living() const {
  LivingWorkloads living;
  for (const auto& workload : listed_[0].workloads->List())
    living.emplace(workload->key, workload->uid);
  return living;
}

Result<bool> OrphanSearch::IsDead(const Orphan& orphan) {
  if (orphan.workload.name.empty()) return true;
  const auto found = live_->cluster(0).Get(tracking::kWorkloads, orphan.workload);
  if (!found) {
    if (found.error().code == ErrorCode::kNotFound) return true;
    return Fail(found.error());
  }
  FEDRA_ASSIGN_OR_RETURN(const watch::Meta meta, watch::ScanMeta(*found));
  return IsOrphanBeside(orphan, *us_, meta.uid);
}

std::vector<Orphan> OrphanSearch::Find() {
  const LivingWorkloads living = Living();
  std::vector<Orphan> orphans;
  for (size_t i = 1; i < clusters_.size(); ++i) {
    RemoteObjects remote{clusters_[i].name, listed_[i].workloads->List(), {}};
    for (const auto& jobs : listed_[i].jobs)
      std::ranges::move(jobs->cache->List(), std::back_inserter(remote.jobs));
    for (Orphan& orphan : FindOrphans(remote, *us_, living)) {
      // Unknown counts as alive: nothing is called an orphan by mistake.
      if (IsDead(orphan).value_or(false)) orphans.push_back(std::move(orphan));
    }
  }
  return orphans;
}

Cluster& OrphanSearch::Of(const ClusterName& worker) {
  const auto found = std::find_if(clusters_.begin() + 1, clusters_.end(),
                                  [&](const auto& each) { return each.name == worker; });
  // Never the manager: what is an orphan on a worker is the original here.
  FEDRA_ASSERT(found != clusters_.end(), "an orphan was found on a worker");
  return live_->cluster(static_cast<size_t>(found - clusters_.begin()));
}

Result<void> OrphanSearch::Delete(const Orphan& orphan) {
  FEDRA_ASSIGN_OR_RETURN(const bool dead, IsDead(orphan));
  if (!dead) return Fail(ErrorCode::kConflict, "its workload exists again; not deleted");
  Cluster& cluster = Of(orphan.worker);
  // It has changed since it was listed: its job was removed just before.
  if (orphan.adapter == nullptr)
    return reconcile::RemoveClone(cluster, orphan.clone, /*only_if=*/{});
  return reconcile::RemoveJob(cluster, *orphan.job, /*only_if=*/{});
}

}  // namespace fedra::cli
