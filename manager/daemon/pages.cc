#include "manager/daemon/pages.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/reconcile/leftovers.h"
#include "manager/version.h"

namespace fedra {
namespace {

// Only what a restart can mend: the store's disk, for one, would stay full.
std::vector<httpd::HealthCheck> Livez(const PageSources& from) {
  return {
      {"progress", from.progress.Hangs() ? "a part of the daemon hangs; the log names it" : ""}};
}

std::vector<httpd::HealthCheck> Readyz(const PageSources& from) {
  const store::StoreStats stats = from.store.Stats();
  std::vector<httpd::HealthCheck> checks{
      {"store", stats.failing ? stats.failing->message : std::string()}};
  const reconcile::Federation& federation = from.federation;
  const reconcile::ManagerCluster& manager = from.federation.manager();
  checks.push_back({"manager", manager.lists().Problem()});
  for (const reconcile::Gap& gap : manager.lists().Gaps())
    checks.push_back({"manager/" + gap.resource, gap.why, true});
  const auto replica = from.replica.Now();
  // Decisions are being made, or could be from one moment to the next.
  const bool is_ready = federation.IsWorking() || federation.IsStandby();
  checks.push_back({replica && !replica->leads ? "standby-warm" : "reconciler",
                    is_ready ? "" : "waits for " + federation.WhyNotReady()});
  checks.push_back({"lease", from.replica.Problem(), true});
  const std::string differs = from.replica.ConfigDifference();
  checks.push_back(
      {"same-configuration", differs.empty() ? "" : "not the leader's in " + differs, true});
  const auto workers = federation.workers();
  for (const auto& worker : *workers)
    checks.push_back({"worker/" + worker->name().value, worker->Problem(), true});
  return checks;
}

// When the worker was last in contact; nothing: never, as far as is known.
std::optional<WallTime> LastContact(const reconcile::WorkerStatus& status, WallTime now) {
  return status.contact == placement::Contact::kFull ? now : status.lost_since;
}

std::vector<metrics::ClusterGauges> GaugesOf(reconcile::Federation& federation) {
  std::vector<metrics::ClusterGauges> clusters;
  const WallTime now = SystemClock().Now();
  // Before the manager is listed every copy would be an orphan.
  const bool is_listed = federation.IsWorking() || federation.IsStandby();
  const reconcile::ManagerCluster& manager = federation.manager();
  const auto workers = federation.workers();
  const tracking::Identity us = federation.Us();
  const auto lines = federation.LinesNow();
  for (const auto& worker : *workers) {
    const auto line = lines.find(worker->name());
    const placement::LineFacts facts = line == lines.end() ? placement::LineFacts{} : line->second;
    const reconcile::CloneCount clones = worker->copies().ClonesOf(us);
    const reconcile::WorkerStatus status = worker->Status();
    clusters.push_back({.name = worker->name(),
                        .is_up = status.contact == placement::Contact::kFull,
                        .clones = clones.all - clones.ended,
                        .in_line = facts.length,
                        .head_waits = facts.head_waits,
                        .last_contact = LastContact(status, now)});
    if (is_listed) {
      clusters.back().orphans = reconcile::CountOrphans(*worker, manager.jobs(), us);
      if (clusters.back().is_up)
        clusters.back().template_drift = reconcile::CountDrift(*worker, manager.templates());
    }
    const verify::DeviceState* devices = worker->objects().devices();
    if (devices != nullptr && clusters.back().is_up) clusters.back().devices = devices->Stock();
  }
  return clusters;
}

std::string MetricsPage(const PageSources& from) {
  metrics::Metrics& metrics = from.metrics;
  reconcile::Federation& federation = from.federation;
  metrics.SetManager(federation.manager().IsUsable());
  metrics.SetLeader(ToGauges(from.replica));
  metrics.SetClusters(GaugesOf(federation));
  // A standby's wait for it to lead.
  metrics.SetQueueDepth(federation.IsWorking() ? federation.queue_depth() : 0);
  metrics.SetThreads(federation.threads_busy(), federation.threads_waiting());
  metrics.SetEventsDropped(federation.events_dropped());
  for (const auto& [kind_and_phase, count] : federation.WorkloadsByPhase())
    metrics.SetWorkloads(kind_and_phase.first, kind_and_phase.second, count);
  metrics.SetBlocked(federation.BlockedByReason());
  const store::StoreStats stats = from.store.Stats();
  metrics.SetStoreSize(stats.file_bytes + stats.wal_bytes);
  if (const auto process = metrics::ReadProcessStats()) metrics.SetProcess(*process);
  return metrics.Text();
}

}  // namespace

httpd::Pages DaemonPages(const PageSources& from, std::string listener) {
  return {
      .livez = [from] { return Livez(from); },
      .readyz = [from] { return Readyz(from); },
      .metrics = [from] { return MetricsPage(from); },
      .version =
          [] { return nlohmann::json{{"version", kVersion}, {"commit", kCommit}}.dump() + "\n"; },
      .on_answer = [from, listener = std::move(listener)](
                       std::string_view page,
                       int status) { from.metrics.Answered(listener, page, status); }};
}

}  // namespace fedra
