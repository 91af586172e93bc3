#pragma once
//
// A fleet to render: two connected workers and a lost one; jobs in every state. Times are relative
// to kNow.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manager/report/row_facts.h"
#include "manager/report/status_model.h"

namespace fedra::report {

inline constexpr WallTime kNow{
    std::chrono::milliseconds(1'795'277'479'000)};  // 2026-11-21T16:11:19Z

inline WallTime Ago(std::chrono::seconds age) { return kNow - age; }

inline store::HeartbeatRow Beat(std::chrono::seconds age) {
  return {Ago(age), 4711, "0.1.0", Ago(std::chrono::hours(76))};
}

inline store::ClusterRow Worker(const std::string& name, int position, const std::string& version) {
  store::ClusterRow row;
  row.name = ClusterName(name);
  row.position = position;
  row.phase = "Connected";
  row.phase_since = Ago(std::chrono::hours(76));
  row.last_contact = Ago(std::chrono::seconds(1));
  row.kubernetes_version = version;
  row.dra_version = "v1";
  row.updated_at = kNow;
  return row;
}

inline store::ClusterRow LostWorker(const std::string& name, int position,
                                    std::chrono::seconds since) {
  store::ClusterRow row;
  row.name = ClusterName(name);
  row.position = position;
  row.phase = "Unreachable";
  row.phase_since = Ago(since);
  row.lost_since = Ago(since);
  row.last_contact = Ago(since);
  row.why = "connection refused";
  return row;
}

inline store::WorkloadRow Job(const std::string& name, const std::string& state,
                              const std::string& worker, std::chrono::seconds age) {
  store::WorkloadRow row;
  row.uid = "uid-" + name;
  row.key = {"ml", "job-" + name + "-1a2b3"};
  row.job_kind = "Job";
  row.job = {"ml", name};
  row.queue = "gpu";
  row.state = state;
  row.worker = ClusterName(worker);
  row.needs_json = R"({"claims":[],"pods":2,"templates":["one-gpu"]})";
  row.created_at = Ago(age);
  row.state_since = Ago(age);
  row.updated_at = kNow;
  return row;
}

inline store::VerdictRow No(const std::string& job, const std::string& worker,
                            const std::string& code, const std::string& object,
                            const std::string& message) {
  return {"uid-" + job,
          ClusterName(worker),
          "No",
          R"([{"code":")" + code + R"(","object":")" + object +
              R"(","facts":{"type":"Sentence","text":")" + message + R"("}}])",
          0,
          2,
          Ago(std::chrono::minutes(4))};
}

// ml/sweep-3: the template is missing on two workers, the third cannot be asked.
inline std::vector<store::VerdictRow> SweepVerdicts() {
  const std::string object = "ResourceClaimTemplate ml/one-gpu";
  std::vector<store::VerdictRow> rows = {
      No("sweep-3", "gpu-east", "TemplateMissing", object, object + " does not exist there"),
      No("sweep-3", "gpu-west", "TemplateMissing", object, object + " does not exist there"),
      No("sweep-3", "tpu-lab", "ClusterUnreachable", "",
         "no contact for 4m10s (connection refused)")};
  rows.back().outcome = "Unknown";
  return rows;
}

// What a store has of a fleet and its jobs; tests/unit/manager/report/stored.h has it loaded.
struct FleetRows {
  Daemon daemon = {};
  std::optional<store::ClusterRow> manager = {};
  std::vector<store::ClusterRow> clusters = {};
  std::vector<store::WorkloadRow> workloads = {};
  std::vector<store::VerdictRow> verdicts = {};
  std::vector<store::PlaceRow> places = {};
  std::vector<store::ResidueRow> residues = {};
  std::vector<store::AttemptRow> attempts = {};
};

// WorkloadRow::reasons, as the daemon writes them, of a workload with these verdicts.
inline std::vector<std::string> CodesIn(const std::vector<store::VerdictRow>& verdicts,
                                        const std::string& uid) {
  std::set<std::string> codes;
  for (const store::VerdictRow& verdict : verdicts) {
    if (verdict.uid != uid) continue;
    for (const verify::KeptReason& reason : ReasonsOf(verdict)) codes.insert(reason.code);
  }
  return {codes.begin(), codes.end()};
}

inline FleetRows FleetStatus() {
  FleetRows data;
  data.daemon.heartbeat = Beat(std::chrono::seconds(2));
  data.clusters = {Worker("gpu-east", 0, "1.36.3"), Worker("gpu-west", 1, "1.35.4"),
                   LostWorker("tpu-lab", 2, std::chrono::seconds(250))};
  data.clusters[0].capacity_json =
      R"({"queues":{"total":2,"active":2},"devices":{"published":8,"inUse":3},)"
      R"("quota":[{"clusterQueue":"gpu","flavor":"f","resource":"example.com/gpu","nominal":"8",)"
      R"("reserved":"6"}]})";
  data.workloads = {Job("done", "Finished", "gpu-east", std::chrono::hours(30)),
                    Job("train-7b", "Running", "gpu-east", std::chrono::hours(2)),
                    Job("train-1b", "Running", "tpu-lab", std::chrono::hours(3)),
                    Job("sweep-3", "Blocked", "", std::chrono::minutes(4)),
                    Job("new", "Dispatching", "gpu-west", std::chrono::seconds(9))};
  data.workloads[3].note =
      "no worker eligible: gpu-east: ResourceClaimTemplate ml/one-gpu does not exist there";
  data.workloads[4].note = "dispatched to gpu-west, waiting for admission";
  data.verdicts = SweepVerdicts();
  data.workloads[3].reasons = CodesIn(data.verdicts, data.workloads[3].uid);
  return data;
}

}  // namespace fedra::report
