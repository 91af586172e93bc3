#include "manager/report/row_json.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/report/document.h"
#include "manager/report/freshness.h"
#include "manager/report/row_facts.h"
#include "manager/verify/reason_json.h"

namespace fedra::report {
namespace {

using nlohmann::ordered_json;

ordered_json DaemonJson(const Daemon& daemon, const store::HeartbeatRow& row, WallTime now) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - row.at);
  return {{"running", IsRunning(daemon, now)},
          {"ageSeconds", std::max<int64_t>(0, age.count())},
          {"version", row.version},
          {"pid", row.pid},
          {"startedAt", FormatRfc3339(row.started_at)},
          {"order", row.dispatch_order},
          {"restartNeeded", row.restart_needed}};
}

ordered_json NeedsJson(const store::WorkloadRow& row) {
  const std::optional<Needs> known = NeedsOf(row);
  const Needs needs = known.value_or(Needs{});
  return {{"queue", known ? row.queue : ""},
          {"templates", needs.templates},
          {"claims", needs.claims},
          {"pods", needs.pods},
          {"text", NeedsText(row)}};
}

}  // namespace

ordered_json ReplicaJson(const store::HeartbeatRow& row) {
  ordered_json object = {{"role", row.role}, {"identity", row.identity}, {"leader", row.leader}};
  PutTime(object, "leaderSince", row.leader_since);
  object["takeovers"] = row.takeovers;
  if (!row.lead_problem.empty()) object["problem"] = row.lead_problem;
  if (!row.config_differs.empty()) object["configDiffers"] = row.config_differs;
  if (row.role == store::kStandbyRole) PutTime(object, "jobsAsOf", row.decided_at);
  return object;
}

ordered_json Document(std::string_view kind, const Daemon& daemon,
                      const std::optional<store::ClusterRow>& manager, WallTime now) {
  ordered_json document = Document(kind);
  if (!daemon.omitted.empty()) document["omitted"] = daemon.omitted;
  if (daemon.heartbeat) {
    PutTime(document, "asOf", kind == "WorkerReport" ? daemon.heartbeat->at : JobsAsOf(daemon));
    document["daemon"] = DaemonJson(daemon, *daemon.heartbeat, now);
    if (!daemon.heartbeat->role.empty())
      document["daemon"]["replica"] = ReplicaJson(*daemon.heartbeat);
  }
  if (manager) {
    ordered_json& object = document["manager"] = {{"state", manager->phase}};
    PutTime(object, "since", manager->phase_since);
    object["why"] = manager->why;
    verify::PutCapacity(object, CapacityOf(*manager));
  }
  return document;
}

std::string WithoutAges(const std::string& report) {
  ordered_json document = ordered_json::parse(report, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return report;
  document.erase("asOf");
  if (document.contains("daemon")) document["daemon"].erase("ageSeconds");
  if (document.contains("workers"))
    for (ordered_json& worker : document["workers"]) worker.erase("lastContact");
  return document.dump();
}

ordered_json ToJson(const store::WorkloadRow& row) {
  ordered_json object = {{"namespace", row.job.ns},
                         {"name", row.job.name},
                         {"kind", row.job_kind},
                         {"uid", row.uid},
                         {"workload", row.key.name},
                         {"queue", row.queue},
                         {"clusterQueue", row.cluster_queue},
                         {"priority", row.priority},
                         {"state", row.state},
                         {"worker", row.worker.value},
                         {"note", row.note},
                         {"needs", NeedsJson(row)}};
  if (!row.waits_for.empty()) object["waitsFor"] = row.waits_for;
  PutTime(object, "createdAt", row.created_at);
  PutTime(object, "stateSince", row.state_since);
  PutTime(object, "finishedAt", row.finished_at);
  PutTime(object, "removedAt", row.removed_at);
  return object;
}

ordered_json ToJson(const store::VerdictRow& row) {
  ordered_json reasons = ordered_json::array();
  for (const verify::KeptReason& kept : ReasonsOf(row))
    reasons.push_back(verify::ReasonJson(kept.code, kept.reason));
  ordered_json object = {
      {"name", row.cluster.value}, {"verdict", row.outcome}, {"reasons", std::move(reasons)}};
  if (row.pods_wanted > 0) {
    object["podsFitting"] = row.pods_fitting;
    object["podsWanted"] = row.pods_wanted;
  }
  if (row.pods_fitting > 0) {
    // From 1, as the text counts them: the second one is 2.
    ordered_json& numbers = object["alternatives"] = ordered_json::array();
    for (const int index : AlternativesOf(row)) numbers.push_back(index + 1);
    object["headroom"] = row.headroom;
  }
  PutTime(object, "changedAt", row.checked_at);
  return object;
}

ordered_json ToJson(const store::AttemptRow& row) {
  ordered_json object = {{"number", row.number}, {"worker", row.cluster.value}};
  PutTime(object, "startedAt", row.started_at);
  PutTime(object, "endedAt", row.ended_at);
  object["outcome"] = row.outcome;
  object["message"] = row.message;
  return object;
}

ordered_json ToJson(const store::EventRow& row) {
  ordered_json object;
  PutTime(object, "time", row.at);
  object["reason"] = row.reason;
  object["worker"] = row.cluster.value;
  object["message"] = row.message;
  return object;
}

}  // namespace fedra::report
